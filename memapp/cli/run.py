"""`memapp run` and `memapp why`: commands, and what is known of their failures."""

from pathlib import Path
from typing import Any

import click

from memapp.cli.options import PATH, writes_if_possible
from memapp.cli.output import Output
from memapp.domain.text import clean, one_line
from memapp.errors import UsageError
from memapp.run import command as run_command
from memapp.run.arguments import CommandLine
from memapp.runtime import Runtime
from memapp.services import runs
from memapp.services.lessons.hints import LessonHint
from memapp.tools.program import here, program
from memapp.tools.shell import Shell, command_line


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--task", help="The task; steps of one task belong to one run.")
@click.option(
    "--expect",
    type=PATH,
    help="A file that must exist afterwards; otherwise the command counts as failed.",
)
@click.option(
    "--progress",
    metavar="FILE|CMD",
    help="A file or command with a number that grows towards the goal.",
)
@click.option(
    "--score",
    metavar="N",
    help="A score from 0 to 1, or a FILE|CMD that holds one; it ends the run.",
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
@click.pass_obj
def run(
    options: dict[str, Any],
    task: str | None,
    expect: Path | None,
    progress: str | None,
    score: str | None,
    command: tuple[str, ...],
) -> int:
    """Run a command; after a failure, show what worked before.

    memapp keeps the failure, and the command that then works, without secrets: see `memapp
    lessons`. It watches no other command. A program that reads keys from its error output at the
    end of a pipe, such as `vim -`, does not get them here.
    """
    given = {"home": options["home"], "db": options["database"], "task": task, "expect": expect}
    given |= {"progress": progress, "score": score}
    return run_command.main(
        CommandLine(
            list(command), {name: str(value) for name, value in given.items() if value is not None}
        )
    )


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--explain", is_flag=True, help="Show the parts of each score.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]")
@writes_if_possible
def why(runtime: Runtime, explain: bool, command: tuple[str, ...]) -> Output:
    """Explain the last failure here, or show lessons for a command.

    A recent `memapp sql` query counts as well.
    """
    if command:
        shell = Shell(program([*command]), Path(here()))
        lessons = runs.bearing(runtime, shell, command_line(command))
        lines = [f"{hint.in_advance}{_explained(hint, explain)}" for hint in lessons]
        text = "\n".join(lines) or "There is no lesson for this command."
        return Output({"lessons": [_data(hint) for hint in lessons]}, text)
    failure = runs.why(runtime, Shell("", Path(here())).scope)
    if failure is None:
        raise UsageError("Nothing failed here under `memapp run`.")
    error, hints = failure
    lines = [f"failed: {one_line(clean(error.action))}"]
    lines += [f"kind: {', '.join(error.tags).replace('_', ' ')}"] if error.tags else []
    lines += [f"{hint.in_a_line}{_explained(hint, explain)}" for hint in hints]
    return Output({"failed": error, "lessons": [_data(hint) for hint in hints]}, "\n".join(lines))


def _explained(hint: LessonHint, explain: bool) -> str:
    parts = f": {hint.ranked.score:.2f} = {hint.ranked.why}" if explain else ""
    return f" ({hint.tier}{parts})"


def _data(hint: LessonHint) -> dict[str, Any]:
    return {
        "tier": hint.tier,
        "score": hint.ranked.score,
        "parts": hint.ranked.parts,
        "lesson": hint.lesson,
    }
