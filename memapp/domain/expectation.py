"""The comparison of a message with the expected one: by letters alone, or by letters, meaning and what the message does.

A guess of what a person says next is hardly ever right word for word. So the default rule also looks at how near the
two texts are in meaning (an embedding similarity that the caller brings) and at their dialogue acts: a "yes" where a
"no" was expected speaks for a surprise however alike the sentences look, and "thanks, bye" for "no, that's all" is
none. The cues are English phrases of any conversation; none belongs to a subject.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from rapidfuzz import fuzz

from memapp.lexicon import lexicon

_EN = lexicon("dialogue")

FUZZY_THRESHOLD = 60
AS_PREDICTED = 0.6
"""Cosine of two embeddings from which a message says what was predicted; below that it is on the same topic at most."""
BEGINS_ALIKE = 80
"""Letters alike, 0 to 100, between a beginning and that of the expected message."""
READ_CHARACTERS = 2_000
"""What of each text is compared: what a message does is said at its start, and a pasted page must not cost seconds."""


class MismatchRule(StrEnum):
    """How an expected message is compared with the one that came."""

    FUZZY = "fuzzy"
    """Letters alone: surprised below a threshold."""
    MEANING = "meaning"
    """Letters, meaning and dialogue acts."""


class DialogueAct(StrEnum):
    """What a message does in a conversation, whatever it is about."""

    AFFIRM = "yes"
    NEGATE = "no"
    THANKS = "thanks"
    CLOSING = "closing"
    ALTERNATIVES = "alternatives"
    """Wants something else than what was offered."""
    QUESTION = "question"
    INFORM = "content"
    """Says something of its own, beyond the phrases of the other acts."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one comparison came out."""

    surprised: bool
    fuzzy: float
    """Likeness of letters whatever their case, 0 to 100."""
    similarity: float | None
    """Cosine of the embeddings; None if there was no embedder."""
    why: str
    """The signs and their numbers, for people."""


# What each sign adds to a score; above 0 is a surprise. The weights are one logistic regression on labelled pairs of
# two unlike kinds (single requests, and turns of dialogues) that count the same, rounded; see `benchmarks.mismatch`.
_WITH_MEANING: Mapping[str, float] = {
    "always": 1.9,
    "meaning": -9.7,  # times the cosine
    "letters": -2.7,  # times the distance from the threshold, in units of 100
    "a yes against a no": 2.6,
    "only one wants an alternative": 1.4,
    "only one asks": 1.2,
    "both small talk": -1.4,
}
_WITHOUT_MEANING: Mapping[str, float] = {
    "always": -0.9,
    "a word in common": -2.6,
    "letters": -5.8,
    "a yes against a no": 2.4,
    "only one wants an alternative": 1.3,
    "only one asks": 1.6,
    "both small talk": -1.7,
}
_NO_WORDS = 0.3
"""Strength of "a word in common" when one of the texts has no word with content."""
_STEM = 5
"""Words that begin with the same letters, this many, count as one word: "played", "playing"."""

_YES = r"{filler}{yes}\b"
_NO = r"{filler}{no}\b"
_QUESTION = r"{filler}{asks}\b|.*\b{wants_to_know}\b"
_FAVOUR = r"{filler}{favour}\b"
_PHRASES = {
    DialogueAct.THANKS: r"\b{thanks}\b",
    DialogueAct.CLOSING: r"\b{closing}\b",
    DialogueAct.ALTERNATIVES: r"\b{alternatives}\b",
}
LONGEST_GUESS = 30
"""Words; people seldom write more than that in a turn, and a guess that goes on is the model's own story."""
COPIED = 85
"""Letters alike, 0 to 100, from which a guess only says again what was just said."""
LETTERS = 0.8
"""Of the characters of a sentence, beside spaces: times, addresses and code have fewer."""
_WHOLE = re.compile(r".*[.!?…。！？][\"'”’)]*(?=\s|$)")
_FORMATTED = re.compile(r"\d+[.)]\s|[-+•>#]|[^.!?]{0,24}:\s|.*(?:[\[\]{}<>|*_=`\\]|://)", re.DOTALL)
"""A list, a label, markup, code: nothing that is typed into a chat as one's next sentence."""

_CLAUSE = re.compile(r"[^.?!;,:\n]+\??")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")


def may_become(typed: str, expected: str) -> bool:
    """Tell whether what is typed so far is about the beginning of what is expected."""
    return not typed or fuzz.ratio(typed.lower(), expected[: len(typed)].lower()) >= BEGINS_ALIKE


def writable(guess: str, said: Sequence[str]) -> str:
    """Return the whole sentences of a guess if a person could write them next; else nothing.

    Half a sentence, a list, keywords, and what the last reply or message says already are no guesses.
    """
    reading = _read(guess)
    if reading.acts and not reading.content and not _FORMATTED.match(guess):
        return guess  # "no thanks", "yes please": nobody ends these with a full stop
    found = _WHOLE.match(guess)
    whole = found[0] if found else ""
    words, bare = _WORD.findall(whole), "".join(whole.split())
    if not 1 < len(words) <= LONGEST_GUESS or sum(map(str.isalpha, bare)) < LETTERS * len(bare):
        return ""
    from_model = _EN.regex("{not_the_person}").search(whole.replace("’", "'"))
    if from_model or _FORMATTED.match(whole) or any(_copies(whole, one) for one in said):
        return ""
    return whole


def _copies(guess: str, said: str) -> bool:
    """Say whether a guess says a text again, or a part of it."""
    one, other = (" ".join(_WORD.findall(text.casefold())) for text in (guess, said))
    alike = fuzz.partial_ratio if len(one) < len(other) else fuzz.ratio
    return alike(one, other) >= COPIED


def mismatch(
    expected: str,
    actual: str,
    *,
    similarity: float | None,
    rule: MismatchRule = MismatchRule.MEANING,
    fuzzy_threshold: int = FUZZY_THRESHOLD,
) -> Verdict:
    """Tell whether what came is a surprise; `similarity` is the cosine of the two embeddings, None without an embedder.

    A higher threshold (0 to 100) makes both rules easier to surprise.
    """
    expected, actual = expected[:READ_CHARACTERS], actual[:READ_CHARACTERS]
    letters = fuzz.ratio(expected.casefold(), actual.casefold())
    was, came = _read(expected), _read(actual)
    match rule:
        case MismatchRule.FUZZY:
            surprised = letters < fuzzy_threshold
            why = f"letters {letters:.0f} of 100, a surprise below {fuzzy_threshold}"
        case MismatchRule.MEANING:
            signs = _signs(was, came, letters, similarity)
            surprised = _score(signs, fuzzy_threshold) > 0
            why = _explain(signs, was, came)
        case _:
            assert_never(rule)
    return Verdict(surprised, letters, similarity, why)


@dataclass(frozen=True, slots=True)
class _Reading:
    acts: frozenset[DialogueAct]
    content: tuple[str, ...]
    """The words left when common ones and the phrases of the acts are taken out."""


def _read(text: str) -> _Reading:
    acts: set[DialogueAct] = set()
    content: list[str] = []
    for clause in _CLAUSE.findall(text.casefold().replace("’", "'")):
        clause = " ".join(clause.split())
        stance = _stance(clause)
        if stance is not None and acts.isdisjoint((DialogueAct.AFFIRM, DialogueAct.NEGATE)):
            acts.add(stance[0])  # the first one counts: "yes, no problem"
        rest = clause if stance is None else clause[stance[1] :].lstrip()
        acts.update(act for act, cue in _PHRASES.items() if _EN.regex(cue).search(clause))
        if _asks(rest):
            acts.add(DialogueAct.QUESTION)
        for cue in _PHRASES.values():
            rest = _EN.regex(cue).sub(" ", rest)
        content += [word for word in _WORD.findall(rest) if word not in _EN.common]
    if content:
        acts.add(DialogueAct.INFORM)
    return _Reading(frozenset(acts), tuple(content))


def _stance(clause: str) -> tuple[DialogueAct, int] | None:
    """Return the yes or no at the beginning of a clause, and where it ends."""
    if found := _EN.regex(_NO).match(clause):
        return DialogueAct.NEGATE, found.end()
    if found := _EN.regex(_YES).match(clause):
        return DialogueAct.AFFIRM, found.end()
    return None


def _asks(clause: str) -> bool:
    asks_for_deed = _EN.regex(_FAVOUR).match(clause) is not None
    return _EN.regex(_QUESTION).match(clause) is not None or (clause.endswith("?") and not asks_for_deed)


def _signs(was: _Reading, came: _Reading, letters: float, similarity: float | None) -> dict[str, float]:
    """Return the strength of each sign: a likeness, or 1 and 0 for those that are there or not."""
    likeness = {"meaning": similarity} if similarity is not None else {"a word in common": _word_in_common(was, came)}
    only_one = was.acts ^ came.acts
    opposed = {DialogueAct.AFFIRM, DialogueAct.NEGATE} <= only_one and not (
        DialogueAct.CLOSING in was.acts and DialogueAct.CLOSING in came.acts  # "no, that's all" is "yes, that's all"
    )
    return {
        **likeness,
        "letters": letters / 100,
        "a yes against a no": opposed,
        "only one wants an alternative": DialogueAct.ALTERNATIVES in only_one,
        "only one asks": DialogueAct.QUESTION in only_one,
        "both small talk": not was.content and not came.content and not opposed,
    }


def _word_in_common(was: _Reading, came: _Reading) -> float:
    if not was.content or not came.content:
        return _NO_WORDS
    return not {word[:_STEM] for word in was.content}.isdisjoint(word[:_STEM] for word in came.content)


def _score(signs: Mapping[str, float], fuzzy_threshold: int) -> float:
    weights = _WITH_MEANING if "meaning" in signs else _WITHOUT_MEANING
    above = {**signs, "always": 1, "letters": signs["letters"] - fuzzy_threshold / 100}
    return sum(weight * above[sign] for sign, weight in weights.items())


def _explain(signs: Mapping[str, float], was: _Reading, came: _Reading) -> str:
    measured = [f"{sign} {100 * signs[sign]:.0f} of 100" for sign in ("meaning", "letters") if sign in signs]
    parts = [", ".join(measured), f"expected {_name(was)}, got {_name(came)}"]
    parts += [sign for sign, strength in signs.items() if strength == 1 and sign not in ("meaning", "letters")]
    if "meaning" not in signs:
        parts.append("meaning was not compared (no embedder)")
    return "; ".join(parts)


def _name(reading: _Reading) -> str:
    return " + ".join(act for act in DialogueAct if act in reading.acts) or "nothing"
