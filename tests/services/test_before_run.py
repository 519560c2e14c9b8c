"""Lessons before a command: the relevant ones, best first, and a hint only where worth one."""

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from memapp.domain.lessons.feedback import ToolAttempt
from memapp.domain.lessons.lesson import PAUSE
from memapp.runtime import Runtime
from memapp.services import runs
from memapp.services.lessons import before_run, browse, curate
from memapp.services.lessons.attempts import scope_hash
from memapp.services.runs import Client
from memapp.tools.markers import noticed_by
from memapp.tools.scripted import ScriptedTool
from tests.builders import Clock, make_runtime

SLIP, COLD = "kiln: 'frie' is not a kiln command", "the kiln is cold"
ANSWERS = {
    "kiln frie": SLIP,
    "kiln frie Bowl": SLIP,
    "kiln frie Cup": SLIP,
    "kiln fire Bowl": COLD,
    "kiln fire --het": "unknown option '--het'",
}


@dataclass(frozen=True)
class SlowTool(ScriptedTool):
    """A tool whose commands take time."""

    def attempt(self, action: str) -> ToolAttempt:
        return super().attempt(action)._replace(seconds=60.0)


def kiln(scope: str = "studio", **answers: str) -> ScriptedTool:
    return ScriptedTool("kiln", scope, ANSWERS | answers)


def teach(
    runtime: Runtime, *actions: str, tool: ScriptedTool | None = None, client: Client = runs.PERSON
) -> None:
    for action in actions:
        runs.attempt(runtime, tool or kiln(), action, client)


def promote(runtime: Runtime) -> None:
    curate.promote(
        runtime,
        *(lesson.id for lesson in browse.list_lessons(runtime) if lesson.status == "candidate"),
    )


def told(runtime: Runtime, action: str, scope: str = "studio", task: str = "") -> str:
    drawn = runs.before(runtime, ScriptedTool("kiln", scope), action, Client(task=task))
    return drawn.hint.in_advance if drawn and drawn.shown else ""


def bearing(runtime: Runtime, action: str, scope: str = "studio") -> list[str]:
    return [
        hint.lesson.correct for hint in runs.bearing(runtime, ScriptedTool("kiln", scope), action)
    ]


def test_an_errors_word_warns_in_other_commands_and_an_option_in_its_own(runtime: Runtime) -> None:
    teach(runtime, "kiln frie Bowl", "kiln fire Pot", "kiln fire Bowl", "kiln fire Bowl --heat")
    promote(runtime)
    assert told(runtime, "kiln frie Bowl").startswith("this failed last time; ")
    actual = told(runtime, "kiln fire Bowl")
    assert actual == "this failed last time; here `kiln fire Bowl --heat` worked once"
    assert told(runtime, "kiln frie Bowl --dry") == (
        "something like this failed before; try `kiln fire Bowl --dry`: "
        "here `kiln fire Pot` worked once"
    )
    for other in ("kiln fire Cup", "kiln fire Bowl --heat", "kiln list", "kiln fire Bowl Cup"):
        assert not told(runtime, other) and not bearing(runtime, other), "that may well work"


def test_the_program_and_the_place_must_agree_but_for_a_slip(runtime: Runtime) -> None:
    teach(runtime, "kiln frie", "kiln fire Pot", "kiln fire Bowl", "kiln fire Bowl --heat")
    promote(runtime)
    assert not told(runtime, "kiln fire Bowl", scope="garden")
    assert told(runtime, "kiln frie Vase", scope="garden") == (
        "something like this failed before; try `kiln fire Vase`: "
        "elsewhere this slip was put right so once"
    )
    assert runs.bearing(runtime, ScriptedTool("oven", "studio"), "kiln frie Bowl") == []


def test_where_the_like_worked_since_nothing_is_said_until_it_fails_again(runtime: Runtime) -> None:
    teach(runtime, "kiln frie Bowl", "kiln fire Pot")
    promote(runtime)
    teach(runtime, "kiln frie Bowl --dry")
    assert not told(runtime, "kiln frie Bowl --dry")
    assert not told(runtime, "kiln frie Bowl")
    assert not bearing(runtime, "kiln frie Bowl -v")
    teach(runtime, "kiln frie Bowl")
    assert told(runtime, "kiln frie Bowl")


def test_an_unproven_one_is_told_before_only_where_failing_takes_long(runtime: Runtime) -> None:
    slow = SlowTool("kiln", "studio", {"kiln fire Bowl": COLD})
    for tool, said in ((kiln(), False), (slow, True)):
        teach(runtime, "kiln fire Bowl", "kiln fire Bowl --heat", tool=tool)
        assert bearing(runtime, "kiln fire Bowl") == ["kiln fire Bowl --heat"], "who asks is told"
        assert bool(told(runtime, "kiln fire Bowl")) is said
    assert told(runtime, "kiln fire Bowl").endswith("worked 2 times"), "it was shown before"


def test_what_was_told_before_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = make_runtime(tmp_path, embedder=False, lessons_compare=True)
    slow = SlowTool("kiln", "studio", {"kiln fire Bowl": COLD})
    teach(runtime, "kiln fire Bowl", "kiln fire Bowl --heat", "kiln fire Bowl", tool=slow)
    lot = "memapp.services.lessons.hints.is_withheld"
    for is_withheld in (True, False):
        monkeypatch.setattr(lot, lambda *_, is_withheld=is_withheld: is_withheld)
        before = runs.before(runtime, slow, "kiln fire Bowl")
        assert before and before.shown is not is_withheld
        monkeypatch.setattr(lot, lambda *_, is_withheld=is_withheld: not is_withheld)
        reported = runs.report(runtime, slow, slow.attempt("kiln fire Bowl"), before=before)
        assert bool(reported.hints) is before.shown
    points = runtime.read().run("SELECT point, shown FROM activations ORDER BY id")
    assert [tuple(point) for point in points] == [("on_error", 1), ("on_error", 0), ("pre_run", 1)]


def test_of_several_one_is_unproven_none_suppressed_the_latest_first(runtime: Runtime) -> None:
    runtime.clock = clock = Clock()
    meant = {"--het": "--heat", "--dyr": "--dry", "--slwo": "--slow", "--qiet": "--quiet"}
    tool = kiln(**{f"kiln fire {slip}": f"unknown option '{slip}'" for slip in meant})
    for slip, option in meant.items():
        teach(
            runtime,
            f"kiln fire {slip}",
            f"kiln fire {option}",
            tool=tool,
            client=Client(task=f"{option[2:]} pots"),
        )
        clock.now += 2 * PAUSE
    (*rest, suppressed) = browse.list_lessons(runtime)[::-1]
    curate.suppress(runtime, suppressed.id)
    every = " ".join(("kiln fire", *meant))
    assert len(bearing(runtime, every)) == 1, "all are unproven"
    curate.promote(runtime, rest[0].id, rest[1].id)
    found = runs.bearing(runtime, tool, every)
    assert [hint.ranked.match.unproven for hint in found] == [False, False], (
        "no more than two of a kind of failure"
    )
    for wanted in rest[:2]:
        assert (
            before_run.bearing(runtime.read(), "kiln", "studio", every, wanted.task)[0].lesson.id
            == wanted.id
        )
    for wanted in rest[:2]:
        clock.now += timedelta(days=1)
        teach(runtime, wanted.wrong, tool=tool)
        assert runs.bearing(runtime, tool, every)[0].lesson.id == wanted.id


def test_a_command_that_is_told_of_is_noticed_before_memapp_is_loaded(runtime: Runtime) -> None:
    teach(runtime, "kiln frie", "kiln fire Pot", "kiln fire Bowl", "kiln fire Bowl --heat")
    assert before_run.noticed(runtime.read(), scope_hash("studio")) == ([], []), (
        "unproven ones are told of when it has failed"
    )
    promote(runtime)
    here, anywhere = before_run.noticed(runtime.read(), scope_hash("studio"))
    assert set(here) == {"kiln\0frie", "\0kiln\0fire\0Bowl"} and anywhere == ["kiln\0frie"]
    for command in ("kiln frie Vase", "kiln fire Bowl"):
        assert not {*here}.isdisjoint(noticed_by(command.split(), "kiln")), command
    for command in ("kiln fire Bowl Cup", "kiln fire", "oven frie"):
        assert {*here}.isdisjoint(noticed_by(command.split(), command.split()[0])), command
    teach(runtime, "kiln fire Bowl", tool=ScriptedTool("kiln", "studio"))
    assert before_run.noticed(runtime.read(), scope_hash("studio"))[0] == ["kiln\0frie"], (
        "that one worked now"
    )
