"""Conflicts: lessons that the same error brings and that fix it in different ways; which of two wins, and which always loses."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from memapp.domain.lessons.fingerprint import parts

LOSSES = 3
"""So many losses, and so many for each win, are consistent."""


@dataclass(frozen=True, slots=True)
class Fix:
    """What a lesson changes in an action, whatever stands around it."""

    taken_out: frozenset[str]
    put_in: frozenset[str]

    @classmethod
    def of(cls, wrong: str, correct: str) -> "Fix":
        return cls(parts(wrong) - parts(correct), parts(correct) - parts(wrong))


def are_in_conflict(triggers: Collection[object], fix: Fix, other_triggers: Collection[object], other: Fix) -> bool:
    """Say whether two lessons share a trigger and put different things in the place of the same."""
    shared = not {*triggers}.isdisjoint(other_triggers)
    return shared and fix.taken_out == other.taken_out and fix.put_in != other.put_in


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two lessons in conflict, and how often each was the better one."""

    one: str
    other: str
    """Ids of lessons; the first sorts before the second."""
    one_wins: int = 0
    other_wins: int = 0

    def settled(self, lesson: str, helped: bool | None) -> "Conflict":
        """Return the conflict after one of the two was shown at a trigger of both: it wins if it helped, and loses if it hurt."""
        if helped is None:
            return self
        if (lesson == self.one) is helped:
            return replace(self, one_wins=self.one_wins + 1)
        return replace(self, other_wins=self.other_wins + 1)

    @property
    def loser(self) -> str:
        """The lesson that loses consistently; empty without one."""
        if _loses(self.one_wins, self.other_wins):
            return self.one
        return self.other if _loses(self.other_wins, self.one_wins) else ""


def _loses(wins: int, losses: int) -> bool:
    return losses >= LOSSES and losses >= LOSSES * wins
