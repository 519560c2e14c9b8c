"""Earlier exchanges as a prompt shows them, and which of them it shows."""

from collections.abc import Sequence

from memapp.domain.chat import Exchange
from memapp.domain.persona import Persona
from memapp.domain.text import one_line

EMPTY = "No previous conversation"


def format_history(exchanges: Sequence[Exchange], persona: Persona, limit: int = 3) -> str:
    """Write the last `limit` exchanges one line per speaker; a blank line ends an exchange, a remark nobody asked for has none."""
    recent = exchanges[-limit:] if limit > 0 else ()
    if not recent:
        return EMPTY
    lines = []
    for exchange in recent:
        if exchange.user is None:
            lines.append(f"{persona.name} (earlier): {one_line(exchange.reply)}")
        else:
            lines += [f"{persona.user_name}: {one_line(exchange.user)}", f"{persona.name}: {one_line(exchange.reply)}", ""]
    return "\n".join(lines).strip()


def recent(exchanges: Sequence[Exchange], limit: int, total: int | None = None) -> tuple[Exchange, ...]:
    """Return at most the last `limit` exchanges, beginning at a place that moves in steps.

    Up to four exchanges are dropped one by one; a longer history loses a quarter at once, so that between two drops its
    beginning stays the same and the model's cache of it stays good. `total` counts the exchanges of the whole chat, when
    `exchanges` is only its end.
    """
    total = len(exchanges) if total is None else total
    step = drop_step(limit)
    first = max(0, total - limit)
    first = -(-first // step) * step
    shown = min(total - first, len(exchanges))
    return tuple(exchanges[len(exchanges) - shown :])


def drop_step(limit: int) -> int:
    """How many exchanges leave a history of `limit` exchanges together."""
    return max(1, limit // 4)
