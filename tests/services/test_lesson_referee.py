"""A model as referee: measured by what is known, and counting only where nothing is."""

import json
import re
from collections import Counter
from datetime import timedelta

import pytest

from memapp.domain.lessons.feedback import Feedback, ToolAttempt
from memapp.domain.lessons.lesson import PAUSE
from memapp.domain.prompt import Prompt, Sampling
from memapp.inference import Cancel
from memapp.inference.cached_copies import KEY_CHARS
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import runs
from memapp.services.lessons import browse, judge, referee
from memapp.services.models.manifest import recommended
from memapp.tools.scripted import ScriptedTool
from tests.builders import Clock

FAILS = {"kiln fire": "the kiln is cold"} | {
    f"kiln bad {number}": f"E{number}" for number in range(28)
}
GOOD = [f"kiln good {number}" for number in range(23)]
SAID_OF_UNKNOWN = {"kiln stop early": "failed", "kiln stop late": "worked"}


class Kiln(ScriptedTool):
    """A tool without a result for stopped commands."""

    def feedback(self, attempt: ToolAttempt) -> Feedback:
        return (
            super()
            .feedback(attempt)
            ._replace(hard_failure=None if "stop" in attempt.action else bool(attempt.exit_code))
        )


def run(runtime: Runtime, *actions: str) -> None:
    """Do some things in one run, and let it end."""
    for action in actions:
        runs.attempt(runtime, Kiln("kiln", "studio", FAILS), action)
    assert isinstance(runtime.clock, Clock)
    runtime.clock.now += PAUSE + timedelta(minutes=1)


def play(runtime: Runtime) -> None:
    """Record steps after a failure: 25 failed, 25 worked, two were stopped, in a run without a hint
    and in one with it.
    """
    run(runtime, "kiln fire", "kiln fire", "kiln fire --heat", "kiln stop early")
    run(runtime, "kiln fire", "kiln fire --heat", "kiln stop late")
    bad = list(FAILS)[1:]
    for number in range(4):
        run(runtime, *bad[7 * number : 7 * number + 7], *GOOD[6 * number : 6 * number + 6])


def judging(wrong_of_failed: int, wrong_of_worked: int) -> ScriptedModel:
    """Return a model that is wrong about so many steps of either kind."""
    left = Counter(failed=wrong_of_failed, worked=wrong_of_worked)

    def say(truth: str) -> str:
        left[truth] -= 1
        return truth if left[truth] < 0 else {"failed": "worked", "worked": "failed"}[truth]

    def script(prompt: Prompt, _: Sampling) -> str:
        action = re.findall(r"^\d+\. (.*) \(\?\)$", prompt.turns[-1].content, re.MULTILINE)[-1]
        return json.dumps(
            {"step": SAID_OF_UNKNOWN.get(action) or say("failed" if action in FAILS else "worked")}
        )

    return ScriptedModel(script, name="judge-7b", key="abc")


@pytest.mark.parametrize(
    ("wrong", "accuracy", "standing", "utility"),
    [
        ((0, 0), 1.0, "counts", 0.50 * 1 + 0.30 / 2 + 0.20 * (1 - 1 / 3)),
        ((9, 8), 0.66, "counts", 0.50 * 1 + 0.30 / 2 + 0.20 * (1 - 1 / 3)),
        ((9, 9), 0.64, "does not count", 0.65 * 1 + 0.35 / 2),
        ((25, 25), 0.0, "does not count", 0.65 * 1 + 0.35 / 2),
    ],
)
def test_its_word_counts_only_if_it_is_right_about_what_is_known(
    runtime: Runtime, wrong: tuple[int, int], accuracy: float, standing: str, utility: float
) -> None:
    play(runtime)
    model = judging(*wrong)
    runtime.chat.fill(model)
    while referee.waiting(runtime):
        list(referee.run_job(runtime, Cancel(), None))
    (found,) = referee.calibrations(runtime)
    assert (found.name, found.known, found.judged, found.standing) == ("judge-7b", 50, 2, standing)
    assert found.balanced_accuracy == pytest.approx(accuracy)
    (lesson,) = (lesson for lesson in browse.list_lessons(runtime) if lesson.wrong == "kiln fire")
    with runtime.write() as session:
        judge.decide(session, lesson)
    lesson = browse.get_lesson(runtime, lesson.id)
    assert lesson.utility == pytest.approx(utility, abs=1e-9)
    assert browse.behind(runtime, lesson).referees == (found,)
    shown = [prompt.turns[-1].content for prompt in model.seen]
    assert all(text.endswith(" (?)") and "the kiln is cold" not in text for text in shown), (
        "it judges blindly"
    )
    assert "1. kiln fire (failed)\n2. kiln fire --heat (worked)\n3. kiln stop late (?)" in shown
    assert referee.waiting(runtime) == 0
    runs.remove(runtime, [run.id for run in runs.list_runs(runtime, 99)])
    assert referee.calibrations(runtime) == [], "with the steps goes what was said of them"


def test_a_run_that_goes_on_and_models_that_stammer_or_are_not_trusted(runtime: Runtime) -> None:
    model = judging(0, 0)
    runtime.chat.fill(model)
    for action in ("kiln fire", "kiln fire", "kiln fire --heat"):
        runs.attempt(runtime, Kiln("kiln", "studio", FAILS), action)
    assert referee.waiting(runtime) == 0
    assert isinstance(runtime.clock, Clock)
    runtime.clock.now += PAUSE + timedelta(minutes=1)
    assert referee.waiting(runtime) == 2, "the first is where the run began"
    model.misbehave("broken_json")
    assert list(referee.run_job(runtime, Cancel(), None)) == [] and len(model.seen) == 1
    for reply in (
        '{"step": "maybe"}',
        '{"step": ["worked"]}',
        '{"step": "worked", "why": ""}',
        "[]",
        "null",
    ):
        model.script = lambda *_, said=reply: said  # type: ignore[misc]
        assert list(referee.run_job(runtime, Cancel(), None)) == []
    model.key = next(other.sha256 for other in recommended() if other.jobs == ())[:KEY_CHARS]
    assert referee.waiting(runtime) == 0 == len(referee.calibrations(runtime))
    assert list(referee.run_job(runtime, Cancel(), None)) == [] and len(model.seen) == 6
