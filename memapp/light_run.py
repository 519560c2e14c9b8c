"""The quick way of `memapp run`: the command starts on the standard library alone.

memapp itself is loaded only after a failure, or after a success where a marker says that a failure is open: then it may be what
was wanted. A marker is a small file in the cache, named by a hash of the place, with the programs that failed there. Another has
the commands that failed there last and for which a trusted lesson says what works: only these are told of before they are run.
"""

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from memapp.tools.program import program

OPEN_SECONDS = 30 * 60
"""As long a failure waits for what works."""
ANY = "any"
"""In a marker: a name that no program has failed, so whatever works may be what was wanted."""
MOST_KNOWN = 50
"""Commands of one place that are told of before they are run."""
OPTIONS_BEFORE, OPTIONS = ("--home", "--db"), ("--task", "--expect")


class CommandLine(NamedTuple):
    """What `memapp run` was asked for."""

    argv: list[str]
    options: dict[str, str]


def read(arguments: list[str]) -> CommandLine | None:
    """Return what a command line asks for; None if it is not `run`, or if something in it needs a word of explanation."""
    options: dict[str, str] = {}
    rest = take_options(arguments, OPTIONS_BEFORE, options)
    if rest[:1] != ["run"]:
        return None
    rest = take_options(rest[1:], OPTIONS, options)
    return CommandLine(rest[1:], options) if rest[:1] == ["--"] and rest[1:] else None


def take_options(arguments: list[str], known: tuple[str, ...], found: dict[str, str]) -> list[str]:
    """Take options from the beginning; return what follows."""
    while arguments:
        name, equals, value = arguments[0].partition("=")
        if name not in known or not (equals or len(arguments) > 1):
            break
        found[name.removeprefix("--")] = value if equals else arguments[1]
        arguments = arguments[1 if equals else 2 :]
    return arguments


def main(wanted: CommandLine) -> int:
    """Run the command and return its exit code; a hint may follow its output."""
    from memapp.tools import ended, terminal

    told = _tell_before(wanted) if (known := is_known(wanted.argv, wanted.options, here())) else ""
    ran = terminal.run(wanted.argv)
    is_stopped = ran.code in ended.ENDED_BY_PERSON  # so nothing tells how it went
    failed = ran.code != 0 or ("expect" in wanted.options and not os.path.exists(wanted.options["expect"]))
    if not is_stopped and (failed or known or is_open(program(wanted.argv), wanted.options, here())):
        os.umask(0o077)  # what memapp writes from here on is the person's alone
        from memapp import after_run

        after_run.tell(wanted, ran, told)
    if ran.interrupted:  # by the exit code alone a shell would go on with its loop
        import signal

        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    if ran.lost:
        with suppress(OSError):
            os.write(2, f"memapp: the output of this command was lost: {ran.lost}\n".encode())
        return ran.code or 1
    return ran.code


def _tell_before(wanted: CommandLine) -> str:
    """Say what is known of a command that failed here when it was run last; the command gets the umask as it was."""
    umask = os.umask(0o077)
    try:
        from memapp import after_run

        return after_run.tell_before(wanted)
    finally:
        os.umask(umask)


def here() -> str:
    """Return the place in which commands are run; one that is gone has still a name."""
    try:
        return os.getcwd()
    except OSError:
        return os.environ.get("PWD") or "/"


def marker(options: Mapping[str, str], place: str, kind: str = "open") -> str:
    """Return the file that says which failures are open in a place, or for which commands a trusted lesson is known there."""
    import hashlib

    home = options.get("home") or os.environ.get("MEMAPP_HOME")
    if home:
        cache = os.path.join(home, "cache")
    else:
        import platformdirs

        cache = platformdirs.user_cache_dir("memapp", appauthor=False)
    return os.path.join(cache, kind, hashlib.sha256(place.encode(errors="replace")).hexdigest()[:24])


def sign(name: str) -> str:
    """Return what stands for a program in a marker, which shall say nothing to others."""
    import hashlib

    return hashlib.sha256(name.encode(errors="replace")).hexdigest()[:12]


def mark(options: Mapping[str, str], place: str, programs: Sequence[str], slip: Sequence[str], *, more: bool = False) -> None:
    """Say which failures are open in a place, of programs or of a name that none has; with `more` those of before are, too."""
    path = marker(options, place)
    _write(path, [*(_signs(path) if more else []), *map(sign, programs), *slip])


def mark_known(options: Mapping[str, str], place: str, argv: Sequence[str], *, is_known: bool) -> None:
    """Say of a command whether it failed in a place now, and a trusted lesson says what works."""
    path, command = marker(options, place, "known"), _command(argv)
    others = [one for one in _signs(path) if one != command]
    _write(path, [*others, *([command] if is_known else [])][-MOST_KNOWN:])


def is_known(argv: Sequence[str], options: Mapping[str, str], place: str) -> bool:
    """Say whether a command failed in a place when it was run last, and a trusted lesson says what works."""
    return _command(argv) in _signs(marker(options, place, "known"))


def _command(argv: Sequence[str]) -> str:
    return sign("\0".join(argv))


def _signs(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().split()
    except (OSError, UnicodeError):
        return []


def _write(path: str, signs: Sequence[str]) -> None:
    with suppress(OSError):
        if not signs:
            os.unlink(path)
            return
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(dict.fromkeys(signs)))


def is_open(name: str, options: Mapping[str, str], place: str) -> bool:
    """Say whether a program failed in a place a short while ago, or one that there is not: a slip."""
    path = marker(options, place)
    try:
        if time.time() - os.stat(path).st_mtime > OPEN_SECONDS:
            os.unlink(path)
            return False
    except OSError:
        return False
    return bool({sign(name), ANY} & set(_signs(path)))
