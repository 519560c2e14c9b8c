"""The outcome of a message: one quiet line below its answer, which opens to a line for each thing
that it says.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from textual import events
from textual.content import Content
from textual.message import Message as Announcement
from textual.style import Style
from textual.widgets import Static

from memapp.domain.consent import ConsentRequest, change
from memapp.domain.provenance import Item, NotKept, Outcome, Taught, WhyNot
from memapp.ui.safe import UNDO, joined, plain, row

WHY: dict[WhyNot, str] = {
    "passing": "a passing thing",
    "not meant": "not meant as a fact",
    "secret": "a secret, never kept",
    "known": "known already",
    "denied": "you said no",
    "taken back": "you took it back",
    "full": "the memory is full",
    "tomorrow": "enough for today, read again tomorrow",
    "expected": "memapp expected that",
    "kept out": "you asked to keep it out",
}
LEAST_CELLS = 16
"""A line is broken rather than cut to fewer."""
SHOWN = 400
"""Characters of a line, as far as they fit on it."""
NO_KEEPING = ("secret", "known")


class OutcomeNote(Static):
    """The line, and its lines while it is open. One of them is chosen while the cursor of the
    conversation is here.
    """

    @dataclass
    class Wanted(Announcement):
        """The person wants something done about one line: `open`, `edit`, `undo` or `keep`."""

        note: "OutcomeNote"
        deed: str
        item: Item

    def __init__(self, message_id: str, outcome: Outcome) -> None:
        super().__init__(markup=False, classes="note")
        self.message_id = message_id
        self.outcome = outcome
        self.is_open = False
        self._at = 0
        """The chosen line: 0 for the first, which sums up, then one for each item."""

    @property
    def can_open(self) -> bool:
        """There is more to say than the one line does."""
        return len(self.outcome.items) > 1 or bool(self.outcome.not_kept)

    @property
    def takes_back(self) -> str:
        """The step that the undo on its first line is for; empty where there is none."""
        return self._single.step if isinstance(self._single, Taught) else ""

    @property
    def chosen(self) -> Item | None:
        """What keys act on: the chosen line, or the one thing that was kept as long as all else
        only waits to be read.
        """
        if self.is_open and self._at:
            return self.outcome.items[self._at - 1]
        return self._single

    @property
    def _alone(self) -> NotKept | None:
        """The one statement there is, if it was not kept: why needs no opening then."""
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
        """Choose the next or the previous line; say whether there was one."""
        at = self._at + step
        if not self.is_open or not 0 <= at <= len(self.outcome.items):
            return False
        self._at = at
        self.draw()
        return True

    def enter(self, step: int) -> None:
        """Choose the line that one comes upon first."""
        self._at = len(self.outcome.items) if step < 0 and self.is_open else 0
        self.draw()

    def act(self) -> None:
        """Do what enter does: open or close the line, else show what stands behind it."""
        if self.can_open and not (self.is_open and self._at):
            self.is_open = not self.is_open
            self.draw()
        elif (item := self.chosen) is not None:
            self.post_message(self.Wanted(self, "open", item))

    def does(self, deed: str) -> bool:
        """Say whether something can be done about the chosen line."""
        return self.chosen is not None and any(other.name == deed for other in _deeds(self.chosen))

    def do(self, deed: str) -> None:
        """Ask for something to be done about the chosen line."""
        if self.chosen is not None and self.does(deed):
            self.post_message(self.Wanted(self, deed, self.chosen))

    def on_mount(self) -> None:
        self.display = bool(self.outcome.items)

    def on_resize(self) -> None:
        self.draw()

    def on_click(self, event: events.Click) -> None:
        self._at = min(event.style.meta.get("line", 0), len(self.outcome.items))
        if deed := event.style.meta.get("deed"):
            self.do(deed)
        elif "undo" not in event.style.meta:  # of which the app hears
            self.act()

    def draw(self) -> None:
        if not self.outcome.items:
            return
        is_here = self.has_class("-current")
        rows = [self._row(0, *self._summary(is_here))]
        if self.is_open:
            rows += [
                self._row(at, *_told(item, is_here and at == self._at))
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
        """Return one line; its text is cut so that what can be done stays on one line with it."""
        room = self.content_size.width - end.cell_length
        is_cut = end.cell_length and LEAST_CELLS <= room < text.cell_length
        shown = joined(text.truncate(room, ellipsis=True) if is_cut else text, end).stylize(
            Style.from_meta({"line": at})
        )
        is_chosen = self.has_class("-current") and self.is_open and at == self._at
        return shown.stylize("reverse") if is_chosen else shown

    def _summary(self, is_here: bool) -> tuple[Content, Content]:
        """Return the first line: in words what was kept, else what waits, and how much else there
        is.

        What waits beside what was kept has a line of its own, until there is one for each thing.
        """
        learned, waiting, rest = (
            self.outcome.learned,
            self.outcome.waiting,
            _counted(self.outcome.not_kept),
        )
        deeds: list[Content] = []
        if learned:
            rest = [f"● {len(waiting)} {'waits' if len(waiting) == 1 else 'wait'} · F4"] * bool(
                waiting and self.is_open
            ) + rest
            text = self._remembered(learned)
            deeds = _done(_deeds(self._single), is_here)
        elif waiting:
            text = self._waiting()
        else:
            text, *rest = rest
            text += f": {WHY[self._alone.why]}" if self._alone else ""
        end = Content("  ·  ").join(
            [Content(" · ").join(deeds)] * bool(deeds) + [plain(item) for item in rest]
        )
        sign = ("▾ " if self.is_open else "▸ ") if self.can_open else ""
        return row(f"{sign}{text}", SHOWN), joined("  ·  ", end) if end else end

    def _waiting(self) -> str:
        first, *others = self.outcome.waiting
        return (
            f"● Waiting for you: {change(first)}{f' and {len(others)} more' if others else ''} · F4"
        )

    def _remembered(self, learned: Sequence[Taught]) -> str:
        if self.is_open:
            return f"Remembered {len(learned)}"
        if len(learned) == 1:
            return f"{'Updated' if learned[0].was else 'Remembered'}: {_learned(learned[0])}"
        return f"Remembered {len(learned)}: {' '.join(lesson.memory.text for lesson in learned)}"


def _counted(not_kept: Sequence[NotKept]) -> list[str]:
    known = sum(reason.why == "known" for reason in not_kept)
    counts = {"not kept": len(not_kept) - known, "known already": known}
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


def _done(deeds: list[_Deed], with_keys: bool) -> list[Content]:
    """Return what can be done, to be clicked; with the keys where they work."""
    return [
        plain(f"{deed.key} {deed.words}" if with_keys else deed.words)
        .stylize(UNDO)
        .stylize(Style.from_meta(deed.meta))
        for deed in deeds
    ]


def _learned(one: Taught) -> str:
    return f"{one.memory.text} (was: {one.was})" if one.was else one.memory.text


def words_of(item: Item) -> str:
    """Return what a line says, as it is told to the person."""
    match item:
        case Taught():
            return _learned(item)
        case ConsentRequest():
            return change(item)
        case NotKept():
            return f"“{item.said}”"


def _told(item: Item, is_chosen: bool) -> tuple[Content, Content]:
    """Return the line of one thing that the message says, and what stands at its end."""
    match item:
        case Taught():
            sign, ends = "✓", []
        case ConsentRequest():
            sign, ends = "●", ["waits for you", "F4 decides"]
        case NotKept():
            sign, ends = "–", [WHY[item.why]]
    end = Content(" · ").join([*map(plain, ends), *_done(_deeds(item), is_chosen)])
    return joined(f"  {sign} ", row(words_of(item), SHOWN)), joined("  ·  ", end)
