"""Is a statement of a sensitive field seen, and nothing else taken for one?

Sentences of `data/consent/dev`, or without the data of `benchmarks/made_up`, each labelled with the
field it states, or with none. A value that is read of the field stands beside what is asked about
at all: what states no value in plain words waits as a sentence where the judge calls it sensitive.
A false consent request is a value of one of the four fields that are labelled. Both halves of the
sentences are shown, parted by a hash, to see luck.

Every sentence is typed in a chat of a real store, which learns from it: no field may change without
a yes, and no memory may state a value, or repeat a word of what its labelled sentence gives as the
value: that is read here by a few cues, which share nothing with those of memapp.

At last each sentence of seven independent lists is learned from: what says something sensitive in
roundabout words, of the person and of people close, and what only sounds like it. Each list was
written by somebody who knew neither the patterns nor the examples of the judge.

python -m benchmarks.consent [--small] [--data ../shared/data] [--misses]
"""

import argparse
import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from pydantic import BaseModel

from benchmarks import MADE_UP, MISSED
from memapp import bootstrap
from memapp.domain.changes import SoftDeleted
from memapp.domain.chat import Origin, Role
from memapp.domain.profile import Hint, is_sensitive
from memapp.domain.turn_events import Remembered
from memapp.language.profile import stated
from memapp.language.sensitive import values_in
from memapp.language.word_file import words_of as language_of
from memapp.runtime import Runtime
from memapp.services import learning
from memapp.services.consent import decisions, pending
from memapp.store import changes, chat, learning_queue

LABELLED = ("preferred_name", "pronouns", "city", "language")
NOT_SCORED = "borderline"
RIGHT_FIELD = {"preferred_name": 0.85, "pronouns": 0.85, "city": 0.85, "language": 0.5}
"""What asks for another language now, often as a question or without naming one, is answered and
not kept.
"""
FALSE_REQUESTS = 0.02
CUES = {
    "preferred_name": ("name|call|called|calling|refer|address|go by", "i'?m|i am"),
    "pronouns": ("pronouns?",),
    "city": ("live|living|moved|based|address", "from|in"),
    "language": ("speak|speaking|fluent|language|talk|talking", "in|to"),
}
"""What a value follows; the second kind only where there is none of the first."""
CLAUSE_END = re.compile(r"[.,;!?]|\b(?:and|but|so|because|when)\b", re.IGNORECASE)
NO_VALUE = re.compile(
    r"an?|the|in|to|of|by|as|at|with|on|for|from|i|me|my|is|be|am|are|was|you|your|it|now|please|user(?:'s)?",
    re.IGNORECASE,
)
REPEATS, LIST_KNOWN = 0.0, 0.05
"""How much of what states a field, and of what is told in roundabout words, may be known without a
yes.
"""
SMALL_STEP = 5
"""The small form takes every fifth sentence."""
LISTS = ("sensitive_list", *(f"sensitive_list{number}" for number in range(2, 7)), "roundabout")


class Sentence(BaseModel):
    """One sentence, its field, and the labeller's note."""

    text: str
    field: str
    note: str


@dataclass(frozen=True)
class Result:
    sentence: Sentence
    found: list[Hint]
    """The values that are read of it."""
    asked: int
    """How many requests wait because of it."""
    known: tuple[str, ...]
    """The memories that it made without a yes."""

    @property
    def is_seen(self) -> bool:
        return self.has_value or self.asked > 0

    @property
    def has_value(self) -> bool:
        return any(hint.field == self.sentence.field for hint in self.found)

    @property
    def value_words(self) -> frozenset[str]:
        """The words after a cue for the labelled field, up to the end of the clause."""
        for cue in CUES.get(self.sentence.field, ()):
            parts = re.split(rf"\b(?:{cue})\b", self.sentence.text, flags=re.IGNORECASE)[1:]
            words = {
                word
                for part in parts
                for word in words_of(CLAUSE_END.split(part)[0])
                if not NO_VALUE.fullmatch(word)
            }
            if words:
                return frozenset(words)
        return frozenset()

    @property
    def is_false(self) -> bool:
        return any(hint.field in LABELLED for hint in self.found)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", action="store_true", help="every fifth sentence")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument(
        "--misses", action="store_true", help="print what was missed and what was falsely seen"
    )
    options = parser.parse_args()
    file = options.data / "consent/dev/statements.jsonl"
    sentences = (
        read_sentences(file)[:: SMALL_STEP if options.small else 1] if file.exists() else made_up()
    )
    if not file.exists():
        print(f"no data at {options.data}: with the sentences that were made up for it")
    results, fields = typed(sentences)
    missed = (
        report_fields(results)
        + report_false(results)
        + report_unasked(results, fields, options.misses)
    )
    missed += report_list(options.misses, SMALL_STEP if options.small else 1)
    if options.misses:
        print_misses(results)
    for miss in missed:
        print(f"MISSED: {miss}", file=sys.stderr)
    return MISSED if missed else 0


def read_sentences(file: Path) -> list[Sentence]:
    with file.open(encoding="utf-8") as lines:
        read = [Sentence.model_validate(json.loads(line)) for line in lines]
    return [sentence for sentence in read if sentence.field != NOT_SCORED]


def made_up() -> list[Sentence]:
    return read_sentences(MADE_UP / "consent" / "statements.jsonl")


def words_of(text: str) -> list[str]:
    return re.findall(r"[\w'/-]+", text.casefold())


def report_fields(results: Sequence[Result]) -> list[str]:
    """Print how often each field is asked about, and return the bounds that are missed."""
    print(
        f"{'states':18}{'sentences':>10}{'asked about':>13}{'with a value':>14}"
        f"{'half A':>9}{'half B':>8}   bound"
    )
    missed = []
    for field in LABELLED:
        of_field = [result for result in results if result.sentence.field == field]
        seen = share([result.is_seen for result in of_field])
        valued = share([result.has_value for result in of_field])
        halves = [share([result.is_seen for result in half]) for half in in_halves(of_field)]
        print(
            f"{field:18}{len(of_field):10}{seen:13.3f}{valued:14.3f}"
            f"{halves[0]:9.3f}{halves[1]:8.3f}   >= {RIGHT_FIELD[field]}"
        )
        if seen < RIGHT_FIELD[field]:
            missed.append(
                f"{field}: asked about in {seen:.3f} of the sentences, below {RIGHT_FIELD[field]}"
            )
    return missed


def report_false(results: Sequence[Result]) -> list[str]:
    """Print how often a labelled field is seen where none is stated, and return the bound if it is
    missed.
    """
    nothing = [result for result in results if result.sentence.field == "none"]
    hard = [result for result in nothing if "hard negative" in result.sentence.note]
    print(
        f"\n{'states none':18}{'sentences':>10}{'false':>13}{'other fields':>14}"
        f"{'half A':>9}{'half B':>8}   bound"
    )
    for name, part in (
        ("hard negatives", hard),
        ("others", [result for result in nothing if result not in hard]),
    ):
        false = share([result.is_false for result in part])
        other = share([bool(result.found) and not result.is_false for result in part])
        halves = [share([result.is_false for result in half]) for half in in_halves(part)]
        bound = f"   <= {FALSE_REQUESTS}" if name == "hard negatives" else ""
        print(
            f"{name:18}{len(part):10}{false:13.4f}{other:14.4f}{halves[0]:9.4f}{halves[1]:8.4f}{bound}"
        )
    false = share([result.is_false for result in hard])
    return (
        [f"false requests on {false:.4f} of the hard negatives, above {FALSE_REQUESTS}"]
        if false > FALSE_REQUESTS
        else []
    )


@contextmanager
def store() -> Iterator[Runtime]:
    """Open a fresh store with the model that messages are read by."""
    with (
        tempfile.TemporaryDirectory() as home,
        closing(bootstrap.start(home=Path(home))) as runtime,
    ):
        runtime.embedding.fill(bootstrap.open_embedder(runtime))
        yield runtime


def learned(runtime: Runtime, text: str) -> tuple[int, tuple[str, ...]]:
    """Learn from a message in a chat of its own; return how many requests it made, and the
    memories.
    """
    with runtime.write() as session:
        thread = chat.create_thread(session, "Statements", "companion", runtime.clock()).id
        message = chat.add_message(
            session, thread, Role.USER, text, runtime.clock(), origin=Origin.TYPED
        )
        learning_queue.add(session, thread, message.id, runtime.clock())
    learning.propose_profile(runtime, message)
    news = [
        event
        for queued in learning_queue.list_pending(runtime.read())
        for event in learning.learn(runtime, queued)
    ]
    asked = len(pending.of_message(runtime.read(), message.id))
    texts = tuple(event.memory.text for event in news if isinstance(event, Remembered))
    _clear_away(runtime, [event.memory.id for event in news if isinstance(event, Remembered)])
    return asked, texts


def _clear_away(runtime: Runtime, memory_ids: Sequence[str]) -> None:
    """Trash memories, which would be in the way of others and too many for a day.

    Not as the person: what the person discards counts against who learned it, and after some of
    these memapp's reading would ask about everything.
    """
    with runtime.write() as session:
        for memory_id in memory_ids:
            change = SoftDeleted(memory_id, "overflow", runtime.purge_at())
            changes.apply(session, change, runtime.actor(name="lifecycle"))


def typed(sentences: Sequence[Sentence]) -> tuple[list[Result], list[str]]:
    """Type each sentence; return the results, and the changed sensitive fields."""
    with store() as runtime:
        results = [
            Result(
                sentence,
                list(stated(sentence.text, language_of(sentence.text))),
                *learned(runtime, sentence.text),
            )
            for sentence in sentences
        ]
        return results, [field for field in decisions.profile(runtime) if is_sensitive(field)]


def report_unasked(results: Sequence[Result], fields: Sequence[str], show: bool) -> list[str]:
    """Count what becomes known of sensitive fields although nobody said yes."""
    known = [(text, result) for result in results for text in result.known]
    facts = [text for text, _ in known if values_in(text)]
    labelled = [result for result in results if result.sentence.field in LABELLED]
    taught = [(text, result) for text, result in known if result in labelled]
    repeats = [text for text, result in taught if result.value_words.intersection(words_of(text))]
    print(
        (
            f"\ntyped in a chat: {len(results)} sentences, "
            f"{sum(result.asked > 0 for result in results)} are asked about; "
        ),
        end="",
    )
    print(
        f"known without a yes: {len(fields)} fields, {len(facts)} of {len(known)} memories state "
        "a value   (bound 0)"
    )
    valued = sum(bool(result.value_words) for result in labelled)
    print(
        f"{len(labelled)} sentences state a field, {valued} of them with words for its value: ",
        end="",
    )
    print(
        f"{len(taught)} memories were made of them, {len(repeats)} repeat such a word   (bound "
        f"{REPEATS} of them)"
    )
    for text, result in taught if show else ():
        print(f"{result.sentence.field}: {result.sentence.text!r} taught {text!r}")
    missed = [f"known without a yes: {field}" for field in [*fields, *facts]]
    return missed + [
        f"known without a yes: {repeat}"
        for repeat in repeats
        if len(repeats) > REPEATS * len(labelled)
    ]


def report_list(show: bool, step: int) -> list[str]:
    """Count the memories from unseen lists, and return the bound if missed."""
    print(f"\n{'learned from':30}{'sentences':>10}{'known':>8}{'asked':>8}{'nothing':>9}   bound")
    leaked: list[dict[str, str]] = []
    tried = 0
    with store() as runtime:
        for name in LISTS:
            rows = [
                json.loads(line) for line in (MADE_UP / f"{name}.jsonl").open(encoding="utf-8")
            ][::step]
            sensitive, near = (
                [row for row in rows if row["f"]],
                [row for row in rows if not row["f"]],
            )
            for part, label in filter(
                itemgetter(0), ((sensitive, name), (near, f"{name}, near misses"))
            ):
                each = [learned(runtime, row["t"]) for row in part]
                known = [row for row, (_, texts) in zip(part, each, strict=True) if texts]
                asked = sum(bool(waiting and not texts) for waiting, texts in each)
                bound = f"   known <= {LIST_KNOWN} of all" if part is sensitive else ""
                print(
                    f"{label:30}{len(part):10}{len(known):8}{asked:8}"
                    f"{len(part) - len(known) - asked:9}{bound}",
                    flush=True,
                )
                leaked += known if part is sensitive else []
                tried += len(part) if part is sensitive else 0
    for row in leaked if show else ():
        print(f"{row['f']}: {row['t']!r} is known without a yes")
    return (
        [f"known without a yes: {len(leaked)} of {tried} sentences of the lists"]
        if len(leaked) > LIST_KNOWN * tried
        else []
    )


def in_halves(results: Sequence[Result]) -> tuple[list[Result], list[Result]]:
    halves: tuple[list[Result], list[Result]] = ([], [])
    for result in results:
        halves[hashlib.sha256(result.sentence.text.encode()).digest()[0] % 2].append(result)
    return halves


def share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits) if hits else 0.0


def print_misses(results: Sequence[Result]) -> None:
    for result in results:
        is_miss = not result.is_seen if result.sentence.field != "none" else bool(result.found)
        if is_miss:
            found = ", ".join(f"{hint.field}={hint.value!r}" for hint in result.found)
            print(f"{result.sentence.field}: {result.sentence.text!r} -> {found or 'nothing'}")


if __name__ == "__main__":
    sys.exit(main())
