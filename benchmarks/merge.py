"""Does a new sentence merge with what says the same, and with nothing else?

Likeness comes from the bundled embedder. Merged means `SAME` or `UPDATES`: one of the two wordings goes. Measured are

- one-word contradictions (`data/breaking_nli/dev`), as they are, and twice reworded: a contradiction of a sentence against a
  synonymous wording of that sentence, so that two places differ of which one matters;
- pairs that people judged unlike or nearly identical (`data/stsb_en_clean/dev`, scores up to 2.5 and from 4.5 of 5);
- different persona lines of one person (`data/synthetic_persona_chat/dev`), in the form that facts have;
- made-up facts that differ in one thing of a kind (`User likes green tea.`), with one or two words more or less;
- made-up sentences in other words, and such that differ in one thing (`made_up/said_otherwise.txt`);
- the same of facts about a person only, as they are told twice (`made_up/facts_of_a_person.txt`).

Both halves of each set (every other line) are printed beside the whole.

python -m benchmarks.merge [--small] [--data ../shared/data] [--show N]
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import MADE_UP, MISSED, bundled_embedder
from memapp.language.english.merge import MergeVerdict, compare
from memapp.language.english.statements import read

WRONG_LIMIT = 0.05
PERSONA_LIMIT = 0.02
NEARLY_SAME_GOAL = 0.60
OF_A_PERSON, OF_A_PERSON_GOAL = "facts_of_a_person.txt", 0.35
NEIGHBOURS = 50
COMPARE_SHARE = 1.5
"""Comparing a new fact with one not met before takes at most as long as this many readings of a sentence."""
SMALL_LINES = 600
SMALL_CHATS = 100
MERGED = {MergeVerdict.SAME, MergeVerdict.UPDATES}

Pair = tuple[str, str]

_MADE_UP = [
    ("User {how} {what}.", "likes|loves|really likes", "red wine|white wine|black coffee|green tea|black tea|milk chocolate"),
    ("User {how} {what} at home.", "cooks|often cooks", "Thai food|Indian food|Italian food|pasta|fish|chicken"),
    ("User {how} that sleeps on the sofa.", "has {what}|owns {what}", "a black cat|a white cat|a grey dog|a big dog|a puppy"),
    ("User plays the {what} in a small band{how}.", "| every Friday", "guitar|piano|violin|cello|drums|trumpet"),
    ("User {how} {what} with two old friends from school.", "plays|usually plays", "football|tennis|chess|poker|golf|hockey"),
    ("User{how} works as a {what} in a hospital.", "'s sister|'s brother Ivo", "nurse|doctor|surgeon|cleaner|cook"),
    ("User {how} to the {what} on weekends.", "goes|often goes", "beach|forest|cinema|theater|gym|library"),
    ("User is {how}allergic to {what}.", "|very ", "nuts|peanuts|eggs|milk|pollen|cats|dogs"),
    ("User {how} books about {what}.", "reads|collects", "history|art|space|science|cooking|war"),
]  # fmt: skip


@dataclass(frozen=True)
class Measured:
    name: str
    pairs: Sequence[Pair]
    at_most: float | None = None
    at_least: float | None = None
    wrong: frozenset[MergeVerdict] = frozenset(MERGED)
    """The verdicts that are counted."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help=f"the first {SMALL_LINES} lines and {SMALL_CHATS} chats only")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--show", type=int, default=0, help="print this many pairs of each set that came out wrong")
    options = parser.parse_args()
    if not (options.data / "breaking_nli").exists():
        print(f"skipped: no data at {options.data}")
        return 0
    sets = list(read_sets(options.data, small=options.small))
    texts = sorted({text for measured in sets for pair in measured.pairs for text in pair})
    with closing(bundled_embedder()) as embedder:
        vectors = dict(zip(texts, embedder.embed(texts), strict=True))
    print(f"{'share of pairs':44}{'pairs':>7}{'share':>8}{'halves':>15}")
    failures = [failure for measured in sets for failure in measure(measured, vectors, options.show)]
    failures += measure_time(list(made_up()))
    for failure in failures:
        print(f"MISSED: {failure}")
    return MISSED if failures else 0


def read_sets(data: Path, *, small: bool) -> Iterator[Measured]:
    nli = read_lines(data / "breaking_nli/dev/pairs.jsonl", SMALL_LINES if small else None)
    sts = read_lines(data / "stsb_en_clean/dev/pairs.jsonl", SMALL_LINES if small else None)
    chats = read_lines(data / "synthetic_persona_chat/dev/chats.jsonl", SMALL_CHATS if small else None)
    contradictions = [(one["a"], one["b"]) for one in nli if one["label"] == "contradiction"]
    yield Measured("contradictions merged", contradictions, at_most=WRONG_LIMIT)
    yield Measured("contradictions merged, twice reworded", list(reworded(nli)), at_most=WRONG_LIMIT)
    yield Measured("synonymous merged (for comparison)", [(one["a"], one["b"]) for one in nli if one["label"] == "entailment"])
    unlike = [(one["a"], one["b"]) for one in sts if one["score"] <= 2.5]
    yield Measured("unlike (score to 2.5) merged", unlike, at_most=WRONG_LIMIT)
    same = [(one["a"], one["b"]) for one in sts if one["score"] >= 4.5]
    yield Measured("nearly identical (score from 4.5) merged", same, at_least=NEARLY_SAME_GOAL)
    superseding = frozenset(MERGED | {MergeVerdict.CONTRADICTS})
    yield Measured("persona lines merged or superseded", list(persona_pairs(chats)), at_most=PERSONA_LIMIT, wrong=superseding)
    yield Measured("made-up facts merged", list(made_up()), at_most=PERSONA_LIMIT)
    same, other = said_otherwise()
    yield Measured("made-up, of something else, merged", other, at_most=PERSONA_LIMIT)
    yield Measured("made-up, in other words, merged (for comparison)", same)
    same, other = said_otherwise(OF_A_PERSON)
    yield Measured("of a person, of something else, merged", other, at_most=PERSONA_LIMIT)
    yield Measured("of a person, in other words, merged", same, at_least=OF_A_PERSON_GOAL)


def read_lines(path: Path, limit: int | None) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[:limit]]


def reworded(nli: Sequence[dict[str, Any]]) -> Iterator[Pair]:
    """Pair each synonymous wording of a sentence with each contradiction of it."""
    for synonymous, contradicting in product(nli, nli):
        is_pair = synonymous["label"] == "entailment" and contradicting["label"] == "contradiction"
        if is_pair and synonymous["a"] == contradicting["a"]:
            yield synonymous["b"], contradicting["b"]


def persona_pairs(chats: Sequence[dict[str, Any]]) -> Iterator[Pair]:
    """Pair the lines of each persona, later against earlier; a persona that occurs again counts once."""
    personas = dict.fromkeys(tuple(chat[key]) for chat in chats for key in ("persona1", "persona2"))
    for persona in personas:
        facts = [as_fact(line) for line in persona]
        yield from ((later, earlier) for earlier, later in combinations(facts, 2) if later != earlier)


def as_fact(line: str) -> str:
    told = [one.fact for one in read(line) if one.fact]
    return told[0] if len(told) == 1 else line


def made_up() -> Iterator[Pair]:
    """Pair facts of one kind about different things, told alike and told differently."""
    for template, how, what in _MADE_UP:
        for one, other in combinations(what.split("|"), 2):
            for way, other_way in product(how.split("|"), repeat=2):
                yield filled(template, way, one), filled(template, other_way, other)


def said_otherwise(name: str = "said_otherwise.txt") -> tuple[list[Pair], list[Pair]]:
    """Return pairs that say the same in other words, and pairs of which one says something else."""
    same: list[Pair] = []
    other: list[Pair] = []
    for block in (MADE_UP / name).read_text("utf-8").strip().split("\n\n")[1:]:
        first, *rest = block.splitlines()
        worded = [first, *(line[2:] for line in rest if line.startswith("="))]
        same += combinations(worded, 2)
        other += product(worded, [line[2:] for line in rest if line.startswith("!")])
    return same, other


def filled(template: str, how: str, what: str) -> str:
    return template.replace("{how}", how).replace("{what}", what)


def measure(measured: Measured, vectors: dict[str, NDArray[np.float32]], show: int) -> Iterator[str]:
    """Print one row; yield what misses its bound."""
    counted = [compare(new, old, float(vectors[new] @ vectors[old])) in measured.wrong for new, old in measured.pairs]
    share, first, second = (float(np.mean(part)) for part in (counted, counted[::2], counted[1::2]))
    bound = f" <= {measured.at_most}" if measured.at_most is not None else ""
    bound = f" >= {measured.at_least}" if measured.at_least is not None else bound
    print(f"{measured.name:44}{len(counted):7}{share:8.3f}{first:8.3f}{second:7.3f}{bound}")
    is_goal = measured.at_least is not None
    odd = [pair for pair, is_counted in zip(measured.pairs, counted, strict=True) if is_counted != is_goal]
    for new, old in odd[:show]:
        print(f"    {new} | {old}")
    if (measured.at_most is not None and share > measured.at_most) or (is_goal and share < (measured.at_least or 0)):
        yield f"{measured.name}: {share:.3f}, wanted{bound}"


def measure_time(pairs: Sequence[Pair]) -> Iterator[str]:
    """Compare a fact with others not read yet, as at the start of the app, and read those; the best of several tries."""
    facts = [f"{old[:-1]} since {year}." for year, (_, old) in enumerate(pairs, start=1000)]
    tries = [facts[at : at + NEIGHBOURS] for at in range(0, len(facts) - NEIGHBOURS, NEIGHBOURS)]
    shares = [
        processor_time(lambda fact: compare("User plays the oboe in a big orchestra.", fact, 0.9), some)
        / processor_time(read, some)
        for some in tries
    ]
    print(f"{'comparing one fact, of reading it':44}{len(shares):7}{min(shares):8.2f}{'':15} <= {COMPARE_SHARE}")
    if min(shares) > COMPARE_SHARE:
        yield f"comparing takes {min(shares):.2f} of the time of reading"


def compare_to_new(fact: str) -> MergeVerdict:
    return compare("User plays the oboe in a big orchestra.", fact, 0.9)


def processor_time(do: Callable[[str], object], texts: Sequence[str]) -> float:
    """Return the seconds of processor time that doing it to each text takes."""
    started = time.process_time()
    for text in texts:
        do(text)
    return time.process_time() - started


if __name__ == "__main__":
    sys.exit(main())
