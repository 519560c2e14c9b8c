"""The person's hand on lessons and runs, from the command line."""

import json
import shutil
from pathlib import Path

import pytest

from memapp.run import background
from memapp.tools.markers import mark_known
from tests.builders import word_list
from tests.cli.conftest import Terminal


@pytest.fixture
def shop(memapp: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A folder with one lesson: `sh -c 'exit 3'` is put right by `sh -c 'exit 0'`."""
    monkeypatch.chdir(tmp_path)
    for code in ("3", "0", "3"):
        memapp("run", "--task", "close", "--", "sh", "-c", f"exit {code}")
    return memapp


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def found(memapp: Terminal, *status: str) -> list[tuple[str, str]]:
    return [
        (item["status"], item["correct"])
        for item in json.loads(memapp("lessons", "list", *status, "--json")[1])
    ]


def test_each_command_says_what_it_did_and_undo_takes_it_back(shop: Terminal) -> None:
    (lesson,) = json.loads(shop("lessons", "--json")[1])
    before = found(shop)
    for deed, status in (
        ("promote", "promoted"),
        ("suppress", "suppressed"),
        ("archive", "archived"),
        ("rm", ""),
    ):
        code, out, err = shop("lessons", deed, lesson["id"][-8:], "--json")
        assert (code, json.loads(out)[0]["id"]) == (0, lesson["id"]) and lesson["rule_text"] in err
        assert [text for text, _ in found(shop)] == ([status] if status else [])
        if deed != "promote":
            assert shop("lessons", "restore", lesson["id"])[0] == 0
            assert found(shop) == before
            shop("undo")
        shop("undo")
        assert found(shop) == before
    shop("lessons", "edit", lesson["id"], "--correct", "sh -c true", "--everywhere")
    (changed,) = json.loads(shop("lessons", "--json")[1])
    assert (changed["correct"], changed["level"]) == ("sh -c true", "domain")
    assert shop("undo")[0] == 0 and found(shop) == before


def test_ones_own_lesson_is_said_when_its_command_fails_and_two_become_one(shop: Terminal) -> None:
    (learned,) = json.loads(shop("lessons", "--json")[1])
    out = shop("lessons", "add", "sh -c 'exit 4'", "sh -c 'exit 0'", "--here", "--json")[1]
    (own,) = json.loads(out)
    shop("run", "--", "sh", "-c", "exit 4")
    assert "you wrote down `sh -c 'exit 0'`" in shop("why")[1]
    assert shop("lessons", "merge", own["id"], learned["id"])[0] == 0
    assert found(shop, "--status", "archived") == [("archived", learned["correct"])]
    code, _, err = shop("lessons", "add", "ls", "ls")
    assert (code, "the same" in err) == (2, True)


def test_health_tells_the_figures_of_all_runs_of_days_and_of_each(shop: Terminal) -> None:
    told = json.loads(shop("lessons", "health", "--json")[1])
    figures = {
        name: told["all"][name]
        for name in word_list(
            "runs passed score steps tool_errors recurrences activations helped promoted"
        )
    }
    assert figures == {
        **{"runs": 1, "passed": 0, "score": None, "steps": 3, "tool_errors": 2, "recurrences": 1},
        **{"activations": 1, "helped": 0, "promoted": 0},
    }
    assert [run["about"] for run in told["runs"]] == ["close"] and len(told["days"]) == 1
    all_, day, run = (line.split("\t") for line in shop("lessons", "health")[1].splitlines())
    (lesson,) = json.loads(shop("lessons", "--json")[1])
    assert (
        "shown 1 time, helped 0, hurt 0, withheld 0\n" in shop("lessons", "show", lesson["id"])[1]
    )
    assert all_[1:] == day[1:] and run[1] == "close, not passed" and run[2:] == day[2:]
    assert all_ == [
        "all",
        "0 of 1 run passed",
        "3 steps",
        "2 failed, 1 again",
        "0 of 1 hint helped",
        "",
    ]
    shop("lessons", "promote", lesson["id"])
    assert shop("lessons", "health")[1].splitlines()[0].endswith("\t1 promoted")
    shop("undo")
    assert shop("lessons", "health")[1].splitlines()[0].endswith("helped\t"), (
        "what was undone does not count"
    )
    assert "67% failed" in shop("lessons", "health", "--plot")[1]
    assert "█" * 27 in shop("lessons", "health", "--plot")[1]


def test_what_recurs_unsolved_is_listed_until_something_works(memapp: Terminal, work: Path) -> None:
    for number in range(4):
        memapp("run", "--task", f"try {number}", "--", "ls", "-d", "vases")
    background.wait(memapp.home / "cache")
    assert "unsolved\t4 times\tls -d vases" in memapp("lessons", "health")[1]
    (unsolved,) = json.loads(memapp("lessons", "health", "--json")[1])["unsolved"]
    assert (unsolved["tool"], unsolved["times"]) == ("ls", 4)
    shutil.rmtree(memapp.home / "cache" / "open")  # what is open for a short while only
    (work / "vase").mkdir()
    memapp("run", "--", "ls", "-d", "vase")
    background.wait(memapp.home / "cache")
    assert [correct for _, correct in found(memapp)] == ["ls -d vase"]
    assert json.loads(memapp("lessons", "health", "--json")[1])["unsolved"] == []
    assert "`ls -d vase` worked once" in memapp("run", "--", "ls", "-d", "vases")[2]


def test_runs_are_erased_with_a_yes_and_what_was_learned_stays(shop: Terminal) -> None:
    (run,) = json.loads(shop("runs", "--json")[1])
    mark_known({"home": str(shop.home)}, "/pottery", ["kiln\0frie"])
    code, _, err = shop("runs", "rm", run["id"])
    assert (code, "1 run with 3 steps" in err) == (4, True)
    assert shop("runs", "rm", run["id"], "--yes")[0] == 0
    assert shop("runs", "--json")[1] == "[]\n" and len(found(shop)) == 1
    marked = {path.name for path in (shop.home / "cache").iterdir()}
    assert not marked & {"open", "known"}, "no hash of a command is left"
