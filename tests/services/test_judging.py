"""Lessons after their use: settled, counted, promoted, suppressed, withheld."""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from memapp.domain.changes import Actor, LessonMoved
from memapp.domain.lessons.feedback import Feedback, ToolAttempt
from memapp.domain.lessons.lesson import Lesson
from memapp.domain.lessons.ranking import is_withheld
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services import jobs, runs, undo
from memapp.services.lessons import browse, curate, hints
from memapp.store import changes
from memapp.tools.scripted import ScriptedTool
from tests.builders import Clock, make_runtime

KILN = ScriptedTool(
    "kiln",
    "studio",
    {
        "kiln frie": "kiln: 'frie' is not a kiln command",
        "kiln feir": "kiln: 'feir' is not a kiln command",
        "kiln list": "the kiln is cold",
    },
)


def day(runtime: Runtime, *actions: str) -> int:
    """Do something on another day; return how often a hint was shown."""
    assert isinstance(runtime.clock, Clock)
    runtime.clock.now += timedelta(days=1)
    return sum(bool(runs.attempt(runtime, KILN, action)[1].hints) for action in actions)


def lesson(runtime: Runtime) -> Lesson:
    (found,) = browse.list_lessons(runtime)
    return found


@pytest.fixture
def comparing(tmp_path: Path) -> Iterator[Runtime]:
    """A store in which some lessons are withheld, to compare."""
    with closing(make_runtime(tmp_path, lessons_compare=True)) as opened:
        yield opened


def learn(runtime: Runtime) -> None:
    for _ in range(4):
        day(runtime, "kiln frie", "kiln frie", "kiln frie")
    day(runtime, "kiln frie", "kiln fire")


def finish(runtime: Runtime, *, passed: bool) -> None:
    (latest,) = runs.list_runs(runtime, 1)
    runs.finish(runtime, latest.id, passed=passed, score=0.1)


def test_a_lesson_that_helps_is_promoted_beside_what_followed_without_it(runtime: Runtime) -> None:
    learn(runtime)
    for _ in range(3):
        assert lesson(runtime).status == "candidate"
        assert day(runtime, "kiln frie", "kiln fire", "kiln off", "kiln sweep") == 1
    found = lesson(runtime)
    assert (found.retrieved, found.helped, found.hurt, found.withheld) == (3, 3, 0, 0)
    assert (found.status, found.reason, found.evidence_runs) == ("promoted", "useful", 3)
    # errors 8 / 5 -> 0, steps 13 / 5 -> 1
    assert found.utility == pytest.approx(0.65 * 1 + 0.35 * 8 / 13)
    # of 8 runs 4 went well, and any 3 of these look as good
    assert found.p == pytest.approx(4 / 56)


def test_three_shows_are_enough_where_the_failure_came_again_before(runtime: Runtime) -> None:
    day(runtime, "kiln frie", "kiln frie", "kiln fire")
    for _ in range(3):
        assert day(runtime, "kiln frie", "kiln fire") == 1
        assert lesson(runtime).status == "candidate"
    day(runtime, "kiln sweep", "kiln frie")
    assert lesson(runtime).status == "promoted"
    assert lesson(runtime).reason == "useful"
    assert lesson(runtime).evidence_runs == 3


def test_a_failure_while_withheld_counts(
    comparing: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime, withheld = comparing, iter([True, False] * 2)
    monkeypatch.setattr(hints, "is_withheld", lambda *_: next(withheld, False))
    day(runtime, "kiln frie", "kiln fire")
    day(runtime, "kiln frie", "kiln fire")
    for _ in range(2):
        assert day(runtime, "kiln frie", "kiln frie", "kiln fire") == 1, (
            "when it comes again it is shown"
        )
    day(runtime, "kiln frie")
    found = lesson(runtime)
    assert (found.retrieved, found.withheld, found.evidence_runs) == (4, 2, 3), (
        "the last is not settled"
    )
    # without it errors 0, 1, 1 and steps 1, 2, 2
    assert found.utility == pytest.approx(0.65 * 1 + 0.35 * 2 / 5)


def test_what_is_always_right_is_promoted(
    comparing: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime, withheld = comparing, iter([True, True])
    monkeypatch.setattr(hints, "is_withheld", lambda *_: next(withheld, False))
    for _ in range(11):
        day(runtime, "kiln frie", "kiln fire")
    assert lesson(runtime).status == "candidate"
    day(runtime, "kiln frie", "kiln fire")
    assert lesson(runtime).status == "promoted"
    assert lesson(runtime).reason == "always right"
    assert lesson(runtime).utility == 0.0
    day(runtime, "kiln frie", "kiln frie", "kiln fire")
    day(runtime, "kiln list")


def test_a_lesson_that_never_helps_is_suppressed_after_three_times(runtime: Runtime) -> None:
    learn(runtime)
    assert day(runtime, "kiln frie", "kiln frie") == 2
    assert day(runtime, "kiln frie", "kiln frie") == 2
    assert lesson(runtime).status == "candidate"
    assert lesson(runtime).hurt == 1, "after the last failure nothing followed"
    assert day(runtime, "kiln frie", "kiln frie", "kiln frie", "kiln frie", "kiln frie") == 3
    found = lesson(runtime)
    assert (found.status, found.reason, found.hurt) == ("suppressed", "never helped", 4), (
        "what was shown last is settled too"
    )
    assert day(runtime, "kiln frie") == 0


def test_the_persons_word_overrules_what_is_measured(runtime: Runtime) -> None:
    learn(runtime)
    with runtime.write() as session:
        moved = LessonMoved(lesson(runtime).id, "promoted", "person")
        changes.apply(session, moved, Actor("person"))
    for _ in range(5):
        day(runtime, "kiln frie", "kiln frie", "kiln frie")
    found = lesson(runtime)
    assert (found.status, found.reason, found.helped) == ("promoted", "person", 0)
    assert found.hurt >= 3


def test_what_else_works_is_no_answer_nor_what_is_done_in_vain(runtime: Runtime) -> None:
    learn(runtime)
    day(runtime, "kiln frie", "kiln off", "kiln sweep", "kiln dust", "kiln fire")
    assert lesson(runtime).helped == 0
    assert lesson(runtime).hurt == 0, "in three steps nothing came of it"
    (lesson_id,) = [lesson(runtime).id]
    curate.edit(runtime, lesson_id, correct="kiln feir")
    for _ in range(3):
        day(runtime, "kiln frie", "kiln feir", "kiln feir", "kiln feir")
    assert (lesson(runtime).status, lesson(runtime).reason) == ("suppressed", "never helped")


@pytest.mark.parametrize("back", [curate.restore, lambda runtime, _: undo.undo_last(runtime)])
def test_what_the_person_brings_back_is_judged_by_what_follows_then(
    runtime: Runtime, back: Callable[[Runtime, str], object]
) -> None:
    learn(runtime)
    day(runtime, *["kiln frie"] * 8)
    assert lesson(runtime).status == "suppressed"
    back(runtime, lesson(runtime).id)
    assert day(runtime, *["kiln frie"] * 4) == 4
    assert lesson(runtime).status == "candidate"
    day(runtime, *["kiln frie"] * 6)
    assert lesson(runtime).status == "suppressed"


@pytest.mark.parametrize(("passed", "status"), [(False, "candidate"), (True, "promoted")])
def test_an_evaluator_ends_a_run_and_decides(runtime: Runtime, passed: bool, status: str) -> None:
    for _ in range(4):
        day(runtime, "kiln frie", "kiln frie", "kiln frie")
        finish(runtime, passed=False)
    for _ in range(4):
        day(runtime, "kiln frie", "kiln fire")
        finish(runtime, passed=passed)
    assert lesson(runtime).helped == 3
    assert lesson(runtime).status == status, "without its word it would be promoted"
    assert [(run.passed, run.score, run.steps) for run in runs.list_runs(runtime, 1)] == [
        (passed, 0.1, 2)
    ]


def test_what_came_of_the_last_hint_of_all_is_seen_in_idle_time(runtime: Runtime) -> None:
    learn(runtime)
    day(runtime, "kiln frie", "kiln fire")
    assert isinstance(runtime.clock, Clock)
    job = [job for job in jobs.JOBS if job.name == "lessons"]
    list(jobs.run(runtime, Cancel(), job))
    assert (lesson(runtime).helped, job[0].waiting(runtime)) == (0, 0), "more may come"
    runtime.clock.now += timedelta(hours=1)
    assert job[0].waiting(runtime) == 1
    assert list(jobs.run(runtime, Cancel(), job)) == [(job[0], 1)]
    assert list(jobs.run(runtime, Cancel(), job)) == []
    assert (lesson(runtime).helped, job[0].waiting(runtime)) == (1, 0)


def test_what_nobody_needed_for_sixty_days_and_seldom_helped_is_archived(runtime: Runtime) -> None:
    learn(runtime)
    day(runtime, "kiln frie", "kiln frie")
    day(runtime, "kiln list")
    assert (lesson(runtime).helped, lesson(runtime).hurt) == (0, 1)
    assert isinstance(runtime.clock, Clock)
    archive = [job for job in jobs.JOBS if job.name == "lessons"]
    for days, archived in ((0, 0), (59.9, 0), (60.02, 1)):
        at = lesson(runtime).evidence_at + timedelta(days=days)
        runtime.clock.now = at - timedelta(hours=1)
        list(jobs.run(runtime, Cancel(), archive))  # after a leap it only looks at the clock
        runtime.clock.now = at
        assert archive[0].waiting(runtime) == archived
        assert sum(1 for _ in jobs.run(runtime, Cancel(), archive)) == archived
    assert (lesson(runtime).status, lesson(runtime).reason) == ("archived", "unused")


def test_until_proven_one_match_in_five_is_withheld_but_not_the_first(comparing: Runtime) -> None:
    runtime = comparing
    learn(runtime)
    shown = day(runtime, *["kiln frie", "kiln fire"] * 30)  # one run, which decides nothing
    with runtime.write() as session:
        rows = list(session.run("SELECT id, shown FROM activations ORDER BY id"))
    found = lesson(runtime)
    actual = [bool(row["shown"]) for row in rows]
    assert actual == [True, *(not is_withheld(row["id"]) for row in rows[1:])]
    assert (found.status, found.retrieved, found.withheld) == ("candidate", shown, 30 - shown)


def test_who_asks_sees_what_was_withheld(
    comparing: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = comparing
    learn(runtime)
    monkeypatch.setattr(hints, "is_withheld", lambda *_: True)
    assert (day(runtime, "kiln frie", "kiln fire"), day(runtime, "kiln frie")) == (1, 0)
    assert (lesson(runtime).retrieved, lesson(runtime).withheld) == (1, 1)
    for _ in range(2):  # it is revealed once
        asked = runs.why(runtime, KILN.scope)
        assert asked and [hint.lesson.correct for hint in asked[1]] == ["kiln fire"]
        assert (lesson(runtime).retrieved, lesson(runtime).withheld) == (2, 0)


def test_a_tool_that_knows_its_goal_says_itself_what_was_the_answer(runtime: Runtime) -> None:
    """Its actions begin with no program and name no subcommand; another row of the same kind is
    helped too.
    """

    class Loom(ScriptedTool):
        def feedback(self, attempt: ToolAttempt) -> Feedback:
            woven = len(attempt.action) if attempt.exit_code == 0 else 0
            return Feedback(hard_failure=bool(attempt.exit_code), progress_signal=float(woven))

    loom = Loom(
        "loom", "shed", {f"weft {colour}": "unknown step 'weft'" for colour in ("red", "blue")}
    )
    for action in ("weft red", "pick red"):
        runs.attempt(runtime, loom, action)
    _, again = runs.attempt(runtime, loom, "weft blue")
    assert [hint.lesson.rule_text for hint in again.hints] == ["weft red -> pick red"]
