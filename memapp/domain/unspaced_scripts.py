"""Text in scripts without spaces between words, indexed by pairs of neighbouring letters.

The index holds the result of `in_pairs` for each text, and removes the same result when the text
changes. So the letters are fixed here and do not follow the Unicode version of Python: another
result needs a migration.
"""

import re
import unicodedata
from itertools import pairwise

# Between two of these letters a line may be broken without a space: classes SA, CJ, ID, H2 and H3
# of UAX 14.
_LETTERS = (
    # Thai, Lao, Burmese, Khmer
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaadf"
    "\u3005-\u3007\u3041-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua000-\ua48c\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003fffd"  # Chinese, Japanese, Yi
    "\uac00-\ud7a3"  # Korean, which sets spaces, but none before its particles
)
_MARKS = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u1056-\u1059"
    "\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d"
    "\u17b4-\u17d3\u17dd\u1a55-\u1a5e\u1a60-\u1a7c\u1a7f\ua9e5"
    "\uaa7b-\uaa7d\uaab0\uaab2-\uaab4\uaab7\uaab8\uaabe\uaabf\uaac1"
)
"""Signs that belong to the letter before them."""
SIGN = rf"(?:[\u0e40-\u0e44\u0ec0-\u0ec4]?(?=[^\W_])[{_LETTERS}][{_MARKS}]*)"
"""A regular expression for one letter with its marks; in Thai and Lao also with the vowel written
before it.
"""
_RUN = re.compile(rf"(?:(?=[^\W_])[{_LETTERS}][{_MARKS}]*)+")
_LETTER = re.compile(rf".[{_MARKS}]*")


def pairs(word: str) -> list[str]:
    """Return the pairs of neighbouring letters in the parts of a word without spaces."""
    runs = map(_LETTER.findall, _RUN.findall(word))
    return ["".join(neighbours) for letters in runs for neighbours in pairwise(letters)]


def ends_unspaced(text: str) -> str:
    """Return the letters of an unspaced script at the end of a text."""
    return runs[-1] if (runs := _RUN.findall(text)) and text.endswith(runs[-1]) else ""


def in_pairs(text: str) -> str:
    """Return a text as indexed: each unspaced run as its pairs and its last letter."""
    composed = unicodedata.normalize("NFC", text)
    return _RUN.sub(
        lambda run: f" {' '.join([*pairs(run[0]), _LETTER.findall(run[0])[-1]])} ", composed
    )
