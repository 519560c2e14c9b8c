"""What can be taken back: the last things done on the screen, newest last."""

from collections.abc import Callable
from dataclasses import dataclass

from memapp.runtime import Runtime

MOST = 50


@dataclass(frozen=True)
class Undo:
    """One thing that can be taken back."""

    label: str
    """What was done: `Deleted “Tea”`."""
    back: Callable[[Runtime], object]


class UndoStack:
    """The last things done."""

    def __init__(self) -> None:
        self._done: list[Undo] = []

    def push(self, label: str, back: Callable[[Runtime], object]) -> None:
        self._done = [*self._done, Undo(label, back)][-MOST:]

    def pop(self) -> Undo | None:
        return self._done.pop() if self._done else None

    @property
    def last(self) -> Undo | None:
        return self._done[-1] if self._done else None
