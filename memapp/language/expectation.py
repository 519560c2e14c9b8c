"""The dialogue acts of a message, as the comparison with the expected one needs them, and which
guesses a person could write.

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
"""What of each text is compared: what a message does is said at its start, and a pasted page must
not cost seconds.
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
"""Words; people seldom write more than that in a turn, and a guess that goes on is the model's own
story.
"""
COPIED = 85
"""Letters alike, 0 to 100, from which a guess only says again what was just said."""
LETTERS = 0.8
"""Of the characters of a sentence, beside spaces: times, addresses and code have fewer."""
_WHOLE = re.compile(r".*[.!?…。！？][\"'”’)]*(?=\s|$)")
_FORMATTED = re.compile(r"\d+[.)]\s|[-+•>#]|[^.!?]{0,24}:\s|.*(?:[\[\]{}<>|*_=`\\]|://)", re.DOTALL)
"""A list, a label, markup, code: nothing that is typed into a chat as one's next sentence."""

_CLAUSE = re.compile(r"[^.?!;,:\n]+\??")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")


def writable(guess: str, said: Sequence[str]) -> str:
    """Return the whole sentences of a guess if a person could write them next; else nothing.

    Half a sentence, a list, keywords, and what the last reply or message says already are no
    guesses.
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
    if from_model or _FORMATTED.match(whole) or any(_copies(whole, text) for text in said):
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
    """Tell whether what came is a surprise; `similarity` is the cosine of the two embeddings, None
    without an embedder.

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
    if found := _EN.regex(_NO).match(clause):
        return DialogueAct.NEGATE, found.end()
    if found := _EN.regex(_YES).match(clause):
        return DialogueAct.AFFIRM, found.end()
    return None


def _asks(clause: str) -> bool:
    asks_for_deed = _EN.regex(_FAVOUR).match(clause) is not None
    return _EN.regex(_QUESTION).match(clause) is not None or (
        clause.endswith("?") and not asks_for_deed
    )
