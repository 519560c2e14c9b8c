"""The relations of a memory as a tree; branches are loaded when they are opened."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from memapp.domain.memory import Memory
from memapp.domain.text import clean, one_line, shorten
from memapp.runtime import Runtime
from memapp.services import curate
from memapp.ui.background import background
from memapp.ui.widgets.labels import bar

LABEL_CHARS, LEAST_CELLS = 120, 16
NOTHING_RELATED = "nothing like it is known yet"


class MemoryRelations(Tree[str]):
    """A memory and its related memories; a bar shows the strength."""

    BINDING_GROUP_TITLE = "Relations"
    HELP = (
        "Right opens a branch, left closes it. Enter opens the memory. "
        "The bar shows how similar it is."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select_cursor", "Go there", id="relations.walk", key_display="⏎"),
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
        self._looked_up: set[TreeNode[str]] = set()
        self.auto_expand = False
        self.guide_depth = 2

    @property
    def reader(self) -> "MemoryRelations":
        return self

    def render_label(self, node: TreeNode[str], base_style: Style, style: Style) -> Text:
        """Return the label, cut to the width with an ellipsis."""
        label, at, depth = super().render_label(node, base_style, style), node.parent, 0
        while at is not None:
            at, depth = at.parent, depth + 1
        label.truncate(
            max(LEAST_CELLS, self.size.width - depth * self.guide_depth), overflow="ellipsis"
        )
        return label

    def on_resize(self) -> None:
        self._invalidate()

    async def look_up(self, memory: Memory) -> None:
        """Put a memory at the root; if it is there already, redraw only changed branches."""
        if self.root.data == memory.id:
            self.root.set_label(_label(memory.text))
        else:
            self._looked_up.clear()
            self.reset(_label(memory.text), memory.id)
            self.move_cursor(self.root)
            self.root.expand()
        self._look_again(self.root)

    def _look_again(self, node: TreeNode[str]) -> None:
        for child in node.children:
            if child in self._looked_up:
                self._look_again(child)
        self._look_up(node)

    @on(Tree.NodeExpanded)
    def _opened(self, event: Tree.NodeExpanded[str]) -> None:
        event.stop()
        if event.node not in self._looked_up:
            self._look_up(event.node)

    @on(Tree.NodeSelected)
    def _selected(self, event: Tree.NodeSelected[str]) -> None:
        event.stop()
        if event.node is not self.root and event.node.data:
            self.post_message(self.Walked(event.node.data))

    def check_action(
        self,
        action: str,
        parameters: tuple[object, ...],  # noqa: ARG002 - Textual's signature
    ) -> bool | None:
        return action not in ("branch", "select_cursor") or any(
            child.data for child in self.root.children
        )

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

    @background("relations")
    async def _look_up(self, node: TreeNode[str]) -> None:
        if not node.data:
            return
        self._looked_up.add(node)
        relations = await asyncio.to_thread(curate.related, self._runtime, node.data)
        rows = [
            (relation.id, _label(relation.text, f"{bar(round(5 * relation.strength))} "))
            for relation in relations
        ]
        if not rows and node is self.root:
            rows = [("", Text(NOTHING_RELATED, style="italic"))]
        if node not in self._looked_up:
            return  # Another memory is shown now.
        if rows != [(child.data, child.label) for child in node.children]:
            self._fill(node, rows)
        node.allow_expand = bool(rows)

    def _fill(self, node: TreeNode[str], rows: Sequence[tuple[str, Text]]) -> None:
        under = (
            self.cursor_node.data
            if self.cursor_node is not None and self.cursor_node in node.children
            else None
        )
        node.remove_children()
        for memory_id, label in rows:
            child = node.add(label, memory_id, allow_expand=bool(memory_id))
            if memory_id == under:
                self.call_after_refresh(self.move_cursor, child)
        self.refresh_bindings()


def _label(text: str, before: str = "") -> Text:
    """Return the words of a memory on one line; a plain string would be parsed as markup."""
    return Text(before + (shorten(one_line(clean(text[: 4 * LABEL_CHARS])), LABEL_CHARS) or "…"))
