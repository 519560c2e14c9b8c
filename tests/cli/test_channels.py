"""The four channels of feedback and the word of an evaluator, as clients of the command line and of
the hook give them.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memapp.run import background
from tests.cli.conftest import Terminal
from tests.cli.test_hook import event, tell

SLIP = "Exit code 1\ngit: 'stauts' is not a git command. See 'git --help'."


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def latest(memapp: Terminal) -> dict[str, Any]:
    background.wait(memapp.home / "cache")
    return dict(json.loads(memapp("runs", "--json")[1])[0])


def steps(memapp: Terminal) -> list[tuple[str | None, float | None]]:
    found = json.loads(memapp("runs", "show", latest(memapp)["id"], "--json")[1])["steps"]
    return [(run["channel"], run["progress"]) for run in found]


def test_progress_is_read_after_a_command_or_failure_teaches(memapp: Terminal, work: Path) -> None:
    goal = ("run", "--task", "glaze", "--progress", "done.txt", "--")
    for action, done in (
        ("brush thin", "1 of 9"),
        ("brush thin", "1 of 9"),
        ("brush thick", "4 of 9"),
        ("brush thin", "4 of 9"),
    ):
        (work / "done.txt").write_text(done)
        code, _, said = memapp(*goal, "echo", *action.split())
        assert code == 0, "the command itself worked"
    assert steps(memapp) == [(None, 1.0), ("no_progress", 1.0), (None, 4.0), ("no_progress", 4.0)]
    assert "memapp: here `echo brush thick` worked once, untested as a hint" in said
    assert [lesson["rule_text"] for lesson in json.loads(memapp("lessons", "--json")[1])] == [
        "echo brush thin -> echo brush thick"
    ]


@pytest.mark.parametrize(
    ("source", "progress"),
    [
        ("done.txt", 7.5), ("wc -l done.txt", 1.0), ("3", 3.0), ("-2.5e1", -25.0),
        ("nothing", None), ("false", None), ("'", None),
    ],
)  # fmt: skip
def test_progress_comes_from_a_file_a_command_or_a_number(
    memapp: Terminal, work: Path, source: str, progress: float | None
) -> None:
    (work / "done.txt").write_text("done: 7.5 %\n")
    code, _, said = memapp("run", "--progress", source, "--", "true")
    assert (code, f"memapp: {source} gives no progress" in said) == (0, progress is None)
    assert steps(memapp) == [(None, progress)]


def test_a_score_ends_a_run_and_health_shows_it(memapp: Terminal, work: Path) -> None:
    memapp("run", "--task", "close", "--score", "0.25", "--", "true")
    memapp("run", "--task", "close", "--score", "0.5", "--", "sh", "-c", "exit 3")
    said = memapp("run", "--task", "close", "--score", "7", "--", "true")[2]
    assert "memapp: 7 gives no score from 0 to 1" in said
    background.wait(memapp.home / "cache")
    found = json.loads(memapp("runs", "--json")[1])
    actual = [(run["passed"], run["score"]) for run in found]
    assert actual == [(None, None), (False, 0.5), (True, 0.25)]
    assert "score 0.38" in memapp("lessons", "health")[1].splitlines()[0]


def test_how_a_run_went_can_be_said_afterwards(memapp: Terminal, work: Path) -> None:
    memapp("run", "--task", "close", "--", "sh", "-c", "exit 3")
    run_id = latest(memapp)["id"]
    assert memapp("runs", "finish", run_id)[0] == 2, "nothing is said"
    assert memapp("runs", "finish", run_id, "--score", "2")[0] == 2
    for options, passed, score in (
        (["--score", "0.4"], False, 0.4),
        (["--passed"], True, 0.4),
        (["--failed", "--score", "0.1"], False, 0.1),
    ):
        assert memapp("runs", "finish", run_id[-8:], *options)[0] == 0
        assert (latest(memapp)["passed"], latest(memapp)["score"]) == (passed, score)
    assert "failed, score 0.10" in memapp("runs")[1]
    assert memapp("runs", "finish", "nothing", "--passed")[0] not in (0, 1)


def test_the_hook_of_an_agent_gives_the_same(memapp: Terminal, work: Path) -> None:
    for action, done in (("press a", 1), ("press a", 1), ("press b", 2)):
        tell(memapp.home, **event(work, action), progress=done)
    assert steps(memapp) == [(None, 1.0), ("no_progress", 1.0), (None, 2.0)]
    tell(memapp.home, **event(work, "make vase"), expect="vase.txt")
    assert steps(memapp)[-1][0] == "constraint_failure"
    tell(
        memapp.home,
        hook_event_name="SessionEnd",
        session_id="s1",
        cwd=str(work),
        passed=False,
        score=0.3,
    )
    assert (latest(memapp)["passed"], latest(memapp)["score"]) == (False, 0.3)
    tell(memapp.home, **event(work, "make vase", session="s2"), score=0.9)
    assert (latest(memapp)["passed"], latest(memapp)["score"]) == (True, 0.9)
    for odd in (
        {"progress": "far"},
        {"progress": True},
        {"progress": 1e300},
        {"score": -1},
        {"passed": "yes"},
        {"expect": "\0"},
    ):
        tell(memapp.home, **event(work, "press c", session="s3"), **odd)
    assert latest(memapp)["task"] != "session s3", "nothing of them says anything"


def test_the_word_of_an_evaluator_promotes_a_lesson_of_an_agent(
    memapp: Terminal, work: Path
) -> None:
    memapp("config", "set", "lessons_compare", "false")
    for number in range(7):
        session, with_hint = f"s{number}", number > 2
        for _ in range(1 if with_hint else 3):
            tell(memapp.home, **event(work, "git stauts", error=SLIP, session=session))
        if number > 1:
            tell(memapp.home, **event(work, "git status", session=session))
        background.wait(memapp.home / "cache")
        ended = ("--passed", "0.9") if with_hint else ("--failed", "0.2")
        memapp("runs", "finish", latest(memapp)["id"], "--score", *ended[::-1])
    (lesson,) = json.loads(memapp("lessons", "--json")[1])
    assert (lesson["status"], lesson["retrieved"]) == ("promoted", 4)


def test_in_a_process_of_its_own_the_code_says_that_the_file_is_missing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "memapp", "--home", str(tmp_path / "home"), "run"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    for options, code in (
        (["--expect", "no.txt"], 1),
        (["--expect", "/etc"], 0),
        (["--progress", "3", "--score=0.5"], 0),
    ):
        done = subprocess.run(
            [*command, *options, "--", "true"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            timeout=60,
        )
        assert done.returncode == code, done.stderr
