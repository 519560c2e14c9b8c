"""The trash from the command line, and erasing for good."""

from typing import Any

import click

from memapp.cli.options import ListingGroup, as_json_option, limit_option, reads, yes_option
from memapp.cli.output import Output, listing, opened, say, short_ids, when
from memapp.domain.forget import Receipt
from memapp.domain.memory import Memory
from memapp.domain.text import counted
from memapp.errors import NeedsYes, UsageError
from memapp.language.labels import why
from memapp.runtime import Runtime
from memapp.services import curate, id_lookup
from memapp.services import forget as service
from memapp.services.jobs import retention
from memapp.services.sync import machines


@click.group(cls=ListingGroup)
def trash() -> None:
    """List the trash, or erase it for good."""


@trash.command("list")
@limit_option(100)
@reads
def list_(runtime: Runtime, limit: int) -> Output:
    """List the trash, newest first, with reasons and dates.

    The date is the earliest day of erasure. Days on which memapp is not used can move the day back.
    """
    name = short_ids(runtime, "memories")

    def row(memory: Memory) -> dict[str, str]:
        return {
            "id": name(memory.id),
            "since": when(memory.updated_at),
            "why": why(memory, runtime.settings.ttl_days),
            "until": when(memory.purge_at) if memory.purge_at else "",
            "text": memory.text,
        }

    return listing(retention.trash(runtime, limit=limit + 1), row, "The trash is empty.", limit)


@trash.command()
@click.argument("memory_ids", metavar="[ID]...", nargs=-1)
@click.option("--expired", is_flag=True, help="Erase everything past its date.")
@click.option("--all", "everything", is_flag=True, help="Erase everything in the trash.")
@yes_option
@as_json_option
@click.pass_obj
def purge(
    options: dict[str, Any],
    memory_ids: tuple[str, ...],
    expired: bool,
    everything: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Erase memories in the trash for good. There is no undo."""
    if sum((bool(memory_ids), expired, everything)) != 1:
        raise UsageError("Say what to erase: ids, or --expired, or --all.")
    with opened(options, read_only=not yes) as runtime:
        chosen = _chosen(runtime, memory_ids, expired=expired)
        memories = counted(len(chosen), "memory", "memories")
        warning = NeedsYes(
            f"This would erase for good: {memories}, and every text that repeats the same.",
            "Add --yes to do it.",
        )
        if not chosen:
            answer = Output({"memories": 0}, aside="There is nothing to erase.")
        else:
            answer = (
                erased(service.purge(runtime, chosen))
                if yes
                else Output({"memories": len(chosen)}, error=warning)
            )
    answer.write(as_json)


def _chosen(runtime: Runtime, memory_ids: tuple[str, ...], *, expired: bool) -> list[str]:
    if not memory_ids:
        now = runtime.clock()
        return [
            memory.id
            for memory in retention.trash(runtime, limit=None)
            if not expired or (memory.purge_at and memory.purge_at <= now)
        ]
    memories = [
        curate.get(runtime, memory_id)
        for memory_id in id_lookup.memories(runtime, memory_ids, "trash")
    ]
    for memory in memories:
        if memory.purge_at is None:
            raise UsageError(
                f"Memory {memory.id} is not in the trash.", "Put it there first: memapp rm."
            )
    return [memory.id for memory in memories]


@click.command()
@click.argument("words", nargs=-1)
@click.option(
    "--status", is_flag=True, help="Which of your machines has not yet erased what was erased last."
)
@yes_option
@as_json_option
@click.pass_obj
def forget(
    options: dict[str, Any], words: tuple[str, ...], status: bool, yes: bool, as_json: bool
) -> None:
    """Erase everything with these words, for good.

    Erases memories, messages, titles, consent requests, earlier versions and copies in backups.
    Without --yes, memapp only counts them.
    """
    # To count, memapp erases and rolls back: that, too, needs a file that can be written.
    with opened(options, read_only=status) as runtime:
        answer = _forgotten(runtime, words, status=status, yes=yes)
    answer.write(as_json)


def _forgotten(runtime: Runtime, words: tuple[str, ...], *, status: bool, yes: bool) -> Output:
    """Erase the words, or count what holds them; with `status`, name the machines behind."""
    if status:
        late = machines.status(runtime).behind_erasure
        told = (
            f"Not yet erased on: {', '.join(late)}, as far as is known here."
            " Each erases it first when it is seen again; to ask now: memapp sync."
        )
        return Output(
            {"not_yet_on": late}, aside=told if late else "All your machines have erased it."
        )
    if not words:
        raise UsageError("Say which words are to be erased everywhere.")
    text = " ".join(words)
    found = service.preview(runtime, text)
    if yes:
        say(f"To be erased: {found}.")
        return erased(service.forget_everywhere(runtime, text))
    if not found:
        return Output(found, aside="There is nothing to erase: nothing holds these words.")
    return Output(
        found, error=NeedsYes(f"This would erase for good: {found}.", "Add --yes to do it.")
    )


def erased(receipt: Receipt) -> Output:
    """Return the receipt of an erasure: what was erased, and what a scan found."""
    return Output(receipt, str(receipt))
