"""The session: the open memory, the background threads, undo, and signals of changes.

The session knows no widget: screens subscribe to its signals, and report what was done.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from textual.dom import DOMNode
from textual.signal import Signal

from memapp.domain.forget import Receipt
from memapp.errors import StoreError, UsageError
from memapp.runtime import Runtime
from memapp.services import undo
from memapp.services.consent import past_decisions, pending
from memapp.ui import read_models
from memapp.ui.safe_text import notify
from memapp.ui.worker_threads import Talk

MOST_UNDONE = 50


@dataclass(frozen=True)
class Undo:
    """A step that can be undone."""

    label: str
    """The step in words: `Deleted “Tea”`."""
    back: Callable[[Runtime], object]
    step: str
    """The step in the history; other steps, like renaming a chat, have a name of their own."""


class UndoStack:
    """The last steps of the session."""

    def __init__(self, undone: Callable[[str], None]) -> None:
        self._done: list[Undo] = []
        self._numbers = itertools.count(1)
        self._undone = undone
        """Called with each step that was undone."""

    def push(self, label: str, way_back: str | Callable[[Runtime], object]) -> str:
        """Add a step of the history, or one with its own undo; return the name of the step."""
        if isinstance(way_back, str):
            done = Undo(label, partial(undo.undo, step=way_back), way_back)
        else:
            done = Undo(label, way_back, f"unwritten {next(self._numbers)}")
        self._done = [*self._done, done][-MOST_UNDONE:]
        return done.step

    def drop(self, step: str) -> None:
        """Remove a step that was undone, here or elsewhere."""
        self._done = [undo for undo in self._done if undo.step != step]
        self._undone(step)

    def pop(self, step: str = "") -> Undo | None:
        """Remove and return the last step, or the given one."""
        done = next((undo for undo in reversed(self._done) if step in ("", undo.step)), None)
        if done is not None:
            self._done.remove(done)
        return done

    def put_back(self, done: Undo) -> None:
        """Put back a step whose undo failed."""
        self._done.append(done)

    @property
    def last(self) -> Undo | None:
        return self._done[-1] if self._done else None


def recorded(runtime: Runtime, step: str = "") -> Undo | None:
    """Return the last change in the file that can be undone, or that of a step, of any session."""
    change = (
        undo.undoable_step(runtime, step) if step else next(iter(undo.undoable(runtime, 1)), None)
    )
    return (
        Undo(undo.describe(runtime, change), partial(undo.undo, step=change.id), change.id)
        if change
        else None
    )


class AppSession:
    """The open memory and the person in front of it."""

    before_erasing: Callable[[], Awaitable[None]]
    """Saves the draft, which an erasure also searches. Set by the chat."""
    after_erasing: Callable[[], Awaitable[None]]
    """Shows the chat again after an erasure: no erased word may be saved. Set by the chat."""

    def __init__(self, owner: DOMNode, runtime: Runtime, talk: Talk, *, demo: bool = False) -> None:
        self.runtime = runtime
        self.talk = talk
        self.demo = demo
        self.changed: Signal[None] = Signal(owner, "memories changed")
        """Published after each change of a memory; screens load again."""
        self.step_undone: Signal[str] = Signal(owner, "step undone")
        """Published with each step that was undone."""
        self.badged: Signal[None] = Signal(owner, "badges changed")
        self.badges: dict[str, str] = {}
        """The badge of each mode in the top line."""
        self.shared = ""
        """What the top line says of the other machines; empty until that is known."""
        self.undone = UndoStack(self.step_undone.publish)
        self._one_undo = asyncio.Lock()
        """Held during an undo: fast keys are processed in order."""
        self.fresh_memory = ""
        """The memory that was added last and not seen since; Memories opens there."""
        self.fresh_trash = ""
        """The memory that was deleted last and not seen since; Trash opens there."""

    def memories_changed(self) -> None:
        """Publish a change, and count the badges."""
        self.changed.publish(None)

    async def count_badges(self) -> None:
        waiting = await asyncio.to_thread(pending.count_pending, self.runtime)
        badges = {"inbox": f"●{waiting}"} if waiting else {}
        shared = await asyncio.to_thread(read_models.sharing, self.runtime)
        if (badges, shared) != (self.badges, self.shared):
            self.badges, self.shared = badges, shared
            self.badged.publish(None)

    # Undo -----------------------------------------------------------------------------------------

    def did(self, node: DOMNode, label: str, step: str) -> None:
        """Record a step, show a toast with an undo, and publish the change."""
        notify(node, label, undo=self.undone.push(label, step))
        self.memories_changed()

    async def decided(self, node: DOMNode, step: str) -> None:
        """Record a step with a decision, and show the words for that decision."""
        self.did(node, await asyncio.to_thread(past_decisions.describe, self.runtime, step), step)

    async def undo(self, step: str = "") -> str:
        """Undo the last step of the session, or the given one, and return the words for a toast.

        Without a step of the session, the last change in the file is undone.
        """
        async with self._one_undo:
            done = self.undone.pop(step)
            while (
                done is not None
                and not step
                and await asyncio.to_thread(undo.was_undone, self.runtime, done.step)
            ):
                # The step ended with a message that was edited and sent again.
                self.undone.drop(done.step)
                done = self.undone.pop()
            done = done or await asyncio.to_thread(recorded, self.runtime, step)
            if done is None and step:
                already = await asyncio.to_thread(undo.was_undone, self.runtime, step)
                return "That is undone already." if already else "That cannot be undone any more."
            return await self._undo(done)

    async def undo_recorded(self) -> str:
        """Undo the last change in the file, and return the words for a toast."""
        async with self._one_undo:
            return await self._undo(await asyncio.to_thread(recorded, self.runtime))

    async def _undo(self, done: Undo | None) -> str:
        if done is None:
            raise UsageError("There is nothing to undo.")
        try:
            await asyncio.to_thread(done.back, self.runtime)
        except StoreError:
            self.undone.put_back(done)  # The file is busy or full; undo can be tried again.
            raise
        finally:
            self.memories_changed()  # Some of the changes may be pending in the inbox now.
        self.undone.drop(done.step)
        return f"Undone: {done.label}"

    # Erasing --------------------------------------------------------------------------------------

    async def erase(self, node: DOMNode, erase: Callable[[], Receipt]) -> Receipt:
        """Erase something for good; the draft is saved before, and the chat shown again after."""
        await self.before_erasing()
        notify(node, "Erasing, and scanning the files for what is left…")
        receipt = await asyncio.to_thread(erase)
        if receipt.messages or receipt.others:
            await self.after_erasing()
        return receipt
