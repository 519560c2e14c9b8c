"""What is worth remembering of a statement about what is the person's: a sister, a dog, a favourite food."""

from memapp.domain.clauses import verb_at
from memapp.domain.english import COMMON_VERBS, FINITE, TRANSITIVE_LIKING, is_past, stems, word_set
from memapp.domain.salience.being import complement, was
from memapp.domain.salience.doing import is_taste
from memapp.domain.salience.having import have
from memapp.domain.salience.salient import Salient, Words, lower, split_denial, word_at
from memapp.domain.salience.word_tables import (
    GETTABLE,
    LASTING_ATTRIBUTES,
    LASTING_PASTS,
    PASSING_NOUNS,
    PASSING_PASTS,
    PASSING_VERBS,
    PEOPLE,
    TIME,
    VAGUE_OBJECTS,
)
from memapp.domain.third_person import split_adverbs


def of_people_and_things(words: Words) -> Salient | None:
    """Judge statements about what is the person's: `my sister Anna lives in Oslo`, `my favourite food is rice`."""
    start = 2 if words[0].casefold() == "one" else 0
    place = verb_at(words, start + 1)
    if place is None or place + 1 == len(words):
        return None
    nouns = lower(words[start + 1 : place])
    if set(nouns) & PASSING_NOUNS and not set(nouns) & {"favorite", "favourite", "best"}:
        return None
    verb, after = words[place].casefold(), words[place + 1 :]
    _, rest = split_adverbs(after)
    denial, rest = split_denial(rest or after)
    if set(nouns) & LASTING_ATTRIBUTES:
        category = "preferences" if {"favorite", "favourite"} & set(nouns) else "profile"
        return Salient(words, category) if _tells_attribute(nouns, rest) else None
    return Salient(words, "relationships") if _tells_of_other(set(nouns), verb, denial, rest, after) else None


def of_attribute(words: Words) -> Salient | None:
    """Judge `Pizza is my favourite food`, `Anna is my sister`."""
    after = lower(words[2:])
    owned = set(after[after.index("my") + 1 :]) if "my" in after else set()
    if owned & {"favorite", "favourite"} and not owned & {"part", "thing", "one", "way"} and len(owned) > 1:
        return Salient(words, "preferences")
    return Salient(words, "relationships") if owned & (PEOPLE | {"hobby", "passion", "dream", "job"}) else None


def _tells_attribute(nouns: Words, words: Words) -> bool:
    if nouns[-1] in ("favorite", "favourite", "best") or set(nouns) & _VAGUE_NOUNS:
        return False
    first = word_at(words, 0)
    return first not in (VAGUE_OBJECTS - {"the"}) | {"also", ""} or bool(words and TIME.search(" ".join(words)))


def _tells_of_other(nouns: set[str], verb: str, denial: Words, rest: Words, after: Words) -> bool:
    """Judge what is said of a sister, a dog, a house: by the same rules as what is said of oneself, only narrower."""
    first, second = word_at(rest, 0), word_at(rest, 1)
    if verb in ("is", "are"):
        return complement(rest, bool(denial)) is not None
    if verb in ("was", "were"):
        return first in ("a", "an", "born", "raised", "in", "from") and (was([], rest) is not None or bool(PEOPLE & nouns))
    if verb in ("has", "have"):
        return have([], [*denial, *rest]) is not None and not (first == "been" and second in ("a", "an"))
    if verb in FINITE:
        is_ability = verb in ("does", "do", "can") and first in COMMON_VERBS - PASSING_VERBS
        return is_ability and second not in VAGUE_OBJECTS | {""}
    if is_past(verb):
        lasts = stems(verb) & (LASTING_PASTS | {"die", "pass", "teach", "name"}) or TIME.search(" ".join(after))
        return bool(nouns & (PEOPLE | GETTABLE | _OTHERS)) and bool(lasts) and not stems(verb) & (PASSING_PASTS - {"have"})
    if not stems(verb) & (COMMON_VERBS - _EMPTY_VERBS) or word_at(after, 0) in VAGUE_OBJECTS:
        return False
    return not stems(verb) & TRANSITIVE_LIKING or is_taste(after)


_VAGUE_NOUNS = word_set("part thing one ones things way moment bit")
_OTHERS = word_set("friend friends family team kids children twins company")
_EMPTY_VERBS = word_set("get come hope want say call turn stay give bring keep")
