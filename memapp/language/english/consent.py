"""What counts as a yes to a consent request, and which requests are of the same."""

import re
from collections.abc import Iterator

from memapp.domain.consent import FORGOTTEN, ConsentRequest
from memapp.domain.profile import normal_value
from memapp.language.english.duplicates import gist
from memapp.language.english.grammar import sentences
from memapp.language.lexicon import lexicon

_EN = lexicon("consent")
MAX_REPLY_CHARS = 80
"""A longer reply says more than yes, whatever it begins with; the value is not counted."""


def proposes(request: ConsentRequest, value: str) -> bool:
    """Say whether a request is of this value, in any order; of what was erased, whether it says the same in whatever words."""
    if request.field == FORGOTTEN:
        return gist(request.new_value) == gist(value)
    one, other = (sorted(normal_value(request.field, each).split()) for each in (request.new_value, value))
    return one == other


def says_yes(reply: str, field: str, value: str) -> bool | None:
    """Read a typed reply to the question whether one field may become one value: yes, no, or None for anything unclear.

    A yes that adds anything but courtesy or the same value again is unclear, and so is every question. Without a value there
    is nothing to say yes to.
    """
    text, wanted = _folded(reply, field), _folded(value, field)
    if text is None or wanted is None or len(text) > MAX_REPLY_CHARS + len(wanted) or re.search(r"[?…]|\.\.", reply):
        return None
    if _EN.regex("(?:{no} )+(?:{courtesy} )*").fullmatch(text):
        return False
    forms = map(_EN.filled, _forms_of_yes(field, re.escape(wanted)))
    return True if wanted.strip() and any(re.fullmatch(form, text) for form in forms) else None


def wants_yes_or_no(reply: str) -> bool:
    """Say whether a reply ends with a question that a yes or a no may answer: not so `What do you grow?`"""
    last = (sentences(reply) or [""])[-1].rstrip()
    return last.endswith("?") and _EN.regex(r"\W*(?:(?:and|so|but|oh),? )*(?:{question_words})\b.*").match(last) is None


def _folded(text: str, field: str) -> str | None:
    """Return the words with one space behind each and without points and commas; None where something invisible is in them."""
    plain = normal_value(field, text).replace("’", "'")
    if not plain.isprintable() or "\n" in text.strip():
        return None
    return re.sub(r"(?:[\s,.!;:]|(?<=\s)[-–—](?=\s))+", " ", f"{plain} ").lstrip()


def _forms_of_yes(field: str, value: str) -> Iterator[str]:
    """Yield the patterns of a yes: the word and perhaps the value again; half a word and `do it`; or the thing as an order."""
    said_again = "|".join([*_EN.entry("said_again").get(field, ()), "{said_again_anywhere}"])
    after = rf"(?:{{go_on}} )*(?:(?:(?:{said_again}) )?{value})?(?:{{courtesy}} )*"
    yield rf"(?:{{yes}} )+{after}"
    yield rf"{{half_yes}} (?:(?:{{go_on_alone}}|{{agreed}}) )+{after}"
    yield rf"(?:please )?{{go_on_alone}} {after}"
    for order in _EN.entry("orders").get(field, ()):
        yield rf"(?:{{half_yes}} )?(?:please )?(?:{order}) {value}(?:{{courtesy}} )*"
