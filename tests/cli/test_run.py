"""Failed commands at a terminal, with real programs: run, why, lessons, runs."""

import json
import os
import sqlite3
import subprocess
from pathlib import Path

import pytest

from memapp.errors import DiskFull
from memapp.run import background
from memapp.run.arguments import read_run
from tests.cli.conftest import Terminal


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
    monkeypatch.chdir(folder)
    return folder


def test_a_slip_is_put_right_by_what_worked_last_time(memapp: Terminal, repo: Path) -> None:
    code, _, first = memapp("run", "--", "git", "stauts", "-s")
    assert (code, "memapp lessons" in first) == (1, True), "a word about it, the first time"
    assert memapp("run", "--", "git", "status", "-s") == (0, "", "")
    code, _, said = memapp("run", "--", "git", "stauts", "-s")
    assert code == 1
    assert said == "memapp: here `git status -s` worked once, untested as a hint · memapp why\n"

    out = memapp("why")[1]
    assert out.splitlines() == [
        "failed: git stauts -s",
        "kind: unknown command",
        "here `git status -s` worked once (the same failure)",
    ]
    (row,) = json.loads(memapp("lessons", "--json")[1])
    shown = memapp("lessons", "show", row["id"])[1]
    assert shown.startswith("- git stauts -s\n+ git status -s\n") and "shown 1 time" in shown
    assert "git status" in memapp("lessons", "search", "status")[1]
    assert not memapp("lessons", "search", "vase")[1]
    (one,) = json.loads(memapp("runs", "--json")[1])
    assert (one["tool"], one["steps"], one["tool_errors"]) == ("git", 3, 2)
    steps = memapp("runs", "show", one["id"])[1].splitlines()
    assert [line.split("\t")[1] for line in steps] == ["exit 1", "worked", "exit 1"]
    assert memapp("undo")[1] == "Undone: Remembered “git stauts -s -> git status -s”\n"


def test_what_only_reads_works_on_a_full_disk(
    memapp: Terminal, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memapp("run", "--", "git", "stauts", "-s")
    memapp("run", "--", "git", "status", "-s")

    def full(*_: object, **__: object) -> None:
        raise DiskFull("No space left.")

    monkeypatch.setattr("memapp.store.opening._open_writer", full)
    assert memapp("why")[1].startswith("failed: git stauts -s\n")
    assert "git status" in memapp("why", "--", "git", "stauts", "-s")[1]
    assert memapp("forget", "--status")[2].startswith("That cannot be done: Nothing is shared")
    assert "the disk is full" in memapp("forget", "status")[2]


def test_a_missing_result_is_a_failure(memapp: Terminal, repo: Path) -> None:
    code, _, said = memapp("run", "--task", "notes", "--expect", "notes.txt", "--", "true")
    assert code == 1 and said.startswith("memapp: notes.txt is not there\n")
    assert (
        memapp("run", "--task", "notes", "--expect", "notes.txt", "--", "sh", "-c", "exit 7")[0]
        == 7
    ), "its own code first"
    assert (
        memapp("run", "--task", "notes", "--expect", "notes.txt", "--", "touch", "notes.txt")[0]
        == 0
    )
    (one,) = json.loads(memapp("runs", "--json")[1])
    assert (one["task"], one["tool_errors"]) == ("notes", 2)


def test_a_success_opens_nothing_unless_a_failure_is_open(memapp: Terminal, repo: Path) -> None:
    memapp("run", "--", "true")
    assert not memapp.home.exists()
    memapp("run", "--", "cat", "vase.txt")
    marks = list((memapp.home / "cache" / "open").iterdir())
    assert len(marks) == 1 and "cat" not in marks[0].read_text()
    memapp("run", "--", "true")
    (one,) = json.loads(memapp("runs", "--json")[1])
    assert one["tool"] == "cat", "another program is none of its business"


def test_lessons_are_found_by_parts_of_words_best_first(memapp: Terminal, repo: Path) -> None:
    for pair in (
        ["git psuh", "git push --set-upstream origin main"],
        ["git cat-fiel", "git cat-file"],
        ["tar xf", "tar xzf"],
    ):
        memapp("lessons", "add", *pair)
    for typed, rules in {
        "psu": 1,
        "upstr": 1,
        "--set-up": 1,
        "git": 2,
        "git cat-f": 2,
        "-xyz": 0,
        "a": 3,
    }.items():
        found = json.loads(memapp("lessons", "search", "--json", *typed.split())[1])
        assert len(found) == rules, typed
        assert typed != "git cat-f" or found[0]["correct"] == "git cat-file"


def test_turned_off_or_left_out_nothing_is_kept(memapp: Terminal, repo: Path) -> None:
    for name, value in (
        ("lessons_not_of", f"{repo}"),
        ("lessons_not_of", "false"),
        ("lessons", "off"),
    ):
        memapp("config", "set", name, value)
        assert memapp("run", "--", "false")[0] == 1
        assert memapp("runs", "--json")[1] == "[]\n"


@pytest.mark.parametrize(
    ("words", "is_run"),
    [
        ("run -- git status", True),
        ("--home x run --task a --expect=b -- ls", True),
        ("run my first marathon", False),
        ("run", False),
        ("run --", False),
        ("run --taks a -- ls", False),
        ("--server x run -- ls", False),
        ("why is the sky blue", False),
    ],
)
def test_the_quick_way_is_for_a_command_line_without_a_doubt(words: str, is_run: bool) -> None:
    assert (read_run(words.split()) is not None) is is_run


def test_a_question_may_begin_like_a_command(memapp: Terminal) -> None:
    for question in ("run my first marathon", "why is the sky blue"):
        code, out, _ = memapp(*question.split())
        assert code == 0 and out, question


def test_a_program_without_the_dashes_is_no_question(memapp: Terminal) -> None:
    code, _, said = memapp("run", "cat", "vase.txt")
    assert code == 2 and "memapp run -- cat vase.txt" in said


def test_an_unusable_store_keeps_the_exit_code_of_the_command(memapp: Terminal, repo: Path) -> None:
    memapp.home.mkdir()
    (memapp.home / "memapp.db").write_bytes(os.urandom(5000))
    code, _, err = memapp("run", "--", "false")
    assert (code, err.count("\n")) == (1, 1) and "nothing was recorded" in err


def test_a_command_that_failed_before_is_told_what_works(memapp: Terminal, repo: Path) -> None:
    known = memapp.home / "cache" / "known"
    for argv in (["git", "stauts"], ["git", "status"], ["git", "stauts"]):
        memapp("run", "--", *argv)
    assert not known.exists(), "of an unproven one nothing is said before"
    (lesson,) = json.loads(memapp("lessons", "--json")[1])
    memapp("lessons", "promote", lesson["id"])
    assert not any("git" in path.read_text() for path in known.iterdir())

    told = "memapp: this failed last time; here `git status` worked once · memapp why"
    for _ in range(2):
        said = memapp("run", "--", "git", "stauts")[2].splitlines()
        assert said == [told], "first, and not once more"
    background.wait(memapp.home / "cache")
    with sqlite3.connect(memapp.home / "memapp.db") as file:
        assert [row[0] for row in file.execute("SELECT point FROM activations ORDER BY id")] == [
            "on_error"
        ] + ["pre_run"] * 2
    file.close()

    (repo / "bin").mkdir()
    (repo / "bin" / "git-stauts").write_text("#!/bin/sh\n")
    (repo / "bin" / "git-stauts").chmod(0o755)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PATH", f"{repo / 'bin'}:{os.environ['PATH']}")
        assert memapp("run", "--", "git", "stauts") == (0, "", f"{told}\n")
    actual = memapp("run", "--", "git", "stauts")[2]
    assert actual == "memapp: here `git status` worked once · memapp why\n", "it worked last time"


def test_who_thinks_of_running_a_command_is_told_about_it(memapp: Terminal, repo: Path) -> None:
    for argv in (["git", "stauts"], ["git", "status"]):
        memapp("run", "--", *argv)
    said = memapp("why", "--explain", "--", "git", "stauts", "-s")[1]
    assert said.startswith(
        "something like this failed before; try `git status -s`: "
        "here `git status` worked once, untested as a hint"
    )
    assert all(
        part in said for part in ("fingerprint ", "tags ", "text ", "reliability ", "recency ")
    )
    assert memapp("why", "--", "git", "status")[1] == "There is no lesson for this command.\n"
    assert (
        json.loads(memapp("why", "--json", "--", "git", "stauts")[1])["lessons"][0]["lesson"][
            "correct"
        ]
        == "git status"
    )


def test_what_only_the_shell_can_do_is_said_to_be(memapp: Terminal, repo: Path) -> None:
    actual = memapp("run", "--", "cd", "/")
    assert actual == (127, "", "memapp: cd is for your shell to do; run it without memapp\n")
    assert not memapp.home.exists()
