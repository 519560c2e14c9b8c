"""The attempts at a reply: each samples other words."""

from dataclasses import dataclass

LIVELY = 0.7
"""Temperature of another answer to the same message.

20 of 28 were right, and all differed from the first one, of which 24 were right. At 0.5 as many
were right and one was the same; with the first answer named as one to avoid, and at 1.0, 12 were
right.
"""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The number of an attempt at a reply."""

    retries: int = 0
    """The number of replies to the message that the person has seen."""
    second: bool = False
    """True if the first attempt repeated a text."""

    @property
    def seed(self) -> int:
        return 2 * self.retries + self.second

    def temperature(self, usual: float) -> float:
        return max(usual, LIVELY if self.second or self.retries else 0.0)


FIRST = Attempt()
