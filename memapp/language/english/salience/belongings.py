"""The statements worth remembering about what is the person's: a sister, a dog, a favourite food."""

from memapp.language.english.clauses import verb_at
from memapp.language.english.grammar import EN, is_past, stems, word_at
from memapp.language.english.salience.being import complement, was
from memapp.language.english.salience.having import have
from memapp.language.english.salience.salient import Salient, Words, category_of, lower, split_denial, tells
from memapp.language.english.third_person import split_adverbs


def of_people_and_things(words: Words) -> Salient | None:
    """Judge statements about what is the person's: `my sister Anna lives in Oslo`, `my favourite food is rice`."""
    start = 2 if words[0].casefold() == "one" else 0
    place = verb_at(words, start + 1)
    if place is None or place + 1 == len(words):
        return None
    nouns = lower(words[start + 1 : place])
    if set(nouns) & EN.passing_nouns and not set(nouns) & {"favorite", "favourite", "best"}:
        return None
    verb, after = words[place].casefold(), words[place + 1 :]
    _, rest = split_adverbs(after)
    denial, rest = split_denial(rest or after)
    if set(nouns) & EN.lasting_attributes:
        category = "preferences" if {"favorite", "favourite"} & set(nouns) else "profile"
        return Salient(words, category) if _tells_attribute(nouns, rest) else None
    return Salient(words, "relationships") if _tells_of_other(set(nouns), verb, denial, rest, after) else None


def of_attribute(words: Words) -> Salient | None:
    """Judge `Pizza is my favourite food`, `Anna is my sister`."""
    after = lower(words[2:])
    owned = set(after[after.index("my") + 1 :]) if "my" in after else set()
    if owned & {"favorite", "favourite"} and not owned & {"part", "thing", "one", "way"} and len(owned) > 1:
        return Salient(words, "preferences")
    return Salient(words, "relationships") if owned & (EN.people | {"hobby", "passion", "dream", "job"}) else None


def _tells_attribute(nouns: Words, words: Words) -> bool:
    if nouns[-1] in ("favorite", "favourite", "best") or set(nouns) & EN.vague_nouns:
        return False
    first = word_at(words, 0)
    return first not in (EN.vague_objects - {"the"}) | {"also", ""} or bool(words and tells("time", words))


def _tells_of_other(nouns: set[str], verb: str, denial: Words, rest: Words, after: Words) -> bool:
    """Judge what is said of a sister, a dog, a house: by the same rules as what is said of oneself, only narrower."""
    first, second = word_at(rest, 0), word_at(rest, 1)
    if verb in ("is", "are"):
        return complement(rest, bool(denial)) is not None
    if verb in ("was", "were"):
        return first in ("a", "an", "born", "raised", "in", "from") and (was([], rest) is not None or bool(EN.people & nouns))
    if verb in ("has", "have"):
        return have([], [*denial, *rest]) is not None and not (first == "been" and second in ("a", "an"))
    if verb in EN.finite:
        is_ability = verb in ("does", "do", "can") and first in EN.common_verbs - EN.passing_verbs
        return is_ability and second not in EN.vague_objects | {""}
    if is_past(verb):
        lasts = bool(stems(verb) & (EN.lasting_pasts | {"die", "pass", "teach", "name"})) or tells("time", after)
        return lasts and not EN.lasting_others.isdisjoint(nouns) and not stems(verb) & (EN.passing_pasts - {"have"})
    if not stems(verb) & (EN.common_verbs - EN.empty_verbs) or word_at(after, 0) in EN.vague_objects:
        return False
    return not stems(verb) & EN.transitive_liking or category_of("taste", after) != ""
