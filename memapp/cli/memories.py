"""Memories from the command line: add, search, list, show."""

from dataclasses import asdict, replace
from datetime import date

import click

from memapp.cli.options import (
    NUMBER,
    ask_about_secret,
    limit_option,
    no_secret_option,
    reads,
    searches,
    words_argument,
    writes,
)
from memapp.cli.output import Output, listing, messages_behind, short_ids, when
from memapp.domain.filters import Sort
from memapp.domain.memory import Memory, Recalled
from memapp.errors import UsageError
from memapp.language.filters import read_day
from memapp.language.labels import why
from memapp.language.named_times import since_in
from memapp.runtime import Runtime
from memapp.services import chats, curate, id_lookup
from memapp.services.recall import RecallRequest, recall


@click.command()
@words_argument()
@click.option("--tag", "tags", multiple=True, help="A tag; repeat the option for more.")
@click.option("--pin", is_flag=True, help="Pin the memory, so that it never expires.")
@no_secret_option
@writes
def add(runtime: Runtime, text: str, tags: tuple[str, ...], pin: bool, no_secret: bool) -> Output:
    """Remember TEXT; with -, read the text from standard input.

    Passwords and keys are refused. If a text only looks like one, add --no-secret.
    """
    ask_about_secret(runtime, text, no_secret=no_secret)
    memory = curate.get(runtime, curate.add(runtime, text, tags, pinned=pin).memory_id)
    return Output(memory, memory.id, aside="Remembered.")


@click.command()
@click.argument("query", nargs=-1, required=True)
@limit_option(10)
@click.option("--explain", is_flag=True, help="Show why each hit matched.")
@searches
def search(runtime: Runtime, query: tuple[str, ...], limit: int, explain: bool) -> Output:
    """Search memories and messages."""
    name = short_ids(runtime, "memories")

    def row(hit: Recalled) -> dict[str, str]:
        shown = {"score": f"{hit.score:.2f}", "when": when(hit.at), "what": hit.said_by or "fact"}
        shown |= {"text": hit.text, "id": name(hit.id)}
        return {**shown, "why": hit.why} if explain else shown

    return listing(
        recall(runtime, RecallRequest(" ".join(query), top_k=limit))[:limit], row, "Nothing found."
    )


def _day(_ctx: click.Context, _option: click.Parameter, since: str) -> date | None:
    day = read_day(since)
    if since and day is None:
        raise UsageError("--since wants a date, e.g. 2026-01-31.")
    return day


@click.command("list")
@click.argument("wanted", nargs=-1)
@click.option("--pinned", is_flag=True, help="Only pinned memories.")
@click.option("--tag", default="", help="Only memories with this tag.")
@click.option(
    "--since",
    default="",
    callback=_day,
    metavar="DATE",
    help="Only memories newer than this date, e.g. 2026-01-31.",
)
@click.option(
    "--sort",
    type=click.Choice([sort.value for sort in Sort]),
    default=Sort.NEWEST.value,
    show_default=True,
)
@limit_option(100)
@click.option("--offset", metavar="N", type=NUMBER, default=0, help="Skip the first N.")
@reads
def list_(
    runtime: Runtime,
    wanted: tuple[str, ...],
    pinned: bool,
    tag: str,
    since: date | None,
    sort: str,
    limit: int,
    offset: int,
) -> Output:
    """List memories, all or those that match WANTED.

    WANTED is words and conditions, such as tag:tea, category:goals or before:2026-01-31. Wherever a
    command takes an ID, its first or last characters are enough.
    """
    chosen = curate.read_filter(runtime, " ".join(wanted))
    if chosen.problems:
        problems = "; ".join(chosen.problems)
        advice = (
            f"The categories are: {', '.join(curate.categories(runtime))}."
            if "category:" in problems
            else ""
        )
        raise UsageError(f"This is not understood: {problems}.", advice)
    tags = (*chosen.tags, tag) if tag else chosen.tags
    chosen = replace(
        chosen, pinned=True if pinned else chosen.pinned, tags=tags, after=since or chosen.after
    )
    memories = curate.list_memories(runtime, chosen, Sort(sort), limit=limit + 1, offset=offset)
    nothing, name = "Nothing found.", short_ids(runtime, "memories")
    if not memories and chosen.words:
        chosen = curate.respelt(runtime, chosen)
        memories = curate.list_memories(runtime, chosen, Sort(sort), limit=limit + 1, offset=offset)
    if not memories and curate.count(runtime) == 0:
        nothing = "Nothing is remembered yet. Try: memapp add 'I prefer oolong in the morning.'"

    def row(memory: Memory) -> dict[str, str]:
        return {
            "id": name(memory.id),
            "pin": "★" if memory.pinned else " ",
            "when": when(memory.created_at),
            "text": memory.with_before,
        }

    return listing(memories, row, nothing, limit, "; ".join(chosen.problems))


@click.command("show")
@click.argument("memory_id", metavar="ID")
@reads
def show_(runtime: Runtime, memory_id: str) -> Output:
    """Show a memory and its source messages."""
    memory = curate.get(runtime, id_lookup.memory(runtime, memory_id))
    sources = [chats.get_message(runtime, message_id) for message_id in memory.sources]
    pinned = "pinned, " if memory.pinned else ""
    notes = [f"{pinned}importance {memory.importance}, known since {when(memory.created_at)}"]
    notes += [f"holds since {since}"] if (since := since_in(memory.text)) else []
    notes += [f"held until {when(memory.held_until)}"] if memory.held_until else []
    notes += [memory.until.strip(" ()")] if memory.until else []
    if memory.purge_at:
        reason = why(memory, runtime.settings.ttl_days)
        notes.append(
            f"in the trash since {when(memory.updated_at)} ({reason}), "
            f"kept until {when(memory.purge_at)} at least"
        )
        notes.append(f"to restore it: memapp restore {memory.id}")
    if memory.tags:
        notes.append(f"tags: {', '.join(memory.tags)}")
    data = {**asdict(memory), "said": [message.text for message in sources]}
    return Output(data, memory.with_before, notes=[*notes, *messages_behind(sources)])
