"""The messages of a conversation with a cursor; subclasses load messages and open chips."""

import itertools
from collections.abc import Callable, Sequence
from functools import partial

from textual import events
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from memapp.domain.chat import BY_MEMAPP, Origin
from memapp.domain.memory import Recalled
from memapp.domain.provenance import Outcome
from memapp.ui.safe_text import plain
from memapp.ui.widgets.bubbles import Answer, Note, Said, Welcome
from memapp.ui.widgets.council import CouncilCard
from memapp.ui.widgets.outcome import OutcomeNote

Bubble = Said | Answer
Stop = Bubble | OutcomeNote | CouncilCard
"""A widget that the cursor can choose."""

AT_FIRST = 12
"""The messages mounted before the first paint of a chat."""
AT_ONCE = 8
"""The messages mounted at a time after it; each mount blocks the event loop."""


class Transcript(VerticalScroll):
    """Messages, oldest first."""

    def __init__(self) -> None:
        super().__init__(id="transcript")
        self._cursor: Stop | None = None
        self._glanced_at = False
        self._above: list[Widget] = []
        """Messages of the page still to be mounted above."""
        self.complete = True
        """True if the end of the thread is shown."""

    # For subclasses -------------------------------------------------------------------------------

    def load_earlier(self, before: int) -> object:
        """Show the messages before the message with this number."""
        raise NotImplementedError

    def go_to_end(self) -> None:
        """Show the end of the thread."""
        raise NotImplementedError

    def open_hit(self, hit: Recalled) -> object:
        """Show the source behind a chip."""
        raise NotImplementedError

    # Content --------------------------------------------------------------------------------------

    @property
    def bubbles(self) -> list[Bubble]:
        return [child for child in self.children if isinstance(child, Said | Answer)]

    @property
    def _all(self) -> list[Widget]:
        """The widgets of the page, with those still to be mounted."""
        return [*self._above, *self.children]

    @property
    def stops(self) -> list[Stop]:
        return [child for child in self.children if isinstance(child, Stop) and child.display]

    @property
    def stop(self) -> Stop | None:
        """The widget under the cursor; by default the last message."""
        if self._cursor is not None and self._cursor.parent is self:
            return self._cursor
        return next(iter(reversed(self.bubbles)), None)

    @property
    def outcome(self) -> OutcomeNote | None:
        """The outcome under the cursor."""
        return self.stop if isinstance(self.stop, OutcomeNote) else None

    @property
    def council(self) -> CouncilCard | None:
        """The council under the cursor."""
        return self.stop if isinstance(self.stop, CouncilCard) else None

    @property
    def outcome_below(self) -> OutcomeNote | None:
        """The outcome of the chosen message, or of the message the chosen answer answers."""
        stops = self.stops
        after = stops[stops.index(self.stop) :] if self.stop in stops else []
        below = itertools.takewhile(
            lambda stop: stop is self.stop or not isinstance(stop, Said), after
        )
        return next((stop for stop in below if isinstance(stop, OutcomeNote)), None)

    @property
    def cursor(self) -> Bubble | None:
        """The message for keys: the chosen one, that above the chosen line, or the last."""
        if self.stop is None or isinstance(self.stop, Said | Answer):
            return self.stop
        before = list(itertools.takewhile(lambda stop: stop is not self.stop, self.stops))
        return next((stop for stop in reversed(before) if isinstance(stop, Said | Answer)), None)

    @property
    def last_answer(self) -> Answer | None:
        return next(
            (bubble for bubble in reversed(self.bubbles) if isinstance(bubble, Answer)), None
        )

    @property
    def replied(self) -> Answer | None:
        """The answer to the last message of the person, without unprompted ones below."""
        since = itertools.takewhile(
            lambda bubble: isinstance(bubble, Answer), reversed(self.bubbles)
        )
        answers = (bubble for bubble in since if isinstance(bubble, Answer))
        return next((answer for answer in answers if answer.message.reply_to is not None), None)

    @property
    def in_own_words(self) -> bool:
        """True if memapp itself answered the last message or ran it; no model can answer again."""
        reply = self.replied.message if self.replied else None
        return reply is not None and (reply.model == BY_MEMAPP or reply.origin is Origin.COMMAND)

    def answer(self, message_id: str) -> Answer | None:
        answers = (child for child in self._all if isinstance(child, Answer))
        return next((answer for answer in answers if answer.message.id == message_id), None)

    async def show(
        self, bubbles: Sequence[Widget], *, earlier: bool, later: bool = False, at: str = ""
    ) -> None:
        """Show messages in place of the present ones, at the end or at the message with id `at`.

        A screenful comes first; the messages above follow after the first paint.
        """
        self.complete = not later
        self._cursor = None
        self._above = [] if at else list(bubbles[:-AT_FIRST])
        shown = bubbles[len(self._above) :]
        below = [_More("↓ to the end of this chat", self.go_to_end)] if later else []
        self.anchor(not at)
        async with self.batch():
            await self.remove_children()
            await self.mount_all([*self._earlier_line(earlier), *shown, *below])
        target = next((bubble for bubble in self.bubbles if bubble.message.id == at), None)
        if target is not None:
            self.call_after_refresh(self._arrive, target)
        if self._above:
            self.call_after_refresh(self._show_above, shown[0])

    def _arrive(self, bubble: Bubble, frames: int = 200) -> None:
        """Put the cursor on a message once it has a region, a few frames after a switch."""
        if bubble.region or not frames or not self.screen.is_current:
            self._put_cursor(bubble)
        elif bubble.parent is self:
            self.set_timer(1 / 60, partial(self._arrive, bubble, frames - 1))

    async def _show_above(self, first: Widget) -> None:
        """Mount some of the messages above, then call again for the others."""
        if not self._above or first.parent is not self:
            return
        self._above, few = self._above[:-AT_ONCE], self._above[-AT_ONCE:]
        async with self.batch():
            await self.mount_all(few, before=first)
        self.call_after_refresh(self._show_above, few[0])

    async def show_earlier(self, bubbles: Sequence[Widget], *, earlier: bool) -> None:
        """Add earlier messages above, and keep the scroll position."""
        height = self.virtual_size.height
        self.release_anchor()
        async with self.batch():
            await self.query("#earlier").remove()
            first = self.children[0] if self.children else None
            await self.mount_all([*self._earlier_line(earlier), *bubbles], before=first)
        self.call_after_refresh(
            lambda: self.scroll_relative(
                y=self.virtual_size.height - height, animate=False, force=True
            )
        )

    def _earlier_line(self, earlier: bool) -> list[Widget]:
        return (
            [_More("↑ load earlier messages", self.want_earlier, id="earlier")] if earlier else []
        )

    async def append(self, *bubbles: Bubble) -> None:
        async with self.batch():  # else an answer is drawn without its parts first
            await self.query(Welcome).remove()
            await self.mount_all(bubbles)
            self._move_cursor(bubbles[-1] if self._cursor else None)
            self.anchor()
        self.refresh_bindings()

    async def cut_from(self, message_id: str) -> None:
        """Remove a message and everything after it; unprompted messages stay after an answer."""
        children = list(self.children)
        first = next((bubble for bubble in self.bubbles if bubble.message.id == message_id), None)
        if first is not None:
            keeps_unprompted = isinstance(first, Answer)
            removed = [
                child
                for child in children[children.index(first) :]
                if not (keeps_unprompted and isinstance(child, Answer) and child.message.unprompted)
            ]
            await self.remove_children(removed)

    async def put_back(self, answer: Bubble) -> None:
        """Add another answer at its place among unprompted messages."""
        after = next(
            (bubble for bubble in self.bubbles if bubble.message.seq > answer.message.seq), None
        )
        await self.mount(answer, before=after)
        self._move_cursor(answer if self._cursor else None)

    def add_note(self, note: Note) -> None:
        """Add a note below the last message, unless an outcome already offers its undo."""
        undone_above = {outcome.takes_back for outcome in self.query(OutcomeNote)}
        if note.step == "" or note.step not in undone_above:
            self.mount(note)
            self.anchor()

    def put_outcome(self, message_id: str, outcome: Outcome) -> None:
        """Show the outcome of a message below its answers."""
        notes = (child for child in self._all if isinstance(child, OutcomeNote))
        if note := next((note for note in notes if note.message_id == message_id), None):
            note.show(outcome)
        elif outcome.items:
            self._put_below(note := OutcomeNote(message_id, outcome))
            self._drop_notes(note.takes_back)

    def put_card(self, card: CouncilCard) -> None:
        """Show a council below the answer, or update its card."""
        cards = (child for child in self._all if isinstance(child, CouncilCard))
        if shown := next((shown for shown in cards if shown.message_id == card.message_id), None):
            shown.show(card.shown)
        else:
            self._put_below(card)

    def _put_below(self, note: OutcomeNote | CouncilCard) -> None:
        """Mount a line below the answers to its message, if the message is on the screen."""
        children = self._all
        said = [
            number
            for number, child in enumerate(children)
            if isinstance(child, Said) and child.message.id == note.message_id
        ]
        if not said:
            return
        last = said[0]
        for number, child in enumerate(children[last + 1 :], start=last + 1):
            if isinstance(child, Said):
                break
            if isinstance(child, Answer | CouncilCard):
                last = number
        if last < len(self._above):
            self._above.insert(last + 1, note)
        else:
            self.mount(note, after=children[last])

    def _drop_notes(self, step: str) -> None:
        """Remove notes whose undo an outcome offers."""
        self.remove_children([note for note in self.query(Note) if note.step == step != ""])

    def show_step_undone(self, step: str) -> None:
        """Mark the notes of a step as undone."""
        for note in self.query(Note):
            if note.step == step:
                note.show_step_undone()

    # The cursor -----------------------------------------------------------------------------------

    def on_click(self, event: events.Click) -> None:
        under, _ = self.screen.get_widget_at(*event.screen_offset)
        stop = next((node for node in under.ancestors_with_self if isinstance(node, Stop)), None)
        if not isinstance(stop, Stop):
            return
        self._move_cursor(stop)
        number = event.style.meta.get("chip")
        if isinstance(stop, Answer) and isinstance(number, int) and number < len(stop.hits):
            self.open_hit(stop.hits[number])

    def on_blur(self) -> None:
        self._move_cursor(None)

    def glance(self) -> None:
        """Take the focus without choosing a message."""
        self._glanced_at = True
        self.focus()

    def on_focus(self) -> None:
        glanced, self._glanced_at = self._glanced_at, False
        if self._cursor is None and self.bubbles and not glanced:
            self._move_cursor(self.bubbles[-1])

    def action_choose(self) -> None:
        self._put_cursor(self.bubbles[-1])

    def action_step(self, step: int) -> None:
        stops, here = self.stops, self.stop
        if not stops or (isinstance(here, OutcomeNote) and here.step(step)):
            return
        at = stops.index(here) + step if here in stops else len(stops) - 1
        if at < 0 and self.query("#earlier"):
            self.want_earlier()
        elif at >= len(stops) and not self.complete:
            self.go_to_end()
        elif 0 <= at < len(stops):
            if isinstance(stop := stops[at], OutcomeNote):
                stop.enter(step)
            self._put_cursor(stop)

    def want_earlier(self) -> None:
        """Load the messages before the first one."""
        if first := next((child for child in self._all if isinstance(child, Said | Answer)), None):
            self.load_earlier(first.message.seq)

    def action_outcome(self) -> None:
        """Open or close the outcome of the message."""
        if (note := self.outcome_below) is not None:
            note.enter(1)
            self._put_cursor(note)
            if note.can_open:
                note.act()

    def action_first(self) -> None:
        if self.bubbles:
            self._put_cursor(self.bubbles[0])
            self.scroll_home(animate=False)

    def action_last(self) -> None:
        if not self.complete:
            self.go_to_end()
        elif self.bubbles:
            self._put_cursor(self.bubbles[-1])
            self.anchor()

    def action_chip(self, step: int) -> None:
        if isinstance(self.cursor, Answer):
            self._move_cursor(self.cursor)
            self.cursor.choose_chip(1 if step > 0 else -1)

    def _put_cursor(self, stop: Stop) -> None:
        self._move_cursor(stop)
        self.scroll_to_widget(stop, animate=False)

    def _move_cursor(self, stop: Stop | None) -> None:
        for widget in self.query(".-current"):
            widget.remove_class("-current")
            if isinstance(widget, Answer) and widget is not stop:
                widget.leave_chips()
            elif isinstance(widget, OutcomeNote):
                widget.draw()
        if self._cursor is not stop:  # a key may work on one message, and not on the next
            self.call_later(self.refresh_bindings)
        self._cursor = stop
        if stop is not None:
            stop.add_class("-current")
        if isinstance(stop, OutcomeNote):
            stop.draw()


class _More(Static):
    """A line that loads earlier messages, or goes to the end of the thread."""

    def __init__(self, words: str, show: Callable[[], object], *, id: str | None = None) -> None:
        super().__init__(plain(words), markup=False, id=id, classes="more")
        self._show = show

    def on_click(self) -> None:
        self._show()
