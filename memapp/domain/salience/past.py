"""What somebody has lived through: events that changed a life, or that are told with their time."""

import re
from collections.abc import Callable

from memapp.domain.english import EN, stems
from memapp.domain.salience.salient import Salient, Words, lower, word_at


def past(adverbs: Words, verb: str, words: Words) -> Salient | None:
    """Keep a past event that changed a life, or that says at what time it was."""
    if word_at(words, 0) in EN.vague_objects | {""} or lower(words[:2]) == ["a", "lot"]:
        return None
    judge = _PAST_RULES.get(verb, _is_lasting_past)
    return Salient([*adverbs, verb, *words], "event") if judge(verb, words) else None


def _is_lasting_past(verb: str, words: Words) -> bool:
    text = " ".join(words)
    if stems(verb) & EN.passing_pasts:
        is_of_youth = re.search(r"as a|when I|in (?:high|college|19|20)|marathon", text) is not None
        return (
            verb in ("ran", "took", "loved", "hated", "enjoyed")
            and is_of_youth
            and EN.regex(r"\b{time}\b").search(text) is not None
        )
    if EN.regex(r"\b{time}\b").search(text):
        return True
    return bool(stems(verb) & EN.lasting_pasts) and (verb not in EN.timed_pasts or word_at(words, 0) in EN.telling_objects)


def _got(_verb: str, words: Words) -> bool:
    first = word_at(words, 0)
    if first in ("married", "divorced", "engaged", "fired", "promoted", "laid"):
        return True
    return first in ("a", "an", "my") and bool(EN.gettable & set(lower(words[1:5])))


def _went(_verb: str, words: Words) -> bool:
    if words[0] != "to" or len(words) < 2:
        return False
    is_school = bool({"college", "school", "university", "prison", "jail", "rehab"} & set(lower(words[1:4])))
    return is_school or (words[1][:1].isupper() and EN.regex(r"\b{time}\b").search(" ".join(words)) is not None)


def _lost(verb: str, words: Words) -> bool:
    matters = EN.people | {"job", "leg", "arm", "hearing", "sight", "house", "home", "pounds", "weight", "hand"}
    return bool(set(lower(words)) & matters) and _is_lasting_past(verb, words)


def _met(verb: str, words: Words) -> bool:
    return (words[0][:1].isupper() and words[0] != "I") or _is_lasting_past(verb, words)


def _ended(_verb: str, words: Words) -> bool:
    """`ended up with three cats`, `ended up becoming a nurse`."""
    is_new_life = word_at(words, 1) in ("becoming", "marrying", "adopting", "buying", "studying", "teaching")
    is_thing = word_at(words, 1) == "with" and bool(EN.gettable & set(lower(words[2:6])))
    return words[0] == "up" and (is_new_life or is_thing) and word_at(words, 2) not in EN.vague_objects


def _decided(_verb: str, words: Words) -> bool:
    is_of_life = words[0] == "to" and word_at(words, 1) in EN.life_aims
    return is_of_life and word_at(words, 2) not in EN.vague_objects | {"", "my"}


_PAST_RULES: dict[str, Callable[[str, Words], bool]] = {
    "got": _got, "went": _went, "lost": _lost, "met": _met, "ended": _ended, "decided": _decided,
}  # fmt: skip
