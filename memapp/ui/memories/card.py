"""One memory above any screen, with the same detail and keys as in Memories."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from memapp.domain.memory import Memory
from memapp.ui.memories.actions import MemoryActions
from memapp.ui.memories.keys import MemoryKeys
from memapp.ui.messages import MessageWanted
from memapp.ui.panels.memory_detail import MemoryDetail
from memapp.ui.session import AppSession
from memapp.ui.widgets.keyline import KeyLine


class MemoryCard(ModalScreen[None], MemoryKeys):
    """The detail of a memory in a dialog."""

    AUTO_FOCUS = ""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", "Close", id="memory_card.close", key_display="esc")
    ]

    def __init__(self, session: AppSession, memory: Memory, why: str) -> None:
        super().__init__()
        self._session, self._memory = session, memory
        self.detail = MemoryDetail(session.runtime, why)
        self.actions = MemoryActions(self, session)

    def compose(self) -> ComposeResult:
        with Vertical(classes="card", id="memory-card"):
            yield self.detail
            yield KeyLine()

    def on_mount(self) -> None:
        self._session.changed.subscribe(self, lambda _: self.detail.look_again())
        self.detail.show(self._memory, at_once=True)
        self.detail.enter()

    @property
    def chosen(self) -> list[Memory]:
        return [self.read] if self.read is not None else []

    @property
    def read(self) -> Memory | None:
        return self.detail.memory

    def left(self, chosen: list[Memory]) -> None:  # noqa: ARG002  # there is but one
        self.action_leave()

    @on(MemoryDetail.Gone)
    def action_leave(self) -> None:
        if self.is_current:
            self.dismiss(None)

    def action_back(self) -> None:
        """Go one step back: along a walk, or out of the card."""
        if not self.detail.walk_back():
            self.action_leave()

    @on(MessageWanted)
    def _message_wanted(self, event: MessageWanted) -> None:
        """Close the card first: the message is shown below."""
        event.stop()
        self.action_leave()
        self.app.post_message(event)
