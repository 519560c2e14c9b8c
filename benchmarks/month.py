"""The memories of a talkative person after a month, compared with those of a good friend.

A month of chats of somebody who is made up (`made_up/month`) is lived through with the clock set:
each message a turn, the jobs that are due after each reply, half an hour after each chat and at the
end of each day. On Sundays the person says yes to what holds of all that waits, and no to the rest.
The chat model is scripted and proposes nothing. At the end stands what is known, to be read;
counted are what lasts that is known, what is there twice, what does not hold any more, the
regularity, how the file grew and how much tidying a day took.

python -m benchmarks.month [--small] [--data FOLDER] [--show]
"""

import argparse
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from benchmarks import MADE_UP, MISSED
from benchmarks.reading import Item, in_any, models, remembering, says
from memapp.domain.consolidation import Spent
from memapp.domain.filters import MemoryFilter
from memapp.domain.memory import Kind
from memapp.domain.profile import FIELDS
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services import chats, upkeep
from memapp.services.consent import decisions, pending
from memapp.services.jobs import insights
from memapp.services.jobs.consolidate import PAIRS_PER_DAY, SECONDS_PER_DAY, TOKENS_PER_DAY
from memapp.services.turn import take_turn
from memapp.store import consolidation, memories

FIRST = datetime(2026, 9, 7, tzinfo=UTC)
KNOWN = 0.6
TWICE, OUTDATED = 2, 1
"""How much of what lasts is known or asked about at least; how many repeated and outdated things
are left at most.
"""
SMALL_DAYS = 17
SUNDAY = 6
TYPED = timedelta(minutes=2)
RESTED = timedelta(minutes=40)


@dataclass(frozen=True)
class Day:
    """What a day left behind."""

    day: int
    bytes: int
    spent: Spent


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", action="store_true", help=f"the first {SMALL_DAYS} days only")
    parser.add_argument("--data", type=Path, help="not used: all of it is made up")
    parser.add_argument("--show", action="store_true", help="print the days, too")
    options = parser.parse_args()
    lived = tomllib.loads((MADE_UP / "month/chats.toml").read_text("utf-8"))["chats"]
    lived = [chat for chat in lived if not options.small or chat["day"] <= SMALL_DAYS]
    read = tomllib.loads((MADE_UP / "month/planted.toml").read_text("utf-8"))
    holds = read.pop("yes")
    planted = said_so_far(read, lived)
    with (
        tempfile.TemporaryDirectory() as home,
        models() as (model, embedder),
        remembering(Path(home), model, embedder) as runtime,
    ):
        days = [
            live_through(runtime, day, list(of_day), holds)
            for day, of_day in groupby(lived, key=lambda one: one["day"])
        ]
        if options.show:
            print("\n".join(f"day {day.day:2}  {day.bytes:,} bytes  {day.spent}" for day in days))
        return report(known_to(runtime), planted, days)


def said_so_far(planted: dict[str, Any], lived: Sequence[dict[str, Any]]) -> dict[str, list[Item]]:
    """Return what of the planted was said in some chats, or came to an end by the last of them."""
    said = [" ".join(text for chat in lived for text in chat["said"])]
    outdated = [
        item["words"] for item in planted.pop("outdated") if item["since"] <= lived[-1]["day"]
    ]
    return {
        name: [item for item in items if in_any(item, said)] for name, items in planted.items()
    } | {"outdated": outdated}


def live_through(
    runtime: Runtime, day: int, chats_of_day: list[dict[str, Any]], holds: Sequence[Item]
) -> Day:
    """Let a day pass, with its chats and the jobs that come due."""
    midnight = FIRST + timedelta(days=day - 1)
    for chat in chats_of_day:
        hour, minute = map(int, chat["at"].split(":"))
        talk(runtime, midnight + timedelta(hours=hour, minutes=minute), chat["said"])
    if midnight.weekday() == SUNDAY:
        set_clock(runtime, midnight + timedelta(hours=22))
        decide(runtime, holds)
    set_clock(runtime, midnight + timedelta(hours=23, minutes=30))
    work(runtime, None)
    pages, size = (
        runtime.database.read().execute(f"PRAGMA {item}").fetchone()[0]
        for item in ("page_count", "page_size")
    )
    return Day(day, pages * size, consolidation.spent(runtime.read(), midnight))


def talk(runtime: Runtime, at: datetime, said: Sequence[str]) -> None:
    """Have a chat, and rest after it."""
    set_clock(runtime, at)
    thread = chats.new_thread(runtime).id
    for place, text in enumerate(said):
        set_clock(runtime, at + place * TYPED)
        for _ in take_turn(runtime, thread, text):
            pass
        work(runtime, thread)
    set_clock(runtime, at + len(said) * TYPED + RESTED)
    work(runtime, None)


def decide(runtime: Runtime, holds: Sequence[Item]) -> None:
    """Answer pending requests: yes to true ones, no to the rest."""
    for request in pending.list_pending(runtime):
        asked = f"{request.field} {request.new_value} {pending.memory_text(runtime, request.id)}"
        if pending.get(runtime, request.id).state != "pending":
            continue  # it went with the one before
        answer = decisions.approve if any(says(item, asked) for item in holds) else decisions.deny
        answer(runtime, request.id)


def work(runtime: Runtime, thread_id: str | None) -> None:
    for _ in upkeep.work(runtime, thread_id, Cancel()):
        pass


def set_clock(runtime: Runtime, now: datetime) -> None:
    """Let it be a time, and go on from there by a second whenever the clock is read."""

    def clock() -> datetime:
        nonlocal now
        now += timedelta(seconds=1)
        return now

    runtime.clock = clock


def known_to(runtime: Runtime) -> dict[str, list[str]]:
    """Return the memories at the end, by their place in the app."""

    def texts(kind: Kind) -> list[str]:
        found = memories.list_memories(runtime.read(), MemoryFilter(kind=kind))
        return [
            f"{memory.text} [{memory.category}]"
            for memory in sorted(found, key=lambda one: one.created_at)
        ]

    profile = [
        f"{FIELDS[name].label if name in FIELDS else name}: {value}"
        for name, values in decisions.profile(runtime).items()
        for value in values
    ]
    return {
        "facts": texts(Kind.SEMANTIC),
        "profile": profile,
        "episodes": texts(Kind.EPISODIC),
        "how-tos": texts(Kind.PROCEDURAL),
        "insights": [insight.memory.text for insight in insights.list_insights(runtime)],
        "waiting": [
            f"{request.field}: {request.new_value} | {pending.memory_text(runtime, request.id)}"
            for request in pending.list_pending(runtime)
        ],
    }


def report(known: dict[str, list[str]], planted: dict[str, list[Item]], days: Sequence[Day]) -> int:
    for where, texts in known.items():
        print(f"{where}: {len(texts)}", *texts, sep="\n   ")
    events = [text for text in known["episodes"] if text.endswith("[event]")]
    live = [*known["facts"], *known["profile"], *known["how-tos"], *events]
    asked = [*live, *known["waiting"]]
    missing = [item for item in planted["durable"] if not in_any(item, asked)]
    twice = [item for item in planted["repeated"] if sum(says(item, text) for text in live) > 1]
    outdated = [item for item in planted["outdated"] if in_any(item, live)]
    noticed = [item for item in planted["regular"] if in_any(item, known["insights"])]
    howtos = [
        item for item in planted["howtos"] if in_any(item, [*known["how-tos"], *known["waiting"]])
    ]
    grown = [later.bytes - before.bytes for before, later in pairwise(days)]
    most = Spent(
        *(max(getattr(day.spent, name) for day in days) for name in ("pairs", "tokens", "seconds"))
    )
    kept = (
        most.pairs <= PAIRS_PER_DAY
        and most.tokens <= TOKENS_PER_DAY
        and most.seconds <= SECONDS_PER_DAY
    )
    durable = len(planted["durable"])
    print(
        f"of what lasts, known or asked about   {durable - len(missing)} of {durable}   bound "
        f"{KNOWN:.2f}   missing {missing}"
    )
    print(f"said again in other words, and left twice   {len(twice)}   bound {TWICE}   {twice}")
    print(f"does not hold any more, and lives   {len(outdated)}   bound {OUTDATED}   {outdated}")
    print(
        f"regularities noticed   {len(noticed)} of {len(planted['regular'])}   how-tos "
        f"{len(howtos)} of {len(planted['howtos'])}"
    )
    halves = grown[: len(grown) // 2], grown[len(grown) // 2 :]
    print(
        "the file grew a day by   "
        f"{', then '.join(f'{sum(half) / len(half) / 1024:.0f}' for half in halves)} KiB"
    )
    print(f"tidying took a day at most   {most}   {'kept' if kept else 'broken'}")
    held = (
        durable - len(missing) >= KNOWN * durable
        and len(twice) <= TWICE
        and len(outdated) <= OUTDATED
        and kept
    )
    print("held" if held else "MISSED")
    return 0 if held else MISSED


if __name__ == "__main__":
    sys.exit(main())
