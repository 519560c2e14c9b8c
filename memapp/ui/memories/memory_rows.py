"""The rows of Memories and of Trash, in columns that fit the window."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from textual.content import Content

from memapp.domain.filters import MemoryFilter
from memapp.domain.memory import Memory
from memapp.domain.text import clean, one_line
from memapp.language.labels import why
from memapp.ui.safe_text import joined, marked, row
from memapp.ui.widgets.labels import age, ago, bar, is_overdue, kept
from memapp.ui.widgets.rowlist import TimedRows

AGE = 6
CATEGORY = 14
WIDE = 90
"""The least width with a category; the detail shows it too."""
MATCH = "bold $accent underline"


class FoundRows(TimedRows[Memory]):
    """Memories found by a search."""

    words: tuple[str, ...] = ()
    """The words to highlight."""
    missing: Mapping[str, int] = {}
    """Days of use left, for memories whose time in the trash is over."""

    def key(self, item: Memory) -> str:
        return item.id


class MemoryRows(FoundRows):
    """Memories: ★ for pinned, age, importance, text with highlights, category."""

    def draw(self, item: Memory, width: int) -> Content:
        head = joined(
            ("★ " if item.pinned else "  ", "$accent"),
            (f"{age(item.created_at, self.clock()):>{AGE - 1}} ", "$text-muted"),
            (f"{bar(item.importance)} ", "$primary"),
        )
        tail = row(item.category, CATEGORY - 1, "$text-muted") if width >= WIDE else Content("")
        space = width - head.cell_length - (CATEGORY if width >= WIDE else 0)
        text = found_in(item.with_before, self.words, space).truncate(
            space, ellipsis=True, pad=True
        )
        return joined(head, text, " " if tail else "", tail)


class TrashRows(FoundRows):
    """The trash: text, date and reason if there is room, and the time left."""

    WHY = 20
    KEPT = 24
    WIDE = 96

    def __init__(self, clock: Callable[[], datetime], ttl_days: int, *, id: str) -> None:
        super().__init__(clock, id=id)
        self._ttl_days = ttl_days

    def draw(self, item: Memory, width: int) -> Content:
        now = self.clock()
        since, reason = f"{ago(item.updated_at, now):>9}  ", why(item, self._ttl_days)
        room = (f"{since}{reason:<{self.WHY}}  " if width >= self.WIDE else "", "$text-muted")
        stays = kept(item.purge_at, now, self.missing.get(item.id, 0))
        end = (
            f"{stays:<{self.KEPT}}",
            "bold $error" if is_overdue(item.purge_at, now) else "$text-muted",
        )
        tail = joined("  ", room, end)
        space = max(1, width - 1 - tail.cell_length)
        return joined(
            " ",
            found_in(item.text, self.words, space).truncate(space, ellipsis=True, pad=True),
            tail,
        )


def wanted_words(wanted: MemoryFilter) -> tuple[str, ...]:
    """Return the words of a filter to highlight."""
    return (*wanted.phrases, *wanted.words)


def found_in(text: str, words: Sequence[str], space: int) -> Content:
    """Return a text with highlighted words, starting near the first of them."""
    line = one_line(clean(text))
    lowered = line.lower()
    first = min((place for word in words if (place := lowered.find(word.lower())) >= 0), default=0)
    if first > space * 2 // 3:
        line = "…" + line[max(0, first - space // 3) :]
    return marked(line, words, MATCH)
