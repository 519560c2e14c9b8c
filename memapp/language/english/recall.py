"""What recall reads in a text: the words that are worth searching for, whether it asks for a time or a number, or for an earlier
reply."""

import re

from memapp.domain.ranking import words_of
from memapp.language.english.grammar import EN, sentences
from memapp.language.english.memory_question import EN as QUESTIONS
from memapp.language.english.memory_question import kind_asked

MAX_WORDS = 16
"""Words of a query that are searched for; the rest adds time, not hits."""
MEASURES = ("time", "birthday", "age", "number")
HEAD_WORDS = 3
"""As many words of a question say what it asks for: "in which year did"."""


def query_words(text: str) -> list[str]:
    """Return the words worth searching for: lower case, each once, no stop words, at most `MAX_WORDS`."""
    return [word for word in dict.fromkeys(words_of(text)) if word not in EN.stop_words][:MAX_WORDS]


def measure_asked(text: str) -> re.Pattern[str] | None:
    """Return what a time, an age or a number is written like, where the last sentence of a text begins by asking for one."""
    head = " ".join((sentences(text) or [""])[-1].rstrip("?").split()[:HEAD_WORDS])
    kind = kind_asked(head)
    return QUESTIONS.regex(QUESTIONS.table("holds")[kind]) if kind in MEASURES else None


def asks_what_was_replied(text: str) -> bool:
    """Tell whether a message asks for something that memapp itself said: "what did you recommend?"."""
    return bool(EN.regex("{you_said}").search(text))
