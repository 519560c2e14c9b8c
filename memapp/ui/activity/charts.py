"""The charts of Activity: new memories, recalls and expectations over the last year.

Drawn here and not by Textual's `Sparkline`, which starts at the smallest value: nine of ten days
look empty, and a day without events looks like one with few. A plotting library would be ten times
the code.
"""

from collections.abc import Sequence
from datetime import date

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from memapp.domain.activity import Rate, Tally
from memapp.domain.memory import Kind
from memapp.domain.text import counted
from memapp.language.labels import called
from memapp.ui.safe_text import joined, plain

BLOCKS = "▁▂▃▄▅▆▇█"
LABEL, NUMBERS = 12, 32
TALL = 30
"""The charts are twice as high from this number of lines on."""
WIDEST = 3
STYLES = {
    Kind.SEMANTIC: "$primary",
    Kind.EPISODIC: "$secondary",
    Kind.INSIGHT: "$accent",
    Kind.PROCEDURAL: "$success",
}
RATES = (
    ("recalled", "Answers for which something was recalled", "$primary"),
    ("expected", "Messages that came as expected, or on its topic", "$accent"),
)


class PicturesView(VerticalScroll, can_focus=True):
    """All charts, one below the other, as wide as the window."""

    def __init__(self) -> None:
        super().__init__(id="pictures")
        self._tallies: tuple[Sequence[Tally], date] | None = None

    def compose(self) -> ComposeResult:
        yield Static(plain("Counting…", "$text-muted"), id="pictures-text", markup=False)

    def show(self, tallies: Sequence[Tally], today: date) -> None:
        self._tallies = tallies, today
        self._draw()

    def on_resize(self, _: Resize) -> None:
        self._draw()

    def _draw(self) -> None:
        if self._tallies and self.size.width:
            self.query_one("#pictures-text", Static).update(
                pictures(*self._tallies, self.size.width, self.size.height)
            )


def pictures(tallies: Sequence[Tally], today: date, width: int, height: int) -> Content:
    """Draw the counts up to today."""
    if not tallies:
        return joined(("Nothing to draw yet. Chat (F2), and come back.", "$text-muted"))
    columns = _Columns(
        min(tally.day for tally in tallies), today, max(10, width - LABEL - NUMBERS - 2)
    )
    high = 2 if height >= TALL else 1
    parts = [joined(("Memories, by the day on which they came", "bold $primary"))]
    for kind in Kind:
        name = f"{called('kinds', kind)}s".capitalize()
        parts += _counts(name, columns.of(tallies, kind), columns, high, STYLES[kind])
    for what, title, style in RATES:
        parts += [
            Content(""),
            joined((title, "bold $primary")),
            *_rate(columns.of(tallies, what), columns, 2 * high, style),
        ]
    parts += [Content(""), joined(("All that was done", "bold $primary"))]
    parts += _counts("", columns.of(tallies, "done"), columns, high, "$text-muted")
    return Content("\n").join([*parts, columns.legend()])


class _Columns:
    """The days from the first to the last, grouped into as many columns as fit."""

    def __init__(self, first: date, last: date, room: int) -> None:
        days = (last - first).days + 1
        self.first, self.days = first, -(-days // room)
        self.count = -(-days // self.days)
        self.wide = min(WIDEST, room // self.count)
        """The width of a column in characters."""

    def of(self, tallies: Sequence[Tally], what: str) -> list[Rate]:
        """Return the count of a series in each column."""
        held, of = [0] * self.count, [0] * self.count
        for tally in tallies:
            place = (tally.day - self.first).days // self.days
            if tally.what == what and 0 <= place < self.count:
                held[place] += tally.held
                of[place] += tally.of
        return [Rate(*both) for both in zip(held, of, strict=True) for _ in range(self.wide)]

    @property
    def each(self) -> str:
        return "a day" if self.days == 1 else f"in {counted(self.days, 'day')}"

    def legend(self) -> Content:
        """Return the dates below the first and the last column."""
        begin = f"{self.first.day} {self.first:%B}"
        space = self.count * self.wide - len(begin) - len("today")
        ends = (
            f"{begin}{'':{space}}today"
            if space > 0
            else f"since {begin}"
            if self.count > 1
            else "today"
        )
        days = "" if self.days == 1 else f"   each column {self.days} days"
        return joined((f"{'':{LABEL}}{ends}{days}", "$text-muted"))


def bars(shares: Sequence[float | None], height: int = 1) -> list[str]:
    """Return lines of blocks, each column as high as its share of 1; empty ones show a point."""

    def sign(share: float | None, line: int) -> str:
        if share is None:
            return " " if line else "·"
        eighths = max(1, -(-share * len(BLOCKS) * height // 1)) - line * len(BLOCKS)
        return BLOCKS[int(min(eighths, len(BLOCKS))) - 1] if eighths > 0 else " "

    return ["".join(sign(share, line) for share in shares) for line in reversed(range(height))]


def _counts(
    name: str, counts: Sequence[Rate], columns: _Columns, height: int, style: str
) -> list[Content]:
    most = max((rate.of for rate in counts), default=0)
    total = sum(rate.of for rate in counts) // columns.wide
    words = f"{total:,} · most {most:,} {columns.each}" if most else "none yet"
    return _drawn(
        bars([rate.of / most if rate.of else None for rate in counts], height if most else 1),
        name,
        words,
        style,
    )


def _rate(rates: Sequence[Rate], columns: _Columns, height: int, style: str) -> list[Content]:
    together = Rate(
        *(
            sum(counts) // columns.wide
            for counts in zip(*((rate.held, rate.of) for rate in rates), strict=True)
        )
    )
    words = (
        f"{together.held:,} of {together.of:,} · {together.share:.0%}"
        if together.share is not None
        else "none yet"
    )
    return _drawn(
        bars([rate.share for rate in rates], height if together.of else 1),
        "0 to 100%",
        words,
        style,
    )


def _drawn(lines: Sequence[str], name: str, words: str, style: str) -> list[Content]:
    """Put the name before the lowest line and the numbers after it."""
    above = [joined(" " * LABEL, (line, style)) for line in lines[:-1]]
    return [
        *above,
        joined(f"  {name:{LABEL - 2}}", (lines[-1], style), (f"  {words}", "$text-muted")),
    ]
