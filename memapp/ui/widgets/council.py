"""The card of a council below an answer: objections, revision, and the keys to choose."""

from textual.content import Content
from textual.widgets import Static

from memapp.domain.council import Dissent
from memapp.domain.text import clean, counted, one_line, shorten
from memapp.domain.trust import Choice
from memapp.language.labels import called
from memapp.ui.read_models import ShownCouncil
from memapp.ui.safe_text import joined, plain
from memapp.ui.widgets.difference import difference

CHOICES: dict[int, tuple[Choice, str]] = {
    1: ("draft", "Keep the answer"),
    2: ("revision", "Take the revision"),
    3: ("edit", "Your own words"),
    4: ("none", "Neither"),
}
"""The choices by key."""
QUOTED = 120


class CouncilCard(Static):
    """The result of a council, or its progress."""

    def __init__(self, shown: ShownCouncil) -> None:
        super().__init__(markup=False, classes="council")
        self.message_id = shown.held.message_id
        self.show(shown)

    def show(self, shown: ShownCouncil) -> None:
        self.shown = shown
        held = shown.held
        lines = [
            joined(
                ("Council", "bold $secondary"),
                (f"  {shown.progress or self._count()}", "$text-muted"),
            )
        ]
        lines += [self._objection(dissent) for dissent in shown.dissents]
        if held.revision:
            lines += [joined(("Revision  ", "bold"), difference(held.draft, held.revision))]
        if not shown.progress:
            lines.append(self._end())
        self.update(Content("\n").join(lines))

    def _count(self) -> str:
        objections = counted(len(self.shown.dissents), "objection") if self.shown.dissents else ""
        return " · ".join(filter(None, (objections, self.shown.by)))

    def takes(self, choice: Choice) -> bool:
        """Return True if a choice can be made now."""
        held = self.shown.held
        is_there = bool(held.revision) or choice != "revision"
        return not self.shown.is_open and held.choice is None and bool(held.dissents) and is_there

    def _objection(self, dissent: Dissent) -> Content:
        quote = (
            f" “{shorten(one_line(clean(dissent.quote)), QUOTED)}”"
            if dissent.quote not in dissent.text
            else ""
        )
        outcome = {True: " · taken over", False: " · stays", None: ""}[dissent.impact]
        name = (", ".join(dissent.citations), "bold")
        return joined(
            ("✗ ", "$text-warning"),
            name,
            f" {clean(dissent.text)}",
            (f"{quote}{outcome}", "$text-muted"),
        )

    def _end(self) -> Content:
        held = self.shown.held
        if held.choice is not None:
            back = " You undid that." if held.reverted_at else " ctrl+z undoes it."
            return plain(f"{called('choices', held.choice)}.{back}", "$text-muted")
        if self.shown.is_open:
            return plain("The council was stopped; s continues it.", "$text-muted")
        if not held.dissents:
            return plain("Nobody objects: the answer stands.", "$text-muted")
        keys = [
            "1 keep the answer",
            *(["2 take the revision"] if held.revision else []),
            "3 your own words",
            "4 neither",
        ]
        return joined(("  ".join(keys), "bold"), ("  (esc, ↑ to this card)", "$text-muted"))
