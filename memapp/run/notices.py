"""Notices on standard error, beside the output of a command."""

import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from memapp import paths
from memapp.domain.text import clean
from memapp.errors import MemappError
from memapp.run.attempt import Options, path_in


def lost(cache: Path) -> Path:
    """Return the file with the reason why a step was not recorded, shown by the next command."""
    return cache / "not-recorded.txt"


def say_lost(cache: Path) -> None:
    """Show, once, why an earlier step was not recorded."""
    if lost(cache).is_file():
        say(lost(cache).read_text("utf-8"))
        lost(cache).unlink()


def in_words(options: Options, error: Exception) -> str:
    """Return the reason why nothing was recorded; for a bug, with the crash file."""
    if isinstance(error, UnicodeError):
        return "memapp: nothing was recorded: a name in it is not UTF-8"
    if isinstance(error, (MemappError, OSError)):
        return f"memapp: nothing was recorded: {error}"
    from memapp import crash

    log = paths.locate(path_in(options, "home")).log
    return crash.three_lines(error, crash.write_crash_file(error, log, datetime.now(UTC)))


def say(text: str) -> None:
    """Write a notice to standard error."""
    if sys.stderr:  # if closed, `print` would write to standard output
        with suppress(OSError):
            print(clean(text), file=sys.stderr)
