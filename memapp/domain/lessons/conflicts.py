"""Conflicts: lessons that the same error brings and that fix it in different ways; which of two
wins, and which always loses.
"""

from collections.abc import Collection
from dataclasses import dataclass

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


def are_in_conflict(
    triggers: Collection[object], fix: Fix, other_triggers: Collection[object], other: Fix
) -> bool:
    """Return True if two lessons share a trigger and put different things in the place of the same,
    or add different things.
    """
    shared = not {*triggers}.isdisjoint(other_triggers)
    same_place = bool(fix.taken_out & other.taken_out) or not (fix.taken_out or other.taken_out)
    return shared and same_place and fix.put_in != other.put_in


def always_loses(wins: int, losses: int) -> bool:
    """Say whether a lesson loses a conflict consistently, by how often it was the better one, and
    how often the other was.
    """
    return losses >= LOSSES and losses >= LOSSES * wins
