"""The messages of a conversation: the person's, the answers with their sources, and quiet notes."""

from collections.abc import Sequence
from typing import Literal

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message as Announcement
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Static

from memapp.domain.chat import BY_MEMAPP, FROM_MEMORY, Message, MessageStatus, Origin
from memapp.domain.memory import Recalled
from memapp.domain.text import clean, one_line
from memapp.ui.safe_text import joined, plain, row, undo_words
from memapp.ui.widgets.labels import at_moment, clock, cost, matched
from memapp.ui.widgets.markdown import ReplyMarkdown, has_marks
from memapp.ui.widgets.streaming_text import LiveText
from memapp.ui.widgets.thoughts import ThoughtFold

MOST_SHOWN = 2000
"""The length at which a message of the person is truncated; a key shows the rest."""
MOST_MARKDOWN = 20_000
SHOWN_LINES = (4, 12)
"""The first and the last lines of a command's output that are shown; a key shows the rest."""
LINE_CHARS = 300
CHIP_CHARS = 32
LEAST_CELLS = 24
"""The width below which a note wraps instead of being truncated."""


class Welcome(Static):
    """The text of a chat without messages; at the first start with the path of the file."""

    def __init__(self, text: str, path: str) -> None:
        super().__init__(plain(text), markup=False, classes="welcome")
        self.path = path
        """The path of the memory file; empty except at the first start."""

    def say(self, text: str, path: str) -> None:
        self.path = path
        self.update(plain(text))


class Said(Static):
    """A message of the person."""

    def __init__(self, message: Message) -> None:
        self.message = message
        text = clean(message.text)
        more = (
            f"\n… {len(text) - MOST_SHOWN:,} more characters · enter reads all"
            if len(text) > MOST_SHOWN
            else ""
        )
        said_at = clock(message.created_at, is_estimated=message.time_estimated)
        head = joined(("You", "bold $secondary"), (f"  {said_at}", "$text-muted"), "\n")
        super().__init__(joined(head, text[:MOST_SHOWN], (more, "$text-muted")), markup=False)


class Answer(Vertical):
    """A reply: text, sources, how it ended, and its cost."""

    def __init__(
        self,
        message: Message,
        name: str,
        *,
        streaming: bool = False,
        text: str | None = None,
        thoughts: str = "",
    ) -> None:
        super().__init__()
        self.message = message
        self.persona_name = name
        self.text = clean(message.text if text is None else text)
        self.hits: tuple[Recalled, ...] = ()
        self.variant = (1, 1)
        """The number of this variant, and the count of variants."""
        self.problem = ""
        """The reason of a failure; known only while the app runs."""
        self.chip: int | None = None
        """The chip chosen with the arrow keys."""
        self._streaming = streaming
        self._head = Static(self._title(), markup=False, classes="head")
        self._waits = Static(row("…", style="$text-muted italic"), markup=False, classes="waits")
        self._live = LiveText(self.text if streaming else "")
        self.thoughts = ThoughtFold(thoughts) if thoughts.strip() else None
        self._foot = Static(markup=False, classes="foot")

    def compose(self) -> ComposeResult:
        if self._streaming:
            yield self._head
            yield self._waits
            yield self._live
        else:
            yield from self._whole()
        if self.thoughts is not None:
            yield self.thoughts
        yield self._foot

    def on_mount(self) -> None:
        self._waits.display = not self.text
        self._show_foot()

    def say(self, note: str) -> None:
        """Show the current phase before the first word."""
        self._waits.update(row(note, style="$text-muted italic"), layout=False)

    def add(self, text: str) -> None:
        added = clean(text)
        self.text += added
        self._waits.display = False
        self._live.add(added)

    async def think(self, text: str) -> None:
        """Add to the thoughts before the reply."""
        if self.thoughts is not None:
            self.thoughts.add(text)
        elif text.strip():
            self.thoughts = ThoughtFold(text.lstrip())
            await self.mount(self.thoughts, before=self._foot)

    def restart(self) -> None:
        self.text = ""
        self._waits.display = True
        self._live.clear()

    async def finish(self, message: Message, problem: str = "") -> None:
        """Show the final form of the reply."""
        self.message, self.text, self.problem = message, clean(message.text), problem
        self._streaming = False
        async with self.batch():
            await self.remove_children([self._head, self._waits, self._live])
            await self.mount_all(self._whole(), before=self.thoughts or self._foot)
            self._show_foot()

    def explain(self, hits: Sequence[Recalled], variant: tuple[int, int] | None = None) -> None:
        """Show the sources of the reply, and its place among the variants."""
        before = (self.hits, self.variant)
        self.hits, self.variant = tuple(hits), variant or self.variant
        if before != (self.hits, self.variant) and self.is_mounted:
            self._show_foot()

    def choose_chip(self, step: Literal[-1, 1]) -> None:
        """Choose the next or the previous chip."""
        if self.hits:
            last = len(self.hits) - 1
            self.chip = (
                (0 if step > 0 else last)
                if self.chip is None
                else min(max(self.chip + step, 0), last)
            )
            self._show_foot()

    def leave_chips(self) -> None:
        if self.chip is not None:
            self.chip = None
            self._show_foot()

    @property
    def chosen(self) -> Recalled | None:
        return (
            self.hits[self.chip] if self.chip is not None and self.chip < len(self.hits) else None
        )

    @property
    def cut(self) -> bool:
        """True if the reply was truncated at its length limit."""
        return self.message.status is MessageStatus.COMPLETE and self.message.usage.at_limit

    def _title(self) -> Content:
        own = self.message.model == BY_MEMAPP
        unasked = " · unasked" if self.message.unprompted and not own else ""
        from_memory = " · from memory" if self.message.model == FROM_MEMORY else ""
        if self.message.origin is Origin.COMMAND:
            return joined(
                ("Output", "bold $text-muted"),
                (f"  {clock(self.message.created_at)}", "$text-muted"),
            )
        name = (
            "memapp asks"
            if own and self.message.unprompted
            else "memapp"
            if own
            else self.persona_name
        )
        at = clock(self.message.created_at, is_estimated=self.message.time_estimated)
        return joined(
            (name, "bold $primary"),
            (f"  {at}{unasked}{from_memory}", "$text-muted"),
        )

    def _whole(self) -> list[Widget]:
        """Yield the finished reply; plain prose is a single widget, since there are many."""
        if self.message.origin is Origin.COMMAND:
            return [
                Static(
                    joined(self._title(), "\n", _excerpt(self.text)), markup=False, classes="body"
                )
            ]
        if has_marks(self.text) and len(self.text) <= MOST_MARKDOWN:
            return [Static(self._title(), markup=False, classes="head"), ReplyMarkdown(self.text)]
        text = self.text.strip()
        return [
            Static(joined(self._title(), "\n" if text else "", text), markup=False, classes="body")
        ]

    def _show_foot(self) -> None:
        chips = Content("  ").join(
            [self._chip(number, hit) for number, hit in enumerate(self.hits)]
        )
        parts = [part for part in (chips, self._why(), self._state()) if part]
        self._foot.display = bool(parts)
        self._foot.update(Content("\n").join(parts))

    def _chip(self, number: int, hit: Recalled) -> Content:
        words = row(hit.text, CHIP_CHARS)
        if self._contains(hit):
            words = plain(
                "where you said it"
                if hit.kind == "message"
                else f"kept {at_moment(hit.at, self.message.created_at)}"
            )
        elif hit.kind == "message":
            words = joined("“", words, "”")
        chip = joined((f"[{number + 1}]", "$accent"), " ★ " if hit.pinned else " ", words)
        if number == self.chip:
            chip = joined(("▸", "bold"), chip).stylize("reverse")
        return chip.stylize(Style.from_meta({"chip": number}))

    def _contains(self, hit: Recalled) -> bool:
        """Return True if an answer from memory already contains the text of a hit."""
        begun = one_line(hit.text)[: CHIP_CHARS - 1].rstrip(".!… ")
        return (
            self.message.model == FROM_MEMORY
            and hit.said_by != "assistant"
            and begun in one_line(self.text)
        )

    def _why(self) -> Content:
        hit = self.chosen
        if hit is None:
            return Content("")
        by = {"": "a memory", "user": "you said it", "assistant": "an earlier answer"}[hit.said_by]
        origin = " you imported" if hit.kind == "memory" else ", in a chat you imported"
        whose = "a lesson" if hit.kind == "lesson" else by + (origin if hit.is_imported else "")
        return joined((f"    {whose} · {matched(hit.why)} · enter opens it", "$text-muted"))

    def _state(self) -> Content:
        if self.message.origin is Origin.COMMAND and self.message.status is MessageStatus.STOPPED:
            return Content("")
        why = f": {self.problem}" if self.problem else ""
        ended = {
            MessageStatus.STOPPED: "◼ stopped · ctrl+r answers again",
            MessageStatus.INTERRUPTED: f"◼ interrupted{why} · ctrl+r answers again",
            MessageStatus.GENERATING: "" if self._streaming else "… another memapp is writing this",
            MessageStatus.FAILED: f"✗ failed{why} · ctrl+r retries",
        }.get(
            self.message.status,
            "◼ ended at its length limit · esc, ↑, then o goes on" if self.cut else "",
        )
        at, of = self.variant
        parts = [ended, f"answer {at} of {of} · esc, ↑, then [ or ] switches" if of > 1 else ""]
        if not self._streaming:
            parts.append(cost(self.message.usage))
        words = " · ".join(part for part in parts if part)
        failed = self.message.status is MessageStatus.FAILED
        return joined((words, "$error" if failed else "$text-muted")) if words else Content("")


def _excerpt(text: str) -> Content:
    """Return the beginning and the end of a command's output, and its exit."""
    first, last = SHOWN_LINES
    lines = text.expandtabs(8).split("\n")
    left_out = len(lines) - first - last
    if left_out > 0:
        lines = [*lines[:first], f"… {left_out:,} more lines · enter reads all", *lines[-last:]]
    return Content("\n").join(
        [plain(line if len(line) <= LINE_CHARS else f"{line[: LINE_CHARS - 1]}…") for line in lines]
    )


class Note(Static):
    """A quiet line between messages; its undo can be clicked, and so can the line itself.

    Before an undo the text is truncated, so that its `end` and the undo stay on the same line.
    """

    def __init__(
        self,
        text: str,
        asks: Announcement | None = None,
        *,
        end: str = "",
        step: str = "",
        waits: Sequence[tuple[str, str]] = (),
    ) -> None:
        self._text = plain(text)
        self._end = joined(end, "  ·  ", undo_words("undo", step)) if step else plain(end)
        super().__init__(joined(self._text, self._end), markup=False, classes="note")
        self._asks = asks
        self.step = step
        """The step of the undo; empty for a line about no change."""
        self.waits = tuple(waits)
        """The fields and values of pending requests; the line is hidden when none is pending."""

    def show_step_undone(self) -> None:
        """Show that the step was undone."""
        self._asks = None
        self._end = plain(f"{self._end.plain.removesuffix('undo')}undone")
        self.on_resize()

    def on_resize(self) -> None:
        room = self.size.width - self._end.cell_length
        is_cut = self.step and LEAST_CELLS <= room < self._text.cell_length
        shown = joined(
            self._text.truncate(room, ellipsis=True) if is_cut else self._text, self._end
        )
        if shown != self.content:
            self.update(shown)

    def on_click(self, event: events.Click) -> None:
        if self._asks is not None and "undo" not in event.style.meta:
            # The message would bubble only to the parent that created the note.
            self.app.post_message(self._asks)
