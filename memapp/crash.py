"""The crash file of a bug: places in the code, and nothing of what the person wrote.

Local variables and the text of the exception are left out, since both may hold messages and
memories.
"""

import itertools
import traceback
from datetime import datetime
from pathlib import Path


def write_crash_file(error: BaseException, folder: Path, now: datetime) -> Path | None:
    """Write where the error happened; return the file, or None if it cannot be written."""
    lines = [f"memapp crashed at {now:%Y-%m-%d %H:%M:%S}", ""]
    seen: BaseException | None = error
    while seen is not None:
        lines += [type(seen).__name__, *_places(seen), ""]
        seen = _cause(seen)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return _write_new(folder, f"crash-{now:%Y%m%d-%H%M%S}", "\n".join(lines))
    except OSError:
        return None


def _write_new(folder: Path, name: str, text: str) -> Path:
    """Write a new file; several errors may fall into one second."""
    for number in itertools.count(1):
        path = folder / (f"{name}-{number}.txt" if number > 1 else f"{name}.txt")
        try:
            with path.open("x", encoding="utf-8") as file:
                path.chmod(0o600)
                file.write(text)
        except FileExistsError:
            continue
        return path
    raise AssertionError


def three_lines(error: BaseException, path: Path | None) -> str:
    """Return three lines for the person: the bug, what is safe, and where to look."""
    where = (
        f"Where it happened stands in {path} (none of your words)."
        if path
        else "The crash file could not be written."
    )
    return (
        f"memapp had to stop: a bug ({type(error).__name__}).\n"
        f"Your chats and memories are safe in the file.\n{where}"
    )


def _cause(error: BaseException) -> BaseException | None:
    """Return the cause of an error; an error of a Textual worker carries its cause along."""
    carried = getattr(error, "error", None)
    return carried if isinstance(carried, BaseException) else error.__cause__ or error.__context__


def _places(error: BaseException) -> list[str]:
    return [
        f"  {Path(frame.filename).name}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    ]
