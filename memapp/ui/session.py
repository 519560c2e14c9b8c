"""The session: what all parts of the screen share. The open memory, the threads beside it, undo,
and word of what changed.

It is no widget and knows none: whoever shows something subscribes to a signal here, and tells here
what was done.
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
from memapp.ui.safe import notify
from memapp.ui.talk import Talk

MOST_UNDONE = 50


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
        """Keep what was done, with its step of the history or with what takes it back; return the
        name of the step.
        """
        if isinstance(way_back, str):
            done = Undo(label, partial(undo.undo, step=way_back), way_back)
        else:
            done = Undo(label, way_back, f"unwritten {next(self._numbers)}")
        self._done = [*self._done, done][-MOST_UNDONE:]
        return done.step

    def drop(self, step: str) -> None:
        """Leave out a step that was taken back, here or elsewhere."""
        self._done = [undo for undo in self._done if undo.step != step]
        self._gone(step)

    def pop(self, step: str = "") -> Undo | None:
        """Return what was done last, or in a certain step, and leave it out from now on."""
        done = next((undo for undo in reversed(self._done) if step in ("", undo.step)), None)
        if done is not None:
            self._done.remove(done)
        return done

    def put_back(self, done: Undo) -> None:
        """Keep what could not be taken back just now as what was done last."""
        self._done.append(done)

    @property
    def last(self) -> Undo | None:
        return self._done[-1] if self._done else None


def recorded(runtime: Runtime, step: str = "") -> Undo | None:
    """Return a change in the file that can be taken back, the last one or that of a step, perhaps
    from before the start.
    """
    found = undo.find(runtime, step) if step else next(iter(undo.undoable(runtime, 1)), None)
    return (
        Undo(undo.describe(runtime, found), partial(undo.undo, step=found.id), found.id)
        if found
        else None
    )


class AppSession:
    """One open memory and the person in front of it."""

    before_erasing: Callable[[], Awaitable[None]]
    """Saves what is being typed: it is looked through too. The chat sets it."""
    after_erasing: Callable[[], Awaitable[None]]
    """Shows again what the file holds: words that are gone stay nowhere, to be saved again. The
    chat sets it.
    """

    def __init__(self, owner: DOMNode, runtime: Runtime, talk: Talk, *, demo: bool = False) -> None:
        self.runtime = runtime
        self.talk = talk
        self.demo = demo
        self.changed: Signal[None] = Signal(owner, "memories changed")
        """Published after each change of a memory; screens that show memories look again."""
        self.taken_back: Signal[str] = Signal(owner, "taken back")
        """Published with each step that was taken back."""
        self.badged: Signal[None] = Signal(owner, "badges changed")
        self.badges: dict[str, str] = {}
        """What each mode has to tell in the top line, by its name."""
        self.undone = UndoStack(self.taken_back.publish)
        self._one_undo = asyncio.Lock()
        """Held while something is taken back: keys pressed fast are carried out in their order."""
        self.fresh_memory = ""
        """What was remembered last and not looked at since; Memories opens there."""
        self.fresh_trash = ""
        """What was put into the trash last and not looked at since; Trash opens there."""

    def memories_changed(self) -> None:
        """Let every screen that shows memories look again."""
        self.changed.publish(None)

    async def count_badges(self) -> None:
        waiting = await asyncio.to_thread(pending.count_pending, self.runtime)
        badges = {"inbox": f"●{waiting}"} if waiting else {}
        if badges != self.badges:
            self.badges = badges
            self.badged.publish(None)

    # Undo -----------------------------------------------------------------------------------------

    def did(self, node: DOMNode, label: str, step: str) -> None:
        """Keep a step that was made in memories or the profile, say it with an undo, and let every
        screen show it.
        """
        notify(node, label, undo=self.undone.push(label, step))
        self.memories_changed()

    async def decided(self, node: DOMNode, step: str) -> None:
        """Keep a step that decided something, and say it in the words of that decision."""
        self.did(node, await asyncio.to_thread(past_decisions.describe, self.runtime, step), step)

    async def undo(self, step: str = "") -> str:
        """Take back the last thing done here, or what was done in a certain step; return what is
        said about it.

        With nothing done here yet it is the last change in the file.
        """
        async with self._one_undo:
            done = self.undone.pop(step)
            while (
                done is not None
                and not step
                and await asyncio.to_thread(undo.was_taken_back, self.runtime, done.step)
            ):
                self.undone.drop(done.step)  # it went with a message that was sent in other words
                done = self.undone.pop()
            done = done or await asyncio.to_thread(recorded, self.runtime, step)
            if done is None and step:
                already = await asyncio.to_thread(undo.was_taken_back, self.runtime, step)
                return (
                    "That is taken back already."
                    if already
                    else "That cannot be taken back any more."
                )
            return await self._take_back(done)

    async def undo_recorded(self) -> str:
        """Take back the last change in the file, whatever was done here since; return what is said
        about it.
        """
        async with self._one_undo:
            return await self._take_back(await asyncio.to_thread(recorded, self.runtime))

    async def _take_back(self, done: Undo | None) -> str:
        if done is None:
            raise UsageError("There is nothing to take back.")
        try:
            await asyncio.to_thread(done.back, self.runtime)
        except StoreError:
            self.undone.put_back(done)  # the file is busy or full: it can be tried again
            raise
        finally:
            self.memories_changed()  # some of it may wait in the inbox now
        self.undone.drop(done.step)
        return f"Taken back: {done.label}"

    # Erasing --------------------------------------------------------------------------------------

    async def erase(self, node: DOMNode, erase: Callable[[], Receipt]) -> Receipt:
        """Erase something for good, with what is being typed looked through and what is on the
        screen read anew.
        """
        await self.before_erasing()
        notify(node, "Erasing, and scanning the files for what is left…")
        receipt = await asyncio.to_thread(erase)
        if receipt.messages or receipt.others:
            await self.after_erasing()
        return receipt
