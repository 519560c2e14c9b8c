"""The conversation on the screen: a window of messages with a cursor on one of them.

It is one stop for the tab key; the arrow keys go from message to message and from chip to chip. Letters are commands on a
message that is chosen; as long as none is, they are words for the composer.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message as Announcement
from textual.widget import Widget
from textual.widgets import Static

from memapp.domain.chat import OWN_WORDS, Message, Role
from memapp.domain.memory import Recalled
from memapp.ui.safe import joined, plain, undo_words
from memapp.ui.widgets.bubbles import Answer, Said, Welcome

Bubble = Said | Answer

AT_FIRST = 12
"""Messages mounted before the first picture of a chat."""
AT_ONCE = 8
"""Messages mounted at once after it; each mounting holds the event loop up."""
LEAST_CELLS = 24
"""A quiet line is broken rather than cut to fewer."""


class Transcript(VerticalScroll):
    """Messages, oldest first."""

    BINDING_GROUP_TITLE = "Conversation"
    HELP = (
        "Up and down choose a message, left and right a memory below it. Enter opens what is chosen. Letters are keys for the "
        "chosen message; right after escape none is chosen, and what you type goes to the composer."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,down", "choose", "Choose a message", id="transcript.choose", key_display="↑"),
        Binding("up,k", "step(-1)", "Message", show=False, id="transcript.up"),
        Binding("down,j", "step(1)", "Message", show=False, id="transcript.down"),
        Binding("left,h", "chip(-1)", "Memory", show=False, id="transcript.chip_left"),
        Binding("right,l", "chip(1)", "Memory", show=False, id="transcript.chip_right"),
        Binding("g,home", "first", "First", show=False, id="transcript.first"),
        Binding("G,end", "last", "Last", show=False, id="transcript.last"),
        Binding("enter", "open", "Open", id="transcript.open", key_display="⏎"),
        Binding("y,c", "copy", "Copy", id="transcript.copy", key_display="y"),
        Binding("e", "edit", "Edit", id="transcript.edit"),
        Binding("r", "retry", "Retry", id="transcript.retry"),
        Binding("o", "go_on", "Go on", id="transcript.go_on"),
        Binding("m", "remember", "Remember", id="transcript.remember"),
        Binding("t", "samples", "Sample chats", id="transcript.samples"),
        Binding("v", "colours", "Colours", id="transcript.colours"),
        Binding("left_square_bracket", "variant(-1)", "Other answer", show=False, id="transcript.variant_before"),
        Binding("right_square_bracket", "variant(1)", "Other answer", show=False, id="transcript.variant_after"),
    ]

    @dataclass
    class EarlierWanted(Announcement):
        """The person wants what was said before the first message shown."""

        before: int

    @dataclass
    class CharacterTyped(Announcement):
        """The person wrote or pasted something that is no key here."""

        text: str
        pasted: bool

    class EndWanted(Announcement):
        """The person wants the end of a thread of which an earlier part is shown."""

    @dataclass
    class HitOpened(Announcement):
        hit: Recalled

    @dataclass
    class MessageOpened(Announcement):
        message: Message

    @dataclass
    class CopyWanted(Announcement):
        text: str

    @dataclass
    class EditWanted(Announcement):
        message: Message

    class RetryWanted(Announcement):
        """The person wants the last message answered again."""

    class GoOnWanted(Announcement):
        """The person wants more of an answer that ended at its length limit."""

    @dataclass
    class RememberWanted(Announcement):
        message: Message

    @dataclass
    class VariantWanted(Announcement):
        message: Message
        step: int

    class SamplesWanted(Announcement):
        """The person wants to see memapp with something in it."""

    class ColoursWanted(Announcement):
        """The person wants to choose the colours."""

    def __init__(self) -> None:
        super().__init__(id="transcript")
        self._cursor: Bubble | None = None
        self._glanced_at = False
        self._above: list[Widget] = []
        """Messages of the page that are still to be mounted above."""
        self.complete = True
        """The end of the thread is shown."""

    @property
    def bubbles(self) -> list[Bubble]:
        return [child for child in self.children if isinstance(child, Said | Answer)]

    @property
    def cursor(self) -> Bubble | None:
        """The message that keys act on: the chosen one, else the last."""
        if self._cursor is not None and self._cursor.parent is self:
            return self._cursor
        return next(iter(reversed(self.bubbles)), None)

    @property
    def last_answer(self) -> Answer | None:
        return next((one for one in reversed(self.bubbles) if isinstance(one, Answer)), None)

    @property
    def replied(self) -> Answer | None:
        """The answer to the last message of the person; what was said unasked below it does not count."""
        since = itertools.takewhile(lambda one: isinstance(one, Answer), reversed(self.bubbles))
        return next((one for one in since if isinstance(one, Answer) and one.message.reply_to is not None), None)

    @property
    def in_own_words(self) -> bool:
        """memapp itself answered the last message; no model can answer that again."""
        return self.replied is not None and self.replied.message.model == OWN_WORDS

    def answer(self, message_id: str) -> Answer | None:
        bubbles = [*self._above, *self.bubbles]
        return next((one for one in bubbles if isinstance(one, Answer) and one.message.id == message_id), None)

    async def show(self, bubbles: Sequence[Widget], *, earlier: bool, later: bool = False, at: str = "") -> None:
        """Show these messages in place of what is there, at the end or at the message with id `at`.

        What fits on a screen comes first; the messages above it follow once that is drawn.
        """
        self.complete = not later
        self._cursor = None
        self._above = [] if at else list(bubbles[:-AT_FIRST])
        shown = bubbles[len(self._above) :]
        below = [_LaterLine()] if later else []
        self.anchor(not at)
        async with self.batch():
            await self.remove_children()
            await self.mount_all([*([_EarlierLine()] if earlier else []), *shown, *below])
        found = next((one for one in self.bubbles if one.message.id == at), None)
        if found is not None:
            self.call_after_refresh(self._arrive, found)
        if self._above:
            self.call_after_refresh(self._show_above, shown[0])

    def _arrive(self, bubble: Bubble, tries: int = 100) -> None:
        """Put the cursor on a message once it has a place: just after a change of screens it has none yet."""
        if bubble.region or not tries or not self.screen.is_current:
            self._put_cursor(bubble)
        else:
            self.call_after_refresh(self._arrive, bubble, tries - 1)

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
            await self.query(_EarlierLine).remove()
            first = self.children[0] if self.children else None
            await self.mount_all([*([_EarlierLine()] if earlier else []), *bubbles], before=first)
        self.call_after_refresh(lambda: self.scroll_relative(y=self.virtual_size.height - height, animate=False, force=True))

    async def append(self, *bubbles: Bubble) -> None:
        """Add messages at the end and follow the end."""
        await self.query(Welcome).remove()
        await self.mount_all(bubbles)
        self._move_cursor(bubbles[-1] if self._cursor else None)
        self.anchor()
        self.refresh_bindings()

    async def cut_from(self, message_id: str) -> None:
        """Take a message and everything after it off the screen; only what was said unasked outlives an answer."""
        children = list(self.children)
        at = next((n for n, one in enumerate(children) if isinstance(one, Said | Answer) and one.message.id == message_id), None)
        if at is not None:
            outlives = isinstance(children[at], Answer)
            gone = [one for one in children[at:] if not (outlives and isinstance(one, Answer) and one.message.unprompted)]
            await self.remove_children(gone)

    async def put_back(self, answer: Bubble) -> None:
        """Show another answer at its place among what was said unasked."""
        after = next((one for one in self.bubbles if one.message.seq > answer.message.seq), None)
        await self.mount(answer, before=after)
        self._move_cursor(answer if self._cursor else None)

    def add_note(self, note: "Note") -> None:
        """Add a quiet line below the last message."""
        self.mount(note)
        self.anchor()

    @property
    def waiting(self) -> list["Note"]:
        """The lines about what waits."""
        return [one for one in self.query(Note) if one.waits]

    def took_back(self, step: str) -> None:
        """Say where a step is told that it was taken back."""
        for one in self.query(Note):
            if one.step == step:
                one.took_back()

    def on_key(self, event: events.Key) -> None:
        letter = event.character or ""
        is_command = self._takes_letters and event.key in self.screen.active_bindings
        if event.is_printable and not letter.isspace() and not is_command:
            event.stop()
            self.post_message(self.CharacterTyped(letter, pasted=False))

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self.post_message(self.CharacterTyped(event.text, pasted=True))

    def on_click(self, event: events.Click) -> None:
        under, _ = self.screen.get_widget_at(*event.screen_offset)
        widget = next((one for one in under.ancestors_with_self if isinstance(one, Said | Answer)), None)
        if not isinstance(widget, Said | Answer):
            return
        self._move_cursor(widget)
        number = event.style.meta.get("chip")
        if isinstance(widget, Answer) and isinstance(number, int) and number < len(widget.hits):
            self.post_message(self.HitOpened(widget.hits[number]))

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

    @property
    def _takes_letters(self) -> bool:
        """A message is chosen, or the card of the first start is there, which tells its keys."""
        return self._cursor is not None or bool(self._first_path)

    def action_choose(self) -> None:
        self._put_cursor(self.bubbles[-1])

    def action_step(self, step: int) -> None:
        bubbles = self.bubbles
        if not bubbles:
            return
        cursor = self.cursor
        at = bubbles.index(cursor) + step if cursor is not None else len(bubbles) - 1
        if at < 0 and self.query(_EarlierLine):
            self.want_earlier()
        elif at >= len(bubbles) and not self.complete:
            self.post_message(self.EndWanted())
        else:
            self._put_cursor(bubbles[min(max(at, 0), len(bubbles) - 1)])

    def want_earlier(self) -> None:
        """Ask for the messages before the first one that is shown, or is about to be."""
        if first := next((one for one in (*self._above, *self.children) if isinstance(one, Said | Answer)), None):
            self.post_message(self.EarlierWanted(first.message.seq))

    def action_first(self) -> None:
        if self.bubbles:
            self._put_cursor(self.bubbles[0])
            self.scroll_home(animate=False)

    def action_last(self) -> None:
        if not self.complete:
            self.post_message(self.EndWanted())
        elif self.bubbles:
            self._put_cursor(self.bubbles[-1])
            self.anchor()

    def action_chip(self, step: int) -> None:
        if isinstance(self.cursor, Answer):
            self._move_cursor(self.cursor)
            self.cursor.choose_chip(1 if step > 0 else -1)

    def action_open(self) -> None:
        match self.cursor:
            case Answer(chosen=Recalled() as hit):
                self.post_message(self.HitOpened(hit))
            case Answer() | Said() as bubble:
                self.post_message(self.MessageOpened(bubble.message))

    def action_copy(self) -> None:
        if (bubble := self.cursor) is not None:
            self.post_message(self.CopyWanted(bubble.text if isinstance(bubble, Answer) else bubble.message.text))
        elif self._first_path:
            self.post_message(self.CopyWanted(self._first_path))

    def action_samples(self) -> None:
        self.post_message(self.SamplesWanted())

    def action_colours(self) -> None:
        self.post_message(self.ColoursWanted())

    @property
    def _first_path(self) -> str:
        """Where the memory file is, while the card of the first start tells it."""
        return next((one.path for one in self.query(Welcome)), "")

    def action_edit(self) -> None:
        bubbles = self.bubbles
        if (bubble := self.cursor) is None:
            return
        before = bubbles[: bubbles.index(bubble) + 1]
        said = next((one for one in reversed(before) if one.message.role is Role.USER), None)
        if said is not None:
            self.post_message(self.EditWanted(said.message))

    def action_retry(self) -> None:
        if self.last_answer is not None:
            self.post_message(self.RetryWanted())

    def action_go_on(self) -> None:
        if self._can_go_on:
            self.post_message(self.GoOnWanted())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002  # Textual's signature
        if action == "choose":
            return self._cursor is None and bool(self.bubbles)
        if action == "go_on":
            return self._cursor is not None and self._can_go_on
        if action == "retry":
            return self._cursor is not None and self.last_answer is not None and not self.in_own_words
        if action in ("step", "open", "edit", "remember", "variant"):
            return self._cursor is not None
        if action == "copy":
            return self._takes_letters
        if action in ("samples", "colours"):
            return bool(self._first_path)
        return True

    @property
    def _can_go_on(self) -> bool:
        return self.replied is not None and self.replied.cut

    def action_remember(self) -> None:
        if (bubble := self.cursor) is not None:
            self.post_message(self.RememberWanted(bubble.message))

    def action_variant(self, step: int) -> None:
        answer = self.cursor if isinstance(self.cursor, Answer) else None
        if answer is not None and answer.message.unprompted:
            answer = self.replied  # what was said unasked has no other forms; the answer above it may have some
        if answer is not None:
            self.post_message(self.VariantWanted(answer.message, step))

    def _put_cursor(self, bubble: Bubble) -> None:
        self._move_cursor(bubble)
        self.scroll_to_widget(bubble, animate=False)

    def _move_cursor(self, bubble: Bubble | None) -> None:
        for one in self.query(".-current"):
            one.remove_class("-current")
            if isinstance(one, Answer) and one is not bubble:
                one.leave_chips()
        if (self._cursor is None) != (bubble is None):
            self.call_later(self.refresh_bindings)
        self._cursor = bubble
        if bubble is not None:
            bubble.add_class("-current")


class _EarlierLine(Static):
    """Stands above the first message when there are earlier ones."""

    def __init__(self) -> None:
        super().__init__(plain("↑ load earlier messages"), markup=False, classes="more")

    def on_click(self) -> None:
        transcript = self.parent
        if isinstance(transcript, Transcript):
            transcript.want_earlier()


class _LaterLine(Static):
    """Stands below the last message when the thread goes on."""

    def __init__(self) -> None:
        super().__init__(plain("↓ to the end of this chat"), markup=False, classes="more")

    def on_click(self) -> None:
        if isinstance(self.parent, Transcript):
            self.parent.post_message(Transcript.EndWanted())


class Note(Static):
    """A quiet line between the messages; a click on it asks for something, one on its undo takes back what it is about.

    Where something can be undone the text is cut, so that its `end` and the undo stay on one line with it.
    """

    def __init__(
        self, text: str, asks: Announcement | None = None, *, end: str = "", step: str = "", waits: Sequence[tuple[str, str]] = ()
    ) -> None:
        self._text = plain(text)
        self._end = joined(end, "  ·  ", undo_words("undo", step)) if step else plain(end)
        super().__init__(joined(self._text, self._end), markup=False, classes="note")
        self._asks = asks
        self.step = step
        """What an undo takes back; empty for a line about no change."""
        self.waits = tuple(waits)
        """Field and value of what it says to wait; it is hidden while none of that does."""

    def took_back(self) -> None:
        """Say that it holds no longer."""
        self._asks = None
        self._end = plain(f"{self._end.plain.removesuffix('undo')}taken back")
        self.on_resize()

    def on_resize(self) -> None:
        room = self.size.width - self._end.cell_length
        is_cut = self.step and LEAST_CELLS <= room < self._text.cell_length
        shown = joined(self._text.truncate(room, ellipsis=True) if is_cut else self._text, self._end)
        if shown != self.content:
            self.update(shown)

    def on_click(self, event: events.Click) -> None:
        if self._asks is not None and "undo" not in event.style.meta and isinstance(self.parent, Transcript):
            self.app.post_message(self._asks)  # it would bubble no further than to who made it
