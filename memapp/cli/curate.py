"""Changing memories from the command line: edit, pin, unpin, rm, restore, undo."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from memapp.cli.output import opened, say, show, show_json
from memapp.cli.shape import COUNT, as_json_option, ids_argument
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
    """Put other words, tags, importance or category in place."""
    from memapp.services import curate, ids

    if not (text or tags) and importance is None and category is None:
        raise UsageError("There is nothing to change.", "Write the new text after the id, or see `memapp edit --help`.")
    with opened(options) as runtime:
        found = ids.memory(runtime, memory_id)
        curate.edit(runtime, found, " ".join(text) if text else None, tags=tags or None, importance=importance, category=category)
        after = curate.get(runtime, found)
    say("Changed.")
    if as_json:
        show_json(asdict(after))
    else:
        show(after.text)


@click.command()
@ids_argument
@click.pass_obj
def pin(options: dict[str, Any], memory_ids: tuple[str, ...]) -> None:
    """Keep memories always."""
    _pin(options, memory_ids, pinned=True)


@click.command()
@ids_argument
@click.pass_obj
def unpin(options: dict[str, Any], memory_ids: tuple[str, ...]) -> None:
    """Let memories go the way of all others again."""
    _pin(options, memory_ids, pinned=False)


def _pin(options: dict[str, Any], memory_ids: tuple[str, ...], *, pinned: bool) -> None:
    from memapp.services import curate, ids

    with opened(options) as runtime:
        found = ids.memories(runtime, memory_ids)
        curate.pin(runtime, *found, pinned=pinned)
        for memory_id in found:
            say(f"{'Pinned' if pinned else 'No longer pinned'}: {curate.get(runtime, memory_id).text}")


@click.command()
@ids_argument
@click.pass_obj
def rm(options: dict[str, Any], memory_ids: tuple[str, ...]) -> None:
    """Put memories into the trash; `restore` brings them back."""
    from memapp.services import curate, ids

    with opened(options) as runtime:
        found = ids.memories(runtime, memory_ids)
        curate.discard(runtime, *found)
        for memory_id in found:
            say(f"In the trash: {curate.get(runtime, memory_id).text}")


@click.command()
@click.argument("memory_ids", metavar="[ID]...", nargs=-1)
@click.option("--file", type=click.Path(path_type=Path, dir_okay=False), help="A backup to be put in place of the memory file.")
@click.option("--yes", is_flag=True, help="Do put the backup in place; without it, only look at it.")
@click.pass_obj
def restore(options: dict[str, Any], memory_ids: tuple[str, ...], file: Path | None, yes: bool) -> None:
    """Bring memories back from the trash, or a backup with --file."""
    if (file is None) == (not memory_ids):
        raise UsageError("Say what to bring back: ids from the trash, or a backup with --file.")
    if file is not None:
        from memapp.cli.files import restore_file

        restore_file(options, file, yes=yes)
        return
    _bring_back(options, memory_ids)


def _bring_back(options: dict[str, Any], memory_ids: tuple[str, ...]) -> None:
    """Bring memories back from the trash and say which. Raises `NeedsYes` for what waits for the person's word first."""
    from memapp.services import curate, ids

    with opened(options) as runtime:
        back = curate.restore(runtime, *ids.memories(runtime, memory_ids))
        for revision in back.revisions:
            say(f"Restored: {curate.get(runtime, revision.memory_id).text}")
        stayed = [curate.get(runtime, memory_id).text for memory_id in back.known]
        unsaid = [curate.get(runtime, memory_id).text for memory_id in (*back.asked, *back.barred)]
    if stayed:
        raise UsageError(f"Not restored, since memapp knows the same already: {'; '.join(stayed).rstrip('.')}.")
    if unsaid:
        hint = "See: memapp consents list." if back.asked else "Write what is right: memapp profile set."
        raise NeedsYes(f"Not restored, since it says something of your profile: {'; '.join(unsaid).rstrip('.')}.", hint)


@click.command()
@click.option("--steps", metavar="N", type=COUNT, default=1, show_default=True, help="How many to take back.")
@as_json_option
@click.pass_obj
def undo(options: dict[str, Any], steps: int, as_json: bool) -> None:
    """Take back the last change, or the last so many."""
    from memapp.services import undo as service

    taken = []
    with opened(options) as runtime:
        for _ in range(min(steps, len(service.undoable(runtime, steps))) or 1):
            taken.append(service.undo_last(runtime))
            if not as_json:
                show(f"Taken back: {service.told(runtime, taken[-1])}")
    if as_json:
        show_json([asdict(step) for step in taken])
    if len(taken) < steps:
        say(f"There was no more to take back than {len(taken)}.")
