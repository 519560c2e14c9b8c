"""Putting a first-person statement into the third person, and leaving off what cannot be understood outside its chat.

Where leaving off would change what is said, nothing is made of the statement.
"""

import re
from collections.abc import Sequence

from memapp.domain.english import (
    COMMON_VERBS,
    DEMONSTRATIVES,
    FILLERS,
    FINITE,
    FUNCTION_WORDS,
    NEGATIONS,
    NOUN_OR_VERB,
    NUMBERS,
    PRONOUNS,
    SOLO_VERBS,
    THIRD_PERSON_VERBS,
    is_adverb,
    is_past,
    third_person,
    word_set,
)

_POINTING = PRONOUNS | DEMONSTRATIVES | {"here", "there", "user", "ones"}
_LEFT_OFF = word_set("too also though lol haha anyway either however actually honestly yet so right now myself") | set(",;:!")
_PHRASES = (
    "so much; as well; of course; you know; right now; to be honest; by the way; at the moment; more than anything; and all; "
    "in fact; these days; for sure; and such; and stuff; or something; or anything; and everything; and so on; and more; "
    "a lot too"
)
_LEFT_OFF_PHRASES = [phrase.split() for phrase in _PHRASES.split(";")]
_ENDS = word_set("because since so and but that which who though although where whose whom")
"""Words before which a sentence may end, though not always."""
_NO_END = word_set("when while until before after than as like how what why where not")
"""Going back over one of these would change what is said."""
_DANGLING = word_set("and but or because so that which who")
_MAY_BE_LAST = word_set("user up out off down too each both other over")
_DROPPED_ADVERBS = FILLERS | word_set("especially kind sort pretty quite probably") | {","}


def leave_off_decoration(words: Sequence[str]) -> list[str]:
    """Return the words without `too`, `so much` and the like at the end."""
    words = list(words)
    while words:
        lowered = [word.casefold() for word in words]
        if lowered[-1] in _LEFT_OFF:
            words.pop()
            continue
        phrase = next((one for one in _LEFT_OFF_PHRASES if len(words) > len(one) and lowered[-len(one) :] == one), None)
        if phrase is None:
            break
        del words[-len(phrase) :]
    return words


def split_adverbs(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split off the adverbs in front; those that add nothing are dropped."""
    at = 0
    while at < len(words) and (is_adverb(words[at]) or (words[at] == "," and at)):
        at += 1
    return [word for word in words[:at] if word.casefold() not in _DROPPED_ADVERBS], list(words[at:])


def to_third_person(words: Sequence[str], *, starts_with_subject: bool) -> list[str] | None:
    """Put `User` for `I` and `me`, `User's` for `my`, and end before a word that points outside the sentence.

    A possessive that is understood where User is the subject gives way: `quit the job`, `out with friends`, `in spare time`.
    """
    words = _without_comments(words)
    told: list[str] = []
    at = 0
    while at < len(words):
        word, lowered = words[at], words[at].casefold()
        if lowered == "myself" and words[at + 1 : at + 2] == [","]:
            pass  # `I have two dogs myself, ...`
        elif word == "I" and (at > 0 or starts_with_subject):
            clause = _own_clause(words, at)
            if clause is None:
                return _end_before(told)
            told += clause[0]
            at = clause[1]
            continue
        elif lowered == "my" and at + 1 < len(words):
            told += ["User's"] if starts_with_subject else _whose(words, at)
        elif lowered == "me" and word != "ME":
            told.append("User")
        elif _points_outside(words, at):
            return _end_before(told)
        else:
            told.append(word)
        at += 1
    return _finished(told)


def _whose(words: Sequence[str], at: int) -> list[str]:
    before, owned = words[at - 1].casefold() if at else "", words[at + 1].casefold()
    if owned in _SHARED.get(before, ()):
        return []
    return ["the"] if owned in _OF_EVERYBODY else ["User's"]


_OF_EVERYBODY = word_set("job hair teeth nails hands mind")
"""What can be nobody else's where somebody quits, loses, washes or uses it."""
_SHARED = {"with": word_set("friends family"), "in": word_set("free spare")}
"""What needs no `my` at all behind such a word."""


def _points_outside(words: Sequence[str], at: int) -> bool:
    lowered, following = words[at].casefold(), words[at + 1].casefold() if at + 1 < len(words) else ""
    if lowered in ("what", "whatever", "why") or (lowered == "how" and following != "to"):
        return True
    if lowered == "one":
        return following in FUNCTION_WORDS - {"of"} or following in ("", ",", ";")
    return lowered in _POINTING and not _is_understood(words, at)


def _is_understood(words: Sequence[str], at: int) -> bool:
    """`that` and `this` may stand where they join clauses or tell a time; `IT` and `US` are names."""
    word, following = words[at], words[at + 1].casefold() if at + 1 < len(words) else ""
    if word in ("IT", "US", "ME", "User", "User's"):
        return True
    if word.casefold() == "this":
        return following in ("year", "week", "month", "summer", "winter", "spring", "fall", "autumn", "weekend")
    if word.casefold() == "that":
        return at > 1 and _may_be_noun(words[at - 1].casefold()) and _may_be_verb(following)
    return word.casefold() == "mine" and at > 0 and words[at - 1].casefold() in ("a", "the", "gold", "coal", "silver")


def _may_be_noun(word: str) -> bool:
    is_verb = word in COMMON_VERBS or (word in THIRD_PERSON_VERBS and word.removesuffix("s") not in NOUN_OR_VERB)
    return not is_verb and word not in FUNCTION_WORDS and not word.endswith("ing")


def _may_be_verb(word: str) -> bool:
    return word in FINITE | {"i"} or word not in FUNCTION_WORDS | PRONOUNS | NEGATIONS | {"", "much", "many", "good", "bad"}


def _own_clause(words: Sequence[str], at: int) -> tuple[list[str], int] | None:
    """Retell `I see` inside a sentence as `User sees`; return the words and the place to go on from."""
    adverbs, rest = split_adverbs(words[at + 1 :])
    is_question = at > 0 and words[at - 1].casefold() in FINITE
    if not rest or is_question:
        return None
    verb, following = rest[0].casefold(), len(words) - len(rest) + 1
    if verb in ("was", "had", "did", "can", "could", "used") or is_past(verb):
        return ["User", *adverbs, verb], following
    if verb in ("am", "have", "do") or (re.fullmatch(r"[a-z]+", verb) and verb not in FUNCTION_WORDS | FINITE):
        return ["User", *adverbs, third_person(verb)], following
    return None


def _without_comments(words: Sequence[str]) -> Sequence[str]:
    """Cut `, which is nice`, `so ...` and reasons: they are about the moment, and the fact stands without them."""
    for at in range(2, len(words)):
        lowered, following = words[at].casefold(), words[at + 1 : at + 2]
        is_remark = words[at - 1] == "," and lowered in ("which", "so")
        is_reason = (
            lowered in ("because", "since", "so", "cause")
            and following != []
            and following[0].casefold() in PRONOUNS | {"that", "there"}
            and not (lowered == "since" and following == ["I"])  # a time
        )
        if is_remark or is_reason:
            return words[:at]
    return words


def _end_before(words: list[str]) -> list[str] | None:
    """Go back from a word that cannot stay to the last place where the sentence may end."""
    for at in range(len(words) - 1, 1, -1):
        lowered = words[at].casefold()
        if lowered in _NO_END:
            return None
        if lowered in ("that", "who") and not {word.casefold() for word in words[max(0, at - 4) : at]} & (
            {"a", "an"} | NUMBERS.keys()
        ):
            return None  # `courses that ...`: without the rest it would say more than was said
        if lowered == "and" and not _begins_phrase(words[at + 1 :]):
            return None  # `a safe and ...`: the noun is behind the cut
        if lowered in _ENDS or words[at] == ",":
            return _finished(words[:at])
    return None


def _begins_phrase(words: Sequence[str]) -> bool:
    first = words[0].casefold() if words else "to"
    return first in FUNCTION_WORDS | NUMBERS.keys() | COMMON_VERBS or first in ("user's", "user") or is_past(first)


def _finished(words: list[str]) -> list[str] | None:
    """Drop what dangles at the end; nothing when too little is left."""
    while words and (words[-1] in ",;:" or words[-1].casefold() in _DANGLING):
        words = words[:-1]
    if len(words) < 2 and not (words and words[0].removesuffix("s") in SOLO_VERBS):
        return None
    return None if words[-1].casefold() in FUNCTION_WORDS - _MAY_BE_LAST else words
