"""How-tos: the steps the person wrote, and the progress of each."""

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from memapp.domain.howto import Checklist
from memapp.domain.memory import Kind, Memory
from memapp.domain.text import counted
from memapp.services import howtos
from memapp.ui.background import background
from memapp.ui.learned.pane import NEWEST, KindPane
from memapp.ui.memories.actions import MemoryActions
from memapp.ui.panels.checklist import ChecklistView


class HowtosPane(KindPane):
    """The how-tos, with the steps of the current one."""

    LABEL = "How-tos"
    KIND = Kind.PROCEDURAL
    HELP = "n adds a how-to. Enter opens its steps; space ticks them off."
    NOTHING = (
        "No how-tos yet.\n\n"
        "n writes one down: a title, and its steps. In a chat (F2) /howto\n"
        "does the same. What you tell step by step there waits in the\n"
        "inbox (F4), to become one with your yes.\n\n"
        "No chat reads them; agents do that carry things out."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,ctrl+n", "add", "New", id="howtos.add", key_display="n")
    ]

    def look_up(self) -> list[Memory]:
        checklists = howtos.checklists(self.runtime, NEWEST)
        self.rows.ends = {checklist.howto.id: _done(checklist) for checklist in checklists}
        return [checklist.howto for checklist in checklists]

    @on(ChecklistView.Ticked)
    def _ticked(self) -> None:
        self.look_again()

    @background("memory-action")
    async def action_add(self) -> None:
        if await MemoryActions(self, self.session).write_howto():
            self.rows.action_first()


def _done(checklist: Checklist) -> tuple[str, str]:
    steps = len(checklist.done_at)
    words = f"{checklist.done} of {steps} done" if checklist.done else counted(steps, "step")
    return words, "$text-success" if checklist.next_step is None else "$text-muted"
