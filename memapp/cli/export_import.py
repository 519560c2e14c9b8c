"""Export and import from the command line."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

import click

from memapp.cli.options import FILE, FOLDER, PATH_OR_DASH, as_json_option
from memapp.cli.output import Output, opened, refuse_own, say, show
from memapp.domain.text import counted
from memapp.errors import NeedsYes, UsageError
from memapp.services import backups, exports
from memapp.services.imports.files import STANDARD_INPUT
from memapp.services.imports.import_file import import_file
from memapp.services.imports.running_import import OF_CHATS, Imported


@click.command()
@click.argument("folder", required=False, type=FOLDER)
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "md", "markdown"]),
    default="jsonl",
    show_default=True,
    help="jsonl and md write one file, markdown a folder of notes.",
)
@click.option("-o", "--output", type=FILE, help="The file to write; otherwise standard output.")
@click.pass_obj
def export(
    options: dict[str, Any],
    folder: Path | None,
    form: Literal["jsonl", "md", "markdown"],
    output: Path | None,
) -> None:
    """Write memories, profile and chats to a file, for reading.

    `--format markdown FOLDER` writes each memory as a note for Obsidian or basic-memory, and beside
    the notes each chat and your profile, for reading. Importing the folder again changes nothing; a
    note that you edited is imported as an edit, and a deleted note is ignored.

    An export is no backup. It lacks the history (see `memapp history --format jsonl`) and the
    record of what you erased, so another memapp may learn that again without asking. Anyone could
    edit the file: on import, chats come back with their dates, nothing counts as typed by you, and
    memories and profile wait for your yes as one question. To move to another machine with
    everything: `memapp backup` and `memapp restore --file`.
    """
    if (folder is None) is (form == "markdown") or (folder and output):
        raise UsageError(
            "A folder and --format markdown go together.", "memapp export --format markdown FOLDER"
        )
    if folder:
        with opened(options, read_only=True) as runtime:
            written = exports.write_notes(runtime, folder)
        memories = counted(written.memories, "memory", "memories")
        profile = " and your profile" if written.profiles else ""
        chats = counted(written.chats, "chat")
        say(f"Written to {folder}, a note each: {memories}, {chats}{profile}.")
        return
    write = exports.as_lines if form == "jsonl" else exports.as_markdown
    with opened(options, read_only=True) as runtime, closing(write(runtime)) as pieces:
        if output is None:
            for piece in pieces:
                show(piece, newline=False)
            return
        refuse_own(options, output)
        exports.write_private(runtime, output, pieces)
    say(
        f"Written to {output}. This is no backup: to move with everything, "
        "history and inbox included, use memapp backup."
    )


def _to_decide(imported: Imported) -> str:
    """Return how to decide the pending requests of an import."""
    file_id = imported.file_id
    answers = f"memapp approve {file_id}, or one by one: memapp consents show {file_id}"
    return f"To say yes to all of it, here or in the inbox: {answers}" if file_id else ""


@click.command("import")
@click.argument("files", metavar="PATH", nargs=-1, required=True, type=PATH_OR_DASH)
@click.option("--dry-run", is_flag=True, help="Only show what the import would add.")
@click.option(
    "--yes",
    is_flag=True,
    help="Import. Without --yes, memapp only shows what the import would add.",
)
@as_json_option
@click.pass_obj
def import_(
    options: dict[str, Any], files: tuple[Path, ...], dry_run: bool, yes: bool, as_json: bool
) -> None:
    """Import memories and chats from memapp or another program.

    PATH is a file, a zip as downloaded, or a folder; - is standard input. memapp recognises the
    format: an export of memapp, ChatGPT, Claude (with memories and projects), Gemini (Takeout, as
    JSON), Open WebUI, mem0, the MCP memory server or Letta; a folder of LM Studio or Jan; the
    database of oterm, elia or Open WebUI; notes in Markdown (Obsidian, basic-memory, `memapp export
    --format markdown`); or facts, as one JSON object a line.

    The import is all or nothing. memapp counts what it leaves out, and skips what it has already.
    What the file says about you waits for your yes, as one question (`memapp consents`). One
    `memapp undo` undoes the import: requests are withdrawn, and its chats are deleted, except
    those you continued. For what a file cannot hold, see `memapp export --help`.
    """
    if len(files) > 1:
        raise UsageError("memapp imports one file or folder at a time.", "Put them into a folder.")
    only_look = dry_run or not yes
    source = STANDARD_INPUT if files[0] == Path("-") else files[0]
    with opened(options) as runtime:
        if not only_look:
            backups.run(runtime, timedelta(0))
        imported = import_file(runtime, source, dry_run=only_look)
    needs_yes = only_look and not dry_run and bool(imported.step)
    file_id = "" if only_look else imported.file_id
    Output(
        {**vars(imported), "file_id": file_id, "dry_run": only_look},
        notes=[
            f"{'This would import' if only_look else 'Imported'}: {imported}.",
            "" if only_look else _to_decide(imported),
        ],
        aside=OF_CHATS if imported.chats else "",
        error=NeedsYes("Nothing was imported yet.", "Add --yes to do it.") if needs_yes else None,
    ).write(as_json)
