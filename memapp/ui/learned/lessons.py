"""Lessons: a command that failed, the one that worked, its effect, and the attempts behind it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from memapp.domain.changes import Revision
from memapp.domain.lessons.lesson import MAX_RULE_CHARS, Lesson
from memapp.domain.lessons.referee import Calibration
from memapp.domain.lessons.run import Run, RunStep
from memapp.domain.text import counted, one_line, shorten
from memapp.language.labels import called
from memapp.runtime import Runtime
from memapp.services.lessons import browse, curate
from memapp.ui.background import background
from memapp.ui.dialogs import LineQuestion, TextCard
from memapp.ui.learned.pane import NEWEST, LearnedPane
from memapp.ui.panels.list_detail import Listed
from memapp.ui.safe_text import copy, joined, row
from memapp.ui.session import AppSession
from memapp.ui.widgets.labels import age, when
from memapp.ui.widgets.rowlist import RowList, TimedRows
from memapp.ui.widgets.searchfield import SearchField

STATUS = 11
STYLES = {
    "candidate": "$text-muted",
    "promoted": "$success",
    "suppressed": "$warning",
    "archived": "$text-muted",
}
SHOWN_EVIDENCE, SHOWN_ERRORS = 20, 3
LABEL_CHARS = 40
DEEDS: Mapping[str, tuple[Callable[..., Revision], str, tuple[str, ...]]] = {
    "promote": (curate.promote, "Promoted", ("candidate", "suppressed", "archived")),
    "suppress": (curate.suppress, "Suppressed", ("candidate", "promoted")),
    "archive": (curate.archive, "Archived", ("candidate", "promoted", "suppressed")),
    "restore": (curate.restore, "Restored", ("suppressed", "archived")),
    "discard": (curate.discard, "Trashed", ("candidate", "promoted", "suppressed", "archived")),
}
"""The deeds by key: function, words for the toast, and the statuses of lessons they apply to."""


class LessonRows(TimedRows[Lesson]):
    """The lessons: age, rule and status."""

    def key(self, item: Lesson) -> str:
        return item.id

    def draw(self, item: Lesson, width: int) -> Content:
        head = joined((f"{age(item.updated_at, self.clock()):>6}  ", "$text-muted"))
        tail = row(item.status, STATUS, STYLES[item.status])
        space = max(1, width - head.cell_length - STATUS - 1)
        return joined(
            head, row(item.rule_text, 300).truncate(space, ellipsis=True, pad=True), " ", tail
        )


class LessonDetail(VerticalScroll, can_focus=True):
    """One lesson: the two commands as a difference, its measured effect, and its attempts."""

    BINDING_GROUP_TITLE = "Lesson"
    HELP = "Enter shows the failed run, step by step. Escape goes back to the list."

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "read_runs", "Runs", id="lesson.runs", key_display="⏎")
    ]

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(id="lesson-detail")
        self._runtime = runtime
        self.lesson: Lesson | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="lesson-text", markup=False)

    @background("lesson", exclusive=True)
    async def show(self, lesson: Lesson | None) -> None:
        self.lesson = lesson
        behind = await asyncio.to_thread(browse.behind, self._runtime, lesson) if lesson else None
        text = _content(lesson, behind, self._runtime.clock()) if lesson and behind else Content("")
        self.query_one("#lesson-text", Static).update(text)

    @background("lesson-runs")
    async def action_read_runs(self) -> None:
        if self.lesson is not None:
            runs = await asyncio.to_thread(browse.runs_behind, self._runtime, self.lesson)
            text = _run_steps(runs, self._runtime.clock())
            if await self.app.push_screen_wait(TextCard("What happened", text)) == "copy":
                copy(self, text.plain)


def _run_steps(runs: Sequence[tuple[Run, Sequence[RunStep]]], now: datetime) -> Content:
    """Return the steps of some runs, with the output of the failed ones."""
    lines = [] if runs else [Content("The runs were erased.")]
    for run, steps in runs:
        count = f"{counted(run.steps, 'step')}, {run.tool_errors} failed"
        lines.append(
            joined(
                (when(run.last_at, now), "bold"),
                "  ",
                row(run.task or run.tool, 60),
                (f"  {count}", "$text-muted"),
            )
        )
        for step in steps:
            sign, style = ("✓", "$success") if step.known else ("·", "$text-muted")
            if step.channel:
                sign, style = "✗", "$error"
            lines.append(joined((f"{sign} ", style), row(step.action, 300)))
            if step.excerpt:
                lines.append(joined("    ", row(step.excerpt, 200, "$text-muted")))
        lines.append(Content(""))
    return Content("\n").join(lines)


def _content(lesson: Lesson, behind: browse.Behind, now: datetime) -> Content:
    tags = ", ".join(lesson.tags).replace("_", " ")
    sure = (
        f"{lesson.utility:+.2f}, by luck in {lesson.p:.0%}"
        if lesson.utility is not None and lesson.p is not None
        else ""
    )
    facts: list[tuple[str, str | Content]] = [
        ("status", f"{lesson.status}{f', {lesson.reason}' if lesson.reason else ''}"),
        ("counts", f"for {lesson.tool}, {called('levels', lesson.level)}"),
        ("about", tags),
        ("worked", counted(lesson.worked, "time")),
        ("shown", f"{counted(lesson.retrieved, 'time')}, withheld {lesson.withheld}"),
        (
            "helped",
            f"{lesson.helped} of {lesson.helped + lesson.hurt}"
            if lesson.helped + lesson.hurt
            else "not known yet",
        ),
        ("utility", sure),
        *(("referee", _referee(calibration)) for calibration in behind.referees),
        *(("error", row(error, 200)) for error in behind.errors[:SHOWN_ERRORS]),
        ("since", when(lesson.created_at, now)),
        ("leaves", when(lesson.purge_at, now) if lesson.purge_at else ""),
    ]
    parts = [
        joined(
            ("- ", "$error"),
            (row(lesson.wrong, 400)),
            "\n",
            ("+ ", "bold $success"),
            row(lesson.correct, 400, "bold"),
        )
    ]
    parts += [joined((f"{name:>9}  ", "$text-muted"), value) for name, value in facts if value]
    for other, won, lost in behind.conflicts:
        parts.append(
            joined(
                ("\nagainst  ", "$warning"), row(other.correct, 200), f"  (this {won}, that {lost})"
            )
        )
    if behind.evidence:
        parts.append(joined(("\nWhat happened", "bold")))
    for evidence in behind.evidence[:SHOWN_EVIDENCE]:
        then = (
            joined("\n         ", ("then ", "$text-muted"), row(evidence.solved_by, 200))
            if evidence.solved_by
            else Content("")
        )
        parts.append(
            joined(
                (f"{age(evidence.at, now):>7}  ", "$text-muted"), row(evidence.action, 200), then
            )
        )
    return Content("\n").join([parts[0], Content(""), *parts[1:]])


def _referee(calibration: Calibration) -> Content:
    """Return how well a model judges commands with a known outcome, and if its verdicts count."""
    accuracy = calibration.balanced_accuracy
    right = "" if accuracy is None else f", balanced accuracy {accuracy:.2f}"
    return joined(
        row(calibration.name, 40),
        f": {calibration.standing}{right} over {counted(calibration.known, 'step')}",
    )


class LessonsPane(LearnedPane):
    """The lessons, searched while the person types, with the detail of the current one."""

    LABEL = "Lessons"
    NOTHING = (
        "No lessons yet.\n\n"
        "Run a command as: memapp run -- git psuh\n"
        "or in a chat as: /run git psuh\n"
        "When it fails and you then find what works, the pair is kept\n"
        "here, and said the next time it fails again."
    )
    NOT_FOUND = "No lesson has these words.\n\nesc clears the search."

    HELP = (
        "P always shows a lesson, S never; measurements decide about the others. / searches. "
        "Space marks lessons that say the same as another; m on that other one merges them into it."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", id="lessons.search"),
        Binding("e", "edit", "Edit", id="lessons.edit"),
        Binding("P", "do('promote')", "Promote", id="lessons.promote"),
        Binding("S", "do('suppress')", "Suppress", id="lessons.suppress"),
        Binding("A", "do('archive')", "Archive", id="lessons.archive"),
        Binding("r", "do('restore')", "Restore", id="lessons.restore"),
        Binding(
            "d,delete,backspace", "do('discard')", "Trash", id="lessons.discard", key_display="d"
        ),
        Binding("space", "mark", "Mark", show=False, id="lessons.mark"),
        Binding("m", "merge", "Merge", id="lessons.merge"),
    ]

    def __init__(self, session: AppSession) -> None:
        super().__init__(session)
        self.rows = LessonRows(self.runtime.clock, id="lessons", empty=self.NOTHING)
        self.field = SearchField("Search lessons", self.rows)
        self.detail = LessonDetail(self.runtime)
        self.body = Listed(self.rows, self.detail, self.field)

    def compose(self) -> ComposeResult:
        yield self.body

    @background("lessons", exclusive=True)
    async def look_again(self, at: str | None = None) -> None:
        typed = self.field.value
        self.rows.say_empty(self.NOT_FOUND if typed else self.NOTHING)
        self.rows.show(await asyncio.to_thread(self._look_up, typed, at), at=at)
        self.screen.refresh_bindings()

    def look_at(self, lesson_id: str) -> None:
        self.field.value = ""
        self.body.add_class("-detail")
        self.look_again(lesson_id)

    def _look_up(self, typed: str, at: str | None = None) -> list[Lesson]:
        if typed.strip():
            return browse.search_lessons(self.runtime, typed, NEWEST)
        newest = browse.list_lessons(self.runtime, limit=NEWEST)
        is_older = at is not None and all(lesson.id != at for lesson in newest)
        return [*newest, browse.get_lesson(self.runtime, at)] if at and is_older else newest

    def enter(self) -> None:
        self.rows.focus()

    def step_back(self) -> bool:
        """Leave the detail, then the search."""
        return self.body.leave_detail() or self.field.give_up()

    # Keys -----------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action not in ("do", "edit", "merge"):
            return super().check_action(action, parameters)
        current = self.rows.current
        if action == "merge":
            return current is not None and bool(self.rows.marked.keys() - {current.id})
        return current is not None and (
            action == "edit" or current.status in DEEDS[str(parameters[0])][2]
        )

    @background("lesson-action")
    async def action_do(self, deed: str) -> None:
        if (lesson := self.rows.current) is not None:
            do, did, _ = DEEDS[deed]
            self._did(did, lesson, await asyncio.to_thread(do, self.runtime, lesson.id))

    @background("lesson-action")
    async def action_edit(self) -> None:
        if (lesson := self.rows.current) is None:
            return
        save = partial(curate.edit, self.runtime, lesson.id, None)
        line = LineQuestion(
            "What works instead", lesson.correct, save, note=lesson.wrong, length=MAX_RULE_CHARS
        )
        if (revision := await self.app.push_screen_wait(line)) is not None:
            self._did("Edited", lesson, revision)

    def action_mark(self) -> None:
        self.rows.toggle_mark()
        self.refresh_bindings()

    @background("lesson-action")
    async def action_merge(self) -> None:
        """Merge the marked lessons into the current one, and archive them."""
        if (lesson := self.rows.current) is not None:
            others = [row for row in self.rows.marked if row != lesson.id]
            revision = await asyncio.to_thread(curate.merge, self.runtime, lesson.id, *others)
            self.rows.unmark()
            self._did("Merged into", lesson, revision)

    def _did(self, done: str, lesson: Lesson, revision: Revision) -> None:
        self.session.did(
            self, f"{done} “{shorten(one_line(lesson.rule_text), LABEL_CHARS)}”", revision.step
        )

    def action_search(self) -> None:
        self.body.remove_class("-detail")
        self.field.focus()

    @on(Input.Changed)
    def _typed(self) -> None:
        self.look_again()

    @on(RowList.Moved)
    def _moved(self) -> None:
        self.detail.show(self.rows.current)
        self.refresh_bindings()
