"""The comparison of a message with the predicted one.

A prediction is hardly ever right word for word. So the default rule also compares the meaning (an
embedding similarity that the caller supplies) and the dialogue acts: a "yes" where a "no" was
expected speaks for a surprise however alike the sentences look, and "thanks, bye" for "no, that's
all" is none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from rapidfuzz import fuzz

FUZZY_THRESHOLD = 60
AS_PREDICTED = 0.6
"""The cosine from which a message says what was predicted; below, at most the topic is the same."""
BEGINS_ALIKE = 80
"""Letters alike, 0 to 100, for two texts to begin alike."""


class MismatchRule(StrEnum):
    """How a predicted message is compared with the actual one."""

    FUZZY = "fuzzy"
    """Letters alone: surprised below a threshold."""
    MEANING = "meaning"
    """Letters, meaning and dialogue acts."""


class DialogueAct(StrEnum):
    """The role of a message in a conversation, whatever its subject."""

    AFFIRM = "yes"
    NEGATE = "no"
    THANKS = "thanks"
    CLOSING = "closing"
    ALTERNATIVES = "alternatives"
    """Asks for something other than the offer."""
    QUESTION = "question"
    INFORM = "content"
    """Has content beyond the phrases of the other acts."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """The acts and the content words of a text, for comparison."""

    acts: frozenset[DialogueAct]
    content: tuple[str, ...]
    """The words without common ones and without the phrases of the acts."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of one comparison."""

    surprised: bool
    fuzzy: float
    """Likeness of letters whatever their case, 0 to 100."""
    similarity: float | None
    """Cosine of the embeddings; None if there was no embedder."""
    why: str
    """The signs and their numbers, for people."""


# What each sign adds to a score; above 0 is a surprise. The weights are one logistic regression on
# labelled pairs of two unlike kinds (single requests, and turns of dialogues) that count the same,
# rounded; see `benchmarks.mismatch`.
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


def may_become(typed: str, expected: str) -> bool:
    """Return True if the text typed so far could become the expected message."""
    return not typed or fuzz.ratio(typed.lower(), expected[: len(typed)].lower()) >= BEGINS_ALIKE


def judge(
    was: Utterance,
    came: Utterance,
    letters: float,
    similarity: float | None,
    rule: MismatchRule,
    fuzzy_threshold: int,
) -> Verdict:
    """Return the verdict on an actual message; `letters` is the likeness by letters, 0 to 100."""
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


def _signs(
    was: Utterance, came: Utterance, letters: float, similarity: float | None
) -> dict[str, float]:
    """Return the strength of each sign: a likeness, or 1 or 0 for present or absent."""
    likeness = (
        {"meaning": similarity}
        if similarity is not None
        else {"a word in common": _word_in_common(was, came)}
    )
    only_one = was.acts ^ came.acts
    opposed = {DialogueAct.AFFIRM, DialogueAct.NEGATE} <= only_one and not (
        DialogueAct.CLOSING in was.acts
        and DialogueAct.CLOSING in came.acts  # "no, that's all" is "yes, that's all"
    )
    return {
        **likeness,
        "letters": letters / 100,
        "a yes against a no": opposed,
        "only one wants an alternative": DialogueAct.ALTERNATIVES in only_one,
        "only one asks": DialogueAct.QUESTION in only_one,
        "both small talk": not was.content and not came.content and not opposed,
    }


def _word_in_common(was: Utterance, came: Utterance) -> float:
    if not was.content or not came.content:
        return _NO_WORDS
    return not {word[:_STEM] for word in was.content}.isdisjoint(
        word[:_STEM] for word in came.content
    )


def _score(signs: Mapping[str, float], fuzzy_threshold: int) -> float:
    weights = _WITH_MEANING if "meaning" in signs else _WITHOUT_MEANING
    above = {**signs, "always": 1, "letters": signs["letters"] - fuzzy_threshold / 100}
    return sum(weight * above[sign] for sign, weight in weights.items())


def _explain(signs: Mapping[str, float], was: Utterance, came: Utterance) -> str:
    measured = [
        f"{sign} {100 * signs[sign]:.0f} of 100" for sign in ("meaning", "letters") if sign in signs
    ]
    parts = [", ".join(measured), f"expected {_name(was)}, got {_name(came)}"]
    parts += [
        sign
        for sign, strength in signs.items()
        if strength == 1 and sign not in ("meaning", "letters")
    ]
    if "meaning" not in signs:
        parts.append("meaning was not compared (no embedder)")
    return "; ".join(parts)


def _name(reading: Utterance) -> str:
    return " + ".join(act for act in DialogueAct if act in reading.acts) or "nothing"
