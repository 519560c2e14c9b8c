"""Memories from the command line: add, search, list, show."""

from dataclasses import asdict, replace
from typing import Any

import click

from memapp.cli.output import opened, opened_to_search, say, short_ids, show, show_json, show_list, show_one, told, when
from memapp.cli.shape import as_json_option, limit_option, words_or_pipe
from memapp.domain.filters import Sort, read_day
from memapp.domain.memory import Recalled, why
from memapp.errors import UsageError


@click.command()
@click.argument("text", nargs=-1)
@click.option("--tag", "tags", multiple=True, help="A tag; may be given again.")
@click.option("--pin", is_flag=True, help="Keep it always.")
@as_json_option
@click.pass_obj
def add(options: dict[str, Any], text: tuple[str, ...], tags: tuple[str, ...], pin: bool, as_json: bool) -> None:
    """Remember TEXT, or standard input if TEXT is -."""
    from memapp.services import curate

    words = words_or_pipe(text, "add")
    with opened(options) as runtime:
        memory = curate.get(runtime, curate.add(runtime, words, tags, pinned=pin).memory_id)
    say("Remembered.")
    show_one(memory, as_json, memory.id)


@click.command()
@click.argument("query", nargs=-1, required=True)
@limit_option(10)
@click.option("--explain", is_flag=True, help="Say why each hit matched.")
@as_json_option
@click.pass_obj
def search(options: dict[str, Any], query: tuple[str, ...], limit: int, explain: bool, as_json: bool) -> None:
    """Search what memapp knows and what was said."""
    from memapp.services.recall import RecallRequest, recall

    with opened_to_search(options) as runtime:
        hits = recall(runtime, RecallRequest(" ".join(query), top_k=limit))[:limit]
        name = short_ids(runtime, "memories")

    def row(hit: Recalled) -> dict[str, str]:
        found = {"score": f"{hit.score:.2f}", "when": when(hit.at), "what": hit.said_by or "fact"}
        shown = {**found, "text": hit.text if hit.said_by else told(hit.text), "id": name(hit.id)}
        return {**shown, "why": hit.why} if explain else shown

    show_list(hits, as_json, row, "Nothing found.")


@click.command("list")
@click.argument("wanted", nargs=-1)
@click.option("--pinned", is_flag=True, help="Only what is pinned.")
@click.option("--tag", default="", help="Only what has this tag.")
@click.option("--since", default="", metavar="DATE", help="Only what is newer than this date, e.g. 2026-01-31.")
@click.option("--sort", type=click.Choice([sort.value for sort in Sort]), default=Sort.NEWEST.value, show_default=True)
@limit_option(100)
@click.option("--offset", metavar="N", type=click.IntRange(min=0), default=0, help="Leave out as many of the first.")
@as_json_option
@click.pass_obj
def list_(
    options: dict[str, Any],
    wanted: tuple[str, ...],
    pinned: bool,
    tag: str,
    since: str,
    sort: str,
    limit: int,
    offset: int,
    as_json: bool,
) -> None:
    """List memories, all or those WANTED.

    WANTED is words and conditions: tag:tea, category:goals, before:2026-01-31. Where a command takes an ID, its beginning or its
    ending is enough.
    """
    from memapp.services import curate

    day = read_day(since)
    if since and day is None:
        raise UsageError("--since wants a date, e.g. 2026-01-31.")
    with opened(options, read_only=True) as runtime:
        chosen = curate.read_filter(runtime, " ".join(wanted))
        if chosen.problems:
            problems = "; ".join(chosen.problems)
            advice = f"The categories are: {', '.join(curate.categories(runtime))}." if "category:" in problems else ""
            raise UsageError(f"This is not understood: {problems}.", advice)
        tags = (*chosen.tags, tag) if tag else chosen.tags
        chosen = replace(chosen, pinned=True if pinned else chosen.pinned, tags=tags, after=day or chosen.after)
        found = curate.list_memories(runtime, chosen, Sort(sort), limit=limit + 1, offset=offset)
        is_empty, name = not found and curate.count(runtime) == 0, short_ids(runtime, "memories")
    show_list(
        found,
        as_json,
        lambda one: {"id": name(one.id), "pin": "★" if one.pinned else " ", "when": when(one.created_at), "text": told(one.text)},
        "Nothing is remembered yet. Try: memapp add 'I prefer oolong in the morning.'" if is_empty else "Nothing found.",
        limit,
    )


@click.command("show")
@click.argument("memory_id", metavar="ID")
@as_json_option
@click.pass_obj
def show_(options: dict[str, Any], memory_id: str, as_json: bool) -> None:
    """Show one memory and the messages it came from."""
    from memapp.services import chats, curate, ids

    with opened(options, read_only=True) as runtime:
        memory = curate.get(runtime, ids.memory(runtime, memory_id))
        sources = [chats.get_message(runtime, message_id) for message_id in memory.sources]
        reason = why(memory, runtime.settings.ttl_days)
    if as_json:
        show_json({**asdict(memory), "said": [one.text for one in sources]})
        return
    show(told(memory.text))
    say(f"{'pinned, ' if memory.pinned else ''}importance {memory.importance}, since {when(memory.created_at)}")
    if memory.purge_at:
        say(f"in the trash since {when(memory.updated_at)} ({reason}), kept until {when(memory.purge_at)} at least")
        say(f"to bring it back: memapp restore {memory.id}")
    if memory.tags:
        say(f"tags: {', '.join(memory.tags)}")
    for source in sources:
        say(f"from {when(source.created_at)}: {source.text}")
