"""Asides: sentences of a reply that speak of its prompt, as a small model writes them in place of a reply.

Where the person speaks of such things themself, nothing is one.
"""

import re

from memapp.language.lexicon import lexicon

_EN = lexicon("talk")
_SENTENCE = re.compile(r"""\S(?:[^.!?…\n]|[.!?…](?![\s"'”’)*\]]|$))*[.!?…]*["'”’)*\]]*""")


def aside_start(reply: str, message: str) -> int | None:
    """Return where the first aside of a reply begins; None for none."""
    if _EN.regex("{names_aside}").search(message):
        return None
    return next((found.start() for found in _SENTENCE.finditer(reply) if _EN.regex("{aside}").search(found[0])), None)
