"""Lessons to files and back, from the command line."""

from pathlib import Path
from typing import Any

import click

from memapp.cli.options import FILE, writes
from memapp.cli.output import Output, opened, refuse_own, say, show
from memapp.runtime import Runtime
from memapp.services.exports import write_private
from memapp.services.imports.lessons import import_lessons
from memapp.services.lessons import lesson_files

WRITERS = {
    "lessons": lesson_files.lessons_as_rows,
    "failures": lesson_files.failures_as_rows,
    "skills": lesson_files.promoted_as_skill,
}


@click.command()
@click.option(
    "--lessons",
    "what",
    flag_value="lessons",
    default=True,
    help="All lessons, as lessons.jsonl.  [default]",
)
@click.option(
    "--failures", "what", flag_value="failures", help="All failures, as memory_events.jsonl."
)
@click.option(
    "--skills",
    "what",
    flag_value="skills",
    help="Promoted lessons, as SKILL.md for a coding agent.",
)
@click.option("-o", "--output", type=FILE, help="The file to write; otherwise standard output.")
@click.pass_obj
def export(options: dict[str, Any], what: str, output: Path | None) -> None:
    """Export lessons, failures, or lessons as a skill."""
    with opened(options, read_only=True) as runtime:
        pieces = WRITERS[what](runtime)
        if output is None:
            for piece in pieces:
                show(piece, newline=False)
            return
        refuse_own(options, output)
        write_private(runtime, output, pieces)
    say(f"Written to {output}.")


@click.command("import")
@click.argument("file", type=FILE)
@writes
def import_(runtime: Runtime, file: Path) -> Output:
    """Import a lessons.jsonl or a memory_events.jsonl.

    The import is all or nothing. Imported lessons are candidates without evidence, whatever the
    file says, and a coding agent sees a lesson only after it worked here. `memapp undo` undoes the
    import.
    """
    imported = import_lessons(runtime, file)
    return Output(vars(imported), f"Imported: {imported}.")
