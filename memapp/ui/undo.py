"""What can be taken back: the last things done on the screen, newest last."""

from collections.abc import Callable
from dataclasses import dataclass

from memapp.runtime import Runtime
from memapp.services import undo

MOST = 50


@dataclass(frozen=True)
class Undo:
    """One thing that can be taken back."""

    label: str
    """What was done: `Deleted “Tea”`."""
    back: Callable[[Runtime], object]
    step: str = ""
    """Of the history; empty for what stands in none, like the title of a chat."""


class UndoStack:
    """The last things done."""

    def __init__(self, gone: Callable[[str], None]) -> None:
        self._done: list[Undo] = []
        self._gone = gone
        """Told each step that was taken back."""

    def push(self, label: str, back: Callable[[Runtime], object], step: str = "") -> None:
        self._done = [*self._done, Undo(label, back, step)][-MOST:]

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


def undo_earlier(runtime: Runtime) -> str:
    """Take back the last change of a memory or the profile that stands in the file; return what it was, in words."""
    step = undo.undo_last(runtime)
    return undo.told(runtime, step).replace(": ", " ")
