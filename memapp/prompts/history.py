"""The earlier exchanges in a prompt: which ones, and their form."""

from collections.abc import Sequence

from memapp.domain.chat import Exchange
from memapp.domain.persona import Persona
from memapp.domain.text import one_line, shorten

EMPTY = "No previous conversation"
SHOWN_CHARS = 1500
"""The shown part of an earlier message; a long paste must not displace everything else."""


def format_history(exchanges: Sequence[Exchange], persona: Persona) -> str:
    """Return exchanges as a transcript, a line for each speaker and a blank line after each.

    An unprompted remark is one line, marked as earlier.
    """
    if not exchanges:
        return EMPTY
    lines = []
    for exchange in exchanges:
        if exchange.user is None:
            lines.append(f"{persona.name} (earlier): {_shown(exchange.reply)}")
        else:
            lines += [
                f"{persona.user_name}: {_shown(exchange.user)}",
                f"{persona.name}: {_shown(exchange.reply)}",
                "",
            ]
    return "\n".join(lines).strip()


def recent(
    exchanges: Sequence[Exchange], limit: int, total: int | None = None
) -> tuple[Exchange, ...]:
    """Return at most the last `limit` exchanges, starting at a place that moves in steps.

    A short history loses one exchange at a time. A long one loses several at once: until the next
    time its beginning stays the same, and the model's cache of it stays valid. `total` counts the
    exchanges of the whole chat, when `exchanges` is only its end.
    """
    total = len(exchanges) if total is None else total
    step = drop_step(limit)
    first = -(-max(0, total - limit) // step) * step
    return tuple(exchanges[-(total - first) :]) if total > first else ()


def drop_step(length: int) -> int:
    """Return how many exchanges a history loses together: about an eighth to a quarter.

    A power of two, so that the step stays the same while the history grows a little.
    """
    return 1 << max(0, (length // 4).bit_length() - 1)


def begun(exchange: Exchange, length: int) -> Exchange:
    """Return an exchange with at most `length` characters of each message."""
    return Exchange(
        exchange.user and shorten(exchange.user, length), shorten(exchange.reply, length)
    )


def _shown(text: str) -> str:
    return shorten(one_line(text), SHOWN_CHARS)
