"""Yes and no to a consent request, in any language, and requests for the same value."""

import re
import unicodedata

from memapp.domain.consent import FORGOTTEN, ConsentRequest
from memapp.domain.profile import normal_value
from memapp.language.normal_form import gist
from memapp.language.word_file import CODES, WordFile, words

MAX_REPLY_CHARS = 80
"""A longer reply, the value aside, is more than a yes, whatever it begins with."""


def proposes(request: ConsentRequest, value: str) -> bool:
    """Return True for a request for a value in any word order, or in other forms if erased."""
    if request.field == FORGOTTEN:
        return gist(request.new_value) == gist(value)
    requested, given = (
        sorted(normal_value(request.field, text).split()) for text in (request.new_value, value)
    )
    return requested == given


def says_yes(reply: str, field: str, value: str) -> bool | None:
    """Return True for a reply that allows a value in a field, False for a no, else None.

    A yes that adds anything but courtesy or the value is unclear, and so is every question. Without
    a value there is nothing to say yes to. All of a reply is in one language; as one word does not
    identify the language, each is tried.
    """
    text, wanted = _folded(reply, field), _folded(value, field)
    is_doubt = re.search(r"[?¿]|\.\.", unicodedata.normalize("NFKC", reply)) is not None
    if text is None or wanted is None or is_doubt or len(text) > MAX_REPLY_CHARS + len(wanted):
        return None
    spoken = [words(code) for code in CODES]
    if any(
        re.fullmatch(_filled("(?:{no} )+(?:{courtesy} )*", word_file), text) for word_file in spoken
    ):
        return False
    return (
        True
        if wanted.strip()
        and any(_is_yes(text, re.escape(wanted), word_file) for word_file in spoken)
        else None
    )


def begins_with_no(reply: str) -> bool:
    """Return True for a reply whose first word is a no: `No, I live in Bergen.`"""
    first = re.match(r"\W*([^\W\d_]+)\b", reply)
    return first is not None and any(
        words(code).is_all("consent", "no", first[1]) for code in CODES
    )


def _is_yes(text: str, value: str, words: WordFile) -> bool:
    """Return True for a yes with the value or not, half a yes with `do it`, or an order."""
    after = rf"(?:(?:{{go_on}}|{{do_it}}) )*(?:(?:{{said_again}} )?{value})?(?:{{courtesy}} )*"
    forms = (
        rf"(?:{{yes}} )+{after}",
        rf"{{half_yes}} (?:(?:{{do_it}}|{{yes}}) )+{after}",
        rf"{{do_it}} {after}",
        rf"(?:{{half_yes}} )?{{order}} {value}(?:{{courtesy}} )*",
    )
    return any(re.fullmatch(_filled(form, words), text) for form in forms)


def _filled(form: str, words: WordFile) -> str:
    return re.sub(r"\{([a-z_]+)\}", lambda entry: words.pattern("consent", entry[1]), form)


def _folded(text: str, field: str) -> str | None:
    """Return the words of a text without punctuation, a space behind each; None if unprintable."""
    plain = normal_value(field, text).replace("’", "'")
    if not plain.isprintable() or "\n" in text.strip():
        return None
    return re.sub(r"(?:[\s,.!;:¡]|(?<=\s)[-–—](?=\s))+", " ", f"{plain} ").lstrip()
