"""Copies of model files that memapp makes: each in the cache folder under its original's hash."""

import hashlib
import json
import os
import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from memapp.inference import gguf_file

HASHES = "hashes.json"
STALE_SECONDS = 3600
_OF_PROCESS = re.compile(r"\.(\d+)\.part$")
KEY_CHARS = 32
"""The length of a shortened hash."""

_one_at_a_time = threading.Lock()


def content_hash(path: Path, cache: Path) -> str:
    """Return the hash of a model's content, cached by size and time of its files."""
    return _joined([_content_hash(part, cache) for part in gguf_file.parts(path)])


def _joined(hashes: Sequence[str]) -> str:
    """Return one hash for the hashes of all files of a model; empty if one is unknown."""
    if len(hashes) == 1 or not all(hashes):
        return hashes[0] if len(hashes) == 1 else ""
    return hashlib.sha256(" ".join(hashes).encode()).hexdigest()[:KEY_CHARS]


def _content_hash(path: Path, cache: Path) -> str:
    name, status = str(path.resolve()), path.stat()
    state = f"{status.st_size} {status.st_mtime_ns} "
    with _one_at_a_time:
        hashes = _read(cache / HASHES)
        if not str(hashes.get(name)).startswith(state):
            with path.open("rb") as file:
                hashes[name] = state + hashlib.file_digest(file, "sha256").hexdigest()[:KEY_CHARS]
            with whole(cache / HASHES) as unfinished:
                unfinished.write_text(json.dumps(hashes), "utf-8")
    return str(hashes[name]).removeprefix(state)


def known_hash(path: Path, cache: Path) -> str:
    """Return the cached hash of a model if its files are unchanged, else nothing."""
    return _joined([_known_hash(part, cache) for part in gguf_file.parts(path)])


def _known_hash(path: Path, cache: Path) -> str:
    try:
        status = path.stat()
    except OSError:
        return ""
    known = str(_read(cache / HASHES).get(str(path.resolve())))
    state = f"{status.st_size} {status.st_mtime_ns} "
    return known.removeprefix(state) if known.startswith(state) else ""


def _read(known: Path) -> dict[str, object]:
    try:
        hashes = json.loads(known.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return hashes if isinstance(hashes, dict) else {}


@contextmanager
def whole(copy: Path) -> Iterator[Path]:
    """Yield a file to write to, which replaces `copy` when whole, and is removed on an error."""
    copy.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    remove_leftovers(copy.parent)
    unfinished = copy.with_name(f"{copy.name}.{os.getpid()}.part")
    os.close(os.open(unfinished, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))
    try:
        yield unfinished
        with unfinished.open("r+b") as file:
            os.fsync(file.fileno())
        unfinished.replace(copy)
    finally:
        unfinished.unlink(missing_ok=True)


def remove_leftovers(folder: Path) -> None:
    """Remove unfinished files of killed processes: the process is gone, or the file is old."""
    for leftover in folder.glob("*.part"):
        if not (number := _OF_PROCESS.search(leftover.name)):
            continue
        import psutil  # rarely needed

        with suppress(OSError):
            is_stale = time.time() - leftover.stat().st_mtime > STALE_SECONDS
            if is_stale or not psutil.pid_exists(int(number[1])):
                leftover.unlink()
