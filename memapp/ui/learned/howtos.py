"""How-tos: what the person wrote down step by step, and how far each was run down."""

from collections.abc import Mapping
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.content import Content

from memapp.domain.howto import Checklist
from memapp.domain.memory import Kind, Memory
from memapp.language.english.second_person import addressed
from memapp.services import howtos
from memapp.ui.background import background
from memapp.ui.learned.pane import NEWEST, KindPane
from memapp.ui.memories.actions import MemoryActions
from memapp.ui.memories.memory_rows import MemoryRows
from memapp.ui.panels.checklist import ChecklistView
from memapp.ui.safe import joined, row


class HowtoRows(MemoryRows):
    """★ for pinned, title, how many steps are done."""

    done: Mapping[str, tuple[int, int]] = {}
    """Of how many steps, by memory."""

    def draw(self, item: Memory, width: int) -> Content:
        done, steps = self.done.get(item.id, (0, len(item.steps)))
        words = f"{done} of {steps} done" if done else f"{steps} steps"
        tail = joined((f"  {words:>14}", "$text-success" if done == steps else "$text-muted"))
        head = joined(("★ " if item.pinned else "  ", "$accent"), row(addressed(item.text), 300))
        return joined(head.truncate(max(1, width - tail.cell_length), ellipsis=True, pad=True), tail)


class HowtosPane(KindPane):
    """The how-tos, with their steps beside them."""

    LABEL = "How-tos"
    KIND = Kind.PROCEDURAL
    HELP = "n writes a how-to down. Enter goes to its steps; space ticks them off."
    NOTHING = (
        "No how-tos yet.\n\n"
        "n writes one down: a title, and its steps. In a chat (F2) /howto\n"
        "does the same. What you tell step by step there waits in the\n"
        "inbox (F4), to become one with your yes.\n\n"
        "No chat reads them; agents do that carry things out."
    )

    BINDINGS: ClassVar[list[BindingType]] = [Binding("n,ctrl+n", "add", "New", id="howtos.add", key_display="n")]

    rows: HowtoRows

    def make_rows(self) -> HowtoRows:
        return HowtoRows(self.runtime.clock, id="howtos", empty=self.NOTHING)

    def look_up(self) -> list[Memory]:
        found: list[Checklist] = howtos.checklists(self.runtime, NEWEST)
        self.rows.done = {one.howto.id: (one.done, len(one.done_at)) for one in found}
        return [one.howto for one in found]

    @on(ChecklistView.Ticked)
    def _ticked(self) -> None:
        self.look_again()

    @background("memory-action")
    async def action_add(self) -> None:
        if await MemoryActions(self, self.session).write_howto():
            self.rows.action_first()
