"""The quick way of `memapp run`: the command starts on the standard library alone.

memapp itself is loaded only after a failure, or after a success where a marker says that a failure
is open: then it may be what was wanted. It is loaded before a command, too, for which another
marker says that something is to be told.
"""

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from memapp.tools.markers import is_known, is_open
from memapp.tools.program import OF_SHELL, program, project

if TYPE_CHECKING:
    from memapp.after_run import Drawn

OPTIONS_BEFORE, OPTIONS = ("--home", "--db"), ("--task", "--expect", "--progress", "--score")


class CommandLine(NamedTuple):
    """What `memapp run` was asked for."""

    argv: list[str]
    options: dict[str, str]


def read(arguments: list[str]) -> CommandLine | None:
    """Return what a command line asks for; None if it is not `run`, or if something in it needs a
    word of explanation.
    """
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

    if wanted.argv[0] in OF_SHELL:
        if sys.stderr:
            sys.stderr.write(
                f"memapp: {wanted.argv[0]} is for your shell to do; run it without memapp\n"
            )
        return ended.NOT_FOUND
    name, place = program(wanted.argv), project(here())
    before = (
        _tell_before(wanted)
        if (known := is_known(wanted.argv, name, wanted.options, place))
        else None
    )
    ran = terminal.run(wanted.argv)
    is_stopped = ran.code in ended.ENDED_BY_PERSON  # so nothing tells how it went
    is_missing = (
        ran.code == 0
        and "expect" in wanted.options
        and not os.path.exists(wanted.options["expect"])
    )
    is_measured = not {"progress", "score"}.isdisjoint(wanted.options)
    if not is_stopped and (
        ran.code or is_missing or is_measured or known or is_open(name, wanted.options, place)
    ):
        os.umask(0o077)  # what memapp writes from here on is the person's alone
        from memapp import after_run

        after_run.tell(wanted, ran, before)
    if ran.interrupted:  # by the exit code alone a shell would go on with its loop
        import signal

        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    if ran.lost:
        with suppress(OSError):
            os.write(2, f"memapp: the output of this command was lost: {ran.lost}\n".encode())
        return ran.code or 1
    return ran.code or int(is_missing)


def _tell_before(wanted: CommandLine) -> "Drawn | None":
    """Say what is known of a command that is about to fail; the command gets the umask as it was."""
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
