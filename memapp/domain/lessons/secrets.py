"""Taking secrets out of commands and their output, before anything of them is written."""

import re
from collections.abc import Sequence
from typing import NamedTuple

MARK = "***"


class SecretForm(NamedTuple):
    """A form that secrets have."""

    signs: tuple[str, ...]
    """One of these is in a text that has such a secret, in small letters; none if nothing gives it away."""
    pattern: str
    """A regular expression; of what it finds only the group `secret` goes, where it has one."""


def without_secrets(text: str, forms: Sequence[SecretForm]) -> str:
    """Return a text with every secret replaced by three stars."""
    folded = text.casefold()
    for signs, pattern in forms:
        if not signs or any(sign in folded for sign in signs):
            text = re.sub(pattern, _hidden, text)
    return text


def _hidden(match: re.Match[str]) -> str:
    if "secret" not in match.re.groupindex:
        return MARK
    start, end = (one - match.start() for one in match.span("secret"))
    return f"{match[0][:start]}{MARK}{match[0][end:]}"
