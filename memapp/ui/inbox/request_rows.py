"""How a row of the queue and a row of the profile look."""

from collections.abc import Callable
from datetime import datetime

from textual.content import Content

from memapp.domain.consent import came_from
from memapp.ui.inbox.read_models import Known, ShownRequest
from memapp.ui.memories.labels import age
from memapp.ui.safe import joined, row
from memapp.ui.widgets.labels import moment
from memapp.ui.widgets.rowlist import RowList

WIDE = 44
LABEL = 18
NOTHING_WAITS = """
Nothing waits for you.

When you say something about
yourself, such as where you live,
memapp asks here before it keeps it.

tab shows what the profile says."""


class RequestRows(RowList[ShownRequest]):
    """What waits: field, value, who proposed it, age."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        super().__init__(id="request-list", empty=NOTHING_WAITS)
        self._clock = clock

    def key(self, item: ShownRequest) -> str:
        return item.request.id

    def draw(self, item: ShownRequest, width: int) -> Content:
        who = came_from(item.request) if width >= WIDE else ""
        tail = joined((f"{f'  {who:11}' if who else ''}{age(item.request.created_at, self._clock()):>5}", "$text-muted"))
        value = row(item.value, 100) if item.value else row("a new value", style="$text-muted italic")
        words = joined((f"{item.label} ", "bold"), value)
        return joined(words.truncate(max(1, width - tail.cell_length), ellipsis=True, pad=True), tail)


class KnownRows(RowList[Known]):
    """The profile, one row a value: field, value, since when and from whom."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        super().__init__(id="known")
        self._clock = clock

    def key(self, item: Known) -> str:
        return item.key

    def draw(self, item: Known, width: int) -> Content:
        if not item.value:
            return joined((f"{item.label:{LABEL}}", "$text-muted"), ("not known", "$text-muted italic"))
        when = f"since {moment(item.since, self._clock())}" if item.since else ""
        by = " · you typed it twice" if item.by == "signals" else ""
        tail = joined((f"  {when}{by}", "$text-muted"))
        head = joined((f"{item.label:{LABEL}}", "bold"), row(item.value, 300))
        return joined(head.truncate(max(1, width - tail.cell_length), ellipsis=True, pad=True), tail)
