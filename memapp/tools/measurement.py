"""The progress or score of a run: a number, or a file or command that gives one."""

import math
import os
import re
import shlex
import subprocess
from pathlib import Path

SECONDS = 60.0
MOST_CHARS = 4_096
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def measured(source: str, folder: Path) -> float | None:
    """Return the first number of a source, if any: a text, a plain file, or a command's output."""
    if _NUMBER.fullmatch(source):
        return number(source)
    path = folder / source
    try:
        if path.is_file() and not os.access(path, os.X_OK):
            with path.open(encoding="utf-8", errors="replace") as file:
                return number(file.read(MOST_CHARS))
        argv = shlex.split(source)
        wrote = subprocess.run(
            argv,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, ValueError, IndexError, subprocess.TimeoutExpired):
        return None
    return number(wrote.stdout[:MOST_CHARS].decode("utf-8", "replace"))


def number(text: str) -> float | None:
    """Return the first number in a text if the number is finite."""
    found = _NUMBER.search(text)
    value = float(found[0]) if found else math.nan
    return value if math.isfinite(value) else None
