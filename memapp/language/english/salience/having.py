"""Possessions and experiences: what follows `I have` and `I had`."""

from memapp.language.english.grammar import EN, is_past, stems, word_at
from memapp.language.english.salience.being import complement, was
from memapp.language.english.salience.salient import Salient, Words, category_of, lower, split_denial, tells
from memapp.language.english.third_person import split_adverbs


def have(adverbs: Words, words: Words) -> Salient | None:
    """Keep what somebody has, or has done."""
    denial, rest = split_denial(words)
    more, rest = split_adverbs(rest)
    first = word_at(rest, 0)
    if first == "got":
        return owned([*adverbs, *more], "has got", rest[1:]) if not denial else None
    if first == "been" or is_past(first) or first in EN.unchanged_past:
        return _perfect([*adverbs, *denial, *more], first, rest[1:])
    return owned([*adverbs, *more], "has", rest) if not denial else None


def owned(adverbs: Words, verb: str, words: Words) -> Salient | None:
    """Keep what somebody has for long: family, animals, things, traits; not time, questions or meetings."""
    category, lowered = category_of("owned", words), lower(words)
    head = next((word for word in lowered if word not in EN.function_words | EN.numbers | EN.sizes), "")
    if head in EN.passing_things or set(lowered[:4]) & (EN.passing_things - EN.harmless_before_head):
        return None
    return Salient([*adverbs, *verb.split(), *words], category) if category else None


def had(adverbs: Words, words: Words) -> Salient | None:
    """Keep what it mattered to have, with its time: `had a stroke last year`."""
    kept, category = owned(adverbs, "had", words), category_of("had", words)
    return Salient(kept.words, category) if kept and category else None


def _perfect(adverbs: Words, first: str, words: Words) -> Salient | None:
    """Keep `have been to Peru`, `have always wanted to`, `have lived in Rome since 2010`."""
    if word_at(words, 0) in EN.vague_objects | {""}:
        return None
    told = ["has", *adverbs, first, *words]
    if first == "been":
        category = _been(adverbs, words)
        return Salient(told, category) if category else None
    if first == "wanted":
        category = category_of("wanted", words)
        return Salient(told, category) if category else None
    base = EN.forms("past_forms").get(first, first)
    is_trial = base in ("start", "begin", "stop", "try", "meet", "finish", "speak")
    if is_trial or (base == "have" and word_at(words, 0) not in ("a", "an")):
        return None
    never_did = "never" in lower(adverbs) and base in ("eat", "drink", "smoke", "drive", "fly", "ride", "break", "swim", "have")
    lasts = bool(stems(first) & EN.lasting_pasts) or never_did
    return Salient(told, "event") if lasts and (len(words) > 1 or base not in ("play", "write")) else None


def _been(adverbs: Words, words: Words) -> str:
    """Return the category of `have been ...`, or nothing when it does not last."""
    first, second, text = word_at(words, 0), word_at(words, 1), " ".join(words)
    if first == "to":
        return category_of("been", words)
    if first.endswith("ing"):
        lasts = first in ("learning", "studying", "teaching", "volunteering", "taking") or EN.regex(r"\b(?-i:{long})").search(
            text
        )
        return "activity" if lasts and stems(first) & (EN.common_verbs - EN.light_verbs) and second else ""
    kept = complement(words, "not" in adverbs) or (was([], words) if tells("time", words) else None)
    return kept.category if kept else ""
