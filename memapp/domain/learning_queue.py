"""The queue of messages to learn from, which are read one by one in idle time."""

from dataclasses import dataclass
from typing import Literal

QueueState = Literal["pending", "learned", "nothing", "failed"]
"""The state of a message in the queue: to be read, or the outcome of reading."""


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message in the queue that has not been learned from yet."""

    id: str
    """Of the entry in the queue."""
    thread_id: str
    message_id: str
    expected: str
    """The prediction that the message was compared with; empty without one."""
