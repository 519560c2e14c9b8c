"""What recall reads in a text: the words that are worth searching for, and whether it asks for an earlier reply."""

from memapp.domain.ranking import words_of
from memapp.language.english.grammar import EN

MAX_WORDS = 16
"""Words of a query that are searched for; the rest adds time, not hits."""


def query_words(text: str) -> list[str]:
    """Return the words worth searching for: lower case, each once, no stop words, at most `MAX_WORDS`."""
    return [word for word in dict.fromkeys(words_of(text)) if word not in EN.stop_words][:MAX_WORDS]


def asks_what_was_replied(text: str) -> bool:
    """Tell whether a message asks for something that memapp itself said: "what did you recommend?"."""
    return bool(EN.regex("{you_said}").search(text))
