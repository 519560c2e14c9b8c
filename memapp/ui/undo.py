"""Undo: the last things done on the screen, newest last, and what takes each back."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from memapp.runtime import Runtime
from memapp.services import undo

MOST = 50


@dataclass(frozen=True)
class Undo:
    """One thing that can be taken back."""

    label: str
    """What was done: `Deleted “Tea”`."""
    back: Callable[[Runtime], object]
    step: str
    """Of the history; a name of its own for what stands in none, like the title of a chat."""


class UndoStack:
    """The last things done."""

    def __init__(self, gone: Callable[[str], None]) -> None:
        self._done: list[Undo] = []
        self._numbers = itertools.count(1)
        self._gone = gone
        """Told each step that was taken back."""

    def push(self, label: str, way_back: str | Callable[[Runtime], object]) -> str:
        """Keep what was done, with its step of the history or with what takes it back; return the name of the step."""
        if isinstance(way_back, str):
            done = Undo(label, partial(undo.undo, step=way_back), way_back)
        else:
            done = Undo(label, way_back, f"unwritten {next(self._numbers)}")
        self._done = [*self._done, done][-MOST:]
        return done.step

    def drop(self, step: str) -> None:
        """Leave out a step that was taken back, here or elsewhere."""
        self._done = [one for one in self._done if one.step != step]
        self._gone(step)

    def pop(self, step: str = "") -> Undo | None:
        """Return what was done last, or in a certain step, and leave it out from now on."""
        done = next((one for one in reversed(self._done) if step in ("", one.step)), None)
        if done is not None:
            self._done.remove(done)
        return done

    @property
    def last(self) -> Undo | None:
        return self._done[-1] if self._done else None


def recorded(runtime: Runtime, step: str = "") -> Undo | None:
    """Return a change in the file that can be taken back, the last one or that of a step, perhaps from before the start."""
    found = undo.find(runtime, step) if step else next(iter(undo.undoable(runtime, 1)), None)
    return Undo(undo.describe(runtime, found), partial(undo.undo, step=found.id), found.id) if found else None
