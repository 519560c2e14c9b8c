"""Asides: sentences of a reply that speak of its prompt, or say what is known of the person as if it were the model's own.

A small model writes them in place of a reply. Where the person speaks of a prompt themself, nothing speaks of it.
"""

import re
from collections.abc import Sequence

from memapp.language.english import profile, statements
from memapp.language.english.duplicates import duplicate_of
from memapp.language.lexicon import lexicon

_EN = lexicon("talk")
_SENTENCE = re.compile(r"""\S(?:[^.!?…\n]|[.!?…](?![\s"'”’)*\]]|$))*[.!?…]*["'”’)*\]]*""")


def aside_start(reply: str, message: str) -> int | None:
    """Return where the first aside of a reply begins; None for none."""
    if _EN.regex("{names_aside}").search(message):
        return None
    return next((found.start() for found in _SENTENCE.finditer(reply) if _EN.regex("{aside}").search(found[0])), None)


def claim_start(reply: str, facts: Sequence[str], profile_line: str) -> int | None:
    """Return where a reply first says of its writer what facts or the profile say of the person; None for nowhere."""
    for found in _SENTENCE.finditer(reply):
        stated = (one.fact for one in statements.read(found[0]) if one.fact)
        values = (re.escape(one.value) for one in profile.stated(found[0]))
        if any(duplicate_of(one, facts) for one in stated) or any(re.search(rf"\b{one}\b", profile_line) for one in values):
            return found.start()
    return None
