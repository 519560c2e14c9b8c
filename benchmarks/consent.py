"""Is a statement of a sensitive field seen, and nothing else taken for one?

Sentences of `data/consent/dev`, or without the data of `benchmarks/made_up`, each labelled with the field it states, or with
none. A change that is asked for without saying to what ("call me something else") counts as seen; how often there is a value to
propose stands beside it. A false consent request is one of the four fields that are labelled; what the rules see of other fields
(health, religion ...) is shown apart, because the labels do not know those. Both halves of the sentences are shown, parted by a
hash, to see luck.

Then every sentence is typed in a chat of a real store, which learns from it: nothing sensitive may be known without a yes,
neither in the profile nor as a fact. A fact counts as sensitive if memapp's rules read it so, and also if it repeats a word of
what its labelled sentence gives as the value: that is read here by a few cues, which share nothing with those rules.

At last, in the full form only, each sentence of five independent lists is typed into a store of its own, through turn and upkeep:
what says something sensitive in roundabout words, of the person and of people close, and what only sounds like it. Each list was
written by somebody who knew neither the rules nor the examples. Kinds of what they show to be missed were mended since; of the
last that was done once, when 4 of its 200 were known, and as many still are: so well others are served.

python -m benchmarks.consent [--small] [--data ../shared/data] [--misses]
"""

import argparse
import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from pydantic import BaseModel

from benchmarks import MADE_UP, MISSED
from benchmarks.reading import Case, live_through, models
from memapp import bootstrap
from memapp.domain.chat import Origin, Role
from memapp.domain.profile import Stated, is_sensitive
from memapp.inference import Cancel
from memapp.language.english.profile import stated, stated_by
from memapp.services.consent import decisions, pending
from memapp.services.remember import learn, propose_profile_changes
from memapp.store import chat, expectations

LABELLED = ("preferred_name", "pronouns", "city", "language")
NOT_SCORED = "borderline"
RIGHT_FIELD = 0.85
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
    r"an?|the|in|to|of|by|as|at|with|on|for|from|i|me|my|is|be|am|are|was|you|your|it|now|please|user(?:'s)?", re.IGNORECASE
)
SMALL_STEP = 5
"""The small form takes every fifth sentence."""
LISTS = ("sensitive_list", "sensitive_list2", "sensitive_list3", "sensitive_list4", "sensitive_list5")


class Sentence(BaseModel):
    """One sentence, the field that it states, and what the labeller noted."""

    text: str
    field: str
    note: str


@dataclass(frozen=True)
class Result:
    sentence: Sentence
    found: list[Stated]

    @property
    def is_seen(self) -> bool:
        return any(one.field == self.sentence.field for one in self.found)

    @property
    def has_value(self) -> bool:
        return any(one.field == self.sentence.field and one.value for one in self.found)

    @property
    def value_words(self) -> frozenset[str]:
        """The words after a cue for the labelled field, up to the end of the clause."""
        for cue in CUES.get(self.sentence.field, ()):
            parts = re.split(rf"\b(?:{cue})\b", self.sentence.text, flags=re.IGNORECASE)[1:]
            words = {word for part in parts for word in words_of(CLAUSE_END.split(part)[0]) if not NO_VALUE.fullmatch(word)}
            if words:
                return frozenset(words)
        return frozenset()

    @property
    def is_false(self) -> bool:
        return any(one.field in LABELLED for one in self.found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="every fifth sentence")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--misses", action="store_true", help="print what was missed and what was falsely seen")
    options = parser.parse_args()
    file = options.data / "consent/dev/statements.jsonl"
    sentences = read_sentences(file)[:: SMALL_STEP if options.small else 1] if file.exists() else made_up()
    if not file.exists():
        print(f"no data at {options.data}: with the sentences that were made up for it")
    results = [Result(sentence, stated(sentence.text)) for sentence in sentences]
    missed = report_fields(results) + report_false(results) + report_unasked(results, options.misses)
    missed += [] if options.small else report_list(options.misses)
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
    """Print how often each field is seen, and return the bounds that are missed."""
    print(f"{'states':18}{'sentences':>10}{'right field':>13}{'with a value':>14}{'half A':>9}{'half B':>8}   bound")
    missed = []
    for field in LABELLED:
        of_field = [result for result in results if result.sentence.field == field]
        seen = share([result.is_seen for result in of_field])
        valued = share([result.has_value for result in of_field])
        halves = [share([result.is_seen for result in half]) for half in in_halves(of_field)]
        print(f"{field:18}{len(of_field):10}{seen:13.3f}{valued:14.3f}{halves[0]:9.3f}{halves[1]:8.3f}   >= {RIGHT_FIELD}")
        if seen < RIGHT_FIELD:
            missed.append(f"{field}: seen in {seen:.3f} of the sentences, below {RIGHT_FIELD}")
    return missed


def report_false(results: Sequence[Result]) -> list[str]:
    """Print how often a labelled field is seen where none is stated, and return the bound if it is missed."""
    nothing = [result for result in results if result.sentence.field == "none"]
    hard = [result for result in nothing if "hard negative" in result.sentence.note]
    print(f"\n{'states none':18}{'sentences':>10}{'false':>13}{'other fields':>14}{'half A':>9}{'half B':>8}   bound")
    for name, part in (("hard negatives", hard), ("others", [result for result in nothing if result not in hard])):
        false = share([result.is_false for result in part])
        other = share([bool(result.found) and not result.is_false for result in part])
        halves = [share([result.is_false for result in half]) for half in in_halves(part)]
        bound = f"   <= {FALSE_REQUESTS}" if name == "hard negatives" else ""
        print(f"{name:18}{len(part):10}{false:13.4f}{other:14.4f}{halves[0]:9.4f}{halves[1]:8.4f}{bound}")
    false = share([result.is_false for result in hard])
    return [f"false requests on {false:.4f} of the hard negatives, above {FALSE_REQUESTS}"] if false > FALSE_REQUESTS else []


def report_unasked(results: Sequence[Result], show: bool) -> list[str]:
    """Count what becomes known of sensitive fields although nobody said yes."""
    known: list[tuple[str, Result]] = []
    with tempfile.TemporaryDirectory() as home, closing(bootstrap.start(home=Path(home))) as runtime:
        with runtime.write() as session:
            thread = chat.create_thread(session, "Statements", "companion", runtime.clock()).id
        for result in results:
            with runtime.write() as session:
                message = chat.add_message(session, thread, Role.USER, result.sentence.text, runtime.clock(), origin=Origin.TYPED)
                expectations.add_surprise(session, thread, message.id, None, runtime.clock())
            propose_profile_changes(runtime, message)
            for surprise in expectations.pending_surprises(runtime.read()):
                known += [(written.memory.text, result) for written in learn(runtime, surprise, None, Cancel())]
        fields = [field for field in decisions.profile(runtime) if is_sensitive(field)]
        waiting = pending.count_pending(runtime)
    facts = [fact for fact, _ in known if any(is_sensitive(said.field) for said in stated_by(fact))]
    labelled = [result for result in results if result.sentence.field in LABELLED]
    learned = [(fact, result) for fact, result in known if result in labelled]
    repeats = [fact for fact, result in learned if result.value_words.intersection(words_of(fact))]
    print(f"\ntyped in a chat: {len(results)} sentences, {waiting} requests wait; known without a yes: ", end="")
    print(f"{len(fields)} fields, {len(facts)} of {len(known)} facts by memapp's rules   (bound 0)")
    valued = sum(bool(result.value_words) for result in labelled)
    print(f"{len(labelled)} sentences state a field, {valued} of them with words for its value: ", end="")
    print(f"{len(learned)} facts were learned from them, {len(repeats)} repeat such a word   (bound 0)")
    for fact, result in learned if show else ():
        print(f"{result.sentence.field}: {result.sentence.text!r} taught {fact!r}")
    return [f"known without a yes: {one}" for one in [*fields, *facts, *repeats]]


def report_list(show: bool) -> list[str]:
    """Count what becomes known of lists that memapp's rules and examples were not made from, and return the bound if missed."""
    print(f"\n{'typed in a turn':30}{'sentences':>10}{'known':>8}{'asked':>8}{'nothing':>9}   bound")
    leaked: list[dict[str, str]] = []
    with models(None) as (model, embedder):
        for name in LISTS:
            rows = [json.loads(line) for line in (MADE_UP / f"{name}.jsonl").open(encoding="utf-8")]
            sensitive, near = [row for row in rows if row["f"]], [row for row in rows if not row["f"]]
            for part, label in filter(itemgetter(0), ((sensitive, name), (near, f"{name}, near misses"))):
                each = [live_through(Case("", "", (row["t"],), (), (), (), (), ()), model, embedder) for row in part]
                known = [row for row, one in zip(part, each, strict=True) if one.live]
                asked = sum(bool(one.waiting and not one.live) for one in each)
                bound = "   known 0" if part is sensitive else ""
                print(f"{label:30}{len(part):10}{len(known):8}{asked:8}{len(part) - len(known) - asked:9}{bound}", flush=True)
                leaked += known if part is sensitive else []
    for row in leaked if show else ():
        print(f"{row['f']}: {row['t']!r} is known without a yes")
    return [f"known without a yes: {len(leaked)} sentences of the lists"] if leaked else []


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
            found = ", ".join(f"{one.field}={one.value!r}" for one in result.found)
            print(f"{result.sentence.field}: {result.sentence.text!r} -> {found or 'nothing'}")


if __name__ == "__main__":
    sys.exit(main())
