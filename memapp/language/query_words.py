"""Queries of recall: their search words, and whether they ask for a time or a number."""

import re

from memapp.domain.ranking import words_of
from memapp.language.grammar import EN, sentences
from memapp.language.lexicon import lexicon

_QUESTIONS = lexicon("measures")

MAX_WORDS = 16
"""The most search words of a query; more add time, not hits."""
HEAD_WORDS = 3
"""The first words of a question, which tell what is asked for: "in which year did"."""


def query_words(text: str) -> list[str]:
    """Return the search words of a text: lower case, unique, no stop words, at most `MAX_WORDS`."""
    return [word for word in dict.fromkeys(words_of(text)) if word not in EN.stop_words][:MAX_WORDS]


def measure_asked(text: str) -> re.Pattern[str] | None:
    """Return the pattern of the time, age or number that a text's last sentence asks for."""
    head = " ".join((sentences(text) or [""])[-1].rstrip("?").split()[:HEAD_WORDS])
    wanted = _QUESTIONS.table("wants").items()
    kind = next((name for name, pattern in wanted if _QUESTIONS.regex(pattern).fullmatch(head)), "")
    return _QUESTIONS.regex(_QUESTIONS.table("holds")[kind]) if kind else None
