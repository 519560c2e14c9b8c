"""Full-text queries, built from words and never from raw input: no operator can be reached."""

from collections.abc import Sequence

from memapp.domain.ranking import words_of
from memapp.domain.unspaced_scripts import ends_unspaced, in_pairs, pairs

MOST_PARTS = 64
"""The number of pairs and words searched for; a message without spaces may have hundreds."""


def match_any(words: Sequence[str], *, unfinished: bool = False) -> str | None:
    """Return a query for any of these words, or their pairs in scripts without spaces.

    None without words. `unfinished` says that the last word is still being typed: then its
    beginning is enough.
    """
    if not words:
        return None
    *before, last = words
    parts = [f'"{part}"' for word in words for part in pairs(word)][:MOST_PARTS]
    return " OR ".join(
        dict.fromkeys([*parts, *map(as_phrase, before), as_phrase(last, unfinished=unfinished)])
    )


def as_phrase(text: str, *, unfinished: bool = False) -> str:
    """Return a query for the words of a text in their order."""
    plain = " ".join(words_of(text))
    last, indexed = ends_unspaced(plain), in_pairs(plain).split()
    if pairs(last):
        # the last letter may be followed by another, and then is indexed in pairs only
        indexed.pop()
    return f'"{" ".join(indexed)}"' + ("*" if unfinished or (last and not pairs(last)) else "")
