"""The pending consent requests: the queue, the open request, and the answers.

An answer counts only after the request was visible for a while, and never as part of typed or
pasted words. Enter answers nothing, and nothing opens by itself.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message

from memapp.domain.consent import CHAT, CONFLICT, ConsentRequest
from memapp.domain.profile import VALUE_CHARS
from memapp.domain.text import clean
from memapp.errors import UsageError
from memapp.services.consent import decisions, past_decisions
from memapp.ui.background import background
from memapp.ui.dialogs import LineQuestion
from memapp.ui.inbox import read_models
from memapp.ui.inbox.answer_lock import Arming
from memapp.ui.inbox.detail import RequestView
from memapp.ui.inbox.read_models import SHOWN, Queue, Shown, ShownFile, ShownRequest
from memapp.ui.messages import MessageWanted
from memapp.ui.safe_text import copy, joined, notify, row
from memapp.ui.session import AppSession
from memapp.ui.widgets.labels import age, clock, moment
from memapp.ui.widgets.rowlist import TimedRows

TICK_SECONDS = 60.0
ANSWERS = ("approve", "deny", "snooze")
DROPPED = "Nothing was answered: other keys came right behind. Press one key alone."
TOO_SOON = "Nothing was approved: that came too soon. Press the key again."
EDITING = "Write what is right; enter saves it to your profile."
EDITING_FACT = "Write what is true now; enter replaces both."
UNCHANGED = "Nothing was approved: you changed nothing. To approve it as it is, press esc, then a."

WIDE = 44
NOTHING_WAITS = """
No request is pending.

When you say something about
yourself, such as where you live,
memapp asks here before it keeps it.

tab shows what the profile says."""


class RequestRows(TimedRows[Shown]):
    """The queue: field, value, proposer and age."""

    def key(self, item: Shown) -> str:
        return item.key

    def draw(self, item: Shown, width: int) -> Content:
        who = item.came_from if width >= WIDE else ""
        tail = joined(
            (
                f"{f'  {who:11}' if who else ''}{age(item.created_at, self.clock()):>5}",
                "$text-muted",
            )
        )
        value = (
            row(item.value, 100) if item.value else row("a new value", style="$text-muted italic")
        )
        words = joined((f"{item.label} ", "bold"), value)
        return joined(
            words.truncate(max(1, width - tail.cell_length), ellipsis=True, pad=True), tail
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if (
            action == "open"
            and self.current is not None
            and self.query_ancestor(RequestsPane).reading
        ):
            return False  # Enter opens the source from there.
        return super().check_action(action, parameters)


class RequestsPane(Horizontal):
    """The queue on the left and the request on the right; on a narrow screen one at a time."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "approve", "Approve", id="inbox.approve"),
        Binding("d", "deny", "Deny", id="inbox.deny"),
        Binding("e", "edit", "Edit first", id="inbox.edit"),
        Binding("s", "snooze", "Tomorrow", id="inbox.snooze"),
        Binding("space", "mark", "Mark", id="inbox.mark", key_display="␣"),
        Binding("ctrl+a", "mark_all", "Mark all shown", show=False, id="inbox.mark_all"),
        Binding("w", "wake", "Ask now", id="inbox.wake"),
        Binding("enter", "source", "Its message", id="inbox.source", key_display="⏎"),
        Binding("enter", "open_file", "One by one", id="inbox.open_file", key_display="⏎"),
        Binding("y,c", "copy", "Copy", id="inbox.copy", key_display="y"),
    ]

    @dataclass
    class Counted(Message):
        """The number of pending questions, and a note on postponed ones or the open file."""

        count: int
        asleep: str

    def __init__(self, session: AppSession) -> None:
        super().__init__(id="requests")
        self.session = session
        self.runtime = session.runtime
        self.rows = RequestRows(session.runtime.clock, id="request-list", empty=NOTHING_WAITS)
        self.view = RequestView()
        self.queue: Queue | None = None
        """The queue that is shown."""
        self.file_id, self.page = "", 0
        """The open file and its page."""
        self.shown: Shown | None = None
        """The request that is shown, which answers are about."""
        self._arming = Arming(self, self._bindings_changed, lambda: notify(self, DROPPED))

    def compose(self) -> ComposeResult:
        yield self.rows
        yield self.view

    def on_mount(self) -> None:
        self.set_interval(TICK_SECONDS, self.refresh_requests)

    @property
    def reading(self) -> bool:
        """True if the request itself is on the screen, not only its row."""
        return self.shown is not None and (
            not self.screen.has_class("-narrow") or self.has_class("-reading")
        )

    @property
    def answered(self) -> list[str]:
        """The requests for a no or for postponing: the marked ones, unless one of them is open."""
        if self.rows.marked and not self.view.has_focus_within:
            return list(self.rows.marked)
        return [self.shown.key] if self.shown is not None and self.reading else []

    # Content --------------------------------------------------------------------------------------

    @background("requests", exclusive=True)
    async def refresh_requests(self) -> None:
        self.show(await asyncio.to_thread(read_models.queue, self.runtime, self.file_id, self.page))

    def show(self, queue: Queue) -> None:
        """Show the queue; the open request stays while pending, unless one was restored."""
        more = queue.count - len(queue.requests)
        earlier, later = "", f"{more} more, when these are answered" if more else ""
        self.file_id, self.page = queue.file.id if queue.file else "", queue.page
        if queue.file:
            above = queue.page * SHOWN
            below = queue.file.facts + queue.file.chats - above - SHOWN
            earlier = f"{above:,} before" if above else ""
            later = f"{below:,} more" if below > 0 else ""
        restored_key = brought_back(self.queue, queue) if self.queue is not None else None
        self.queue = queue
        self.rows.unmark(self.rows.marked.keys() - {request.key for request in queue.requests})
        self.rows.show(queue.requests, earlier=earlier, later=later, at=restored_key)
        aside = (
            f"{queue.file} · esc goes back"
            if queue.file
            else sleeping(queue.asleep, self.runtime.clock())
        )
        self.post_message(self.Counted(queue.count, aside))
        self.refresh_bindings()
        self._read_current()

    @on(RequestRows.Moved)
    def _read_current(self) -> None:
        shown = self.rows.current
        if shown == self.shown:
            if shown is not None:
                self.view.tell_time(shown, self.runtime.clock())
            return
        self.shown = shown
        self.view.show(shown, self.runtime.clock())
        self.view.scroll_home(animate=False)
        if shown is None:
            self.leave_reading()
        self.arm_later()

    def arm_later(self) -> None:
        """Accept answers only in half a second: something new is visible."""
        self._arming.wait()

    def _bindings_changed(self) -> None:
        if self.is_mounted:
            self.view.set_class(not self._arming.armed, "-waits")
            self.refresh_bindings()

    @on(RequestRows.Opened)
    def _opened(self) -> None:
        if self.reading and isinstance(self.shown, ShownFile):
            self.action_open_file()
        elif self.reading:
            self.action_source()
        else:
            self.add_class("-reading")
            self.view.focus()
            self.arm_later()

    @on(RequestRows.PageWanted)
    def _turn_page(self, event: RequestRows.PageWanted) -> None:
        if self.file_id:
            self.page += event.step
            self.refresh_requests()

    def leave_file(self) -> bool:
        """Go back from a file to the queue; return True if a file was open."""
        was_open = bool(self.file_id)
        self.file_id, self.page = "", 0
        if was_open:
            self.refresh_requests()
        return was_open

    def leave_reading(self) -> bool:
        """Go back from the request to the queue on a narrow screen; return True if it was open."""
        was_open = self.has_class("-reading")
        self.remove_class("-reading")
        if self.view.has_focus_within:
            self.rows.focus()
        return was_open and self.screen.has_class("-narrow")

    # Answers --------------------------------------------------------------------------------------

    def check_action(
        self,
        action: str,
        parameters: tuple[object, ...],  # noqa: ARG002 - Textual's signature
    ) -> bool | None:
        if action == "wake":
            return bool(self.queue and self.queue.asleep)
        if action in ("mark", "mark_all"):
            return self.shown is not None and not self.view.has_focus_within
        if action not in (*ANSWERS, "edit", "source", "open_file", "copy"):
            return True
        if action in ("deny", "snooze") and self.rows.marked and not self.view.has_focus_within:
            return True if self._arming.armed else None
        if self.shown is None or not self.reading:
            return False
        if action == "approve" and self.answered != [self.shown.key]:
            return None  # A yes needs the request to be open.
        if isinstance(self.shown, ShownFile):
            return (
                False
                if action in ("source", "edit")
                else None
                if action in ANSWERS and not self._arming.armed
                else True
            )
        if action in ("source", "open_file"):
            return action == "source" and bool(self.shown.messages)
        if action in ANSWERS and not self._arming.armed:
            return None
        if action == "edit" and self.shown.request.field == CHAT:
            return False
        return None if action == "approve" and not self.shown.request.new_value else True

    def on_key(self, event: events.Key) -> None:
        """Check keys before anything else handles them."""
        does = self.screen.active_bindings.get(event.key)
        self._arming.heard(
            answers=does is not None and does.enabled and does.binding.action in ANSWERS
        )

    def on_paste(self) -> None:
        self._arming.heard(answers=False)

    def action_approve(self) -> None:
        if self.shown is not None:
            self._decide(partial(decisions.approve, self.runtime, self.shown.key))

    def action_deny(self) -> None:
        self._decide(partial(decisions.deny, self.runtime, *self.answered))

    def action_snooze(self) -> None:
        self._decide(partial(decisions.snooze, self.runtime, *self.answered))

    def action_mark(self) -> None:
        """Mark the request, to deny or postpone several together."""
        self.rows.toggle_mark()
        self.arm_later()

    def action_mark_all(self) -> None:
        self.rows.mark_all()
        self.arm_later()

    def unmark(self) -> bool:
        """Remove all marks; return True if there were any."""
        were_marked = bool(self.rows.marked)
        self.rows.unmark()
        self.refresh_bindings()
        return were_marked

    @background("decide")
    async def action_wake(self) -> None:
        for step in await asyncio.to_thread(past_decisions.wake_snoozed, self.runtime):
            self.session.undone.drop(step)
        self.session.memories_changed()

    @background("write")
    async def action_edit(self) -> None:
        """Let the person correct the value, and approve it."""
        if not isinstance(shown := self.shown, ShownRequest):
            return
        before = clean(shown.request.new_value)

        def approve(value: str) -> str:
            if value == before:
                raise UsageError(UNCHANGED)
            if not self._arming.armed:
                raise UsageError(TOO_SOON)
            return decisions.edit_then_approve(self.runtime, shown.request.id, value)

        note = EDITING_FACT if shown.request.field == CONFLICT else EDITING
        line = LineQuestion(
            shown.label,
            before,
            approve,
            note=note,
            length=VALUE_CHARS,
            does="approve it",
            goes_on=True,
        )
        if (step := await self.app.push_screen_wait(line)) is not None:
            await self.session.decided(self, step)

    def _decide(self, decision: Callable[[], str]) -> None:
        self._arming.hold(lambda: self._carry_out(decision))

    @background("decide")
    async def _carry_out(self, decision: Callable[[], str]) -> None:
        self.arm_later()
        await self.session.decided(self, await asyncio.to_thread(decision))

    # Opening the source ---------------------------------------------------------------------------

    def action_source(self) -> None:
        if isinstance(self.shown, ShownRequest) and self.shown.messages:
            self.app.post_message(MessageWanted(self.shown.messages[0].id))

    def action_open_file(self) -> None:
        """List the pending statements of a file, to decide one by one."""
        if isinstance(self.shown, ShownFile):
            self.file_id = self.shown.key
            self.leave_reading()
            self.refresh_requests()

    def action_copy(self) -> None:
        if self.shown is not None:
            copy(self, self.shown.value)


def brought_back(before: Queue, now: Queue) -> str | None:
    """Return the key of the newest request that an undo or a wake-up brought back since."""
    pending = {request.key for request in before.requests}
    postponed = {request.file_id or request.id for request in before.asleep}
    for request in now.requests:
        is_undone = isinstance(request, ShownRequest) and request.request.proposer == "undo"
        if request.key not in pending and (request.key in postponed or is_undone):
            return request.key
    return None


def sleeping(asleep: Sequence[ConsentRequest], now: datetime) -> str:
    """Return the number and the first date of postponed requests: `1 put off until 10:48`."""
    until = asleep[0].snoozed_until if asleep else None
    if until is None:
        return ""
    how_many = "1 put off until" if len(asleep) == 1 else f"{len(asleep)} put off, the first until"
    days = (until.astimezone().date() - now.astimezone().date()).days
    day = {0: "", 1: "tomorrow "}.get(days, f"{moment(until, now)} ")
    return f"{how_many} {day}{clock(until)}"
