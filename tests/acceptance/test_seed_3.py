"""The memory of lessons, by the acceptance lines of its specification: the app's own services and
file, and a scripted executor.

The executor remembers nothing from run to run; it does what a hint says nine times in ten
(`benchmarks.grid`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from benchmarks.grid.tool import GridTool, Line
from benchmarks.phases import PLAN, reporting, ticking, written
from memapp.domain.changes import LessonAdded
from memapp.domain.lessons.feedback import Feedback, ToolAttempt
from memapp.domain.lessons.health import LessonHealth
from memapp.domain.lessons.utility import USELESS
from memapp.runtime import Runtime
from memapp.services import runs
from memapp.services.lessons import browse, curate
from memapp.store import changes
from memapp.store import lessons as store
from memapp.store.encoding import new_id
from memapp.tools import Tool
from memapp.tools.scripted import ScriptedTool
from tests.builders import Clock, make_runtime

SEEDS = 3


@dataclass(frozen=True)
class Went:
    """What the file says of all runs, by their place in the plan, one for each seed."""

    runs: Mapping[str, Sequence[LessonHealth]]
    evaluated: int

    def errors(self, name: str) -> int:
        return sum(health.tool_errors for health in self.runs[name])

    def all(self, figure: str) -> int:
        return sum(
            getattr(health, figure) for of_place in self.runs.values() for health in of_place
        )


@pytest.fixture(scope="module")
def went(tmp_path_factory: pytest.TempPathFactory) -> Went:
    """Four runs on a first tool, four on a second, the first again, and another program on each."""
    found: dict[str, list[LessonHealth]] = {name: [] for name, _, _ in PLAN}
    evaluated = 0
    for seed in range(SEEDS):
        runtime = make_runtime(tmp_path_factory.mktemp("home"), embedder=False)
        for number, (_, tool, kinds) in enumerate(PLAN):
            runtime.clock = ticking(number)
            written(seed, number, tool, kinds, (), partial(reporting, runtime))
        for (name, _, _), health in zip(PLAN, reversed(browse.health(runtime, "run")), strict=True):
            found[name].append(health)
        evaluated += sum(run.passed is not None for run in runs.list_runs(runtime, 99))
        runtime.close()
    return Went(found, evaluated)


class Robot(ScriptedTool):
    """A tool without error text, exit codes or commands."""

    def attempt(self, action: str) -> ToolAttempt:
        stuck = action in (self.answers or {})
        after = "in the hall" if stuck else "at the door"
        return ToolAttempt(
            action,
            state_before="in the hall",
            state_after=after,
            reason="stuck" if stuck else "",
            seconds=1.0,
        )

    def feedback(self, attempt: ToolAttempt) -> Feedback:
        return Feedback(constraint_failure=bool(attempt.reason))


def grid() -> GridTool:
    words = {"keep": "filter", "equals": "=="}
    return GridTool("grid", words, [Line(("keep", "*", "equals", "*"), ("region", "north"))] * 2)


@pytest.mark.parametrize(
    ("tool", "wrong", "right"),
    [
        (
            ScriptedTool("kiln", "studio", {"kiln frie": "kiln: 'frie' is not a kiln command"}),
            "kiln frie",
            "kiln fire",
        ),
        (Robot("robot", "house", {"robot go left": ""}), "robot go left", "robot go right"),
        (grid(), "filter region is north", "filter region == north"),
    ],
    ids=["a command line", "a robot", "a tool that nobody knows"],
)
def test_it_works_without_task_specific_contracts(
    runtime: Runtime, tool: Tool, wrong: str, right: str
) -> None:
    for action in (wrong, wrong, right):
        runs.attempt(runtime, tool, action)
    _, again = runs.attempt(runtime, tool, wrong)
    assert [hint.lesson.correct for hint in again.hints] == [right]


def test_what_helps_is_promoted_though_no_evaluator_ever_spoke(went: Went) -> None:
    assert (went.evaluated, went.all("promoted") > 0) == (0, True)


def test_on_a_new_tool_the_recurrence_of_key_errors_decreases_over_runs(went: Went) -> None:
    for first, *later in (("A2", "A3", "A4"), ("B1", "B2", "B3", "B4")):
        assert all(went.errors(name) <= 0.6 * went.errors(first) for name in later), later
    assert went.errors("B4") <= 0.5 * went.errors("B1")


def test_after_learning_tool_b_tool_a_does_not_materially_regress(went: Went) -> None:
    assert went.errors("C") <= 1.25 * went.errors("A4") <= 0.75 * went.errors("A1")
    assert all(health.passed == 1 for health in went.runs["C"])


def test_activation_helps_more_often_than_it_harms(went: Went) -> None:
    assert went.all("helped") >= 0.7 * went.all("activations") > 0
    assert went.all("helped") >= 10 * went.all("hurt")


@pytest.fixture
def stressed(tmp_path: Path) -> Iterator[Runtime]:
    """A good lesson, and beside it a newer one for the same failure, which is wrong."""
    runtime = make_runtime(tmp_path, embedder=False)
    for action in (*["kiln frie"] * 3, "kiln fire"):
        runs.attempt(runtime, KILN, action)
    (good,) = browse.list_lessons(runtime)
    now = runtime.clock()
    wrong = good._replace(
        id=new_id(now),
        rule_text="kiln frie -> kiln feir",
        correct="kiln feir",
        origin="import",
        evidence_at=now,
    )
    with runtime.write() as session:
        changes.apply(session, LessonAdded(wrong), runtime.actor(name="import"))
        store.link_conflict(session, good.id, wrong.id)
    yield runtime
    runtime.close()


KILN = ScriptedTool(
    "kiln",
    "studio",
    {f"kiln {word}": f"kiln: '{word}' is not a kiln command" for word in ("frie", "feir")},
)


def test_suppression_activates_on_a_harmful_and_contradictory_lesson(stressed: Runtime) -> None:
    assert isinstance(stressed.clock, Clock)
    for _ in range(8):
        stressed.clock.now += timedelta(days=1)
        _, failed = runs.attempt(stressed, KILN, "kiln frie")
        _, tried = runs.attempt(stressed, KILN, failed.hints[0].lesson.correct)
        for action in ("kiln frie", "kiln frie", "kiln fire") if tried.error else ():
            runs.attempt(stressed, KILN, action)
    found = {lesson.rule_text: lesson for lesson in browse.list_lessons(stressed)}
    good, wrong = found["kiln frie -> kiln fire"], found["kiln frie -> kiln feir"]
    assert (wrong.status, wrong.reason) == (
        "suppressed",
        "another lesson is better",
    ) and wrong.retrieved <= USELESS
    assert good.helped > wrong.helped == 0
    assert [hint.lesson.id for hint in runs.attempt(stressed, KILN, "kiln frie")[1].hints] == [
        good.id
    ]


def test_suppression_activates_on_a_harmful_lesson_that_nothing_contradicts(
    stressed: Runtime,
) -> None:
    assert isinstance(stressed.clock, Clock)
    wrong, good = browse.list_lessons(stressed)
    curate.discard(stressed, good.id)
    for _ in range(USELESS + 1):
        stressed.clock.now += timedelta(days=1)
        for action in ("kiln frie", "kiln feir", "kiln feir", "kiln feir"):
            runs.attempt(stressed, KILN, action)
    wrong = browse.get_lesson(stressed, wrong.id)
    assert (wrong.status, wrong.reason) == ("suppressed", "never helped")
