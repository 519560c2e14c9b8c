"""Does a stated preference reach the prompt of the request it bears on, and does small talk stay free of quotes?

People state preferences (`data/prefeval/dev`) between exchanges about other things (`data/synthetic_persona_chat/dev`), 32
preferences and as many other exchanges to a store. Then each is put to the test with its request, which often shares no word
with it; no language model is asked. Requests about topics that a store knows nothing of show how much is quoted that has no
bearing, and everyday replies must get no quote at all. `--least` repeats the choice with other values of `quotes.LEAST_SCORE`.

python -m benchmarks.preferences [--small] [--data ../shared/data] [--least 0.25 0.33 0.45]
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar
from unittest.mock import patch

from benchmarks import MISSED, bundled_embedder
from benchmarks.memory_helps import Person, Turn, remembering
from memapp.domain.memory import Recalled
from memapp.inference.scripted import ScriptedModel
from memapp.prompts import quotes
from memapp.runtime import Runtime
from memapp.services.recall import RecallRequest, recall
from memapp.store import search

T = TypeVar("T")
IN_A_STORE = 32
STORES, SMALL_STORES = 10, 2
PROMPT_MEMORIES = 3
REACHED_GOAL = 0.80
"""Of the preferences that would reach the prompt if there were no least score."""
SMALL_TALK = (
    "Thank you!", "Hi", "lol ok", "Thanks a lot, that helps!", "haha nice", "Good morning!", "ok cool", "Yes please",
    "no worries",
    "Bye, see you tomorrow", "How are you?", "That's great", "I see", "hm", "Sounds good!", "You're welcome", "What's up?",
    "really?", "Good night", "Wow", "hello there", "never mind", "thank you so much", "got it", "great answer", "I agree",
)  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """A message, and what recall found for it."""

    kind: str
    """own, other or small talk"""
    text: str
    hits: tuple[Recalled, ...]
    belonging: frozenset[str] = frozenset()
    """Ids of the hits that are the preference or were learned from it."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help=f"{SMALL_STORES} stores instead of {STORES}")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--least", type=float, nargs="*", default=[], help="also with these least scores")
    options = parser.parse_args()
    if not (options.data / "prefeval/dev").exists():
        print(f"skipped: no data at {options.data}")
        return 0
    asked = list(ask_all(options.data, SMALL_STORES if options.small else STORES))
    print(f"{'least score':>12}{'reached':>10}{'quotes for others':>20}{'for small talk':>16}")
    possible, _ = show(0.0, asked)
    for least in options.least:
        show(least, asked)
    reached, small_talk = show(quotes.LEAST_SCORE, asked)
    share = reached / possible if possible else 0.0
    print(f"reached / reached without a least score: {share:.2f}, goal {REACHED_GOAL:.2f}")
    failures = ["too few preferences reach the prompt"] if share < REACHED_GOAL else []
    failures += ["small talk got quotes"] if small_talk else []
    for failure in failures:
        print(f"MISSED: {failure}")
    return MISSED if failures else 0


def ask_all(data: Path, stores: int) -> Iterator[Asked]:
    preferences = _shuffled([json.loads(line) for line in (data / "prefeval/dev/preferences.jsonl").open(encoding="utf-8")])
    topics = sorted({one["topic"] for one in preferences})
    halves = [[one for one in preferences if one["topic"] in part] for part in (topics[::2], topics[1::2])]
    chats = [json.loads(line) for line in (data / "synthetic_persona_chat/dev/chats.jsonl").open(encoding="utf-8")]
    said = [[line.partition(": ")[2] for line in one["conversation"]] for one in chats]
    exchanges = _shuffled([pair for lines in said for pair in zip(lines[::2], lines[1::2], strict=False)])
    with closing(bundled_embedder()) as embedder:
        for store in range(stores):
            first = store // 2 * IN_A_STORE
            own, others = (halves[(store + half) % 2][first : first + IN_A_STORE] for half in (0, 1))
            beside = exchanges[store * IN_A_STORE :][: len(own)]
            person = Person(tuple(talk([one["preference"] for one in own], beside)), ())
            with remembering(person, ScriptedModel(), embedder, {}) as runtime:
                yield from (ask(runtime, "own", one["question"], one["preference"]) for one in own)
                yield from (ask(runtime, "other", one["question"]) for one in others)
                yield from (ask(runtime, "small talk", one) for one in SMALL_TALK)


def talk(preferences: Sequence[str], exchanges: Sequence[tuple[str, str]]) -> Iterator[Turn]:
    now = datetime(2026, 3, 1, 9, tzinfo=UTC)
    for preference, exchange in zip(preferences, exchanges, strict=True):
        yield Turn(now, preference, "I will keep that in mind.")
        yield Turn(now + timedelta(minutes=20), *exchange)
        now += timedelta(minutes=40)


def ask(runtime: Runtime, kind: str, text: str, preference: str = "") -> Asked:
    session = runtime.read()
    hits = tuple(recall(runtime, RecallRequest(text, top_k=runtime.settings.top_k)))
    rows = session.conn.execute("SELECT id FROM messages WHERE text = ?", (preference,)).fetchall() if preference else []
    stated = {row[0] for row in rows}
    sources = search.sources_of(session, [hit.id for hit in hits if hit.kind == "memory"])
    belonging = (hit.id for hit in hits if hit.id in stated or sources.get(hit.id, set()) & stated)
    return Asked(kind, text, hits, frozenset(belonging))


def show(least: float, asked: Sequence[Asked]) -> tuple[float, float]:
    """Print one line; return the share of preferences that reach the prompt, and the quotes that small talk gets."""
    with patch.object(quotes, "LEAST_SCORE", least):
        chosen = [(one, quotes.choose(one.text, one.hits, PROMPT_MEMORIES)) for one in asked]
    own = [any(hit.id in one.belonging for hit in hits) for one, hits in chosen if one.kind == "own"]
    other, small_talk = ([len(hits) for one, hits in chosen if one.kind == kind] for kind in ("other", "small talk"))
    reached, unrelated, idle = sum(own) / len(own), sum(other) / max(1, len(other)), sum(small_talk) / len(small_talk)
    print(f"{least:12.2f}{reached:10.3f}{unrelated:20.2f}{idle:16.2f}")
    return reached, idle


def _shuffled(items: list[T]) -> list[T]:
    random.Random(1).shuffle(items)
    return items


if __name__ == "__main__":
    sys.exit(main())
