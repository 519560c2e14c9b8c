"""What is kept of what strangers say, beside what a careful friend would keep of it?

Fifteen people (`made_up/strangers`), each with five chats, were written by somebody who knew none of memapp's rules, with what
a friend would do behind each message. Each message is a turn, the jobs that are due run after it, and the clock stands at its
day. The chat model is scripted and proposes nothing. Two texts count as the same where their vectors are as near as ALIKE;
`--show` prints what became of each message beside what was wanted, to be read by hand, which alone says what is right.

python -m benchmarks.strangers [--small] [--data FOLDER] [--show]
"""

import argparse
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from benchmarks import MADE_UP
from benchmarks.month import RESTED, TYPED, known_to, set_clock, work
from benchmarks.reading import models, remembering
from memapp.inference import Embedder
from memapp.runtime import Runtime
from memapp.services import chats
from memapp.services.turn import take_turn

ALIKE = 0.7
EVENING = timedelta(hours=18)
SMALL = 2


@dataclass
class Said:
    """A message, and what a friend makes of it."""

    text: str
    wanted: list[tuple[str, str]] = field(default_factory=list)
    """Each with what is to be done: keep, wait, replaces, never, answer."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help=f"the first {SMALL} people only")
    parser.add_argument("--data", type=Path, help="not used: all of it is made up")
    parser.add_argument("--show", action="store_true", help="print what became of each message, too")
    options = parser.parse_args()
    files = sorted((MADE_UP / "strangers").glob("*.md"))[: SMALL if options.small else None]
    print(f"{'':8}{'keep':>6}{'kept':>6}{'facts':>7}{'of these wanted':>17}{'wait':>6}{'asked':>7}{'questions':>11}")
    totals = np.zeros(7, dtype=int)
    with models(None) as (model, embedder):
        for file in files:
            with tempfile.TemporaryDirectory() as home, remembering(Path(home), model, embedder) as runtime:
                said = read(file)
                live_through(runtime, said, shows=options.show)
                counts = count([one for _, chat in said for one in chat], known_to(runtime), embedder)
            show(file.stem, counts)
            totals += counts
    show("all", totals)
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


def live_through(runtime: Runtime, said: Sequence[tuple[datetime, Sequence[Said]]], *, shows: bool) -> None:
    for at, chat in said:
        set_clock(runtime, at)
        thread = chats.new_thread(runtime).id
        for place, one in enumerate(chat):
            set_clock(runtime, at + place * TYPED)
            before = known_to(runtime)
            for _ in take_turn(runtime, thread, one.text):
                pass
            work(runtime, thread)
            if shows:
                show_message(one, before, known_to(runtime))
        set_clock(runtime, at + len(chat) * TYPED + RESTED)
        work(runtime, None)


def show_message(one: Said, before: dict[str, list[str]], after: dict[str, list[str]]) -> None:
    print(f"\n> {one.text}")
    for kind, text in one.wanted:
        print(f"    wanted {kind}: {text}")
    for where, texts in after.items():
        print(*(f"    {where}: {text}\n" for text in texts if text not in before[where]), sep="", end="")
        print(*(f"    {where}, gone: {text}\n" for text in before[where] if text not in texts), sep="", end="")


def count(said: Sequence[Said], known: dict[str, list[str]], embedder: Embedder) -> np.ndarray:
    """Return how much was to be kept and was, how many facts there are and were wanted, and the same of what waits."""
    keep = [text for one in said for kind, text in one.wanted if kind == "keep"]
    wait = [text for one in said for kind, text in one.wanted if kind == "wait"]
    facts = [re.sub(r" \[\w+\]$", "", one) for one in known["facts"]] + known["profile"]
    waiting = (one.rpartition(" | ") for one in known["waiting"])
    asked = [fact if fact not in ("", "None") else value for value, _, fact in waiting]
    kept, wanted = near(keep, facts, embedder), near(facts, [*keep, *wait], embedder)
    return np.array([len(keep), kept, len(facts), wanted, len(wait), near(wait, asked, embedder), len(asked)])


def near(texts: Sequence[str], others: Sequence[str], embedder: Embedder) -> int:
    """Return how many of some texts one of the others says."""
    if not texts or not others:
        return 0
    likeness = embedder.embed(texts, wait=True) @ embedder.embed(others, wait=True).T
    return int((likeness.max(axis=1) >= ALIKE).sum())


def show(name: str, counts: np.ndarray) -> None:
    keep, kept, facts, wanted, wait, asked, questions = counts
    print(f"{name:8}{keep:6}{kept:6}{facts:7}{wanted:17}{wait:6}{asked:7}{questions:11}", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
