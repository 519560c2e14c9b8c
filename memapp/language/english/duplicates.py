"""Duplicates: sentences that say the same in other forms of the words."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from memapp.domain.wording import Wording
from memapp.language.english.grammar import EN, NOT, expand, is_past, root, stems, tokens


@lru_cache(maxsize=64)  # a change asks five times for the form of one text
def normalise(text: str) -> str:
    """Return what counts as the same text: lower case, contractions written out, no punctuation between words; a minus counts."""
    folded = " ".join(unicodedata.normalize("NFKC", expand(text)).casefold().split())
    bare = re.sub(r"(?<!\d)(?!(?<!\S)-\d)[.,:;!?\"'()\[\]-]+|[.,:;!?\"'()\[\]-]+(?!\d)", " ", folded)
    return " ".join(bare.split())


def gist(text: str) -> str:
    """Return the words that carry a text's meaning, each as its root, in the order of the alphabet.

    The same for `User loves sailing.` and `I love to sail`: coarser than what counts as the same text, for asking once too often.
    """
    roots = set()
    for word in tokens(expand(unicodedata.normalize("NFKC", text)).casefold()):
        if word in EN.negations:
            roots.add(NOT)
        elif re.search(r"\w", word) and word not in EN.says_little:
            roots.add("like" if EN.liking & stems(word) else root(word))
    return " ".join(sorted(roots)) or normalise(text)


ENGLISH = Wording(normalise, gist)


def duplicate_of(text: str, existing: Iterable[str]) -> str | None:
    """Return the existing text that says the same, if there is one.

    The same means the same words in the same order up to articles, fillers and word forms, with the same numbers, names,
    negation and tense. Similar words never count as the same.
    """
    wanted, meaning = normalise(text), _meaning(text)
    for other in existing:
        if normalise(other) == wanted or _same(meaning, _meaning(other)):
            return other
    return None


def tells_more(text: str, other: str) -> bool:
    """Say whether a text holds what another one says, word by word as a statement of its own, and something besides."""
    meaning, part = _meaning(text), _meaning(other)
    for place in range(len(meaning) - len(part) + 1) if 0 < len(part) < len(meaning) else ():
        before, behind = meaning[place - 1 : place] if place else [frozenset({"and"})], meaning[place + len(part) :][:1]
        is_own = bool(before[0] & {"and", "but", "so"}) and not any(word & {NOT, "no"} for word in behind)
        if is_own and _same(meaning[place : place + len(part)], part):
            return True
    return False


def _same(one: Sequence[frozenset[str]], other: Sequence[frozenset[str]]) -> bool:
    return len(one) == len(other) > 0 and all(word & same for word, same in zip(one, other, strict=True))


@lru_cache(maxsize=256)  # what a prompt says already is compared with each hit
def _meaning(text: str) -> Sequence[frozenset[str]]:
    """Return the words that carry the meaning, each with what it may be a form of, and with the tense marked."""
    meaning = []
    for word in (word.casefold() for word in tokens(expand(text))):
        if word in EN.says_nothing_new:
            continue
        meaning.append(frozenset({NOT}) if word in EN.negations else stems(word))
        if is_past(word) or word in ("was", "were", "had", "did"):
            meaning.append(frozenset({"past"}))
    return meaning
