"""What somebody has for long, and has done: what follows `I have` and `I had`."""

import re

from memapp.domain.english import COMMON_VERBS, FUNCTION_WORDS, NUMBERS, PAST_FORMS, UNCHANGED_PAST, is_past, stems, word_set
from memapp.domain.salience.being import complement, was
from memapp.domain.salience.salient import Salient, Words, lower, split_denial, word_at
from memapp.domain.salience.word_tables import DENIED, GETTABLE, LASTING_PASTS, PASSING_THINGS, PEOPLE, SIZES, TIME, VAGUE_OBJECTS
from memapp.domain.third_person import split_adverbs


def have(adverbs: Words, words: Words) -> Salient | None:
    """Keep what somebody has, or has done."""
    denial, rest = split_denial(words)
    more, rest = split_adverbs(rest)
    first = word_at(rest, 0)
    if first == "got":
        return owned([*adverbs, *more], "has got", rest[1:]) if not denial else None
    if first == "been" or is_past(first) or first in UNCHANGED_PAST:
        return _perfect([*adverbs, *denial, *more], first, rest[1:])
    return owned([*adverbs, *more], "has", rest) if not denial else None


def owned(adverbs: Words, verb: str, words: Words) -> Salient | None:
    """Keep what somebody has for long: family, animals, things, traits; not time, questions or meetings."""
    lowered = lower(words)
    first = word_at(words, 0)
    if first in (VAGUE_OBJECTS - {"any"}) | {"to", "the", ""} or (len(words) == 1 and first in NUMBERS):
        return None
    if first == "no" and not set(lowered[1:3]) & DENIED:
        return None
    head = next((word for word in lowered if word not in FUNCTION_WORDS | NUMBERS.keys() | SIZES), "")
    if head in PASSING_THINGS or set(lowered[:4]) & (PASSING_THINGS - _HARMLESS_BEFORE_HEAD):
        return None
    return Salient([*adverbs, *verb.split(), *words], "profile")


_HARMLESS_BEFORE_HEAD = word_set("work one a any all many room night to few")


def had(adverbs: Words, words: Words) -> Salient | None:
    """Keep what it mattered to have, with its time: `had a stroke last year`."""
    kept = owned(adverbs, "had", words)
    matters = set(lower(words)) & (PEOPLE | GETTABLE | _LIVED_THROUGH)
    return Salient(kept.words, "event") if kept and matters and TIME.search(" ".join(words)) else None


_LIVED_THROUGH = word_set("baby surgery operation stroke cancer accident child children")


def _perfect(adverbs: Words, first: str, words: Words) -> Salient | None:
    """Keep `have been to Peru`, `have always wanted to`, `have lived in Rome since 2010`."""
    if word_at(words, 0) in VAGUE_OBJECTS | {""}:
        return None
    told = ["has", *adverbs, first, *words]
    if first == "been":
        category = _been(adverbs, words)
        return Salient(told, category) if category else None
    if first == "wanted":
        is_wish = (
            words[0] == "to"
            and word_at(words, 1) not in ("see", "try", "do", "know", "")
            and word_at(words, 2) not in VAGUE_OBJECTS | {""}
        )
        return Salient(told, "goals") if is_wish else None
    base = PAST_FORMS.get(first, first)
    is_trial = base in ("start", "begin", "stop", "try", "meet", "finish", "speak")
    if is_trial or (base == "have" and word_at(words, 0) not in ("a", "an")):
        return None
    never_did = "never" in lower(adverbs) and base in ("eat", "drink", "smoke", "drive", "fly", "ride", "break", "swim", "have")
    lasts = bool(stems(first) & LASTING_PASTS) or never_did
    return Salient(told, "event") if lasts and (len(words) > 1 or base not in ("play", "write")) else None


def _been(adverbs: Words, words: Words) -> str:
    """Return the category of `have been ...`, or nothing when it does not last."""
    first, second, text = word_at(words, 0), word_at(words, 1), " ".join(words)
    if first == "to":
        return "event" if second not in VAGUE_OBJECTS | {"a", "the", ""} else ""
    if first.endswith("ing"):
        lasts = first in ("learning", "studying", "teaching", "volunteering", "taking") or _LONG.search(text)
        return "activity" if lasts and stems(first) & (COMMON_VERBS - _LIGHT_VERBS) and second else ""
    kept = complement(words, "not" in adverbs) or (was([], words) if TIME.search(text) else None)
    return kept.category if kept else ""


_LONG = re.compile(
    r"\b(?:for|since)\b.*(?:year|month|decade|\d|since|kid|child|born|young|school|college|university|twenties|thirties|teens)"
)
_LIGHT_VERBS = word_set("try get have do plan use keep want stay call hope give go")
