"""The profile of the person: its values can be read, written and removed."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from memapp.domain.profile import VALUE_CHARS, has_many
from memapp.services.consent import decisions
from memapp.ui.background import background
from memapp.ui.dialogs import LineQuestion
from memapp.ui.inbox import read_models
from memapp.ui.inbox.read_models import Known
from memapp.ui.safe_text import copy, joined, plain, row
from memapp.ui.session import AppSession
from memapp.ui.widgets.labels import moment
from memapp.ui.widgets.rowlist import TimedRows

NOTE = (
    "The persona you talk to is told this. "
    "Only you change it: by your yes to a request, or by writing it here."
)
WRITING = "The persona you talk to is told this in your words."

LABEL = 18


class KnownRows(TimedRows[Known]):
    """The profile, one row per value: field, value, date and source."""

    def key(self, item: Known) -> str:
        return item.key

    def draw(self, item: Known, width: int) -> Content:
        if not item.value:
            return joined(
                (f"{item.label:{LABEL}}", "$text-muted"), ("not known", "$text-muted italic")
            )
        when = f"since {moment(item.since, self.clock())}" if item.since else ""
        by = " · you typed it twice" if item.by == "signals" else ""
        tail = joined((f"  {when}{by}", "$text-muted"))
        head = joined((f"{item.label:{LABEL}}", "bold"), row(item.value, 300))
        return joined(
            head.truncate(max(1, width - tail.cell_length), ellipsis=True, pad=True), tail
        )


class ProfilePane(Vertical):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "write", "Write it yourself", id="profile.write"),
        Binding("n", "write(True)", "Add", id="profile.add"),
        Binding("x,delete", "take_away", "Remove", id="profile.take_away", key_display="x"),
        Binding("y,c", "copy", "Copy", id="profile.copy", key_display="y"),
    ]

    def __init__(self, session: AppSession) -> None:
        super().__init__(id="profile")
        self.session = session
        self.runtime = session.runtime
        self.rows = KnownRows(session.runtime.clock, id="known")

    def compose(self) -> ComposeResult:
        yield self.rows
        yield Static(plain(NOTE), markup=False, id="profile-note")

    def show(self, values: Sequence[Known]) -> None:
        """Show the values; the cursor stays on its value, or on its field if the value changed."""
        on = self.rows.current
        changed = on is not None and all(value.key != on.key for value in values)
        self.rows.show(
            values,
            at=next(value.key for value in values if value.field == on.field)
            if on and changed
            else None,
        )
        self.refresh_bindings()

    @background("known", exclusive=True)
    async def refresh_known(self) -> None:
        self.show(await asyncio.to_thread(read_models.profile, self.runtime))

    @on(KnownRows.Moved)
    def _moved(self) -> None:
        self.refresh_bindings()

    @on(KnownRows.Opened)
    def _opened(self) -> None:
        self.action_write()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        known = self.rows.current
        if parameters == (True,):
            return bool(known and known.value and has_many(known.field))
        return bool(known and known.value) if action in ("take_away", "copy") else True

    @background("write")
    async def action_write(self, beside: bool = False) -> None:
        """Let the person change or add a value; an empty value removes the current one."""
        if (known := self.rows.current) is None:
            return
        old = "" if beside else known.value

        def write(value: str) -> str:
            if old and not value.strip():
                return decisions.clear_field(self.runtime, known.field, old)
            return decisions.set_field(self.runtime, known.field, value.strip(), old)

        line = LineQuestion(known.label, old, write, note=WRITING, length=VALUE_CHARS, goes_on=True)
        if (step := await self.app.push_screen_wait(line)) is not None:
            await self.session.decided(self, step)

    @background("decide")
    async def action_take_away(self) -> None:
        """Remove the current value from the profile."""
        if (known := self.rows.current) is not None and known.value:
            step = await asyncio.to_thread(
                decisions.clear_field, self.runtime, known.field, known.value
            )
            await self.session.decided(self, step)

    def action_copy(self) -> None:
        if (known := self.rows.current) is not None:
            copy(self, known.value)
