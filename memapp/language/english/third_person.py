"""Putting a first-person statement into the third person, and leaving off what cannot be understood outside its chat.

Where leaving off would change what is said, nothing is made of the statement.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile

from memapp.language.english.grammar import (
    EN,
    KEPT_SENTENCES,
    is_adverb,
    is_past,
    is_verb,
    join,
    third_person,
    third_person_verbs,
    word_at,
)

_NEAR = 6
"""So many words before `ones` stands what they are."""


@lru_cache(maxsize=KEPT_SENTENCES)
def fact_of(words: Sequence[str]) -> str:
    """Return a statement in the first person as a sentence about User; empty where that cannot be."""
    # `her baby` is `the baby`, but where a fact begins with somebody of User's: `User's sister ... with her two kids`.
    keeps_whose = words[:1] and words[0].casefold() in ("i", "my")
    words = [word if keeps_whose or not (at and _is_theirs(words, at)) else "the" for at, word in enumerate(words)]
    words = leave_off_decoration(_without_comments(words))
    if "with" in words[:-3] and words[-1].casefold() in ("it", "them") and words[-2].casefold() in EN.function_words:
        words = words[:-2]  # `recipes with peanuts in them`
    if not words or _points_back(words) or words[0].casefold() in EN.whose_else:
        return ""
    if words[0] == "I":
        predicate = _predicate(words[1:])
        told = to_third_person(predicate, starts_with_subject=False) if predicate else None
        told = ["User", *told] if told else None
    elif "I" in words[2:6] and words[words.index("I") - 1] == "and":
        at = words.index("I")  # `my wife and I have ...`: the verb stays as it is
        told = to_third_person(words[at + 1 :], starts_with_subject=False)
        others = ["User's", *words[1 : at - 1]] if words[0].casefold() == "my" else words[: at - 1]
        told = ["User", "and", *others, *told] if told else None
    else:
        told = to_third_person(words, starts_with_subject=True) if _has_subject(words) else None
    text = join(told or []).replace("can not ", "cannot ").rstrip(" ,;:.!-")
    return text[0].upper() + text[1:] + "." if text else ""


def _has_subject(words: Sequence[str]) -> bool:
    """Say whether words tell something of what they begin with: not so `ring my phone when ...`, `any news for me`."""
    lowered = [word.casefold() for word in words]
    first = lowered[0]
    leads = first in EN.fronting | EN.subordinate
    main = lowered if leads else list(takewhile(lambda word: word not in EN.subordinate, lowered))
    told = any(_is_told(main, at) for at in range(1, len(main)))
    return first == "my" or (told and first not in EN.common_verbs | EN.finite)


def _is_told(words: Sequence[str], at: int) -> bool:
    """Say whether the word at a place can only be a verb that says something of what stands before it."""
    word, before = words[at], words[at - 1]
    if before == "i" or (is_verb(word) and (word not in EN.common_verbs or before.endswith("s"))):
        return True
    ends_subject = before not in EN.function_words | EN.pronouns | EN.numbers | EN.quantities
    return not is_verb(word) and word.endswith("s") and ends_subject and word_at(words, at + 1) in EN.after_verb | {"me"}


def _is_theirs(words: Sequence[str], at: int) -> bool:
    """Say whether a word tells whose the thing behind it is: not so `has her on Sundays`, and `his own shop`."""
    following = word_at(words, at + 1)
    return words[at].casefold() in EN.whose_else and following not in EN.function_words | {"", ",", "own"}


def _predicate(words: Sequence[str]) -> list[str]:
    """Return what follows `I` as it follows `User`; nothing where its verb is not known for one."""
    adverbs, rest = split_adverbs(words)
    verb = word_at(rest, 0)
    if verb in ("am", "are"):
        verb = "is"
    elif verb in ("was", "were"):
        verb = "was"
    elif verb in ("have", "do"):
        verb = third_person(verb)
    elif verb not in EN.finite | {"used"} and not is_past(verb) and verb not in EN.unchanged_past:
        no_verb = EN.function_words | EN.pronouns | EN.negations
        if (
            not re.fullmatch(r"[a-z]+(?:-[a-z]+)?", verb)
            or verb in no_verb
            or (verb.endswith("ing") and verb not in EN.common_verbs)
        ):
            return []
        verb = third_person(verb)
    elif verb in EN.unchanged_past & EN.common_verbs and EN.regex(r"\b{habitual}\b").search(" ".join(words)):
        verb = third_person(verb)
    after = rest[2:] if word_at(rest, 1).casefold() == "also" else rest[1:]
    return [*adverbs, verb, *after]


def _points_back(words: Sequence[str]) -> bool:
    """Say whether this ends with `hooked on it`, `look into it` or `some of them`: too little is left without that."""
    is_short = words[0] != "I" or len(words) < 4
    if is_short or words[-1].casefold() not in EN.pointing or words[-2].casefold() not in EN.function_words:
        return False
    _, rest = split_adverbs(words[1:-2])
    last = rest[-1].casefold() if rest else ""
    is_state = word_at(rest, 0) in ("am", "was") and EN.articles.isdisjoint(rest)
    return is_state or last in EN.common_verbs | EN.quantities or len(rest) < 2


def leave_off_decoration(words: Sequence[str]) -> list[str]:
    """Return the words without `too`, `so much` and the like at the end."""
    words = list(words)
    while words:
        if words[-1].casefold() in EN.left_off:
            words.pop()
        elif phrase := EN.regex(r" ({left_off_phrases})$").search(" ".join(words)):
            del words[-len(phrase[1].split()) :]
        else:
            break
    return words


def split_adverbs(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split off the adverbs in front; those that add nothing are dropped."""
    at = 0
    while at < len(words) and (is_adverb(words[at]) or (words[at] == "," and at)):
        at += 1
    return [word for word in words[:at] if word.casefold() not in EN.dropped_adverbs], list(words[at:])


def to_third_person(words: Sequence[str], *, starts_with_subject: bool) -> list[str] | None:
    """Put `User` for `I` and `me`, `User's` for `my`, and end before a word that points outside the sentence.

    A possessive that is understood where User is the subject is left off: `out with friends`, `in spare time`.
    """
    told: list[str] = []
    at = 0
    while at < len(words):
        word, lowered = words[at], words[at].casefold()
        if lowered == "myself" and (words[at + 1 : at + 2] == [","] or word_at(words, at - 1) in EN.finite):
            pass  # `I have two dogs myself, ...`, `I was myself a nurse`
        elif word == "I" and word_at(words, at - 1) == "and" and word_at(words, at + 1) in ("", ","):
            told.append("User")  # `Ada and I, for the fair`
        elif word == "I" and (at > 0 or starts_with_subject):
            clause = _own_clause(words, at)
            if clause is None:
                return _end_before(told)
            told += clause[0]
            at = clause[1]
            continue
        elif lowered == "my" and at + 1 < len(words) and (word == "my" or not at):
            told += ["User's"] if starts_with_subject else _whose(words, at)
        elif word == "me":  # and not `Abide With Me`
            told.append("User")
        elif _points_outside(words, at):
            return _end_before(told)
        else:
            told.append(word)
        at += 1
    return _finished(told)


def _whose(words: Sequence[str], at: int) -> list[str]:
    before, owned = words[at - 1].casefold() if at else "", words[at + 1].casefold()
    return [] if owned in _SHARED.get(before, ()) else ["User's"]


_SHARED = {"with": ("friends", "family"), "in": ("free", "spare")}
"""What needs no `my` at all behind such a word."""


def _points_outside(words: Sequence[str], at: int) -> bool:
    lowered, following = words[at].casefold(), word_at(words, at + 1)
    if lowered in ("what", "whatever", "why") or (lowered == "how" and following != "to"):
        return True
    if lowered in ("one", "ones") and is_one_of_those(words, at):
        return False
    if lowered == "one":
        return following in EN.function_words - {"of"} or following in ("", ",", ";")
    return lowered in EN.pointing and not _is_understood(words, at)


def _is_understood(words: Sequence[str], at: int) -> bool:
    """`that` and `this` may stand where they join clauses or tell a time; `IT` and `US` are names."""
    word, following = words[at], word_at(words, at + 1)
    if word in ("IT", "US", "ME", "User", "User's") or (at and word in ("Me", "My")):
        return True
    if words[0].casefold() == "my" and _is_theirs(words, at):
        return True
    if word.casefold() == "there":
        return at == 0 and following in ("is", "are", "was", "were")
    if word.casefold() == "this":
        behind = word_at(words, at + 2)  # `this evening class` is no time
        return following in EN.time_nouns and (not behind or not behind[0].isalnum() or behind in EN.function_words | EN.finite)
    if word.casefold() == "these":
        return following in ("days", "years")
    if word.casefold() == "that":
        following = word_at(words, at + 3) if words[at + 1 : at + 3] == ["no", "longer"] else following
        return at > 1 and _may_be_noun(words[at - 1].casefold()) and _may_be_verb(following)
    return word.casefold() == "mine" and at > 0 and words[at - 1].casefold() in ("a", "the", "gold", "coal", "silver")


def is_one_of_those(words: Sequence[str], at: int) -> bool:
    """Say whether a word stands for what was named before: `watches, mostly Omegas and Soviet ones`, `a bike, an old one`.

    Or for the one who is spoken of: `I am not one for parties`.
    """
    if word_at(words, at - 1) == "not" and word_at(words, at + 1) == "for":
        return True
    near = range(max(2, at - _NEAR), at)
    if words[at].casefold() == "ones":
        return any(_names_several(words, before) for before in near)
    return any(words[before] == "," and word_at(words, before + 1) in EN.articles for before in near)


def _names_several(words: Sequence[str], at: int) -> bool:
    word, before = words[at].casefold(), words[at - 1]
    is_in_place = not (is_adverb(word) or is_adverb(before) or before.casefold() in ("i", "user"))
    return (
        is_in_place
        and word.endswith("s")
        and not word.endswith("ss")
        and word not in EN.finite | EN.pronouns
        and _may_be_noun(word)
    )


def _may_be_noun(word: str) -> bool:
    is_verb = word in EN.common_verbs or third_person_verbs().get(word, "") not in EN.noun_or_verb | {""}
    return not is_verb and word not in EN.function_words and not word.endswith("ing")


def _may_be_verb(word: str) -> bool:
    return word in EN.finite | {"i"} or word not in EN.function_words | EN.pronouns | EN.negations | {
        "",
        "much",
        "many",
        "good",
        "bad",
    }


def _own_clause(words: Sequence[str], at: int) -> tuple[list[str], int] | None:
    """Retell `I see` inside a sentence as `User sees`; return the words and the place to go on from."""
    adverbs, rest = split_adverbs(words[at + 1 :])
    is_question = at > 0 and words[at - 1].casefold() in EN.finite
    if not rest or is_question:
        return None
    verb, following = rest[0].casefold(), len(words) - len(rest) + 1
    if verb in ("was", "had", "did", "can", "could", "will", "would", "should", "must", "might", "used") or is_past(verb):
        return ["User", *adverbs, verb], following
    if verb in ("am", "have", "do") or (re.fullmatch(r"[a-z]+", verb) and verb not in EN.function_words | EN.finite):
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
            and following[0].casefold() in EN.pronouns | EN.negations | {"that", "there"}
            and not (lowered == "since" and (following == ["I"] or not any(map(is_verb, words[at + 2 : at + 8]))))  # a time
        )
        if is_remark or is_reason:
            return words[:at]
    return words


def _end_before(words: list[str]) -> list[str] | None:
    """Go back from a word that cannot stay to the last place where the sentence may end."""
    for at in range(len(words) - 1, 1, -1):
        lowered = words[at].casefold()
        if lowered in EN.no_end:
            return _finished(words[:at]) if lowered in ("when", "while") and at > 2 and any(map(is_past, words[:2])) else None
        if lowered in ("that", "who") and not {word.casefold() for word in words[max(0, at - 4) : at]} & (
            {"a", "an"} | EN.numbers
        ):
            return None  # `courses that ...`: without the rest it would say more than was said
        if lowered == "and" and not _begins_phrase(words[at + 1 :]):
            return None  # `a safe and ...`: the noun is behind the cut
        if lowered in EN.ends or words[at] == ",":
            return _finished(words[:at])
    return None


def _begins_phrase(words: Sequence[str]) -> bool:
    first = words[0].casefold() if words else "to"
    return first in EN.function_words | EN.numbers | EN.common_verbs or first in ("user's", "user") or is_past(first)


def _finished(words: list[str]) -> list[str] | None:
    """Drop what dangles at the end; nothing when too little is left."""
    while words and (words[-1] in ",;:" or words[-1].casefold() in EN.dangling):
        words = words[:-1]
    if len(words) < 2 and not (words and words[0].removesuffix("s") in EN.solo_verbs):
        return None
    return None if words[-1].casefold() in EN.function_words - EN.may_be_last else words
