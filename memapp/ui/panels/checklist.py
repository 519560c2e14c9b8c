"""The steps of a how-to as a checklist; the ticks are saved."""

import asyncio
from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from memapp.domain.howto import Checklist
from memapp.domain.memory import State
from memapp.runtime import Runtime
from memapp.services import howtos
from memapp.ui.background import background
from memapp.ui.safe_text import joined


class ChecklistView(Vertical, can_focus=True):
    """A title, the progress, and the steps with a cursor."""

    BINDING_GROUP_TITLE = "Steps"
    HELP = (
        "Space ticks a step off, or opens it again, and moves to the next. "
        "Ticks stay until you start over (a)."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,enter", "tick", "Tick", id="checklist.tick", key_display="␣"),
        Binding("a", "again", "Start over", id="checklist.again"),
        Binding("up,k", "step(-1)", "Up", show=False, id="checklist.up"),
        Binding("down,j", "step(1)", "Down", show=False, id="checklist.down"),
    ]

    class Ticked(Message):
        """The progress of a how-to changed."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(id="checklist")
        self._runtime = runtime
        self._shown: Checklist | None = None
        self._at = 1
        """The number of the current step."""

    async def show(self, checklist: Checklist) -> None:
        """Show a how-to; of another one, at its first open step."""
        lines = len(checklist.done_at) + 1
        await self.mount_all(Static(markup=False) for _ in range(lines - len(self.children)))
        if len(self.children) < lines:
            return  # A closing view takes no widgets.
        if self._shown is None or self._shown.howto.id != checklist.howto.id:
            self._at = checklist.next_step or 1
        self._shown = checklist
        self._at = min(self._at, len(checklist.done_at))
        for number, line in enumerate(self.query_children(Static)):
            line.display = number <= len(checklist.done_at)
        self._draw()
        self.refresh_bindings()

    def on_focus(self) -> None:
        self.call_later(self._draw)  # By then the view has its size.

    def on_blur(self) -> None:
        self.call_later(self._draw)

    def _draw(self) -> None:
        if (shown := self._shown) is None:
            return
        lines = self.query_children(Static)
        done = (
            f"{shown.done} of {len(shown.done_at)} done\n",
            "$text-success" if shown.next_step is None else "$text-muted",
        )
        lines[0].update(joined((shown.howto.text, "bold"), "\n", done))
        for number, (step, at) in enumerate(
            zip(shown.howto.steps, shown.done_at, strict=True), start=1
        ):
            lines[number].update(self._line(number, step, done=at is not None))

    def _line(self, number: int, step: str, *, done: bool) -> Content:
        is_current = number == self._at and self.has_focus
        sign = ("▸" if is_current else " ", "bold $accent")
        words = (f"{number}. {step}", "$text-muted" if done else "bold" if is_current else "")
        return joined(sign, ("☑ ", "bold $success") if done else "☐ ", words)

    def check_action(
        self,
        action: str,
        parameters: tuple[object, ...],  # noqa: ARG002 - Textual's signature
    ) -> bool | None:
        shown = self._shown
        if action == "again":
            return shown is not None and shown.done > 0
        return shown is not None and (action != "tick" or shown.howto.state is State.LIVE)

    def action_step(self, step: int) -> None:
        if self._shown is not None:
            self._at = max(1, min(self._at + step, len(self._shown.done_at)))
            self._draw()
            self.query_children(Static)[self._at].scroll_visible(animate=False)

    @background("tick")
    async def action_tick(self) -> None:
        """Tick the current step and go on, or open it again."""
        if (shown := self._shown) is None:
            return
        at, was_open = self._at, shown.done_at[self._at - 1] is None
        await self._change(lambda: howtos.tick(self._runtime, shown.howto.id, at))
        if was_open:
            self.action_step(1)

    @background("tick")
    async def action_again(self) -> None:
        if (shown := self._shown) is not None:
            self._at = 1
            await self._change(lambda: howtos.begin_again(self._runtime, shown.howto.id))

    async def _change(self, change: Callable[[], Checklist]) -> None:
        await self.show(await asyncio.to_thread(change))
        self.post_message(self.Ticked())
