"""What is known of a person, put so that it can be said to them: `You like jazz.` A small model says what it reads."""

import re

from memapp.domain.english import COMMON_VERBS, is_adverb, third_person

_BASES = {third_person(verb): verb for verb in COMMON_VERBS}
_FINITE = {"is": "are", "was": "were", "has": "have", "does": "do", "goes": "go"} | {
    "isn't": "aren't", "wasn't": "weren't", "hasn't": "haven't", "doesn't": "don't"
}  # fmt: skip
_USER = re.compile(r"([(\"'“]*)User('s|’s)?([.,;:!?)\"'”]*)")
_SENTENCE_ENDS = (".", "!", "?", "…")


def addressed(fact: str) -> str:
    """Return a fact about User as one tells it to them: `User's sister calls User.` -> `Your sister calls you.`"""
    told: list[str] = []
    after_user = False
    for word in fact.split(" "):
        if found := _USER.fullmatch(word):
            you = "your" if found[2] else "you"
            told.append(found[1] + (you.capitalize() if _begins_sentence(" ".join(told)) else you) + found[3])
            after_user = not found[2] and not found[3]
        elif after_user and not is_adverb(word):
            told.append(_base(word))
            after_user = False
        else:
            told.append(word)
    return " ".join(told)


def _begins_sentence(before: str) -> bool:
    before = before.rstrip(" \"'“(")
    return not before or before.endswith(_SENTENCE_ENDS)


def _base(verb: str) -> str:
    """Return the form after `you`: likes -> like, studies -> study. A past tense stays as it is."""
    if known := _FINITE.get(verb) or _BASES.get(verb):
        return known
    if re.search(r"\w[^aeiou]ies$", verb):
        return verb[:-3] + "y"
    if re.search(r"(?:ss|us|x|zz|ch|sh|o)es$", verb):
        return verb[:-2]
    return verb[:-1] if re.search(r"\w[^su]s$", verb) else verb
