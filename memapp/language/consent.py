"""What counts as a yes to a consent request, in any language, and which requests are of the same."""

import re
import unicodedata

from memapp.domain.consent import FORGOTTEN, ConsentRequest
from memapp.domain.profile import normal_value
from memapp.language.word_file import CODES, WordFile, words
from memapp.language.wording import gist

MAX_REPLY_CHARS = 80
"""A longer reply says more than yes, whatever it begins with; the value is not counted."""


def proposes(request: ConsentRequest, value: str) -> bool:
    """Return True for a request of a value, in any order of words; of what was erased, in other
    forms of them.
    """
    if request.field == FORGOTTEN:
        return gist(request.new_value) == gist(value)
    one, other = (
        sorted(normal_value(request.field, each).split()) for each in (request.new_value, value)
    )
    return one == other


def says_yes(reply: str, field: str, value: str) -> bool | None:
    """Return whether a typed reply to the question whether a field may become a value is a yes or a
    no; None if it is unclear.

    A yes that adds anything but courtesy or the same value again is unclear, and so is every
    question. Without a value there is nothing to say yes to. All of a reply is in one language; one
    word tells none, so each is tried.
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
    """Return True for the word and perhaps the value again, half a word and `do it`, or the thing
    as an order.
    """
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
    """Return the words with one space behind each and without points and commas; None where
    something invisible is in them.
    """
    plain = normal_value(field, text).replace("’", "'")
    if not plain.isprintable() or "\n" in text.strip():
        return None
    return re.sub(r"(?:[\s,.!;:¡]|(?<=\s)[-–—](?=\s))+", " ", f"{plain} ").lstrip()
