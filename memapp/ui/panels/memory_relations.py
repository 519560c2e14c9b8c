"""What a memory is related to, as a tree to walk: branches are looked up when they are opened."""

import asyncio
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from memapp.domain.memory import Memory
from memapp.domain.text import clean, one_line, shorten
from memapp.runtime import Runtime
from memapp.services import relations
from memapp.ui.beside import beside

LABEL_CHARS = 120


class MemoryRelations(Tree[str]):
    """A memory and what it is related to, with how strongly."""

    BINDING_GROUP_TITLE = "Relations"
    HELP = "Right opens a branch, left closes it. Enter walks to the memory."

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select_cursor", "Walk there", id="relations.walk", key_display="⏎"),
        Binding("right,l", "branch(True)", "Open", id="relations.open", key_display="→"),
        Binding("left,h", "branch(False)", "Close", id="relations.close", key_display="←"),
        Binding("j", "cursor_down", "Down", show=False, id="relations.down"),
        Binding("k", "cursor_up", "Up", show=False, id="relations.up"),
    ]

    @dataclass
    class Walked(Message):
        """The person wants to go to a related memory."""

        memory_id: str

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(Text(""), id="memory-relations")
        self._runtime = runtime
        self._looked_up: set[int] = set()
        self.auto_expand = False
        self.guide_depth = 2

    def show(self, memory: Memory) -> None:
        """Put a memory at the root."""
        self._looked_up.clear()
        self.reset(_label(memory.text), memory.id)
        self.move_cursor(self.root)
        self._look_up(self.root)

    @on(Tree.NodeExpanded)
    def _opened(self, event: Tree.NodeExpanded[str]) -> None:
        event.stop()
        self._look_up(event.node)

    @on(Tree.NodeSelected)
    def _selected(self, event: Tree.NodeSelected[str]) -> None:
        event.stop()
        if event.node is not self.root and event.node.data:
            self.post_message(self.Walked(event.node.data))

    def action_branch(self, opened: bool) -> None:
        node = self.cursor_node
        if node is None:
            return
        if opened:
            node.expand()
        elif node.is_expanded:
            node.collapse()
        elif node.parent is not None:
            self.move_cursor(node.parent)

    @beside("relations")
    async def _look_up(self, node: TreeNode[str]) -> None:
        if node.id in self._looked_up or not node.data:
            return
        self._looked_up.add(node.id)
        found = await asyncio.to_thread(relations.related, self._runtime, node.data)
        if node.id not in self._looked_up:
            return  # another memory is shown by now
        for one in found:
            node.add(_label(one.text, f"{one.strength:.2f} "), one.id)
        if not found and node is self.root:
            node.add_leaf(Text("nothing yet: what is alike is related while memapp is idle", style="italic"))
        node.allow_expand = bool(found) or node is self.root
        node.expand()


def _label(text: str, before: str = "") -> Text:
    """Return a label of one line; a bare string would be read as markup."""
    return Text(before + (shorten(one_line(clean(text[: 4 * LABEL_CHARS])), LABEL_CHARS) or "…"))
