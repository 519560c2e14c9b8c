"""The numbers of Activity: how well the loop works, and how often each part did each operation."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from memapp.domain.activity import Count, Rate, Rates
from memapp.domain.consolidation import Tidied
from memapp.language.labels import operation_of, part_of
from memapp.ui.safe_text import joined, plain

ON_DEMAND_RECALLS_GOAL = 0.10
LABEL, COLUMN = 42, 8
"""Both fit into 80 columns."""


class NumbersView(VerticalScroll, can_focus=True):
    def __init__(self) -> None:
        super().__init__(id="numbers")

    def compose(self) -> ComposeResult:
        yield Static(plain("Counting…", "$text-muted"), id="numbers-text", markup=False)

    def show(self, rates: Rates, counts: Sequence[Count], tidied: Tidied) -> None:
        parts = [_rates(rates), *([_tidied(tidied)] if tidied.pairs else []), _table(counts)]
        content = Content("\n\n").join(parts)
        self.query_one("#numbers-text", Static).update(content)


def _rates(rates: Rates) -> Content:
    turns = rates.recalled_on_demand
    return Content("\n").join(
        [
            joined(("How well it does", "bold $primary")),
            _rate(rates.guesses.as_predicted, "messages came as predicted"),
            _rate(rates.guesses.same_topic, "were something else on the predicted topic"),
            _rate(
                turns,
                "turns needed a second look",
                f"goal below {ON_DEMAND_RECALLS_GOAL:.0%}",
                (turns.share or 0) < ON_DEMAND_RECALLS_GOAL,
            ),
        ]
    )


def _rate(rate: Rate, what: str, goal: str = "", reached: bool = True) -> Content:
    if rate.share is None:
        return joined((f"  - {what}: none yet" + (f", {goal}" if goal else ""), "$text-muted"))
    sign = (
        ("✓" if reached else "✗", "$text-success" if reached else "bold $text-warning")
        if goal
        else ("·", "$text-muted")
    )
    tail = (f"  {rate.share:.0%}" + (f", {goal}" if goal else ""), sign[1])
    return joined("  ", sign, f" {rate.held:,} of {rate.of:,} {what}", tail)


def _tidied(tidied: Tidied) -> Content:
    return joined(("Facts that are alike, in seven days", "bold $primary"), f"\n  · {tidied}")


def _table(counts: Sequence[Count]) -> Content:
    head = "".join(f"{name:>{COLUMN}}" for name in ("today", "7 days", "all", "failed"))
    lines = [joined((f"{'What memapp did':{LABEL}}", "bold $primary"), (head, "$text-muted"))]
    for part in dict.fromkeys(part_of(count) for count in counts):
        lines.append(joined((f"  {part}", "$secondary")))
        lines += [_row(count) for count in counts if part_of(count) == part]
    return Content("\n").join(
        lines
        if counts
        else [*lines, joined(("  Nothing yet. Chat (F2), and come back.", "$text-muted"))]
    )


def _row(count: Count) -> Content:
    numbers = "".join(f"{number:>{COLUMN},}" for number in (count.today, count.week, count.total))
    failed = (
        f"{count.failed:>{COLUMN - 2},} ✗" if count.failed else f"{'-':>{COLUMN}}",
        "bold $text-error" if count.failed else "$text-muted",
    )
    return joined(f"    {operation_of(count):{LABEL - 4}}", numbers, failed)
