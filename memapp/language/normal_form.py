"""Normal forms by which sentences with the same content are recognised."""

import re
import unicodedata

from memapp.domain.text_cache import text_cache
from memapp.domain.wording import Wording
from memapp.language.grammar import EN, NOT, expand, root, stems, tokens


@text_cache(64)  # a change asks five times for the form of one text
def normalise(text: str) -> str:
    """Return the normal form of a text: lower case, no contractions, no punctuation but a minus."""
    folded = " ".join(unicodedata.normalize("NFKC", expand(text)).casefold().split())
    bare = re.sub(
        r"(?<!\d)(?!(?<!\S)-\d)[.,:;!?\"'()\[\]-]+|[.,:;!?\"'()\[\]-]+(?!\d)", " ", folded
    )
    return " ".join(bare.split())


def gist(text: str) -> str:
    """Return the roots of a text's content words, sorted.

    The same for `User loves sailing.` and `I love to sail`: coarser than the normal form, for
    asking rather once too often.
    """
    roots = set()
    for word in tokens(expand(unicodedata.normalize("NFKC", text)).casefold()):
        if word in EN.negations:
            roots.add(NOT)
        elif re.search(r"\w", word) and word not in EN.says_little:
            roots.add("like" if EN.liking & stems(word) else root(word))
    return " ".join(sorted(roots)) or normalise(text)


WORDING = Wording(normalise, gist)
