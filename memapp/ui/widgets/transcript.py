"""The window of messages that a conversation shows, with a cursor on one of them; what keys do
there, a subclass says.
"""

import itertools
from collections.abc import Callable, Sequence
from functools import partial

from textual import events
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from memapp.domain.chat import OWN_WORDS, Origin
from memapp.domain.memory import Recalled
from memapp.domain.provenance import Outcome
from memapp.ui.safe import plain
from memapp.ui.widgets.bubbles import Answer, Note, Said, Welcome
from memapp.ui.widgets.council import CouncilCard
from memapp.ui.widgets.outcome import OutcomeNote

Bubble = Said | Answer
Stop = Bubble | OutcomeNote | CouncilCard
"""Where the cursor can be."""

AT_FIRST = 12
"""Messages mounted before the first picture of a chat."""
AT_ONCE = 8
"""Messages mounted at once after it; each mounting holds the event loop up."""


class Transcript(VerticalScroll):
    """Messages, oldest first."""

    def __init__(self) -> None:
        super().__init__(id="transcript")
        self._cursor: Stop | None = None
        self._glanced_at = False
        self._above: list[Widget] = []
        """Messages of the page that are still to be mounted above."""
        self.complete = True
        """The end of the thread is shown."""

    # What a subclass says -------------------------------------------------------------------------

    def load_earlier(self, before: int) -> object:
        """Show what was said before the message with this number."""
        raise NotImplementedError

    def go_to_end(self) -> None:
        """Show the end of the thread, of which an earlier part is shown."""
        raise NotImplementedError

    def open_hit(self, hit: Recalled) -> object:
        """Show what stands behind a chip."""
        raise NotImplementedError

    # What is shown --------------------------------------------------------------------------------

    @property
    def bubbles(self) -> list[Bubble]:
        return [child for child in self.children if isinstance(child, Said | Answer)]

    @property
    def stops(self) -> list[Stop]:
        return [child for child in self.children if isinstance(child, Stop) and child.display]

    @property
    def stop(self) -> Stop | None:
        """Where the cursor is; without one, at the last message."""
        if self._cursor is not None and self._cursor.parent is self:
            return self._cursor
        return next(iter(reversed(self.bubbles)), None)

    @property
    def outcome(self) -> OutcomeNote | None:
        """The line on what came of a message, where that is chosen."""
        return self.stop if isinstance(self.stop, OutcomeNote) else None

    @property
    def council(self) -> CouncilCard | None:
        """The card of a council, where that is chosen."""
        return self.stop if isinstance(self.stop, CouncilCard) else None

    @property
    def outcome_below(self) -> OutcomeNote | None:
        """The line on what came of the message that is chosen, or that the chosen answer answers."""
        stops = self.stops
        after = stops[stops.index(self.stop) :] if self.stop in stops else []
        until = itertools.takewhile(
            lambda one: one is self.stop or not isinstance(one, Said), after
        )
        return next((item for item in until if isinstance(item, OutcomeNote)), None)

    @property
    def cursor(self) -> Bubble | None:
        """The message that keys act on: the chosen one or that above the chosen line, else the
        last.
        """
        if self.stop is None or isinstance(self.stop, Said | Answer):
            return self.stop
        before = list(itertools.takewhile(lambda one: one is not self.stop, self.stops))
        return next((item for item in reversed(before) if isinstance(item, Said | Answer)), None)

    @property
    def last_answer(self) -> Answer | None:
        return next(
            (bubble for bubble in reversed(self.bubbles) if isinstance(bubble, Answer)), None
        )

    @property
    def replied(self) -> Answer | None:
        """The answer to the last message of the person; what was said unasked below it does not
        count.
        """
        since = itertools.takewhile(lambda one: isinstance(one, Answer), reversed(self.bubbles))
        return next(
            (
                bubble
                for bubble in since
                if isinstance(bubble, Answer) and bubble.message.reply_to is not None
            ),
            None,
        )

    @property
    def in_own_words(self) -> bool:
        """memapp itself answered the last message, or ran it; no model can answer that again."""
        reply = self.replied.message if self.replied else None
        return reply is not None and (reply.model == OWN_WORDS or reply.origin is Origin.COMMAND)

    def answer(self, message_id: str) -> Answer | None:
        bubbles = [*self._above, *self.bubbles]
        return next(
            (
                bubble
                for bubble in bubbles
                if isinstance(bubble, Answer) and bubble.message.id == message_id
            ),
            None,
        )

    async def show(
        self, bubbles: Sequence[Widget], *, earlier: bool, later: bool = False, at: str = ""
    ) -> None:
        """Show these messages in place of what is there, at the end or at the message with id `at`.

        What fits on a screen comes first; the messages above it follow once that is drawn.
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
        found = next((bubble for bubble in self.bubbles if bubble.message.id == at), None)
        if found is not None:
            self.call_after_refresh(self._arrive, found)
        if self._above:
            self.call_after_refresh(self._show_above, shown[0])

    def _arrive(self, bubble: Bubble, frames: int = 200) -> None:
        """Put the cursor on a message once it has a place: just after a change of screens it has
        none yet.
        """
        if bubble.region or not frames or not self.screen.is_current:
            self._put_cursor(bubble)
        elif bubble.parent is self:
            self.set_timer(1 / 60, partial(self._arrive, bubble, frames - 1))

    async def _show_above(self, first: Widget) -> None:
        """Mount a few of the messages above, and come back for the others."""
        if not self._above or first.parent is not self:
            return
        self._above, few = self._above[:-AT_ONCE], self._above[-AT_ONCE:]
        async with self.batch():
            await self.mount_all(few, before=first)
        self.call_after_refresh(self._show_above, few[0])

    async def show_earlier(self, bubbles: Sequence[Widget], *, earlier: bool) -> None:
        """Put earlier messages above, keeping what is read where it is."""
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
        await self.query(Welcome).remove()
        await self.mount_all(bubbles)
        self._move_cursor(bubbles[-1] if self._cursor else None)
        self.anchor()
        self.refresh_bindings()

    async def cut_from(self, message_id: str) -> None:
        """Take a message and everything after it off the screen; only what was said unasked
        outlives an answer.
        """
        children = list(self.children)
        at = next(
            (
                n
                for n, child in enumerate(children)
                if isinstance(child, Said | Answer) and child.message.id == message_id
            ),
            None,
        )
        if at is not None:
            outlives = isinstance(children[at], Answer)
            gone = [
                child
                for child in children[at:]
                if not (outlives and isinstance(child, Answer) and child.message.unprompted)
            ]
            await self.remove_children(gone)

    async def put_back(self, answer: Bubble) -> None:
        """Show another answer at its place among what was said unasked."""
        after = next(
            (bubble for bubble in self.bubbles if bubble.message.seq > answer.message.seq), None
        )
        await self.mount(answer, before=after)
        self._move_cursor(answer if self._cursor else None)

    def add_note(self, note: Note) -> None:
        """Add a quiet line below the last message, unless its undo stands there already."""
        if note.step == "" or note.step not in {
            item.takes_back for item in self.query(OutcomeNote)
        }:
            self.mount(note)
            self.anchor()

    def put_outcome(self, message_id: str, outcome: Outcome) -> None:
        """Say below the answers to a message what came of it."""
        there = (*self._above, *self.children)
        if note := next(
            (
                item
                for item in there
                if isinstance(item, OutcomeNote) and item.message_id == message_id
            ),
            None,
        ):
            note.show(outcome)
        elif outcome.items:
            self._put_below(note := OutcomeNote(message_id, outcome))
            self._drop_notes(note.takes_back)

    def put_card(self, card: CouncilCard) -> None:
        """Show a council below the answer to its message, in the place of what was shown of it."""
        there = (*self._above, *self.children)
        if shown := next(
            (
                item
                for item in there
                if isinstance(item, CouncilCard) and item.message_id == card.message_id
            ),
            None,
        ):
            shown.show(card.shown)
        else:
            self._put_below(card)

    def _put_below(self, note: OutcomeNote | CouncilCard) -> None:
        """Put a line below the answers to its message, if that is on the screen."""
        there = [*self._above, *self.children]
        at = next(
            (
                n
                for n, item in enumerate(there)
                if isinstance(item, Said) and item.message.id == note.message_id
            ),
            None,
        )
        if at is None:
            return
        answers = itertools.takewhile(lambda one: not isinstance(one, Said), there[at + 1 :])
        last = max(
            (
                n
                for n, answer in enumerate(answers, start=at + 1)
                if isinstance(answer, Answer | CouncilCard)
            ),
            default=at,
        )
        if last < len(self._above):
            self._above.insert(last + 1, note)
        else:
            self.mount(note, after=there[last])

    def _drop_notes(self, step: str) -> None:
        """Take away quiet lines whose undo stands in a line on what came of a message."""
        self.remove_children([item for item in self.query(Note) if item.step == step != ""])

    def took_back(self, step: str) -> None:
        """Say where a step is told that it was taken back."""
        for item in self.query(Note):
            if item.step == step:
                item.took_back()

    # The cursor -----------------------------------------------------------------------------------

    def on_click(self, event: events.Click) -> None:
        under, _ = self.screen.get_widget_at(*event.screen_offset)
        widget = next((item for item in under.ancestors_with_self if isinstance(item, Stop)), None)
        if not isinstance(widget, Stop):
            return
        self._move_cursor(widget)
        number = event.style.meta.get("chip")
        if isinstance(widget, Answer) and isinstance(number, int) and number < len(widget.hits):
            self.open_hit(widget.hits[number])

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
            if isinstance(there := stops[at], OutcomeNote):
                there.enter(step)
            self._put_cursor(there)

    def want_earlier(self) -> None:
        """Load the messages before the first one that is shown, or is about to be."""
        if first := next(
            (child for child in (*self._above, *self.children) if isinstance(child, Said | Answer)),
            None,
        ):
            self.load_earlier(first.message.seq)

    def action_outcome(self) -> None:
        """Open the line on what came of the message, or close it again."""
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
        for item in self.query(".-current"):
            item.remove_class("-current")
            if isinstance(item, Answer) and item is not stop:
                item.leave_chips()
            elif isinstance(item, OutcomeNote):
                item.draw()
        lines = OutcomeNote | CouncilCard
        if (
            (self._cursor is None) != (stop is None)
            or isinstance(stop, lines)
            or isinstance(self._cursor, lines)
        ):
            self.call_later(self.refresh_bindings)
        self._cursor = stop
        if stop is not None:
            stop.add_class("-current")
        if isinstance(stop, OutcomeNote):
            stop.draw()


class _More(Static):
    """A line above the first message when there are earlier ones, or below the last when the thread
    goes on.
    """

    def __init__(self, words: str, show: Callable[[], object], *, id: str | None = None) -> None:
        super().__init__(plain(words), markup=False, id=id, classes="more")
        self._show = show

    def on_click(self) -> None:
        self._show()
