"""The keys that act on memories: the same in Memories, in Trash, and in a card."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.dom import DOMNode

from memapp.domain.memory import Kind, Memory, State
from memapp.ui.background import background
from memapp.ui.memories.actions import MemoryActions

LEAVING = frozenset({"discard", "restore"})
ON_TRASHED = frozenset({"restore", "erase"})


class MemoryKeys(DOMNode):
    """The keys of a screen with memories; named after the kind of screen, for its style."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "edit", "Edit", id="memory.edit"),
        Binding("p", "change('pin')", "Pin", id="memory.pin"),
        Binding(
            "d,delete,backspace", "change('discard')", "Trash", id="memory.discard", key_display="d"
        ),
        Binding("r", "change('restore')", "Restore", id="memory.restore"),
        Binding("X", "erase", "Erase now", id="memory.erase"),
        Binding("t", "change('tag')", "Tag", show=False, id="memory.tag"),
        Binding("i", "change('weigh')", "Importance", show=False, id="memory.weigh"),
        Binding("c", "change('categorise')", "Category", show=False, id="memory.categorise"),
        Binding("y", "copy", "Copy", show=False, id="memory.copy"),
    ]

    actions: MemoryActions

    @property
    def chosen(self) -> list[Memory]:
        """The memories that a key acts on."""
        raise NotImplementedError

    @property
    def read(self) -> Memory | None:
        """The open memory, whatever is marked: only one can be edited at a time."""
        raise NotImplementedError

    def left(self, chosen: list[Memory]) -> None:
        """Update the screen after memories were removed."""
        raise NotImplementedError

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action not in ("edit", "change", "erase", "copy"):
            return super().check_action(action, parameters)
        does = parameters[0] if action == "change" else action
        chosen = (
            [memory for memory in [self.read] if memory is not None]
            if does == "edit"
            else self.chosen
        )
        if does == "categorise" and any(memory.kind is Kind.PROCEDURAL for memory in chosen):
            return False  # The card keeps the kind of its memory.
        return bool(chosen) and (
            does == "copy"
            or all((memory.state is State.LIVE) == (does not in ON_TRASHED) for memory in chosen)
        )

    @background("memory-action")
    async def action_edit(self) -> None:
        if (memory := self.read) is not None:
            await self.actions.edit(memory)

    @background("memory-action")
    async def action_change(self, does: str) -> None:
        chosen = self.chosen
        await getattr(self.actions, does)(chosen)
        if does in LEAVING:
            self.left(chosen)

    @background("memory-erase", exclusive=True)
    async def action_erase(self) -> None:
        chosen = self.chosen
        if await self.actions.erase(chosen):
            self.left(chosen)

    def action_copy(self) -> None:
        self.actions.copy(self.chosen)
