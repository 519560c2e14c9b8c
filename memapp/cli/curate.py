"""Changing memories from the command line: edit, pin, unpin, rm, restore, undo."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from memapp.cli.options import (
    COUNT,
    FILE,
    as_json_option,
    ask_about_secret,
    ids_argument,
    no_secret_option,
    words_argument,
    writes,
)
from memapp.cli.output import Output, opened
from memapp.domain.changes import Revision
from memapp.domain.memory import Memory, State
from memapp.domain.text import counted
from memapp.errors import MemappError, NeedsYes, UsageError
from memapp.runtime import Runtime
from memapp.services import curate, id_lookup
from memapp.services import undo as service


@click.command()
@click.argument("memory_id", metavar="ID")
@words_argument(needed=False)
@click.option(
    "--tag",
    "tags",
    multiple=True,
    help="A tag in place of the old ones; repeat the option for more.",
)
@click.option(
    "--importance", metavar="1-5", type=click.IntRange(1, 5), help="The importance, from 1 to 5."
)
@click.option("--category", help="The new category.")
@no_secret_option
@writes
def edit(
    runtime: Runtime,
    memory_id: str,
    text: str | None,
    tags: tuple[str, ...],
    importance: int | None,
    category: str | None,
    no_secret: bool,
) -> Output:
    """Change the text, tags, importance or category of a memory.

    With - as TEXT, the text is read from standard input.
    """
    if text is None and not tags and importance is None and category is None:
        raise UsageError(
            "There is nothing to change.",
            "Write the new text after the id, or see `memapp edit --help`.",
        )
    memory_id = id_lookup.memory(runtime, memory_id)
    if text is not None:
        ask_about_secret(runtime, text, no_secret=no_secret)
    curate.edit(
        runtime, memory_id, text, tags=tags or None, importance=importance, category=category
    )
    after = curate.get(runtime, memory_id)
    where = "" if after.state is State.LIVE else " It is still in the trash."
    readers = f" {curate.readers(runtime, category)}" if category else ""
    return Output(after, after.text, aside=f"Changed.{where}{readers}")


@click.command()
@ids_argument
@writes
def pin(runtime: Runtime, memory_ids: tuple[str, ...]) -> Output:
    """Pin memories, so that they never expire."""
    return _do(runtime, memory_ids, curate.pin, "Pinned")


@click.command()
@ids_argument
@writes
def unpin(runtime: Runtime, memory_ids: tuple[str, ...]) -> Output:
    """Unpin memories, so that they may expire again."""
    return _do(runtime, memory_ids, partial(curate.pin, pinned=False), "No longer pinned")


@click.command()
@ids_argument
@writes
def rm(runtime: Runtime, memory_ids: tuple[str, ...]) -> Output:
    """Move memories to the trash; `memapp restore` brings them back."""
    return _do(runtime, memory_ids, curate.discard, "Trashed")


def _do(
    runtime: Runtime, memory_ids: tuple[str, ...], action: Callable[..., Revision], did: str
) -> Output:
    """Change memories in one step, and list them."""
    found = id_lookup.memories(runtime, memory_ids)
    action(runtime, *found)
    after = curate.get_many(runtime, found)
    return Output(after, aside="\n".join(f"{did}: {memory.text}" for memory in after))


@click.command()
@click.argument("memory_ids", metavar="[ID]...", nargs=-1)
@click.option("--file", type=FILE, help="A backup that replaces the memory file.")
@click.option(
    "--yes",
    is_flag=True,
    help="Replace the file. Without --yes, memapp only shows what the backup holds.",
)
@as_json_option
@click.pass_obj
def restore(
    options: dict[str, Any],
    memory_ids: tuple[str, ...],
    file: Path | None,
    yes: bool,
    as_json: bool,
) -> None:
    """Restore memories from the trash, or a backup with --file."""
    if (file is None) == (not memory_ids):
        raise UsageError("Say what to restore: ids from the trash, or a backup with --file.")
    if file is not None:
        from memapp.cli.backups import restore_file

        restore_file(options, file, yes=yes, as_json=as_json)
        return
    with opened(options) as runtime:
        answer = _bring_back(runtime, memory_ids)
    answer.write(as_json)


def _bring_back(runtime: Runtime, memory_ids: tuple[str, ...]) -> Output:
    """Restore memories from the trash; an error, if some need the person's decision first."""
    back = curate.restore(runtime, *id_lookup.memories(runtime, memory_ids, "trash"))
    restored = curate.get_many(runtime, [revision.memory_id for revision in back.revisions])
    known = curate.get_many(runtime, back.known)
    undecided = curate.get_many(runtime, (*back.asked, *back.barred))
    error: MemappError | None = None
    if known:
        error = UsageError(f"Not restored, since memapp knows the same already: {_named(known)}.")
    elif undecided:
        hint = (
            "See: memapp consents list."
            if back.asked
            else "Write what is right: memapp profile set."
        )
        error = NeedsYes(
            f"Not restored, since it says something of your profile: {_named(undecided)}.", hint
        )
    aside = "\n".join(f"Restored: {memory.text}" for memory in restored)
    return Output({"restored": restored, "stayed": [*known, *undecided]}, aside=aside, error=error)


def _named(found: list[Memory]) -> str:
    return "; ".join(memory.text for memory in found).rstrip(".")


@click.command()
@click.option(
    "--steps",
    metavar="N",
    type=COUNT,
    default=1,
    show_default=True,
    help="How many changes to undo.",
)
@writes
def undo(runtime: Runtime, steps: int) -> Output:
    """Undo the last change, or the last N changes."""
    undone, lines, error = [], [], None
    try:
        for _ in range(min(steps, len(service.undoable(runtime, steps))) or 1):
            undone.append(service.undo_last(runtime))
            lines.append(f"Undone: {service.describe(runtime, undone[-1])}")
    except MemappError as failure:
        error = failure
    is_short = len(undone) < steps and error is None
    fewer = f"Only {counted(len(undone), 'change')} could be undone." if is_short else ""
    return Output(undone, "\n".join(lines), aside=fewer, error=error)
