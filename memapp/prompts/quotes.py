"""What a prompt quotes of what recall found: which hits, and which words of them.

A small model takes whatever stands in its prompt for the answer. So little is quoted, from the one who is asked about, and
only what states something.
"""

import re
from collections.abc import Sequence

from memapp.domain.memory import Recalled
from memapp.domain.ranking import asks_what_was_replied
from memapp.domain.text import one_line
from memapp.domain.writing import is_duplicate

_QUESTION = re.compile(
    r"(?:[\w' ]{1,24}, ?)*(?:what|which|who|whose|where|when|why|how|do|does|did|have|has|had|is|are|was|were|am|can|could|will|"
    r"would|should|shall|may|any|anything)\b.*\?",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")
_LEAST_WORDS = 4


def choose(message: str, hits: Sequence[Recalled], limit: int) -> tuple[Recalled, ...]:
    """Return the hits to quote, best first.

    What the model once said is quoted only to someone who asks for it, and then first: else it would come back as something
    known. Hits that state nothing, or tell what another one tells, are left out.
    """
    asked_for_replies = asks_what_was_replied(message)
    if asked_for_replies:
        hits = sorted(hits, key=lambda hit: hit.said_by == "user")
    else:
        hits = [hit for hit in hits if hit.said_by != "assistant"]
    chosen: list[Recalled] = []
    for hit in hits:
        words = stated(hit)
        if len(chosen) < limit and words and not is_duplicate(words, [stated(other) for other in chosen]):
            chosen.append(hit)
    return tuple(chosen)


def quote(hit: Recalled) -> str:
    """Write a hit as a line of the prompt: its words in quotes, and the day they were said."""
    day = f"{hit.at:%B} {hit.at.day}"
    return f'"{stated(hit) or one_line(hit.text)}" ({day})'


def stated(hit: Recalled) -> str:
    """Return what a hit states: a message without its questions and greetings, on one line."""
    text = one_line(hit.text)
    if hit.kind == "memory":
        return text
    sentences = _SENTENCE_END.split(text)
    return " ".join(one for one in sentences if len(one.split()) >= _LEAST_WORDS and not _QUESTION.fullmatch(one))
