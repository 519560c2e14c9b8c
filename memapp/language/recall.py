"""What recall reads in a text: the words that are worth searching for, and whether it asks for a
time or a number.
"""

import re

from memapp.domain.ranking import words_of
from memapp.language.grammar import EN, sentences
from memapp.language.lexicon import lexicon

_QUESTIONS = lexicon("measures")

MAX_WORDS = 16
"""Words of a query that are searched for; the rest adds time, not hits."""
HEAD_WORDS = 3
"""As many words of a question say what it asks for: "in which year did"."""


def query_words(text: str) -> list[str]:
    """Return the words worth searching for: lower case, each once, no stop words, at most
    `MAX_WORDS`.
    """
    return [word for word in dict.fromkeys(words_of(text)) if word not in EN.stop_words][:MAX_WORDS]


def measure_asked(text: str) -> re.Pattern[str] | None:
    """Return what a time, an age or a number is written like, where the last sentence of a text
    begins by asking for one.
    """
    head = " ".join((sentences(text) or [""])[-1].rstrip("?").split()[:HEAD_WORDS])
    wanted = _QUESTIONS.table("wants").items()
    kind = next((name for name, pattern in wanted if _QUESTIONS.regex(pattern).fullmatch(head)), "")
    return _QUESTIONS.regex(_QUESTIONS.table("holds")[kind]) if kind else None
