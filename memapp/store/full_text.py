"""Queries of the full-text indexes, made of words and never of raw input: no operator of their
language can be reached.
"""

from collections.abc import Sequence

from memapp.domain.ranking import words_of
from memapp.domain.unspaced import ends_unspaced, in_pairs, pairs

MOST_PARTS = 64
"""Pairs and words of a query that are searched for; a message without spaces may have hundreds."""


def match_any(words: Sequence[str], *, unfinished: bool = False) -> str | None:
    """Return a query for any of these words, in small letters, or any pair of letters in one
    without spaces; None without any.

    `unfinished` says that the last word is still being typed: then its beginning is enough.
    """
    if not words:
        return None
    *before, last = words
    parts = [f'"{part}"' for word in words for part in pairs(word)][:MOST_PARTS]
    return " OR ".join(
        dict.fromkeys([*parts, *map(as_phrase, before), as_phrase(last, unfinished=unfinished)])
    )


def as_phrase(text: str, *, unfinished: bool = False) -> str:
    """Return a query for the words of a text, one after the other."""
    plain = " ".join(words_of(text))
    last, indexed = ends_unspaced(plain), in_pairs(plain).split()
    if pairs(last):
        # the text may go on where the query ends, and its index has that letter in pairs only
        indexed.pop()
    return f'"{" ".join(indexed)}"' + ("*" if unfinished or (last and not pairs(last)) else "")
