"""The composer, where a person writes, and the list of commands above.

The composer announces sent messages and pauses, and keeps track of pasted spans.
"""

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widgets import OptionList, TextArea
from textual.widgets.option_list import Option
from textual.widgets.text_area import Edit, EditResult

from memapp.domain.commands import COMMANDS, beginning, completed
from memapp.domain.text import clean
from memapp.ui.pasted_spans import PastedSpans, Spans, Writing
from memapp.ui.safe_text import joined, place_toasts, plain

WARM_SECONDS = 0.15
DRAFT_SECONDS = 0.4
FORM_CELLS = 18
"""The width of a command in the list."""


class CommandMenu(OptionList):
    """The commands that can be typed; the keys of the composer choose one."""

    can_focus = False

    def __init__(self) -> None:
        super().__init__(id="commands", markup=False, compact=True)
        self.display = False

    def offer(self, written: str) -> None:
        """List the commands with a prefix; hide if there are none."""
        names = beginning(written)
        self.set_options(
            Option(
                joined((f"{COMMANDS[name][0]:{FORM_CELLS}}", "bold"), COMMANDS[name][1]), id=name
            )
            for name in names
        )
        self.highlighted = 0 if names else None
        if self.display != bool(names):
            self.display = bool(names)
            self.call_after_refresh(place_toasts, self.screen)

    @property
    def chosen(self) -> str:
        """The command under the cursor; empty while nothing is listed."""
        option = self.highlighted_option
        return (option.id or "") if option and self.display else ""

    def step(self, way: int) -> None:
        if way < 0:
            self.action_cursor_up()
        else:
            self.action_cursor_down()


class Composer(TextArea):
    """A text field of one to eight lines: enter sends, ctrl+j or shift+enter breaks the line."""

    BINDING_GROUP_TITLE = "Composer"
    HELP = (
        "Write here. Enter sends. ctrl+j starts a new line. Up brings back earlier messages. "
        "ctrl+g opens your editor. / lists the commands."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab,enter", "take", "Take", id="composer.take", key_display="tab ⏎"),
        Binding("escape", "close", "Close", id="composer.close"),
        Binding("enter", "send", "Send", id="composer.send", key_display="⏎"),
        Binding(
            "ctrl+j,shift+enter,alt+enter", "newline", "New line", show=False, id="composer.newline"
        ),
        Binding("up", "back", "Earlier message", show=False, id="composer.back"),
        Binding("down", "forward", "Later message", show=False, id="composer.forward"),
        Binding("pageup", "page(-1)", "Scroll up", show=False, id="composer.page_up"),
        Binding("pagedown", "page(1)", "Scroll down", show=False, id="composer.page_down"),
        Binding("ctrl+g", "editor", "In your editor", show=False, id="composer.editor"),
        Binding("ctrl+z,super+z", "undo_here", "Undo", show=False, id="composer.undo"),
    ]

    @dataclass
    class Sent(Message):
        """The person pressed enter."""

        writing: Writing

    @dataclass
    class Hesitated(Message):
        """The person paused while typing."""

        text: str

    @dataclass
    class ScrollWanted(Message):
        """The person wants to scroll the transcript a page up (-1) or down (1)."""

        step: int

    def __init__(self, commands: CommandMenu | None = None) -> None:
        super().__init__(
            id="composer",
            soft_wrap=True,
            compact=True,
            highlight_cursor_line=False,
            max_checkpoints=100,
        )
        self._commands = commands
        self.prompts: list[str] = []
        """Earlier prompts, newest first."""
        self._recalled = 0
        self._unsent = ""
        self._pasted = PastedSpans()
        self._ever_pasted = False
        self._quiet = False
        self._sent: str | None = None
        self._pauses: tuple[Timer, ...] = ()
        """The timers of a pause in typing."""

    # For subclasses -------------------------------------------------------------------------------

    def paused(self) -> None:
        """Handle a pause long enough to save the draft."""

    def show_notice(self, words: str) -> None:
        """Show a notice about an action in the composer."""

    def action_editor(self) -> None:
        """Edit the text in another program."""

    # The text -------------------------------------------------------------------------------------

    @property
    def pasted(self) -> Spans:
        """The pasted spans of the text."""
        return self._pasted.within(self.text)

    @property
    def writing(self) -> Writing:
        return Writing(self.text, self.pasted)

    def render_line(self, y: int) -> Strip:
        # Textual wraps the placeholder to a wrong width while the window becomes narrow.
        return (
            super().render_line(y) if self.content_size.width > 0 else Strip.blank(self.size.width)
        )

    def on_resize(self) -> None:
        place_toasts(self.screen)  # The field grows while a person writes.
        self.call_after_refresh(self.scroll_cursor_visible)  # The text wraps at another width now.

    def hint(self, text: str) -> None:
        """Show a placeholder."""
        if str(self.placeholder) != text:
            self.placeholder = plain(text)

    def fill(self, writing: Writing, *, undoable: bool = False) -> None:
        """Replace the text without announcing a pause; undo goes back only if `undoable`."""
        self._quiet = True
        if undoable:
            self.history.checkpoint()
            self.replace(clean(writing.text), (0, 0), self.document.end)
            self.history.checkpoint()
        else:
            self.load_text(clean(writing.text))
        self.move_cursor(self.document.end)
        self._pasted = PastedSpans(writing.pasted)
        self._ever_pasted = bool(writing.pasted) or (undoable and self._ever_pasted)
        self._recalled = 0
        self._sent = None
        self.stop_timers()

    def clear_text(self) -> None:
        self.fill(Writing())

    def edit(self, edit: Edit) -> EditResult:
        start, end = self._index(edit.top), self._index(edit.bottom)
        result = super().edit(edit)
        self._pasted.replace(start, end, len(edit.text))
        return result

    def _index(self, location: tuple[int, int]) -> int:
        row, column = location
        return sum(len(self.document.get_line(line)) + 1 for line in range(row)) + column

    def undo(self) -> None:
        super().undo()
        self._distrust()

    def redo(self) -> None:
        super().redo()
        self._distrust()

    async def _on_key(self, event: events.Key) -> None:
        # Not a priority binding, which would run before letters typed just before.
        if event.key == "enter":
            event.prevent_default()
            event.stop()
            if self.take() and self.text.endswith(" "):
                return
            self.action_send()
            return
        await super()._on_key(event)

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self.paste(event.text)

    def action_paste(self) -> None:
        self.paste(self.app.clipboard)

    def action_send(self) -> None:
        self.stop_timers()
        self._sent = self.text
        self.post_message(self.Sent(self.writing))

    def action_newline(self) -> None:
        self.insert("\n")

    async def action_undo_here(self) -> None:
        before = self.text
        self.undo()
        if self.text == before == "":
            await self.run_action("app.undo")
        elif self.text == before:
            self.show_notice(
                "Nothing to undo in these words. ctrl+z in an empty composer undoes a change."
            )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("take", "close"):
            return self._commands is not None and self._commands.display
        return super().check_action(action, parameters)

    def action_take(self) -> None:
        self.take()

    def action_close(self) -> None:
        self._offer("")

    def take(self, name: str = "") -> bool:
        """Complete a command, by default the chosen one; return True if there was one."""
        name = name or (self._commands.chosen if self._commands else "")
        if name:
            self.replace(completed(name), (0, 0), self.document.end)
            self.move_cursor(self.document.end)
            self._offer("")
        return bool(name)

    def _offer(self, written: str) -> None:
        if self._commands is not None:
            self._commands.offer(written)
            self.refresh_bindings()

    def _steps(self, way: int) -> bool:
        """Move the cursor in the list of commands; return True if the list is shown."""
        if self._commands is None or not self._commands.display:
            return False
        self._commands.step(way)
        return True

    def action_back(self) -> None:
        """Go up a line; from the first line, to the previous prompt. In the list, choose."""
        if self._steps(-1):
            return
        if self.cursor_location[0] > 0 or self._recalled >= len(self.prompts):
            self.action_cursor_up()
            return
        if self._recalled == 0:
            self._unsent = self.text
        self._recall(self._recalled + 1)

    def action_forward(self) -> None:
        if self._steps(1):
            return
        if self._recalled == 0 or self.cursor_location[0] < self.document.line_count - 1:
            self.action_cursor_down()
            return
        self._recall(self._recalled - 1)

    def action_page(self, step: int) -> None:
        """Scroll the text a page; if all of it is visible, the transcript."""
        if not self.text:
            self.post_message(self.ScrollWanted(step))
        elif step < 0:
            self.action_cursor_page_up()
        else:
            self.action_cursor_page_down()

    def _recall(self, position: int) -> None:
        text = self.prompts[position - 1] if position else self._unsent
        # An earlier prompt may have been pasted, so its words do not count as typed.
        self.fill(Writing(text, ((0, len(text)),) if text else ()), undoable=True)
        self._recalled = position

    def paste(self, text: str) -> None:
        """Insert a pasted text, even if another widget had the focus."""
        text = clean(text)
        if self.read_only or not (text or self.selected_text):
            return
        start = self._index(min(self.selection))
        if result := self._replace_via_keyboard(text, *self.selection):
            self._pasted.add(start, start + len(text))
            self._ever_pasted = True
            self.move_cursor(result.end_location)
            self.focus()

    def _distrust(self) -> None:
        """Mark the whole text as pasted after undo or redo, which lose track of pasted spans."""
        self._recalled = 0
        if self._ever_pasted:
            self._pasted.add(0, len(self.text))

    def _on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._offer("" if self._quiet else self.text)
        if self._quiet:
            self._quiet = False
            return
        if self.text == self._sent:
            return  # Letters that arrived together with enter: nothing was typed since.
        self.stop_timers()
        hesitated = self.set_timer(
            WARM_SECONDS, lambda: self.post_message(self.Hesitated(self.text))
        )
        self._pauses = hesitated, self.set_timer(DRAFT_SECONDS, self.paused)

    def stop_timers(self) -> None:
        """Stop the timers of a pause."""
        for timer in self._pauses:
            timer.stop()
