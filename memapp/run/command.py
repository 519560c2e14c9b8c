"""`memapp run`: runs a command, which starts on the standard library alone.

The rest of memapp is loaded only after a failure, after a success that may solve an open failure,
or before a command with a known lesson. Markers (`tools.markers`) tell which commands these are.
"""

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from memapp.run.arguments import CommandLine
from memapp.tools.markers import is_known, is_open
from memapp.tools.program import OF_SHELL, here, program, project

if TYPE_CHECKING:
    from memapp.run.hints import Drawn


def main(command: CommandLine) -> int:
    """Run the command and return its exit code; a hint may follow the output."""
    from memapp.tools import result, terminal

    if command.argv[0] in OF_SHELL:
        if sys.stderr:
            sys.stderr.write(
                f"memapp: {command.argv[0]} is for your shell to do; run it without memapp\n"
            )
        return result.NOT_FOUND
    name, place = program(command.argv), project(here())
    is_noticed = is_known(command.argv, name, command.options, place)
    before = _tell_before(command) if is_noticed else None
    ran = terminal.run(command.argv)
    is_stopped = ran.code in result.ENDED_BY_PERSON  # the exit code says nothing about the command
    is_missing = (
        ran.code == 0
        and "expect" in command.options
        and not os.path.exists(command.options["expect"])
    )
    is_measured = not {"progress", "score"}.isdisjoint(command.options)
    if not is_stopped and (
        ran.code or is_missing or is_measured or is_noticed or is_open(name, command.options, place)
    ):
        os.umask(0o077)  # files of memapp are private
        from memapp.run import hints

        hints.tell(command, ran, before)
    if ran.interrupted:  # an exit code alone would not end a loop of the shell
        import signal

        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    if ran.lost:
        with suppress(OSError):
            os.write(2, f"memapp: the output of this command was lost: {ran.lost}\n".encode())
        return ran.code or 1
    return ran.code or int(is_missing)


def _tell_before(command: CommandLine) -> "Drawn | None":
    """Show the hint for a command that is about to fail. The command keeps its umask."""
    umask = os.umask(0o077)
    try:
        from memapp.run import hints

        return hints.tell_before(command)
    finally:
        os.umask(umask)
