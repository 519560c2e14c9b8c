"""The facts about User, put as one tells them to a person, `You like jazz.`, or as that person says them, `I like jazz.`"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import cache

from memapp.domain.consent import OF_FACTS, ConsentRequest
from memapp.domain.memory import Recalled
from memapp.language.english.grammar import EN, is_adverb, is_past, stems, third_person, third_person_verbs
from memapp.language.english.statements import in_third_person

_BEFORE_VERBS = {"no", "longer"}
_MORE = {"and", "but", "or"}
_BEFORE_OBJECTS = {"to", "with", "for", "of", "near", "beside", "behind", "opposite"}
"""Behind these User is no subject: `the seat next to User is taken`."""
_USER = re.compile(r"([(\"'“]*)User('s|’s)?([.,;:!?)\"'”]*)")
_PERSON = re.compile(r"\b(?:you|your)\b", re.IGNORECASE)
_MARKS = ".,;:!?)\"'”"
_SENTENCE_ENDS = (".", "!", "?", "…")


@dataclass(frozen=True)
class _Pronouns:
    """What stands for User, and after it for a verb that goes with `you`."""

    subject: str
    object: str
    possessive: str
    verbs: Mapping[str, str] = field(default_factory=dict)


_YOU = _Pronouns("you", "you", "your")
_I = _Pronouns("I", "me", "my", {"are": "am", "were": "was", "aren't": "am not", "weren't": "wasn't"})


def addressed(fact: str) -> str:
    """Return a fact about User as one tells it to them: `User's sister calls User.` -> `Your sister calls you.`"""
    return _told(fact, _YOU)


def answered(fact: str) -> str:
    """Return a fact as it is told in an answer, also one that the person wrote of themselves: `I hate olives.`"""
    return addressed(in_third_person(fact))


def proposed(request: ConsentRequest) -> ConsentRequest:
    """Return a consent request with its values as they are told to the person, where these are facts."""
    if request.field not in OF_FACTS:
        return request
    return replace(request, old_value=addressed(request.old_value), new_value=addressed(request.new_value))


def told(hit: Recalled) -> str:
    """Return the text of a hit as people read it: a fact is told to the person it is about."""
    return addressed(hit.text) if hit.kind == "memory" else hit.text


def as_said(fact: str) -> str:
    """Return a fact about User as they say it: `User's sister calls User.` -> `My sister calls me.`"""
    return _told(fact, _I)


def as_stored(text: str, fact: str) -> str:
    """Return other words for a fact, written as it is told to the person, as they are stored.

    `You hate olives.` for `User hates mushrooms.` -> `User hates olives.`. Where that would be told in other words than the
    person's own, these are left as they are.
    """
    shown, stored, words = addressed(fact).split(" "), fact.split(" "), text.split(" ")
    told = [_stored(word) for word in words]
    for same in SequenceMatcher(None, shown, words, autojunk=False).get_matching_blocks():
        told[same.b : same.b + same.size] = stored[same.a : same.a + same.size]
    for at, word in enumerate(words):
        verb = word.rstrip(_MARKS)
        if told[at] == word and (third := _third(verb)) and _follows_user(told[:at]):
            told[at] = third + word[len(verb) :]
    found = " ".join(told)
    return found if addressed(found) == text else text


def _stored(word: str) -> str:
    return _PERSON.sub(lambda found: "User's" if found[0].casefold() == "your" else "User", word)


def _third(verb: str) -> str:
    known = {second: third for third, second in EN.forms("second_persons").items()}
    return known.get(verb) or (third_person(verb) if verb in EN.common_verbs else "")


def _follows_user(before: Sequence[str]) -> bool:
    return [word for word in before if not is_adverb(word) and word not in _BEFORE_VERBS][-1:] == ["User"]


def _told(fact: str, pronouns: _Pronouns) -> str:
    told: list[str] = []
    is_subject = verb_is_next = False
    words = fact.split(" ")
    for word, following, third in zip(words, [*words[1:], ""], [*words[2:], "", ""], strict=False):
        is_first = _begins_sentence(" ".join(told))
        if (found := _USER.fullmatch(word)) and not (is_first and word == "User" and _is_noun(following, third)):
            is_behind = bool(told) and told[-1].casefold() in _BEFORE_OBJECTS
            is_led = bool(told) and told[-1].casefold() in EN.subordinate | _MORE and following.endswith("s")
            is_object = not is_first and (found[3] or is_behind or not (is_led or _may_be_verb(following, third)))
            pronoun = pronouns.possessive if found[2] else pronouns.object if is_object else pronouns.subject
            told.append(found[1] + (pronoun[0].upper() + pronoun[1:] if is_first else pronoun) + found[3])
            verb_is_next = not (found[2] or found[3] or is_object)
            is_subject = verb_is_next and is_first
        elif verb_is_next and not is_adverb(word) and word not in _BEFORE_VERBS:
            told.append(_base(word, pronouns))
            verb_is_next = False
        elif is_subject and following and (word in third_person_verbs() or word in EN.second_persons) and told[-1] in _MORE:
            # `has two cats and lives in Oslo`; a last word is a noun, as in `food and drinks.`
            told.append(_base(word, pronouns))
        else:
            told.append(word)
    return " ".join(told)


def _may_be_verb(word: str, following: str = "") -> bool:
    """Say whether User before this word is the subject: `when User is`, and not `calls User every` or `calls User sometimes`."""
    word = word.strip(".,;:!?)\"'”")
    is_present = word in third_person_verbs() or word in _third_persons_of_thought()
    return (
        word in _BEFORE_VERBS or word in EN.finite or is_present or is_past(word) or (is_adverb(word) and _may_be_verb(following))
    )


@cache
def _third_persons_of_thought() -> frozenset[str]:
    return frozenset(map(third_person, EN.passing_verbs - EN.finite))


def _is_noun(word: str, following: str) -> bool:
    """Say whether a word stands where a verb might, and its verb behind it: `User manual is ...` is about a manual."""
    is_known = is_adverb(word) or is_past(word) or word in EN.function_words or stems(word) & EN.common_verbs
    return not is_known and (following in EN.finite or following in third_person_verbs())


def _begins_sentence(before: str) -> bool:
    before = before.rstrip(" \"'“(")
    return not before or before.endswith(_SENTENCE_ENDS)


def _base(word: str, pronouns: _Pronouns) -> str:
    """Return the form after a pronoun: likes -> like, studies. -> study. A past tense stays as it is."""
    verb = word.rstrip(_MARKS)
    plain = _plain(verb)
    return pronouns.verbs.get(plain, plain) + word[len(verb) :]


def _plain(verb: str) -> str:
    if known := EN.forms("second_persons").get(verb) or third_person_verbs().get(verb):
        return known
    if re.search(r"\w[^aeiou]ies$", verb):
        return verb[:-3] + "y"
    if re.search(r"(?:ss|focus|\bbus|x|zz|ch|sh|o)es$", verb):
        return verb[:-2]
    return verb[:-1] if re.search(r"\w[^su]s$", verb) else verb
