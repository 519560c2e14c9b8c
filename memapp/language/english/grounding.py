"""The grounding of a derived fact in the person's message: it says only what they typed.

Its words come from the message, in their order, with the same numbers, negation, certainty and tense, and about the same
person. The checks refuse too much rather than too little.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from memapp.language.english.authorship import TYPED_CHARS, own_words
from memapp.language.english.clauses import limits
from memapp.language.english.framing import unwrap
from memapp.language.english.grammar import EN, NOT, expand, is_adverb, is_past, is_verb, sentences, stems, third_person, tokens

SAYS_NOTHING = "says nothing"
NOT_GROUNDED = "has words that were not typed"
REARRANGED = "puts the words together in another way"
NEGATION = "negation differs"
NUMBERS_DIFFER = "numbers differ"
CERTAINTY = "sounds more certain than what was typed"
TENSE = "tense differs"
SOMEBODY_ELSE = "about somebody else"
QUESTION = "comes from a question"
HALF = "leaves out what the same statement says besides"
UNSAID = frozenset(
    {SAYS_NOTHING, NOT_GROUNDED, REARRANGED, NEGATION, NUMBERS_DIFFER, CERTAINTY, TENSE, SOMEBODY_ELSE, QUESTION, HALF}
)
"""What is wrong with a fact that may be well written, but was not said."""


SAID = "User said: "
"""How a fact begins that quotes a sentence of the person's own."""


@dataclass(frozen=True, slots=True)
class _Token:
    word: str
    """Casefolded."""
    sentence: int
    clause: int
    is_asked: bool
    """It stands in a question."""
    stems: frozenset[str]


def check_grounding(text: str, typed_text: str) -> list[str]:
    """Return what a fact says that the person did not type; nothing when every part of it holds."""
    if text.startswith(SAID):
        return [] if text.removeprefix(SAID).rstrip(".") in own_words(unwrap(typed_text[:TYPED_CHARS])) else [NOT_GROUNDED]
    fact = _read(text)
    typed = _read_typed(typed_text)
    content = [token for token in fact if _is_content(token)]
    if not [token for token in content if NOT not in token.stems]:
        return [SAYS_NOTHING]
    known = {stem for token in typed for stem in token.stems}
    if not all(token.stems & known for token in content):
        return [NEGATION] if all(token.stems & known or NOT in token.stems for token in content) else [NOT_GROUNDED]
    matches = _find(content, typed)
    if not matches:
        return [REARRANGED]
    return min((_compare(fact, content, typed, match) for match in matches), key=len)


@lru_cache(maxsize=2)
def _read_typed(typed_text: str) -> list[_Token]:
    """Read a message once, since each of its sentences may be checked against all of it."""
    return _read(own_words(unwrap(typed_text[:TYPED_CHARS])))


def _read(text: str) -> list[_Token]:
    """Number sentences and clauses, so that what belongs together can be told from what does not."""
    read: list[_Token] = []
    clause = 0
    for number, sentence in enumerate(sentences(text)):
        words = [word.casefold() for word in tokens(expand(sentence))]
        clause += 1
        for at, word in enumerate(words):
            clause += _begins_clause(words, at)
            is_not = word in EN.negations
            read.append(_Token(word, number, clause, "?" in sentence[-3:], frozenset({NOT}) if is_not else stems(word)))
    return read


def _begins_clause(words: Sequence[str], at: int) -> bool:
    if words[at] in (";", "but", "because") or (words[at] == ":" and at > 0):
        return True
    if words[at] not in EN.coordinators and words[at] != ",":
        return False
    following = next((word for word in words[at + 1 :] if word not in EN.coordinators and not is_adverb(word)), "")
    return following in EN.clause_subjects


def _is_content(token: _Token) -> bool:
    return (token.word not in EN.function_words or NOT in token.stems) and token.word not in ',;:?!()"'


def _find(content: Sequence[_Token], typed: Sequence[_Token]) -> list[list[int]]:
    """Return where the fact's words stand in the message, in their order; the sentence may begin in the middle.

    `On Mondays I swim` may become `User swims on Mondays`, so a rotation of the words is the same order.
    """
    best: list[tuple[int, list[int]]] = []
    reach = 3 * len(content) + 8  # words from further apart do not make one statement
    for turn in range(len(content)):
        rotated = [*content[turn:], *content[:turn]]
        for start in range(len(typed)):
            if not rotated[0].stems & typed[start].stems:
                continue
            places = _follow(rotated, typed[: start + reach], start)
            if places is None:
                continue
            span = places[-1] - places[0]
            best.append((span, places[len(content) - turn :] + places[: len(content) - turn] if turn else places))
    best.sort(key=lambda match: match[0])
    return [places for _, places in best[:3]]


def _follow(content: Sequence[_Token], typed: Sequence[_Token], start: int) -> list[int] | None:
    places = []
    at = start
    for token in content:
        while at < len(typed) and not token.stems & typed[at].stems:
            at += 1
        if at == len(typed):
            return None
        places.append(at)
        at += 1
    return places


def _compare(fact: Sequence[_Token], content: Sequence[_Token], typed: Sequence[_Token], places: Sequence[int]) -> list[str]:
    """Return how the fact differs from the part of the message that has its words."""
    first, last = min(places), max(places)
    begin = first
    while begin > 0 and typed[begin - 1].clause == typed[first].clause:
        begin -= 1
    part = typed[begin : last + 1]
    checks = [
        (NEGATION, _count_not(fact) == _count_not(part) and _denies_the_same(content, typed, places)),
        (NUMBERS_DIFFER, _numbers_agree(content, typed, places)),
        (CERTAINTY, {_hedge(one) for one in part} <= {_hedge(one) for one in fact} | {""}),
        (TENSE, _tense_agrees(fact, content, typed, places, part)),
        (SOMEBODY_ELSE, _is_about_same(fact, content, typed, places, begin)),
        (REARRANGED, _directions(fact) <= _directions(typed)),
        (QUESTION, not part[0].is_asked),
        (HALF, not _goes_on(fact, typed[last], typed[last + 1 :]) and _limits(part) <= _limits(fact)),
    ]
    return [problem for problem, holds in checks if not holds]


def _goes_on(fact: Sequence[_Token], end: _Token, following: Sequence[_Token]) -> bool:
    """Say whether a statement goes on with a condition, or with the time that belongs to it: `until 2015`.

    What somebody does besides is another statement, but not what ended what they used to do: `but quit`.
    """
    words = [token.word for token in following[:5] if token.sentence == end.sentence]
    while words and words[0] in ",(-–—":
        del words[0]
    is_time = words[:1] and words[0] in EN.limiting_times and any(re.match(r"\W?\d", word) for word in words[1:3])
    verb = next((word for word in words[1:] if not is_adverb(word)), "")
    is_besides = words[:1] == ["but"] and is_verb(verb) and all(token.word != "used" for token in fact)
    return (limits(words) and not is_besides) or bool(is_time)


def _limits(words: Sequence[_Token]) -> set[str]:
    return {token.word for token in words} & EN.limiting


def _count_not(words: Sequence[_Token]) -> int:
    return sum(NOT in token.stems for token in words)


def _denies_the_same(content: Sequence[_Token], typed: Sequence[_Token], places: Sequence[int]) -> bool:
    """A negation belongs to the clause of the word after it: `I'm no hiker, but I love food` does not deny the food."""
    following = {at: min(at + 1, len(places) - 1) for at, token in enumerate(content) if NOT in token.stems}
    return all(
        places[after] - places[at] >= 0 and typed[places[at]].clause == typed[places[after]].clause
        for at, after in following.items()
    )


def _hedge(token: _Token) -> str:
    if token.word == "used" or token.word == "going":
        return token.word
    return next(iter(sorted((token.stems - {"use", "go"}) & EN.hedges)), "")


def _numbers_agree(content: Sequence[_Token], typed: Sequence[_Token], places: Sequence[int]) -> bool:
    """A number belongs to the word after it: `two cats and three dogs` has no two dogs in it."""
    for at, token in enumerate(content[:-1]):
        if _is_number(token):
            between = typed[places[at] + 1 : places[at + 1]] if places[at] < places[at + 1] else []
            if len(between) > 3 or any(_is_number(other) for other in between):
                return False
    return True


def _is_number(token: _Token) -> bool:
    return any(re.match(r"\W?\d", stem) for stem in token.stems)


def _tense_agrees(
    fact: Sequence[_Token], content: Sequence[_Token], typed: Sequence[_Token], places: Sequence[int], part: Sequence[_Token]
) -> bool:
    words = {token.word for token in fact}
    for auxiliary in ({"was", "were"}, {"had"}, {"did"}):
        if auxiliary & {token.word for token in part} and not (auxiliary & words or any(is_past(word) for word in words)):
            return False
    for token, at in zip(content, places, strict=True):
        typed_word = typed[at].word
        is_passive = token.word == "called"  # `call me Ana`
        if typed_word != token.word and is_past(typed_word) != is_past(token.word) and not is_passive:
            return False
        if (
            typed_word in EN.unchanged_past
            and token.word != typed_word
            and any(one.word in ("yesterday", "ago", "last") for one in part)
        ):
            return False
    return True


def _is_about_same(
    fact: Sequence[_Token], content: Sequence[_Token], typed: Sequence[_Token], places: Sequence[int], begin: int
) -> bool:
    """Check who does it (`User`, not the sister) and whose it is (`User's dog` was `my dog`)."""
    at_of = {id(token): place for token, place in zip(content, places, strict=True)}
    for at, token in enumerate(fact):
        if token.word == "user's":
            owned = next((at_of[id(one)] for one in fact[at + 1 :] if id(one) in at_of), None)
            nearby = typed[max(0, owned - 4) : owned + 3] if owned is not None else []
            if nearby and not any(one.word in ("my", "our", "mine", "ours") for one in nearby):
                return False
    if fact[0].word != "user" or fact[1].word == "and":
        return True
    return _subject_is_person(content[0], typed, places[0], begin)


def _subject_is_person(token: _Token, typed: Sequence[_Token], place: int, begin: int) -> bool:
    """Look left from the first word of the fact: only small words may stand between it and `I`, or `and` before a verb."""
    is_verb = token.word != typed[place].word and (token.word == third_person(typed[place].word) or token.word in EN.past_forms)
    if [one.word for one in typed[place : place + 2]] == ["call", "me"]:
        return True
    at = place - 1
    while at >= begin:
        word = typed[at].word
        if word in EN.first_person:
            return word in ("i", "we", "me")
        if word in ("and", "but", "or", ",") and (is_verb or is_past(token.word) or _copula_between(typed, at, place)):
            return any(one.word in ("i", "we") for one in _sentence(typed, place))
        if word not in EN.skippable or word in ("who", "which", "that", "whose", "where"):
            return False
        at -= 1
    return typed[begin].word in EN.coordinators and any(one.word == "i" for one in _sentence(typed, place))


def _copula_between(typed: Sequence[_Token], left: int, right: int) -> bool:
    return any(one.word in ("am", "was", "have", "do", "did", "can") for one in typed[left:right])


def _sentence(typed: Sequence[_Token], place: int) -> list[_Token]:
    return [one for one in typed[:place] if one.sentence == typed[place].sentence]


def _directions(words: Sequence[_Token]) -> set[tuple[str, str]]:
    """Return which word goes with which preposition of direction: moved (from, oslo) (to, bergen)."""
    found = set()
    for at, token in enumerate(words):
        if token.word in EN.motion:
            target = next((one for one in words[at + 1 : at + 4] if _is_content(one) and one.word not in EN.pronouns), None)
            if target is not None:
                found.add((token.word, min(target.stems)))
    return found
