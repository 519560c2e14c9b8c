"""The keys that act on memories: the same in Memories, in Trash, and in the card of one memory."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.dom import DOMNode

from memapp.domain.memory import Memory, State
from memapp.ui.background import background
from memapp.ui.memories.actions import MemoryActions

ON_LIVE = frozenset({"edit", "pin", "discard", "tag", "weigh", "categorise"})
ON_TRASHED = frozenset({"restore", "erase"})


class MemoryKeys(DOMNode):
    """The keys of a screen with memories, which says on which of them they act; named after its kind of screen, for its style."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "edit", "Edit", id="memory.edit"),
        Binding("p", "pin", "Pin", id="memory.pin"),
        Binding("d,delete,backspace", "discard", "Trash", id="memory.discard", key_display="d"),
        Binding("r", "restore", "Restore", id="memory.restore"),
        Binding("X", "erase", "Erase now", id="memory.erase"),
        Binding("t", "tag", "Tag", show=False, id="memory.tag"),
        Binding("i", "weigh", "Importance", show=False, id="memory.weigh"),
        Binding("c", "categorise", "Category", show=False, id="memory.categorise"),
        Binding("y", "copy", "Copy", show=False, id="memory.copy"),
    ]

    actions: MemoryActions

    @property
    def chosen(self) -> list[Memory]:
        """What a key acts on."""
        raise NotImplementedError

    @property
    def read(self) -> Memory | None:
        """The one memory that is read, whatever is marked: words are written one by one."""
        raise NotImplementedError

    def left(self, chosen: list[Memory]) -> None:
        """Some memories went where this screen does not show them."""
        raise NotImplementedError

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action not in ON_LIVE | ON_TRASHED | {"copy"}:
            return super().check_action(action, parameters)
        chosen = [one for one in [self.read] if one is not None] if action == "edit" else self.chosen
        alike = action == "copy" or all((one.state is State.LIVE) == (action in ON_LIVE) for one in chosen)
        return bool(chosen) and alike

    @background("memory-action")
    async def action_edit(self) -> None:
        if (one := self.read) is not None:
            await self.actions.edit(one)

    @background("memory-action")
    async def action_pin(self) -> None:
        await self.actions.pin(self.chosen)

    @background("memory-action")
    async def action_tag(self) -> None:
        await self.actions.tag(self.chosen)

    @background("memory-action")
    async def action_weigh(self) -> None:
        await self.actions.weigh(self.chosen)

    @background("memory-action")
    async def action_categorise(self) -> None:
        await self.actions.categorise(self.chosen)

    @background("memory-action")
    async def action_discard(self) -> None:
        chosen = self.chosen
        await self.actions.discard(chosen)
        self.left(chosen)

    @background("memory-action")
    async def action_restore(self) -> None:
        chosen = self.chosen
        await self.actions.restore(chosen)
        self.left(chosen)

    @background("memory-erase", exclusive=True)
    async def action_erase(self) -> None:
        chosen = self.chosen
        if await self.actions.erase(chosen):
            self.left(chosen)

    def action_copy(self) -> None:
        self.actions.copy(self.chosen)
