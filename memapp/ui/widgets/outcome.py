"""The outcome of a message: a quiet line below the answer, which unfolds into its items."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from textual import events
from textual.content import Content
from textual.message import Message as Announcement
from textual.style import Style
from textual.widgets import Static

from memapp.domain.consent import ConsentRequest, change
from memapp.domain.provenance import Item, NotKept, Outcome, Taught, WhyNot
from memapp.ui.safe_text import UNDO, joined, plain, row

WHY: dict[WhyNot, str] = {
    "passing": "a passing thing",
    "not meant": "not meant as a fact",
    "secret": "a secret, never kept",
    "known": "known already",
    "denied": "you said no",
    "undone": "you undid it",
    "full": "the memory is full",
    "tomorrow": "enough for today, read again tomorrow",
    "expected": "memapp expected that",
    "kept out": "you asked to keep it out",
}
LEAST_CELLS = 16
"""The width below which a line wraps instead of being truncated."""
SHOWN = 400
"""The length at which an item is truncated, if the window is wider."""
NO_KEEPING = ("secret", "known")


class OutcomeNote(Static):
    """The summary line, and when open a line per item, of which the cursor chooses one."""

    @dataclass
    class Wanted(Announcement):
        """The person wants to `open`, `edit`, `undo` or `keep` an item."""

        note: "OutcomeNote"
        deed: str
        item: Item

    def __init__(self, message_id: str, outcome: Outcome) -> None:
        super().__init__(markup=False, classes="note")
        self.message_id = message_id
        self.outcome = outcome
        self.is_open = False
        self._at = 0
        """The chosen line: 0 for the summary, then one per item."""

    @property
    def can_open(self) -> bool:
        """True if there is more than the summary shows."""
        return len(self.outcome.items) > 1 or bool(self.outcome.not_kept)

    @property
    def takes_back(self) -> str:
        """The step of the undo on the summary; empty if there is none."""
        return self._single.step if isinstance(self._single, Taught) else ""

    @property
    def chosen(self) -> Item | None:
        """The item for keys: the chosen one, or the only one that was kept or is pending."""
        if self.is_open and self._at:
            return self.outcome.items[self._at - 1]
        return self._single

    @property
    def _only_refusal(self) -> NotKept | None:
        """The only statement, if it was not kept: the summary then shows the reason."""
        only = self.outcome.items[0] if len(self.outcome.items) == 1 and not self.is_open else None
        return only if isinstance(only, NotKept) and only.why != "known" else None

    @property
    def _single(self) -> Item | None:
        shown = self.outcome.learned or self.outcome.waiting
        return shown[0] if len(shown) == 1 and not self.is_open else None

    def show(self, outcome: Outcome) -> None:
        if outcome != self.outcome:
            self.outcome = outcome
            self.is_open = self.is_open and self.can_open
            self._at = min(self._at, len(outcome.items))
            self.display = bool(outcome.items)
            self.draw()

    def step(self, step: int) -> bool:
        """Choose the next or the previous line; return True if there was one."""
        at = self._at + step
        if not self.is_open or not 0 <= at <= len(self.outcome.items):
            return False
        self._at = at
        self.draw()
        return True

    def enter(self, step: int) -> None:
        """Choose the line that the cursor reaches first."""
        self._at = len(self.outcome.items) if step < 0 and self.is_open else 0
        self.draw()

    def act(self) -> None:
        """Handle enter: open or close the line, else show the memory or request."""
        if self.can_open and not (self.is_open and self._at):
            self.is_open = not self.is_open
            self.draw()
        elif (item := self.chosen) is not None:
            self.post_message(self.Wanted(self, "open", item))

    def does(self, deed: str) -> bool:
        """Return True if the chosen item allows a deed."""
        return deed in (possible.name for possible in _deeds(self.chosen))

    def do(self, deed: str) -> None:
        """Ask for a deed on the chosen item."""
        if self.chosen is not None and self.does(deed):
            self.post_message(self.Wanted(self, deed, self.chosen))

    def on_mount(self) -> None:
        self.display = bool(self.outcome.items)
        self.draw()  # without words it has no height, and may never hear of its size

    def on_resize(self) -> None:
        self.draw()

    def on_click(self, event: events.Click) -> None:
        self._at = min(event.style.meta.get("line", 0), len(self.outcome.items))
        if deed := event.style.meta.get("deed"):
            self.do(deed)
        elif "undo" not in event.style.meta:  # The app hears of the click.
            self.act()

    def draw(self) -> None:
        if not self.outcome.items:
            return
        is_here = self.has_class("-current")
        rows = [self._row(0, *self._summary(is_here))]
        if self.is_open:
            rows += [
                self._row(at, *_item_line(item, is_here and at == self._at))
                for at, item in enumerate(self.outcome.items, start=1)
            ]
        elif self.outcome.learned and self.outcome.waiting:
            rows.append(self._row(0, plain(self._waiting()), Content("")))
        shown = Content("\n").join(rows)
        if shown != self.content:
            self.update(shown)
        if is_here:
            self.refresh_bindings()

    def _row(self, at: int, text: Content, end: Content) -> Content:
        """Return a line; the text is truncated so that its deeds stay on the same line."""
        room = self.content_size.width - end.cell_length
        is_cut = end.cell_length and LEAST_CELLS <= room < text.cell_length
        shown = joined(text.truncate(room, ellipsis=True) if is_cut else text, end).stylize(
            Style.from_meta({"line": at})
        )
        is_chosen = self.has_class("-current") and self.is_open and at == self._at
        return shown.stylize("reverse") if is_chosen else shown

    def _summary(self, is_here: bool) -> tuple[Content, Content]:
        """Return the summary: the kept or else pending statement, and the number of others.

        A pending request beside kept statements has a line of its own until all items are shown.
        """
        learned, waiting = self.outcome.learned, self.outcome.waiting
        rest = _counted(self.outcome.not_kept)
        deeds: list[Content] = []
        if learned:
            if waiting and self.is_open:
                rest = [f"● {len(waiting)} pending · F4", *rest]
            text = self._remembered(learned)
            deeds = _deed_words(_deeds(self._single), is_here)
        elif waiting:
            text = self._waiting()
        else:
            text, *rest = rest
            text += f": {WHY[self._only_refusal.why]}" if self._only_refusal else ""
        ends = [Content(" · ").join(deeds)] if deeds else []
        end = Content("  ·  ").join([*ends, *map(plain, rest)])
        sign = ("▾ " if self.is_open else "▸ ") if self.can_open else ""
        return row(f"{sign}{text}", SHOWN), joined("  ·  ", end) if end else end

    def _waiting(self) -> str:
        first, *others = self.outcome.waiting
        more = f" and {len(others)} more" if others else ""
        return f"● Pending in the inbox: {change(first)}{more} · F4"

    def _remembered(self, learned: Sequence[Taught]) -> str:
        if self.is_open:
            return f"Remembered {len(learned)}"
        if len(learned) == 1:
            return f"{'Updated' if learned[0].was else 'Remembered'}: {_taught_words(learned[0])}"
        return f"Remembered {len(learned)}: {' '.join(taught.memory.text for taught in learned)}"


def _counted(not_kept: Sequence[NotKept]) -> list[str]:
    known_already = sum(reason.why == "known" for reason in not_kept)
    counts = {"not kept": len(not_kept) - known_already, "known already": known_already}
    return [f"{count} {words}" for words, count in counts.items() if count]


@dataclass(frozen=True, slots=True)
class _Deed:
    name: str
    key: str
    words: str
    meta: dict[str, str] = field(default_factory=dict)


def _deeds(item: Item | None) -> list[_Deed]:
    match item:
        case Taught(step=step):
            undo = [_Deed("undo", "u", "undo", {"undo": step})] if step else []
            return [_Deed("edit", "e", "edit", {"deed": "edit"}), *undo]
        case NotKept(why=why) if why not in NO_KEEPING:
            return [_Deed("keep", "m", "keep anyway", {"deed": "keep"})]
    return []


def _deed_words(deeds: list[_Deed], with_keys: bool) -> list[Content]:
    """Return the deeds as clickable words; with the keys where these work."""
    return [
        plain(f"{deed.key} {deed.words}" if with_keys else deed.words)
        .stylize(UNDO)
        .stylize(Style.from_meta(deed.meta))
        for deed in deeds
    ]


def _taught_words(taught: Taught) -> str:
    return f"{taught.memory.text} (was: {taught.was})" if taught.was else taught.memory.text


def words_of(item: Item) -> str:
    """Return an item in words, in the second person."""
    match item:
        case Taught():
            return _taught_words(item)
        case ConsentRequest():
            return change(item)
        case NotKept():
            return f"“{item.said}”"


def _item_line(item: Item, is_chosen: bool) -> tuple[Content, Content]:
    """Return the line of an item, and the words at its end."""
    match item:
        case Taught():
            sign, ends = "✓", []
        case ConsentRequest():
            sign, ends = "●", ["pending", "F4 decides"]
        case NotKept():
            sign, ends = "–", [WHY[item.why]]
    end = Content(" · ").join([*map(plain, ends), *_deed_words(_deeds(item), is_chosen)])
    return joined(f"  {sign} ", row(words_of(item), SHOWN)), joined("  ·  ", end)
