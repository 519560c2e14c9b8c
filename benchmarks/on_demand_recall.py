"""How often does a turn need a second search into the memory, and how long does it take?

Two kinds of conversation: people who chat with a companion over days (`data/memorybank/dev`), and
people who get something done with an assistant (`data/sgd/dev`). Every message is looked up as a
turn would, with what was said before it in the memory and the last exchanges before its eyes.
Counted: the share of turns with a second search; how often it then finds something; and how long
the two looks take beside one, by the clock, with the bundled embedder in its process, each tried
once.

python -m benchmarks.on_demand_recall [--small] [--data ../shared/data]
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks import MISSED
from memapp import bootstrap
from memapp.domain.chat import Origin, Role
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services.embed import embed
from memapp.services.learning import learn
from memapp.services.recall import retrieve
from memapp.store import change_log, chat, learning_queue

MOST = 0.10
DIALOGS = 60
SMALL_DIALOGS = 15
IN_PROMPT = 6

Talk = list[tuple[str, str]]
"""Messages of a person with the replies they got."""


@dataclass
class Count:
    turns: int = 0
    again: int = 0
    found: int = 0
    once_ms: list[float] = field(default_factory=list)
    twice_ms: list[float] = field(default_factory=list)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--small", action="store_true", help=f"{SMALL_DIALOGS} dialogs of each kind"
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args()
    if not (options.data / "sgd/dev").exists():
        print(f"skipped: no data at {options.data}")
        return 0
    most = SMALL_DIALOGS if options.small else DIALOGS
    counts = {
        "memorybank": run(list(companions(options.data))[:most]),
        "sgd": run(list(assistants(options.data))[:most]),
    }
    print(
        "clock ms of single tries with the real embedder, median / worst, "
        "on a machine that others may use; held by `recall`"
    )
    print(
        f"{'':12} {'turns':>6} {'second look':>12} {'found then':>11} {'one look':>12} {'both':>12}"
    )
    held = True
    for name, count in counts.items():
        share = count.again / count.turns
        once, twice = (
            f"{statistics.median(took):.1f} / {max(took):.0f}" if took else "-"
            for took in (count.once_ms, count.twice_ms)
        )
        print(f"{name:12} {count.turns:6} {share:11.1%} {count.found:11} {once:>12} {twice:>12}")
        held &= share < MOST
    print(f"bound: < {MOST:.0%} of turns: {'held' if held else 'MISSED'}")
    return 0 if held else MISSED


def companions(data: Path) -> Iterator[Talk]:
    """One day of one person each."""
    rows = [
        json.loads(line) for line in (data / "memorybank/dev/dialogs.jsonl").open(encoding="utf-8")
    ]
    for key in dict.fromkeys((row["user"], row["date"]) for row in rows):
        yield [
            (row["user_text"], row["assistant_text"])
            for row in rows
            if (row["user"], row["date"]) == key
        ]


def assistants(data: Path) -> Iterator[Talk]:
    for line in (data / "sgd/dev/dialogs.jsonl").open(encoding="utf-8"):
        turns = [turn["text"] for turn in json.loads(line)["turns"]]
        yield list(zip(turns[::2], turns[1::2], strict=False))


def run(talks: list[Talk]) -> Count:
    count = Count()
    with (
        tempfile.TemporaryDirectory() as home,
        closing(bootstrap.start(home=Path(home))) as runtime,
    ):
        runtime.embedding.fill(bootstrap.open_embedder(runtime))
        at = datetime(2026, 1, 1, 9, tzinfo=UTC)
        for talk in talks:
            at += timedelta(days=1)
            with runtime.write() as session:
                thread = chat.create_thread(session, "Talk", "companion", at).id
                change_log.begin(session, thread)
            for message, reply in talk:
                look(runtime, thread, message, count)
                say(runtime, thread, message, reply, at)
    return count


def look(runtime: Runtime, thread: str, message: str, count: Count) -> None:
    """Look up one message as a turn would, without the keywords of a model."""
    in_prompt = chat.list_messages(runtime.read(), thread, limit=IN_PROMPT)
    began = time.perf_counter()
    evidence = retrieve(runtime, thread, message, (), in_prompt)
    took = 1000 * (time.perf_counter() - began)
    count.turns += 1
    count.again += evidence.on_demand
    count.found += evidence.on_demand and any(
        hit.score for hit in evidence.hits
    )  # what is always there was not found
    (count.twice_ms if evidence.on_demand else count.once_ms).append(took)


def say(runtime: Runtime, thread: str, message: str, reply: str, at: datetime) -> None:
    with runtime.write() as session:
        said = chat.add_message(session, thread, Role.USER, message, at, origin=Origin.TYPED)
        chat.add_message(session, thread, Role.ASSISTANT, reply, at, origin=Origin.MODEL)
        learning_queue.add(session, thread, said.id, at)
    for queued in learning_queue.list_pending(runtime.read()):
        list(learn(runtime, queued))
    embed(runtime, Cancel())


if __name__ == "__main__":
    sys.exit(main())
