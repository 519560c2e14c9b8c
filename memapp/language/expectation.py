"""Dialogue acts for comparing a message with a prediction, and predictions a person could write.

The cues are English phrases of any conversation; none belongs to a subject.
"""

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from memapp.domain.expectation import (
    FUZZY_THRESHOLD,
    DialogueAct,
    MismatchRule,
    Utterance,
    Verdict,
    judge,
)
from memapp.language.lexicon import lexicon

_EN = lexicon("dialogue")
READ_CHARACTERS = 2_000
"""The compared part of each text: the act is in the beginning, and a pasted page must not cost
seconds.
"""
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
"""The longest prediction in words: people seldom write more, and a longer one is the model's own
story.
"""
COPIED = 85
"""Letters alike, 0 to 100, from which a prediction repeats a message."""
LETTERS = 0.8
"""The smallest share of letters in a sentence; times, addresses and code have fewer."""
_WHOLE = re.compile(r".*[.!?…。！？][\"'”’)]*(?=\s|$)")
_FORMATTED = re.compile(r"\d+[.)]\s|[-+•>#]|[^.!?]{0,24}:\s|.*(?:[\[\]{}<>|*_=`\\]|://)", re.DOTALL)
"""A list, a label, markup or code: nothing that a person types as the next sentence."""

_CLAUSE = re.compile(r"[^.?!;,:\n]+\??")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")


def writable(guess: str, said: Sequence[str]) -> str:
    """Return the whole sentences of a prediction if a person could write them next; else nothing.

    Half a sentence, a list, keywords, and repetitions of the last reply or message are no
    predictions.
    """
    reading = _read(guess)
    if reading.acts and not reading.content and not _FORMATTED.match(guess):
        return guess  # "no thanks", "yes please": nobody ends these with a full stop
    match = _WHOLE.match(guess)
    whole = match[0] if match else ""
    words, bare = _WORD.findall(whole), "".join(whole.split())
    if not 1 < len(words) <= LONGEST_GUESS or sum(map(str.isalpha, bare)) < LETTERS * len(bare):
        return ""
    from_model = _EN.regex("{not_the_person}").search(whole.replace("’", "'"))
    if from_model or _FORMATTED.match(whole) or any(_copies(whole, text) for text in said):
        return ""
    return whole


def _copies(guess: str, said: str) -> bool:
    """Return True if a prediction repeats a text or a part of one."""
    guessed, before = (" ".join(_WORD.findall(text.casefold())) for text in (guess, said))
    likeness = fuzz.partial_ratio if len(guessed) < len(before) else fuzz.ratio
    return likeness(guessed, before) >= COPIED


def mismatch(
    expected: str,
    actual: str,
    *,
    similarity: float | None,
    rule: MismatchRule = MismatchRule.MEANING,
    fuzzy_threshold: int = FUZZY_THRESHOLD,
) -> Verdict:
    """Return the verdict on an actual message; `similarity` is the cosine of the embeddings.

    A higher threshold (0 to 100) makes both rules easier to surprise.
    """
    expected, actual = expected[:READ_CHARACTERS], actual[:READ_CHARACTERS]
    letters = fuzz.ratio(expected.casefold(), actual.casefold())
    return judge(_read(expected), _read(actual), letters, similarity, rule, fuzzy_threshold)


def _read(text: str) -> Utterance:
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
    return Utterance(frozenset(acts), tuple(content))


def _stance(clause: str) -> tuple[DialogueAct, int] | None:
    """Return the yes or no at the beginning of a clause, and where it ends."""
    if no := _EN.regex(_NO).match(clause):
        return DialogueAct.NEGATE, no.end()
    if yes := _EN.regex(_YES).match(clause):
        return DialogueAct.AFFIRM, yes.end()
    return None


def _asks(clause: str) -> bool:
    asks_for_deed = _EN.regex(_FAVOUR).match(clause) is not None
    return _EN.regex(_QUESTION).match(clause) is not None or (
        clause.endswith("?") and not asks_for_deed
    )
