"""Shell functions, which run nothing unasked, and the hook of agents, which never denies."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memapp.run import background
from memapp.run.arguments import read_hook
from memapp.run.hook import main
from memapp.run.hook_event import agent_step
from tests.builders import word_list
from tests.cli.conftest import Terminal

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
FIELDS = tuple(
    word_list(
        "tool_name tool_input tool_response error session_id cwd hook_event_name is_interrupt"
    )
)
NEARLY = st.fixed_dictionaries(
    {"tool_input": st.fixed_dictionaries({"command": JSON}) | JSON},
    optional=dict.fromkeys(FIELDS[2:], JSON),
)
BROKEN = (
    st.binary(max_size=200)
    | (JSON | NEARLY).map(lambda one: json.dumps(one).encode())
    | st.just(b"[" * 100_000)
)


def hook(home: Path, told: bytes) -> str:
    """Call the hook in this process with the given standard input; return its output."""
    kept = os.dup(0), os.dup(1)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as written:
        given.write(told)
        given.seek(0)
        try:
            os.dup2(given.fileno(), 0)
            os.dup2(written.fileno(), 1)
            assert main({"home": str(home)}) == 0
        finally:
            for fd, own in enumerate(kept):
                os.dup2(own, fd)
                os.close(own)
        written.seek(0)
        return written.read().decode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "repo").mkdir()
    return tmp_path / "repo"


def tell(home: Path, **told: Any) -> str:
    """Tell of a command as an agent would; return the hint."""
    answer = hook(home, json.dumps(told).encode())
    if not answer:
        return ""
    said = json.loads(answer)["hookSpecificOutput"]
    assert said["hookEventName"] == told["hook_event_name"]
    return str(said["additionalContext"])


def event(folder: Path, command: str, *, error: str = "", session: str = "s1") -> dict[str, Any]:
    about = {
        "session_id": session,
        "cwd": str(folder),
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    if error:
        return {
            **about,
            "hook_event_name": "PostToolUseFailure",
            "error": error,
            "is_interrupt": False,
        }
    return {
        **about,
        "hook_event_name": "PostToolUse",
        "tool_response": {"stdout": "ok", "stderr": "", "interrupted": False},
    }


def test_an_agent_gets_back_what_worked_last_time(memapp: Terminal, folder: Path) -> None:
    slip = event(
        folder,
        "git stauts -s",
        error="Exit code 1\ngit: 'stauts' is not a git command. See 'git --help'.",
    )
    assert tell(memapp.home, **event(folder, "ls")) == ""
    assert not memapp.home.exists(), "a success opens nothing"
    assert tell(memapp.home, **slip) == ""
    assert tell(memapp.home, **event(folder.parent, f"cd {folder} && git status -s")) == ""
    hint = tell(memapp.home, **{**slip, "session_id": "s2"})
    assert hint == "memapp: here `git status -s` worked once, untested as a hint"
    found = json.loads(memapp("runs", "--json")[1])
    actual = [(run["client"], run["task"], run["steps"], run["tool_errors"]) for run in found]
    assert actual == [("hook", "session s2", 1, 1), ("hook", "session s1", 2, 1)]


def test_a_command_that_begins_with_a_space_leaves_no_trace(memapp: Terminal, folder: Path) -> None:
    for command in (" kiln frie", f" cd {folder} && kiln frie"):
        tell(memapp.home, **event(folder, command, error="Exit code 2\nkiln: no frie"))
    background.wait(memapp.home / "cache")
    assert json.loads(memapp("runs", "--json")[1]) == []
    tell(memapp.home, **event(folder, "\n  kiln frie\n", error="Exit code 2\nkiln: no frie"))
    background.wait(memapp.home / "cache")
    assert len(json.loads(memapp("runs", "--json")[1])) == 1, (
        "who writes over several lines hides nothing"
    )


def test_a_failure_of_the_person_waits_for_the_person(
    memapp: Terminal, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    memapp("run", "--", "cat", "vase.txt")
    tell(
        memapp.home,
        **event(
            folder, "cat vase.txt", error="Exit code 1\ncat: vase.txt: No such file or directory"
        ),
    )
    tell(memapp.home, **event(folder, "cat vase.txt"))
    assert [run["client"] for run in json.loads(memapp("runs", "--json")[1])] == ["hook", "person"]
    assert len(list((memapp.home / "cache" / "open").iterdir())) == 1, (
        "the agent's is closed, the person's is not"
    )


@pytest.mark.parametrize(
    ("told", "step"),
    [
        ({"tool_response": {"stdout": "a", "stderr": "b"}}, ("make", 0, "a\nb")),
        ({"tool_response": {"output": "no", "metadata": {"exit_code": 2}}}, ("make", 2, "no")),
        ({"tool_response": {"stderr": "no", "exitCode": 3}}, ("make", 3, "no")),
        ({"tool_response": "done"}, ("make", 0, "done")),
        (
            {"hook_event_name": "PostToolUseFailure", "error": "Exit code 127\nmake: not found"},
            ("make", 127, "make: not found"),
        ),
        ({"error": "Command exited with non-zero status code 4"}, ("make", 4, "")),
        ({"error": "no rule"}, ("make", 1, "no rule")),
        ({"hook_event_name": "PostToolUseFailure", "error": "x", "is_interrupt": True}, None),
        ({"hook_event_name": "PreToolUse"}, None),
        ({"tool_input": {"file_path": "/x"}}, None),
        ({"tool_input": {"command": "make", "run_in_background": True}}, None),
    ],
)
def test_the_ways_in_which_agents_tell_how_a_command_ended(
    told: dict[str, Any], step: tuple[str, int, str] | None
) -> None:
    found = agent_step({"tool_name": "Bash", "tool_input": {"command": "make"}, **told})
    assert (found and (found.command, found.code, found.output)) == step


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=BROKEN)
def test_whatever_comes_in_the_command_is_never_denied(tmp_path: Path, content: bytes) -> None:
    blocked = tmp_path / "no folder"
    blocked.write_text("")
    assert hook(blocked, content) == ""


def test_a_locked_a_damaged_and_a_missing_memory_deny_nothing(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home, failed = tmp_path / "none", event(folder, "false", error="Exit code 1")
    assert tell(home, **failed) == "" and "nothing was recorded" not in capsys.readouterr().err
    background.wait(home / "cache")
    with closing(sqlite3.connect(home / "memapp.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert tell(home, **failed) == ""
        assert capsys.readouterr().err == "", "the agent waits for nothing that is written"
        background.wait(home / "cache")
    assert tell(home, **failed) == ""
    assert "nothing was recorded" in capsys.readouterr().err, "it is said the next time"
    background.wait(home / "cache")
    (home / "memapp.db").write_bytes(os.urandom(5000))
    assert tell(home, **failed) == ""
    assert "nothing was recorded" in capsys.readouterr().err


def test_an_agent_that_tells_nothing_is_denied_nothing(tmp_path: Path) -> None:
    """In a process of its own, as an agent starts it."""
    command = [sys.executable, "-m", "memapp", "--home", str(tmp_path / "none"), "hook", "agent"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    for closed in ("2>&-", ">&-", "<&-", ">/dev/full 2>/dev/full"):
        done = subprocess.run(
            ["sh", "-c", f'"$@" {closed}', "sh", *command],
            env=environment,
            input=b"[]",
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, closed


@pytest.mark.parametrize("argv", [["bash", "--norc", "-i"], ["zsh", "-f", "-i"]])
@pytest.mark.parametrize(
    ("typed", "ran"),
    [
        ("git brnch", ["run -- git brnch"]),  # and not what failed some time ago
        ("ls /nothing && touch deployed", ["run -- ls /nothing"]),
        ("test -f 'a b' && git push", ["run -- test -f a b"]),
        ("test x = push && git push", ["run -- test x = push"]),
        ("make it && git push it", ["run -- make it"]),
        ("HISTCONTROL=ignorespace\ngit log\n git brnch", ["run -- git log"]),
        ("true && git brnch", ["run -- git brnch"]),
        ("m git add -A && git comit", ["run -- git add -A", "run -- git comit"]),
        ("m git brnch", ["run -- git brnch", "why"]),
        ("memapp sql vases.db nothing", ["sql vases.db nothing", "why"]),
    ],
)
def test_why_is_asked_of_the_command_that_failed_last(
    memapp: Terminal, tmp_path: Path, argv: list[str], typed: str, ran: list[str]
) -> None:
    script = memapp("hook", argv[0])[1]
    if not shutil.which(argv[0]):
        pytest.skip(f"there is no {argv[0]} here")
    if argv[0] == "zsh" and typed.endswith(("&& git brnch", "&& git comit")):
        pytest.skip("only bash tells which part of a line failed")
    seen = tmp_path / "seen"
    for name, does in {
        "memapp": f'echo "$@" >> {seen}\ntest "$4" = add -o "$1" = why',
        "git": "exit 1",
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / name).chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "HISTFILE": "/dev/null",
    }
    if argv[0] == "zsh":
        typed = typed.replace("HISTCONTROL=ignorespace", "setopt HIST_IGNORE_SPACE")
    said = f"{script}\nls\n{typed}\nwhy\ny\n"
    subprocess.run(
        argv,
        env=environment,
        input=said,
        text=True,
        capture_output=True,
        timeout=20,
        start_new_session=True,
    )
    assert seen.read_text().splitlines() == ran


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shells_functions_run_nothing_again(memapp: Terminal, tmp_path: Path, shell: str) -> None:
    script = memapp("hook", shell)[1]
    assert len(script.splitlines()) < 24
    if not shutil.which(shell):
        pytest.skip(f"there is no {shell} here")
    seen, program = tmp_path / "seen", tmp_path / "memapp"
    program.write_text(f'#!/bin/sh\necho "$@" >> {seen}\n[ "$1" != why ]\n')
    program.chmod(0o755)
    for answer in ("n", "y"):
        said = f"{script}\nm cd {tmp_path}\nm git status\nwhy\npwd > {tmp_path}/there\n"
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        subprocess.run(
            [shell, "-c", said],
            env=environment,
            input=answer,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        ran = seen.read_text().splitlines()
        assert ran[:2] == ["run -- git status", "why"]
        assert len(ran) == 2, "a shell without a history has nothing to run again"
        assert (tmp_path / "there").read_text() == f"{tmp_path}\n", "m cd goes there"
        seen.unlink()


def test_only_the_whole_command_line_takes_the_quick_way() -> None:
    assert read_hook(["--home", "x", "hook", "agent"]) == {"home": "x"}
    assert read_hook(["hook", "agent", "--help"]) is None and read_hook(["hook", "bash"]) is None
