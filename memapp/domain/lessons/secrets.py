"""Taking secrets out of commands and their output, before anything of them is written."""

import re
from collections.abc import Sequence

MARK = "***"


def without_secrets(text: str, patterns: Sequence[re.Pattern[str]]) -> str:
    """Return a text with every secret replaced by three stars; of a pattern only the group `secret`, where it has one."""
    for pattern in patterns:
        text = pattern.sub(_hidden, text)
    return text


def _hidden(match: re.Match[str]) -> str:
    if "secret" not in match.re.groupindex:
        return MARK
    start, end = (one - match.start() for one in match.span("secret"))
    return f"{match[0][:start]}{MARK}{match[0][end:]}"
