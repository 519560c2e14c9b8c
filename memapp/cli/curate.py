"""Changing memories from the command line: edit, pin, unpin, rm, restore, undo."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click

from memapp.cli.output import opened, say, show, show_json, show_one, told
from memapp.cli.shape import COUNT, as_json_option, ids_argument, words_or_pipe
from memapp.domain.changes import Revision
from memapp.domain.memory import Memory, State
from memapp.domain.second_person import addressed
from memapp.errors import NeedsYes, UsageError


@click.command()
@click.argument("memory_id", metavar="ID")
@click.argument("text", nargs=-1)
@click.option("--tag", "tags", multiple=True, help="A tag in place of the old ones; may be given again.")
@click.option("--importance", metavar="1-5", type=click.IntRange(1, 5), help="How much it matters, 1 to 5.")
@click.option("--category", help="Another category.")
@as_json_option
@click.pass_obj
def edit(
    options: dict[str, Any],
    memory_id: str,
    text: tuple[str, ...],
    tags: tuple[str, ...],
    importance: int | None,
    category: str | None,
    as_json: bool,
) -> None:
    """Put other words, tags, importance or category in place.

    With - as TEXT, standard input is the words.
    """
    from memapp.services import curate, ids

    if not (text or tags) and importance is None and category is None:
        raise UsageError("There is nothing to change.", "Write the new text after the id, or see `memapp edit --help`.")
    words = words_or_pipe(text, "edit") if text else None
    with opened(options) as runtime:
        found = ids.memory(runtime, memory_id)
        curate.edit(runtime, found, words, tags=tags or None, importance=importance, category=category)
        after = curate.get(runtime, found)
    say("Changed." if after.state is State.LIVE else "Changed. It is still in the trash.")
    show_one(after, as_json, told(after.text))


@click.command()
@ids_argument
@as_json_option
@click.pass_obj
def pin(options: dict[str, Any], memory_ids: tuple[str, ...], as_json: bool) -> None:
    """Keep memories always."""
    from memapp.services import curate

    _do(options, memory_ids, as_json, curate.pin, "Pinned")


@click.command()
@ids_argument
@as_json_option
@click.pass_obj
def unpin(options: dict[str, Any], memory_ids: tuple[str, ...], as_json: bool) -> None:
    """Let memories go the way of all others again."""
    from memapp.services import curate

    _do(options, memory_ids, as_json, partial(curate.pin, pinned=False), "No longer pinned")


@click.command()
@ids_argument
@as_json_option
@click.pass_obj
def rm(options: dict[str, Any], memory_ids: tuple[str, ...], as_json: bool) -> None:
    """Put memories into the trash; `restore` brings them back."""
    from memapp.services import curate

    _do(options, memory_ids, as_json, curate.discard, "In the trash")


def _do(options: dict[str, Any], memory_ids: tuple[str, ...], as_json: bool, action: Callable[..., Revision], did: str) -> None:
    """Do something to memories in one step, and say what was done to which."""
    from memapp.services import curate, ids

    with opened(options) as runtime:
        found = ids.memories(runtime, memory_ids)
        action(runtime, *found)
        after = curate.get_many(runtime, found)
    for one in after:
        say(f"{did}: {addressed(one.text)}")
    if as_json:
        show_json([asdict(one) for one in after])


@click.command()
@click.argument("memory_ids", metavar="[ID]...", nargs=-1)
@click.option("--file", type=click.Path(path_type=Path, dir_okay=False), help="A backup to be put in place of the memory file.")
@click.option("--yes", is_flag=True, help="Do put the backup in place; without it, only look at it.")
@as_json_option
@click.pass_obj
def restore(options: dict[str, Any], memory_ids: tuple[str, ...], file: Path | None, yes: bool, as_json: bool) -> None:
    """Bring memories back from the trash, or a backup with --file."""
    if (file is None) == (not memory_ids):
        raise UsageError("Say what to bring back: ids from the trash, or a backup with --file.")
    if file is not None:
        from memapp.cli.files import restore_file

        restore_file(options, file, yes=yes, as_json=as_json)
        return
    _bring_back(options, memory_ids, as_json)


def _bring_back(options: dict[str, Any], memory_ids: tuple[str, ...], as_json: bool) -> None:
    """Bring memories back from the trash and say which. Raises `NeedsYes` for what waits for the person's word first."""
    from memapp.services import curate, ids

    with opened(options) as runtime:
        back = curate.restore(runtime, *ids.memories(runtime, memory_ids, "trash"))
        restored = curate.get_many(runtime, [revision.memory_id for revision in back.revisions])
        known = curate.get_many(runtime, back.known)
        unsaid = curate.get_many(runtime, (*back.asked, *back.barred))
    for one in restored:
        say(f"Restored: {addressed(one.text)}")
    if as_json:
        show_json({"restored": [asdict(one) for one in restored], "stayed": [asdict(one) for one in (*known, *unsaid)]})
    if known:
        raise UsageError(f"Not restored, since memapp knows the same already: {_named(known)}.")
    if unsaid:
        hint = "See: memapp consents list." if back.asked else "Write what is right: memapp profile set."
        raise NeedsYes(f"Not restored, since it says something of your profile: {_named(unsaid)}.", hint)


def _named(found: list[Memory]) -> str:
    return "; ".join(addressed(one.text) for one in found).rstrip(".")


@click.command()
@click.option("--steps", metavar="N", type=COUNT, default=1, show_default=True, help="How many to take back.")
@as_json_option
@click.pass_obj
def undo(options: dict[str, Any], steps: int, as_json: bool) -> None:
    """Take back the last change, or the last so many."""
    from memapp.services import undo as service

    taken = []
    with opened(options) as runtime:
        try:
            for _ in range(min(steps, len(service.undoable(runtime, steps))) or 1):
                taken.append(service.undo_last(runtime))
                if not as_json:
                    show(f"Taken back: {service.describe(runtime, taken[-1])}")
        finally:
            if as_json:
                show_json([asdict(step) for step in taken])
    if len(taken) < steps:
        say(f"There was no more to take back than {len(taken)}.")
