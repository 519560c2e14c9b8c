"""Conflicts: lessons with the same trigger and different fixes, and which of two loses."""

from collections.abc import Collection
from dataclasses import dataclass

from memapp.domain.lessons.fingerprint import parts

LOSSES = 3
"""Losses that count as consistent, in all and for each win."""


@dataclass(frozen=True, slots=True)
class Fix:
    """The change that a lesson makes to an action, without the unchanged parts."""

    taken_out: frozenset[str]
    put_in: frozenset[str]

    @classmethod
    def of(cls, wrong: str, correct: str) -> "Fix":
        return cls(parts(wrong) - parts(correct), parts(correct) - parts(wrong))


def are_in_conflict(
    triggers: Collection[object], fix: Fix, other_triggers: Collection[object], other: Fix
) -> bool:
    """Return True if two lessons share a trigger and replace the same part, or add, differently."""
    shared = not {*triggers}.isdisjoint(other_triggers)
    same_place = bool(fix.taken_out & other.taken_out) or not (fix.taken_out or other.taken_out)
    return shared and same_place and fix.put_in != other.put_in


def always_loses(wins: int, losses: int) -> bool:
    """Return True for a lesson that loses a conflict consistently."""
    return losses >= LOSSES and losses >= LOSSES * wins
