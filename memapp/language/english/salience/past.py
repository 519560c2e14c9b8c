"""Events that somebody has lived through: those that changed a life, or that are told with their time."""

import re

from memapp.language.english.grammar import EN, stems, word_at
from memapp.language.english.salience.salient import Salient, Words, category_of, lower, tells


def past(adverbs: Words, verb: str, words: Words) -> Salient | None:
    """Keep a past event that changed a life, or that says at what time it was."""
    if word_at(words, 0) in EN.vague_objects | {""} or lower(words[:2]) == ["a", "lot"]:
        return None
    lasts = verb in EN.told_by_phrase and category_of(verb, words) != ""
    if verb != "ended" and not lasts and (verb != "lost" or category_of("lost", words)):
        lasts = _is_lasting(verb, words)
    return Salient([*adverbs, verb, *words], "event") if lasts else None


def _is_lasting(verb: str, words: Words) -> bool:
    if stems(verb) & EN.passing_pasts:
        is_of_youth = re.search(r"as a|when I|in (?:high|college|19|20)|marathon", " ".join(words)) is not None
        return verb in ("ran", "took", "loved", "hated", "enjoyed") and is_of_youth and tells("time", words)
    is_life_event = bool(stems(verb) & EN.lasting_pasts)
    return tells("time", words) or (is_life_event and (verb not in EN.timed_pasts or word_at(words, 0) in EN.telling_objects))
