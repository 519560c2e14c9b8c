"""Memories from the command line: add, search, list, show."""

import sys
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

import click

from memapp.cli.output import opened, say, show, show_json, show_rows, when
from memapp.cli.shape import as_json_option, limit_option
from memapp.domain.filters import Sort, parse_filter
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

    words = sys.stdin.read() if text in ((), ("-",)) else " ".join(text)
    with opened(options) as runtime:
        memory = curate.get(runtime, curate.add(runtime, words, tags, pinned=pin).memory_id)
    say("Remembered.")
    if as_json:
        show_json(asdict(memory))
    else:
        show(memory.id)


@click.command()
@click.argument("query", nargs=-1, required=True)
@limit_option(10)
@click.option("--explain", is_flag=True, help="Say why each hit matched.")
@as_json_option
@click.pass_obj
def search(options: dict[str, Any], query: tuple[str, ...], limit: int, explain: bool, as_json: bool) -> None:
    """Search what memapp knows and what was said."""
    from memapp.services.recall import RecallRequest, recall

    with opened(options, read_only=True) as runtime:
        hits = recall(runtime, RecallRequest(" ".join(query), top_k=limit))
    if as_json:
        show_json([asdict(hit) for hit in hits])
        return
    rows = [
        {"score": f"{hit.score:.2f}", "when": when(hit.at), "what": hit.said_by or "fact", "text": hit.text, "id": hit.id}
        for hit in hits
    ]
    if explain:
        rows = [{**row, "why": hit.why} for row, hit in zip(rows, hits, strict=True)]
    show_rows(rows, False)
    if not hits:
        say("Nothing found.")


@click.command("list")
@click.argument("wanted", nargs=-1)
@click.option("--pinned", is_flag=True, help="Only what is pinned.")
@click.option("--tag", default="", help="Only what has this tag.")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="Only what is newer than this date, e.g. 2026-01-31.")
@click.option("--sort", type=click.Choice([sort.value for sort in Sort]), default=Sort.NEWEST.value, show_default=True)
@limit_option(100)
@click.option("--offset", default=0, help="Leave out as many of the first.")
@as_json_option
@click.pass_obj
def list_(
    options: dict[str, Any],
    wanted: tuple[str, ...],
    pinned: bool,
    tag: str,
    since: datetime | None,
    sort: str,
    limit: int,
    offset: int,
    as_json: bool,
) -> None:
    """List memories, all or those WANTED.

    WANTED is words and conditions: tag:tea, category:goals, before:2026-01-31.
    """
    from memapp.services import curate

    chosen = parse_filter(" ".join(wanted))
    if chosen.problems:
        raise UsageError(f"This is not understood: {'; '.join(chosen.problems)}.")
    chosen = replace(
        chosen,
        pinned=True if pinned else chosen.pinned,
        tag=tag or chosen.tag,
        after=since.replace(tzinfo=UTC) if since else chosen.after,
    )
    with opened(options, read_only=True) as runtime:
        found = curate.list_memories(runtime, chosen, Sort(sort), limit=limit, offset=offset)
    if as_json:
        show_json([asdict(memory) for memory in found])
        return
    show_rows(
        [{"id": one.id, "pin": "★" if one.pinned else " ", "when": when(one.created_at), "text": one.text} for one in found],
        False,
    )
    if not found:
        say("Nothing is remembered yet. Try: memapp add 'I prefer oolong in the morning.'")


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
    if as_json:
        show_json({**asdict(memory), "said": [one.text for one in sources]})
        return
    show(memory.text)
    say(f"{'pinned, ' if memory.pinned else ''}importance {memory.importance}, since {when(memory.created_at)}")
    if memory.tags:
        say(f"tags: {', '.join(memory.tags)}")
    for source in sources:
        say(f"from {when(source.created_at)}: {source.text}")
