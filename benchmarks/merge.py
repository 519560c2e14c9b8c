"""Does a new sentence merge with what says the same, and with nothing else?

Two memories of the same words but for their spelling become one. Beside that stands what a model
may merge that is trusted with it: what is alike, with the names, numbers and denials of both.
Measured are

- one-word contradictions (`data/breaking_nli/dev`), as they are, and twice reworded: a
  contradiction of a sentence against a synonymous wording of that sentence, so that two places
  differ of which one matters;
- pairs that people judged unlike or nearly identical (`data/stsb_en_clean/dev`, scores up to 2.5
  and from 4.5 of 5);
- different persona lines of one person (`data/synthetic_persona_chat/dev`);
- made-up facts that differ in one thing of a kind (`User likes green tea.`), with one or two words
  more or less;
- made-up sentences in other words, and such that differ in one thing
  (`made_up/said_otherwise.txt`);
- the same of facts about a person only, as they are told twice (`made_up/facts_of_a_person.txt`).

Both halves of each set (every other line) are printed beside the whole.

python -m benchmarks.merge [--small] [--data ../shared/data] [--show N]
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import MADE_UP, MISSED, bundled_embedder
from memapp.language.same_content import is_respelt, keeps_facts
from memapp.services.jobs.consolidate import ALIKE

WRONG_LIMIT = 0.05
PERSONA_LIMIT = 0.02
OF_A_PERSON = "facts_of_a_person.txt"
SMALL_LINES = 600
SMALL_CHATS = 100

Pair = tuple[str, str]

_MADE_UP = [
    ("User {how} {what}.", "likes|loves|really likes",
        "red wine|white wine|black coffee|green tea|black tea|milk chocolate"),
    ("User {how} {what} at home.", "cooks|often cooks",
        "Thai food|Indian food|Italian food|pasta|fish|chicken"),
    ("User {how} that sleeps on the sofa.", "has {what}|owns {what}",
        "a black cat|a white cat|a grey dog|a big dog|a puppy"),
    ("User plays the {what} in a small band{how}.", "| every Friday",
        "guitar|piano|violin|cello|drums|trumpet"),
    ("User {how} {what} with two old friends from school.", "plays|usually plays",
        "football|tennis|chess|poker|golf|hockey"),
    ("User{how} works as a {what} in a hospital.", "'s sister|'s brother Ivo",
        "nurse|doctor|surgeon|cleaner|cook"),
    ("User {how} to the {what} on weekends.", "goes|often goes",
        "beach|forest|cinema|theater|gym|library"),
    ("User is {how}allergic to {what}.", "|very ", "nuts|peanuts|eggs|milk|pollen|cats|dogs"),
    ("User {how} books about {what}.", "reads|collects", "history|art|space|science|cooking|war"),
]  # fmt: skip


@dataclass(frozen=True)
class Measured:
    name: str
    pairs: Sequence[Pair]
    at_most: float | None = None


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--small",
        action="store_true",
        help=f"the first {SMALL_LINES} lines and {SMALL_CHATS} chats only",
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument(
        "--show", type=int, default=0, help="print this many pairs of each set that are merged"
    )
    options = parser.parse_args()
    if not (options.data / "breaking_nli").exists():
        print(f"skipped: no data at {options.data}")
        return 0
    sets = list(read_sets(options.data, small=options.small))
    texts = sorted({text for measured in sets for pair in measured.pairs for text in pair})
    with closing(bundled_embedder()) as embedder:
        vectors = dict(zip(texts, embedder.embed(texts), strict=True))
    print(f"{'share of pairs':52}{'pairs':>7}{'merged':>8}{'halves':>15}{'open to a model':>17}")
    failures = [
        failure for measured in sets for failure in measure(measured, vectors, options.show)
    ]
    for failure in failures:
        print(f"MISSED: {failure}")
    return MISSED if failures else 0


def read_sets(data: Path, *, small: bool) -> Iterator[Measured]:
    nli = read_lines(data / "breaking_nli/dev/pairs.jsonl", SMALL_LINES if small else None)
    sts = read_lines(data / "stsb_en_clean/dev/pairs.jsonl", SMALL_LINES if small else None)
    chats = read_lines(
        data / "synthetic_persona_chat/dev/chats.jsonl", SMALL_CHATS if small else None
    )
    contradictions = [(pair["a"], pair["b"]) for pair in nli if pair["label"] == "contradiction"]
    yield Measured("contradictions", contradictions, at_most=WRONG_LIMIT)
    yield Measured("contradictions, twice reworded", list(reworded(nli)), at_most=WRONG_LIMIT)
    yield Measured(
        "synonymous", [(pair["a"], pair["b"]) for pair in nli if pair["label"] == "entailment"]
    )
    unlike = [(pair["a"], pair["b"]) for pair in sts if pair["score"] <= 2.5]
    yield Measured("unlike (score to 2.5)", unlike, at_most=WRONG_LIMIT)
    yield Measured(
        "nearly identical (score from 4.5)",
        [(pair["a"], pair["b"]) for pair in sts if pair["score"] >= 4.5],
    )
    yield Measured("persona lines", list(persona_pairs(chats)), at_most=PERSONA_LIMIT)
    yield Measured("made-up facts", list(made_up()), at_most=PERSONA_LIMIT)
    for name, of in (("made-up", "said_otherwise.txt"), ("of a person", OF_A_PERSON)):
        same, other = said_otherwise(of)
        yield Measured(f"{name}, of something else", other, at_most=PERSONA_LIMIT)
        yield Measured(f"{name}, in other words", same)


def read_lines(path: Path, limit: int | None) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[:limit]]


def reworded(nli: Sequence[dict[str, Any]]) -> Iterator[Pair]:
    """Pair each synonymous wording of a sentence with each contradiction of it."""
    for synonymous, contradicting in product(nli, nli):
        is_pair = synonymous["label"] == "entailment" and contradicting["label"] == "contradiction"
        if is_pair and synonymous["a"] == contradicting["a"]:
            yield synonymous["b"], contradicting["b"]


def persona_pairs(chats: Sequence[dict[str, Any]]) -> Iterator[Pair]:
    """Pair the lines of each persona, later against earlier; a persona that occurs again counts
    once.
    """
    personas = dict.fromkeys(tuple(chat[key]) for chat in chats for key in ("persona1", "persona2"))
    for persona in personas:
        yield from (
            (later, earlier) for earlier, later in combinations(persona, 2) if later != earlier
        )


def made_up() -> Iterator[Pair]:
    """Pair facts of one kind about different things, told alike and told differently."""
    for template, how, what in _MADE_UP:
        for combination, other in combinations(what.split("|"), 2):
            for way, other_way in product(how.split("|"), repeat=2):
                yield filled(template, way, combination), filled(template, other_way, other)


def said_otherwise(name: str) -> tuple[list[Pair], list[Pair]]:
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


def measure(
    measured: Measured, vectors: dict[str, NDArray[np.float32]], show: int
) -> Iterator[str]:
    """Print one row; yield what misses its bound."""
    merged = [is_respelt(new, old) for new, old in measured.pairs]
    share, first, second = (float(np.mean(part)) for part in (merged, merged[::2], merged[1::2]))
    to_model = [
        float(vectors[new] @ vectors[old]) >= ALIKE and keeps_facts(new, old)
        for new, old in measured.pairs
    ]
    bound = f" <= {measured.at_most}" if measured.at_most is not None else ""
    print(
        f"{measured.name:52}{len(merged):7}{share:8.3f}{first:8.3f}{second:7.3f}{float(np.mean(to_model)):17.3f}{bound}"
    )
    for new, old in [
        pair for pair, is_merged in zip(measured.pairs, merged, strict=True) if is_merged
    ][:show]:
        print(f"    {new} | {old}")
    if measured.at_most is not None and share > measured.at_most:
        yield f"{measured.name}: {share:.3f}, wanted{bound}"


if __name__ == "__main__":
    sys.exit(main())
