"""The memories of strangers' messages, compared with those of a careful friend.

Fifteen people (`made_up/strangers`), each with five chats, were written by somebody who knew
nothing of how memapp reads, with what a friend would do behind each message; five more (16 to 20:
terse, rambling, angry, learning English, a teenager), each with three chats, by somebody who knew
it. Each message is a turn, the jobs that are due run after it, and the clock stands at its day. The
chat model is scripted. Counted is what came of the messages of which something is to be kept, to be
asked about, or nothing; `--show` prints that, to be read by hand, which alone says whether it is
right.

python -m benchmarks.strangers [--small] [--data FOLDER] [--show]
"""

import argparse
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks import MADE_UP
from benchmarks.month import RESTED, TYPED, known_to, set_clock, work
from benchmarks.reading import models, remembering
from memapp.runtime import Runtime
from memapp.services import chats
from memapp.services.turn import take_turn

EVENING = timedelta(hours=18)
SMALL = 2
WANTED = {"keep": "to keep", "replaces": "to replace", "wait": "to ask about", "nothing": "nothing"}
BECOMES = ("kept", "asked", "neither")

Known = dict[str, list[str]]


@dataclass
class Said:
    """A message, and a friend's label."""

    text: str
    wanted: list[tuple[str, str]] = field(default_factory=list)
    """Each with what is to be done: keep, wait, replaces, never, answer."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", action="store_true", help=f"the first {SMALL} people only")
    parser.add_argument("--data", type=Path, help="not used: all of it is made up")
    parser.add_argument(
        "--show", action="store_true", help="print what became of each message, too"
    )
    options = parser.parse_args()
    files = sorted((MADE_UP / "strangers").glob("*.md"))[: SMALL if options.small else None]
    print(f"{'kept / asked / neither':24}" + "".join(f"{title:>20}" for title in WANTED.values()))
    total: Counter[tuple[str, str]] = Counter()
    with models() as (model, embedder):
        for file in files:
            with (
                tempfile.TemporaryDirectory() as home,
                remembering(Path(home), model, embedder) as runtime,
            ):
                counts = live_through(runtime, read(file), shows=options.show)
            show(file.stem, counts)
            total += counts
    show("all", total)
    return 0


def read(file: Path) -> list[tuple[datetime, list[Said]]]:
    """Return the chats of a person, each with its time."""
    found: list[tuple[datetime, list[Said]]] = []
    for line in file.read_text("utf-8").splitlines():
        if day := re.fullmatch(r"## chat (\d{4}-\d\d-\d\d)", line):
            found.append((datetime.fromisoformat(day[1]).replace(tzinfo=UTC) + EVENING, []))
        elif line.startswith("> "):
            found[-1][1].append(Said(line[2:]))
        elif wanted := re.fullmatch(r"\s+=> (keep|wait|replaces|never|answer): (.+)", line):
            found[-1][1][-1].wanted.append((wanted[1], wanted[2]))
    return found


def live_through(
    runtime: Runtime, said: Sequence[tuple[datetime, Sequence[Said]]], *, shows: bool
) -> Counter[tuple[str, str]]:
    """Return the numbers of messages by wanted and by real outcome."""
    counts: Counter[tuple[str, str]] = Counter()
    for at, chat in said:
        set_clock(runtime, at)
        thread = chats.new_thread(runtime).id
        for place, bubble in enumerate(chat):
            set_clock(runtime, at + place * TYPED)
            before = known_to(runtime)
            for _ in take_turn(runtime, thread, bubble.text):
                pass
            work(runtime, thread)
            after = known_to(runtime)
            wanted = {kind for kind, _ in bubble.wanted} & WANTED.keys() or {"nothing"}
            counts.update((kind, became(before, after)) for kind in wanted)
            if shows:
                show_message(bubble, before, after)
        set_clock(runtime, at + len(chat) * TYPED + RESTED)
        work(runtime, None)
    return counts


def became(before: Known, after: Known) -> str:
    """Return the outcome of a message, by the memories before and after."""
    if any({*after[where]} - {*before[where]} for where in ("facts", "profile")):
        return "kept"
    return "asked" if {*after["waiting"]} - {*before["waiting"]} else "neither"


def show_message(one: Said, before: Known, after: Known) -> None:
    print(f"\n> {one.text}")
    for kind, text in one.wanted:
        print(f"    wanted {kind}: {text}")
    for where, texts in after.items():
        print(
            *(f"    {where}: {text}\n" for text in texts if text not in before[where]),
            sep="",
            end="",
        )
        print(
            *(f"    {where}, gone: {text}\n" for text in before[where] if text not in texts),
            sep="",
            end="",
        )


def show(name: str, counts: Counter[tuple[str, str]]) -> None:
    cells = [" / ".join(f"{counts[kind, became]:4}" for became in BECOMES) for kind in WANTED]
    print(f"{name:24}" + "".join(f"{cell:>20}" for cell in cells), flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
