"""The facts about User, put as one tells them to a person: `User likes jazz.` -> `You like jazz.`"""

import re

from memapp.domain.english import EN, is_adverb, is_past, stems, third_person_verbs

_BEFORE_VERBS = {"no", "longer"}
_MORE = {"and", "but", "or"}
_USER = re.compile(r"([(\"'“]*)User('s|’s)?([.,;:!?)\"'”]*)")
_SENTENCE_ENDS = (".", "!", "?", "…")


def addressed(fact: str) -> str:
    """Return a fact about User as one tells it to them: `User's sister calls User.` -> `Your sister calls you.`"""
    told: list[str] = []
    is_subject = verb_is_next = False
    words = fact.split(" ")
    for word, following, third in zip(words, [*words[1:], ""], [*words[2:], "", ""], strict=False):
        is_first = _begins_sentence(" ".join(told))
        if (found := _USER.fullmatch(word)) and not (is_first and word == "User" and _is_noun(following, third)):
            you = "your" if found[2] else "you"
            told.append(found[1] + (you.capitalize() if is_first else you) + found[3])
            verb_is_next = not found[2] and not found[3]
            is_subject = verb_is_next and is_first
        elif verb_is_next and not is_adverb(word) and word not in _BEFORE_VERBS:
            told.append(_base(word))
            verb_is_next = False
        elif is_subject and following and (word in third_person_verbs() or word in EN.second_persons) and told[-1] in _MORE:
            told.append(_base(word))  # `has two cats and lives in Oslo`; a last word is a noun, as in `food and drinks.`
        else:
            told.append(word)
    return " ".join(told)


def _is_noun(word: str, following: str) -> bool:
    """Say whether a word stands where a verb might, and its verb behind it: `User manual is ...` is about a manual."""
    is_known = is_adverb(word) or is_past(word) or word in EN.function_words or stems(word) & EN.common_verbs
    return not is_known and (following in EN.finite or following in third_person_verbs())


def _begins_sentence(before: str) -> bool:
    before = before.rstrip(" \"'“(")
    return not before or before.endswith(_SENTENCE_ENDS)


def _base(word: str) -> str:
    """Return the form after `you`: likes -> like, studies. -> study. A past tense stays as it is."""
    verb = word.rstrip(".,;:!?)\"'”")
    return _plain(verb) + word[len(verb) :]


def _plain(verb: str) -> str:
    if known := EN.forms("second_persons").get(verb) or third_person_verbs().get(verb):
        return known
    if re.search(r"\w[^aeiou]ies$", verb):
        return verb[:-3] + "y"
    if re.search(r"(?:ss|us|x|zz|ch|sh|o)es$", verb):
        return verb[:-2]
    return verb[:-1] if re.search(r"\w[^su]s$", verb) else verb
