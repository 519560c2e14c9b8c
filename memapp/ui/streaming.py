"""The pace of a streamed reply: the screen gets few large parts instead of many small ones."""

import time
from collections.abc import Iterator

from memapp.domain.turn_events import Streamed, TurnEvent

STREAM_SECONDS = 0.06
"""The least time between two parts of a streamed reply."""


def paced(events: Iterator[TurnEvent]) -> Iterator[TurnEvent]:
    """Join streamed parts that arrive faster than the screen needs."""
    held, passed_on = "", 0.0
    for event in events:
        if isinstance(event, Streamed):
            held += event.text
            if time.monotonic() - passed_on < STREAM_SECONDS:
                continue
            event, held, passed_on = Streamed(held), "", time.monotonic()
        elif held:
            yield Streamed(held)
            held = ""
        yield event
    if held:
        yield Streamed(held)
