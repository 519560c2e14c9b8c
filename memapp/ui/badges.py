"""The words beside the modes in the top line: how much waits for the person."""

import asyncio

from textual.signal import Signal

from memapp.runtime import Runtime
from memapp.services.consent import pending

COUNT_SECONDS = 60.0
"""What was put off, or has run out of time, changes the number by itself."""


class Badges:
    """What each mode has to tell, by its name; every top line hears of a change."""

    def __init__(self, runtime: Runtime, changed: Signal[None]) -> None:
        self._runtime = runtime
        self._changed = changed
        self.words: dict[str, str] = {}

    async def count(self) -> None:
        """Count again."""
        waiting = await asyncio.to_thread(pending.count_waiting, self._runtime)
        words = {"inbox": f"●{waiting}"} if waiting else {}
        if words != self.words:
            self.words = words
            self._changed.publish(None)
