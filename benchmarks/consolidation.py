"""Does the tidying of idle time leave less of the same, and nothing wrong?

Facts are stored uncompared, as an import brings them, and the job `consolidate` does its day until
nothing is left to do:

- *paraphrases*: 100 pairs that people judged nearly identical (`data/stsb_en_clean/dev`, from 4.5
  of 5) in one store. Counted are the pairs of which both are live, before and after, and what a
  sentence of another pair took in;
- *of a person*: 60 pairs of facts about a person as they may be told twice
  (`made_up/facts_of_a_person.txt`), in the same way; and 240 that differ in one thing, a name, a
  place, a day, who does it to whom, each in a store of its own: how many were merged;
- *contradictions*: the pairs of `data/breaking_nli/dev` that contradict each other in one word, as
  they are and twice reworded (see `benchmarks.merge`), each in a store of its own: how many were
  merged;
- how long the job goes on after it was told to stop, among 500 facts; printed and not held, as
  another machine is slower.

Without a model; and with one that answers as people judged (*right*), a script that says what a
trusted model could reach.

python -m benchmarks.consolidation [--small] [--data ../shared/data]
"""

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

from benchmarks import MISSED
from benchmarks.isolation import of
from benchmarks.merge import OF_A_PERSON, Pair, read_lines, reworded, said_otherwise
from memapp import bootstrap
from memapp.domain.changes import Actor, Created
from memapp.domain.memory import MAX_MEMORY_CHARS, Kind, Memory, State
from memapp.domain.model_jobs import JobTest
from memapp.domain.prompt import Prompt, Sampling
from memapp.inference import Cancel
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import jobs
from memapp.services.embed import embed
from memapp.services.jobs import consolidate
from memapp.store import changes, memories, model_jobs
from memapp.store.encoding import new_id

PARAPHRASES, DAYS = 100, 40
SMALL = 40
"""Pairs of each set in the small form."""
LEFT, PERSON_LEFT = 0.25, 0.40
"""Share of the duplicates that may be left with a model that is right; without one only what is
spelt otherwise is merged.
"""
WRONG = 0.02
MANY, STOPS, STOP_MS = 500, 40, 20.0

(JOB,) = [job for job in jobs.JOBS if job.name == "consolidate"]
Script = Callable[[str, str], str]
"""Says how two facts are related, in the words of `prompts.same_fact`."""


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=5)
        return self.now


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", action="store_true", help=f"{SMALL} pairs of each set")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args()
    if not all(
        (options.data / name).exists() for name in ("stsb_en_clean", "memorybank", "breaking_nli")
    ):
        print(f"skipped: no data at {options.data}")
        return 0
    with (
        tempfile.TemporaryDirectory() as home,
        closing(bootstrap.start(home=Path(home))) as runtime,
    ):
        runtime.clock = Clock()
        runtime.embedding.fill(bootstrap.open_embedder(runtime))
        failures = list(measure(runtime, options.data, SMALL if options.small else None))
    for failure in failures:
        print(f"MISSED: {failure}", file=sys.stderr)
    return MISSED if failures else 0


def measure(runtime: Runtime, data: Path, most: int | None) -> Iterator[str]:
    sts = read_lines(data / "stsb_en_clean/dev/pairs.jsonl", None)
    same = distinct([(pair["a"], pair["b"]) for pair in sts if pair["score"] >= 4.5])[
        : most or PARAPHRASES
    ]
    yield from paraphrases(runtime, "paraphrases", same, LEFT)
    told_twice, near = said_otherwise(OF_A_PERSON)
    yield from paraphrases(runtime, "of a person", told_twice, PERSON_LEFT)
    yield from merged_wrongly(runtime, "of a person, other in one thing", near[:most])
    nli = read_lines(data / "breaking_nli/dev/pairs.jsonl", None)
    nli = [pair for pair in nli if max(len(pair["a"]), len(pair["b"])) <= MAX_MEMORY_CHARS]
    contradicting = [(pair["a"], pair["b"]) for pair in nli if pair["label"] == "contradiction"]
    yield from merged_wrongly(runtime, "contradictions", contradicting[:most])
    yield from merged_wrongly(runtime, "contradictions, twice reworded", list(reworded(nli))[:most])
    stopping(runtime, MANY)


def model_of(script: Script) -> ScriptedModel:
    """Return a model that answers by a script, pair by pair."""

    def answer(prompt: Prompt, _: Sampling) -> str:
        pairs = [
            line.partition(". A: ")[2].partition(" B: ")[::2]
            for line in prompt.turns[-1].content.splitlines()
        ]
        return json.dumps(
            {
                "answers": [
                    {"pair": at, "is": script(*pair)} for at, pair in enumerate(pairs, start=1)
                ]
            }
        )

    return ScriptedModel(answer)


def distinct(pairs: Sequence[Pair]) -> list[Pair]:
    """Leave out pairs with a text that another has, too."""
    seen: set[str] = set()
    found = []
    for pair in pairs:
        if pair[0] != pair[1] and seen.isdisjoint(pair):
            found.append(pair)
            seen.update(pair)
    return found


def person(runtime: Runtime, name: str, script: Script | None = None) -> Runtime:
    """Return the same file for another person, with the model of a script or none."""
    other = of(runtime, name)
    if script:
        other.chat.fill(model_of(script))
        with other.write() as session:
            model_jobs.save_tests(session, ScriptedModel().name, {"same fact": JobTest(20, 20)})
    return other


def bring(runtime: Runtime, texts: Sequence[str]) -> list[str]:
    """Store facts without a look at what is known; return their ids."""
    ids = []
    with runtime.write() as session:
        for text in texts:
            now = runtime.clock()
            fact = Memory(
                id=new_id(now),
                text=text,
                tags=(),
                kind=Kind.SEMANTIC,
                category="notes",
                importance=2,
                origin="import",
                created_at=now,
                updated_at=now,
            )
            changes.apply(session, Created(fact), Actor("import"))
            ids.append(fact.id)
    embed(runtime, Cancel())
    return ids


def tidy(runtime: Runtime) -> int:
    """Let days pass until there is nothing left to look at; return how many."""
    clock = runtime.clock
    assert isinstance(clock, Clock)
    for day in range(DAYS):
        before = clock.now
        list(jobs.run(runtime, Cancel(), [JOB]))
        if not consolidate.tidied(runtime, before).pairs:
            return day
        clock.now += timedelta(days=1)
    return DAYS


def both_live(runtime: Runtime, pairs: Sequence[tuple[str, str]]) -> int:
    """Count the pairs of ids of which both are live."""
    ids = [text for pair in pairs for text in pair]
    live = {
        memory.id
        for memory in memories.get_memories(runtime.read(), ids)
        if memory.state is State.LIVE
    }
    return sum(live.issuperset(pair) for pair in pairs)


def taken_in_elsewhere(runtime: Runtime, pairs: Sequence[tuple[str, str]]) -> int:
    """Count the memories that a sentence of another pair took in; of some buses and dogs there are
    several pairs.
    """
    halves = {text: pair for pair in pairs for text in pair}
    gone = [
        memory
        for memory in memories.get_memories(runtime.read(), list(halves))
        if memory.state is State.MERGED
    ]
    return sum(memory.merged_into not in halves[memory.id] for memory in gone)


def paraphrases(
    runtime: Runtime, title: str, pairs: Sequence[Pair], most_left: float
) -> Iterator[str]:
    known = {frozenset(pair) for pair in pairs}
    arms: dict[str, Script | None] = {
        "no model": None,
        "right": lambda one, other: "same" if {one, other} in known else "different",
    }
    print(f"{title:34}{'before':>8}{'after':>8}{'share':>8}{'elsewhere':>11}{'days':>6}")
    for name, script in arms.items():
        one = person(runtime, f"{title} {name}", script)
        ids = bring(one, [text for pair in pairs for text in pair])
        halves = list(zip(ids[::2], ids[1::2], strict=True))
        days = tidy(one)
        left, elsewhere = both_live(one, halves), taken_in_elsewhere(one, halves)
        bound = f"  <= {most_left}" if script else ""
        print(
            f"{'  ' + name:34}{len(pairs):8}{left:8}{left / len(pairs):8.2f}"
            f"{elsewhere:11}{days:6}{bound}"
        )
        if script and left > most_left * len(pairs):
            yield f"{title}, {name}: {left} of {len(pairs)} left"


def merged_wrongly(runtime: Runtime, name: str, pairs: Sequence[Pair]) -> Iterator[str]:
    merged = 0
    for number, pair in enumerate(pairs):
        one = person(runtime, f"{name} {number}")
        bring(one, pair)
        began = runtime.clock()
        list(jobs.run(one, Cancel(), [JOB]))
        merged += consolidate.tidied(one, began).merged
    print(f"{name:42}{len(pairs):8}{merged / len(pairs):8.3f}  <= {WRONG}")
    if merged > WRONG * len(pairs):
        yield f"{name}: {merged} of {len(pairs)} merged"


def stopping(runtime: Runtime, many: int) -> None:
    """Stop the job at any moment, again and again, and take the time until it has ended."""
    one = person(runtime, "stopping", lambda *_: "same")
    words = (
        "hens",
        "goats",
        "boats",
        "kilns",
        "looms",
        "drums",
        "maps",
        "clocks",
        "vases",
        "lamps",
    )
    bring(
        one, [f"User has {number} {words[number % len(words)]}." for number in range(2, many + 2)]
    )
    took, clock = [], runtime.clock
    assert isinstance(clock, Clock)
    for at in range(STOPS):
        cancel, ended = Cancel(), threading.Event()

        def work(cancel: Cancel = cancel, ended: threading.Event = ended) -> None:
            for _ in consolidate.run(one, cancel, None):
                pass
            ended.set()

        clock.now += timedelta(days=1)
        threading.Thread(target=work).start()
        was_done = ended.wait(0.02 * (at + 1))
        began = time.monotonic()
        cancel.set()
        ended.wait()
        if not was_done:
            took.append(1000 * (time.monotonic() - began))
    took.sort()
    nine_of_ten, label = took[int(0.9 * len(took))], "stopped within, ms: median, nine of ten"
    print(
        f"{label:42}{len(took):8}{median(took):8.1f}{nine_of_ten:8.1f}  goal {STOP_MS:.0f}, "
        "not held"
    )


if __name__ == "__main__":
    sys.exit(main())
