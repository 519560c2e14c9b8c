"""What was thrown away, from the command line: trash, and forgetting for good."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from memapp.cli.output import opened, say, short_ids, show_json, show_list, show_one, told, when
from memapp.cli.shape import ListingGroup, as_json_option, limit_option, yes_option
from memapp.domain.forget import Receipt
from memapp.domain.memory import why
from memapp.domain.text import counted
from memapp.errors import NeedsYes, UsageError

if TYPE_CHECKING:
    from memapp.runtime import Runtime


@click.group(cls=ListingGroup)
def trash() -> None:
    """List what lies in the trash, or erase it for good."""


@trash.command("list")
@limit_option(100)
@as_json_option
@click.pass_obj
def list_(options: dict[str, Any], limit: int, as_json: bool) -> None:
    """List what lies in the trash, last first, with why, and until when it stays at least: longer for who seldom uses memapp."""
    from memapp.services import lifecycle

    with opened(options, read_only=True) as runtime:
        found, days = lifecycle.trash(runtime, limit=limit + 1), runtime.settings.ttl_days
        name = short_ids(runtime, "memories")
    show_list(
        found,
        as_json,
        lambda one: {
            "id": name(one.id),
            "since": when(one.updated_at),
            "why": why(one, days),
            "until": when(one.purge_at) if one.purge_at else "",
            "text": told(one.text),
        },
        "The trash is empty.",
        limit,
    )


@trash.command()
@click.argument("memory_ids", metavar="[ID]...", nargs=-1)
@click.option("--expired", is_flag=True, help="All whose time is over.")
@click.option("--all", "everything", is_flag=True, help="All that is in the trash.")
@yes_option
@as_json_option
@click.pass_obj
def purge(
    options: dict[str, Any], memory_ids: tuple[str, ...], expired: bool, everything: bool, yes: bool, as_json: bool
) -> None:
    """Erase from the trash for good. Nothing brings it back."""
    from memapp.services import forget

    if sum((bool(memory_ids), expired, everything)) != 1:
        raise UsageError("Say what to erase: ids, or --expired, or --all.")
    with opened(options, read_only=not yes) as runtime:
        chosen = _chosen(runtime, memory_ids, expired=expired)
        if as_json and not (yes and chosen):
            show_json({"memories": len(chosen)})
        if not chosen:
            say("There is nothing to erase.")
            return
        if not yes:
            said = counted(len(chosen), "memory", "memories")
            raise NeedsYes(f"This would erase for good: {said}, with all that repeats what they say.", "Add --yes to do it.")
        show_receipt(forget.purge(runtime, chosen), as_json)


def _chosen(runtime: "Runtime", memory_ids: tuple[str, ...], *, expired: bool) -> list[str]:
    from memapp.services import curate, ids, lifecycle

    if not memory_ids:
        now = runtime.clock()
        return [one.id for one in lifecycle.trash(runtime, limit=None) if not expired or (one.purge_at and one.purge_at <= now)]
    found = [curate.get(runtime, memory_id) for memory_id in ids.memories(runtime, memory_ids, "trash")]
    for memory in found:
        if memory.purge_at is None:
            raise UsageError(f"Memory {memory.id} is not in the trash.", "Put it there first: memapp rm.")
    return [memory.id for memory in found]


@click.command()
@click.argument("words", nargs=-1, required=True)
@yes_option
@as_json_option
@click.pass_obj
def forget(options: dict[str, Any], words: tuple[str, ...], yes: bool, as_json: bool) -> None:
    """Erase whatever holds these words, everywhere and for good.

    Memories, messages, titles, consent requests, the history and the backups. Without --yes it says how much that is.
    """
    from memapp.services import forget as service

    text = " ".join(words)
    with opened(options) as runtime:
        found = service.preview(runtime, text)
        if as_json and not yes:
            show_json(asdict(found))
        if not yes and not found:
            say("There is nothing to erase: nothing holds these words.")
            return
        if not yes:
            raise NeedsYes(f"This would erase for good: {found}.", "Add --yes to do it.")
        say(f"To be erased: {found}.")
        show_receipt(service.forget_everywhere(runtime, text), as_json)


def show_receipt(receipt: Receipt, as_json: bool) -> None:
    """Write what was erased and what a scan of the files found afterwards."""
    show_one(receipt, as_json, str(receipt))
