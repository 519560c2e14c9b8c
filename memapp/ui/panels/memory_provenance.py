"""The provenance of a memory: its source messages, and the replies that used it and why."""

import asyncio

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from memapp.domain.chat import Message
from memapp.domain.memory import Memory
from memapp.domain.provenance import UsedIn
from memapp.domain.text import counted
from memapp.language.labels import called
from memapp.runtime import Runtime
from memapp.services.provenance import provenance_of
from memapp.ui.messages import MessageWanted
from memapp.ui.safe_text import joined, plain, row
from memapp.ui.widgets.labels import ago, at_moment, matched, moment, rated, written
from memapp.ui.widgets.rowlist import RowList, TimedRows


class MessageRows(TimedRows[Message | UsedIn]):
    """Source messages of a memory, then replies that used it."""

    BINDING_GROUP_TITLE = "Provenance"
    HELP = "Enter opens the message in its chat."

    def key(self, item: Message | UsedIn) -> str:
        return item.id if isinstance(item, Message) else f"used:{item.message.id}"

    def draw(self, item: Message | UsedIn, width: int) -> Content:
        message = item if isinstance(item, Message) else item.message
        sign = ("from ", "$primary")
        if isinstance(item, UsedIn):
            sign = ("used ", "$accent")
        when = (f"{moment(message.created_at, self.clock()):>11}  ", "$text-muted")
        return joined(sign, when, row(message.text or "(no words)", max(1, width)))


class MemoryProvenance(Vertical):
    """Counts, then messages and replies, then the current one in full."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(id="memory-provenance")
        self._runtime = runtime
        self.reader = MessageRows(runtime.clock, id="provenance-rows")
        self._memory_id = ""

    def compose(self) -> ComposeResult:
        yield Static(id="provenance-head", markup=False)
        yield self.reader
        yield Static(id="provenance-note", markup=False)

    async def look_up(self, memory: Memory) -> None:
        provenance = await asyncio.to_thread(provenance_of, self._runtime, memory)
        now = self._runtime.clock()
        access_count = provenance.access_count
        used = "Never used in an answer so far."
        if access_count is not None:
            times, days = counted(access_count.count, "prompt"), counted(access_count.days, "day")
            used = f"Stood in {times} on {days}, last {ago(access_count.last, now)}."
        origin = (
            f"{called('origins', memory.origin).capitalize()} {at_moment(memory.created_at, now)}."
        )
        self.query_one("#provenance-head", Static).update(plain(f"{origin}\n{used}"))
        self.reader.show(
            [*provenance.sources, *provenance.replies],
            at=None if memory.id == self._memory_id else "",
        )
        self._memory_id = memory.id

    @on(RowList.Moved)
    def _note(self) -> None:
        item = self.reader.current
        if isinstance(item, UsedIn):
            details = f" ({rated(item.score)}: {item.why})" if item.score else ""
            note = joined(
                ("this answer used it: ", "$text-muted"),
                matched(item.why),
                (details, "$text-muted"),
                "\n",
            )
            note = joined(note, row(item.message.text, 240))
        elif item is not None:
            note = joined((f"{written(item)}: ", "$text-muted"), row(item.text, 240))
        else:
            note = Content("")
        self.query_one("#provenance-note", Static).update(note)

    @on(RowList.Opened)
    def _opened(self) -> None:
        if (item := self.reader.current) is not None:
            self.post_message(
                MessageWanted(item.id if isinstance(item, Message) else item.message.id)
            )
