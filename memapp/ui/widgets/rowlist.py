"""A list of rows of one line each. Only visible lines are drawn, so that length costs nothing."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Generic, TypeVar

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style

from memapp.ui.safe_text import joined, plain

T = TypeVar("T")

EDGE = 2
"""The columns before each row: the cursor and the mark."""


class RowList(ScrollView, Generic[T], can_focus=True):
    """Rows with a cursor and marks. Subclasses define the key and the look of a row."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--cursor"}

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "step(-1)", "Up", show=False, id="rows.up"),
        Binding("down,j", "step(1)", "Down", show=False, id="rows.down"),
        Binding("pageup", "leap(-1)", "Page up", show=False, id="rows.page_up"),
        Binding("pagedown", "leap(1)", "Page down", show=False, id="rows.page_down"),
        Binding("g,home", "first", "First", show=False, id="rows.first"),
        Binding("G,end", "last", "Last", show=False, id="rows.last"),
        Binding("enter", "open", "Open", id="rows.open", key_display="⏎"),
    ]

    @dataclass
    class _Told(Message):
        rows: "RowList[Any]"

        @property
        def control(self) -> "RowList[Any]":
            return self.rows

    class Moved(_Told):
        """The cursor moved to another row."""

    class Opened(_Told):
        """The person opened the current row."""

    @dataclass
    class PageWanted(_Told):
        """The person wants the next page (1) or the previous one (-1)."""

        step: int

    def __init__(self, *, id: str, empty: str = "") -> None:
        super().__init__(id=id)
        self.items: tuple[T, ...] = ()
        self.marked: dict[str, T] = {}
        """The marked items by key; they stay marked while other rows are shown."""
        self._empty = empty
        self._earlier = self._later = ""
        self._cursor = 0
        self._drawn: dict[tuple[object, ...], Strip] = {}
        self._on_screen: dict[int, Strip] = {}
        """The lines on the screen."""
        self._rich_styles: dict[Style, RichStyle] = {}

    # For subclasses -------------------------------------------------------------------------------

    def key(self, item: T) -> str:
        """Return the key of an item."""
        raise NotImplementedError

    def draw(self, item: T, width: int) -> Content:
        """Return a row of at most `width` columns."""
        raise NotImplementedError

    # Content --------------------------------------------------------------------------------------

    def show(
        self, items: Sequence[T], *, earlier: str = "", later: str = "", at: str | None = None
    ) -> None:
        """Show rows; `earlier` and `later` are the labels of the other pages.

        The cursor goes to the row `at`; by default it stays on its row, or at its place.
        """
        cursor_key = at if at is not None else self.current_key
        before = (self._count == 0, self.current is None)
        self.items = tuple(items)
        self._earlier, self._later = earlier, later
        keys = [self.key(item) for item in self.items]
        self.marked |= {
            key: item for key, item in zip(keys, self.items, strict=True) if key in self.marked
        }
        if cursor_key in keys:
            self._cursor = keys.index(cursor_key) + self._lead
        else:
            first = self._lead if at is not None else self._cursor
            self._cursor = min(max(first, self._lead), max(0, self._count - 1))
        self._fit()
        self._follow()
        self.redraw()
        # The keys that work depend on whether there are rows.
        if before != (self._count == 0, self.current is None):
            self.refresh_bindings()
        self.post_message(self.Moved(self))

    def check_action(
        self,
        action: str,
        parameters: tuple[object, ...],  # noqa: ARG002 - Textual's signature
    ) -> bool | None:
        return self._count > 0 if action == "open" else True

    def say_empty(self, text: str) -> None:
        """Change the text of an empty list."""
        self._empty = text
        self.redraw()

    def redraw(self) -> None:
        """Draw the rows again after a change of rows, time or marks."""
        self._drawn.clear()
        self._draw()

    @property
    def current(self) -> T | None:
        at = self._cursor - self._lead
        return self.items[at] if 0 <= at < len(self.items) else None

    @property
    def current_key(self) -> str:
        return "" if (item := self.current) is None else self.key(item)

    @property
    def chosen(self) -> list[T]:
        """The items for an action: the marked ones, else the current one."""
        if self.marked:
            return list(self.marked.values())
        return [] if self.current is None else [self.current]

    @property
    def _lead(self) -> int:
        return 1 if self._earlier else 0

    @property
    def _count(self) -> int:
        return self._lead + len(self.items) + (1 if self._later else 0)

    # Marks ----------------------------------------------------------------------------------------

    def toggle_mark(self) -> None:
        """Mark or unmark the current row, and go to the next."""
        if (item := self.current) is None:
            return
        key = self.key(item)
        if key in self.marked:
            del self.marked[key]
        else:
            self.marked[key] = item
        self.redraw()
        if self._cursor < self._lead + len(self.items) - 1:
            self._go(self._cursor + 1)

    def mark_all(self) -> None:
        """Mark every row; if all are marked, unmark them."""
        shown = {self.key(item): item for item in self.items}
        self.marked = {} if shown.keys() <= self.marked.keys() else self.marked | shown
        self.redraw()

    def unmark(self, keys: Iterable[str] | None = None) -> None:
        """Remove marks; without keys all of them."""
        for key in list(self.marked) if keys is None else keys:
            self.marked.pop(key, None)
        self.redraw()

    def keep_marks(self, keys: Sequence[str], existing: Mapping[str, T]) -> None:
        """Keep the marks of those looked-up items that still exist, with their present state."""
        self.marked = {
            key: existing.get(key, item)
            for key, item in self.marked.items()
            if key in existing or key not in keys
        }
        self.redraw()

    # Keys and mouse -------------------------------------------------------------------------------

    def action_step(self, step: int) -> None:
        self._go(self._cursor + step)

    def action_leap(self, step: int) -> None:
        self._go(self._cursor + step * max(1, self.size.height - 1))

    def action_first(self) -> None:
        self._go(self._lead)

    def action_last(self) -> None:
        self._go(self._lead + len(self.items) - 1)

    def action_open(self) -> None:
        if self._earlier and self._cursor == 0:
            self.post_message(self.PageWanted(self, -1))
        elif self._later and self._cursor == self._count - 1:
            self.post_message(self.PageWanted(self, 1))
        elif self.current is not None:
            self.post_message(self.Opened(self))

    def on_click(self, event: events.Click) -> None:
        number = int(event.y + self.scroll_offset.y)
        if number < self._count:
            again = number == self._cursor and event.chain > 1
            self._go(number)
            if again or self.current is None:
                self.action_open()

    def _go(self, number: int) -> None:
        number = min(max(number, 0), max(0, self._count - 1))
        if number != self._cursor:
            self._cursor = number
            self._follow()
            self._draw()
            self.post_message(self.Moved(self))

    def _follow(self) -> None:
        if self.size.height:  # Without a size, the rows above the cursor would be scrolled away.
            self.scroll_to_region(
                Region(0, self._cursor, 1, 1), animate=False, force=True, immediate=True
            )

    # Drawing --------------------------------------------------------------------------------------

    def on_resize(self) -> None:
        self._fit()
        self._follow()

    def on_focus(self) -> None:
        self._draw()

    def on_blur(self) -> None:
        self._draw()

    def _fit(self) -> None:
        self.virtual_size = Size(max(1, self.scrollable_content_region.width), max(1, self._count))

    def _draw(self) -> None:
        """Draw visible lines and refresh only those that changed.

        Textual would draw all of them in one go on its own, which takes as long again and delays
        keys.
        """
        for y in range(self.size.height):
            before = self._on_screen.get(y)
            if self.render_line(y) != before:
                self.refresh_line(y + int(self.scroll_offset.y))

    def render_line(self, y: int) -> Strip:
        number = y + int(self.scroll_offset.y)
        width = self.scrollable_content_region.width
        on_cursor = number == self._cursor and self._count > 0
        style = (
            self.get_visual_style("rows--cursor")
            if on_cursor and self.has_focus
            else self.visual_style
        )
        look = (number, on_cursor, width, style, self.app.theme)
        if look not in self._drawn:
            self._drawn[look] = self._line(number, on_cursor, width, style)
        self._on_screen[y] = self._drawn[look]
        return self._drawn[look]

    def _line(self, number: int, on_cursor: bool, width: int, style: Style) -> Strip:
        content = self._words(number, on_cursor, width).truncate(width, ellipsis=True, pad=True)
        # Not a Visual, which wraps and aligns a line of the right width again, at three times the
        # cost.
        parts = content.render(style, end="", parse_style=self.app.stylesheet.parse_style)
        return Strip([Segment(text, self._rich(style + part)) for text, part in parts], width)

    def _rich(self, style: Style) -> RichStyle:
        if style not in self._rich_styles:
            self._rich_styles[style] = style.rich_style
        return self._rich_styles[style]

    def _words(self, number: int, on_cursor: bool, width: int) -> Content:
        if not self._count:
            lines = self._empty.splitlines()
            return plain(
                f"  {lines[number - 1]}" if 0 < number <= len(lines) else "", "$text-muted"
            )
        sign = ("▸" if on_cursor else " ", "bold $accent")
        at = number - self._lead
        if 0 <= at < len(self.items):
            item = self.items[at]
            mark = ("✓" if self.key(item) in self.marked else " ", "bold $success")
            return joined(sign, mark, self.draw(item, max(1, width - EDGE)))
        words = (
            self._earlier
            if number == 0 and self._earlier
            else self._later
            if number == self._count - 1
            else ""
        )
        return joined(sign, " ", (words, "$text-muted")) if words else Content("")


class TimedRows(RowList[T]):
    """Rows with an age."""

    def __init__(self, clock: Callable[[], datetime], *, id: str, empty: str = "") -> None:
        super().__init__(id=id, empty=empty)
        self.clock = clock
