"""What of a message is the person's own statement, and not something shown or quoted."""

import re

from memapp.domain.english import PRONOUNS, expand, tokens, without_symbols

EVIDENCE_CHARS = 8_000
"""As much of a message is looked at; nobody types more."""


def own_words(text: str) -> str:
    """Return a message without what is not the person's own statement: code, quoted lines, links, quoted speech."""
    text = re.sub(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", "\n", text, flags=re.DOTALL)
    text = re.sub(r"(?m)^(?:>|\t| {4}).*$", "", text)
    text = re.sub(r"`[^`\n]*`|\b\w+://\S+|\bwww\.\S+", " # ", text)
    return re.sub(r"[\"“„«]([^\"“”„«»\n]*)[\"”“»]", _title_or_nothing, without_symbols(text))


def _title_or_nothing(quote: re.Match[str]) -> str:
    """A short quotation without a statement in it is a title; anything longer is somebody's speech."""
    words = tokens(expand(quote.group(1)))
    is_title = len(words) <= 5 and not any(word.casefold() in PRONOUNS for word in words)
    return " ".join(words) if is_title else " # "
