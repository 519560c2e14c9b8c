"""Agents and the rubric from the command line."""

import json
from pathlib import Path

import pytest

from memapp import bootstrap
from memapp.domain.changes import Actor, Created
from memapp.services import curate
from memapp.store import changes
from tests.builders import fact
from tests.cli.conftest import Terminal


@pytest.fixture
def corrected(memapp: Terminal) -> Terminal:
    """Eight things that a model remembered, of which the person trashed seven."""
    runtime = bootstrap.start(home=memapp.home)
    for number in range(8):
        with runtime.write() as session:
            memory = fact(f"I like thing number {number}", runtime.clock())
            changes.apply(session, Created(memory), Actor("model:tiny"))
        if number:
            curate.discard(runtime, memory.id)
    runtime.close()
    return memapp


def test_trust_is_told_with_its_count_and_why(corrected: Terminal) -> None:
    assert corrected("agents")[1].startswith("model:tiny\ttrust 0.42 (kept 0 of 7)\tasks first\t")
    (data,) = json.loads(corrected("agents", "--json")[1])
    assert data["name"] == "model:tiny"
    assert data["role"] == "creator"
    assert data["may"] == "ask"
    assert data["undecided"] == 1
    _, out, err = corrected("agents", "show", "the model tiny")
    assert out.count("you trashed it: I like thing number ") == 7, (
        "each event says what it was about"
    )
    assert "the model tiny, creator: trust 0.42 (kept 0 of 7)" in err
    assert (
        "It asks first: you undid 7 of its last 7. Above a kept share of 0.45 it writes again."
        in err
    )
    assert "Not counted yet: 1 thing." in err
    assert "formula 0.30 = .4 x 0/7 kept + .3 x 0.00 depth" in err
    assert "trust 0.42 = (7 x 0.30 + 5 x .60) / 12" in err
    assert "kept share 0.25 = (0 + 3) / (7 + 5)" in err
    assert out.splitlines()[0].endswith("\t0.42\tyou trashed it: I like thing number 7")
    assert out.splitlines()[-1].endswith("\t0.60\tnew")
    assert corrected("agents", "trust", "model:tiny")[1] == out
    assert "0% (0 of 7)" in corrected("stats")[1], "corrections undone"


def test_block_and_unblock_are_taken_back_by_one_command(corrected: Terminal) -> None:
    code, _, err = corrected("agents", "block", "model:tiny")
    assert (code, "Blocked the model tiny. To undo: memapp undo." in err) == (0, True)
    assert "\tblocked\t" in corrected("agents")[1]
    assert "Blocked the model tiny" in corrected("undo")[1]
    assert "\tasks first\t" in corrected("agents")[1]
    assert corrected("agents", "unblock", "model:tiny")[0] == 2
    assert corrected("agents", "block", "nobody")[0] == 2
    assert "you" in corrected("history")[1], "the history knows who blocked"


def test_agents_go_to_files_and_come_back_the_same(corrected: Terminal, tmp_path: Path) -> None:
    assert corrected("agents", "export", "-o", str(tmp_path))[0] == 0
    file = tmp_path / "memory" / "model_tiny.json"
    assert json.loads(corrected("agents", "export", "model:tiny")[1]) == json.loads(
        file.read_text()
    )
    assert corrected("agents", "import", str(file))[0] == 2, "it is known here"
    other = Terminal(tmp_path / "other", corrected._capsys)
    assert other("agents", "import", str(file))[0] == 0
    assert json.loads(other("agents", "export", "model:tiny")[1]) == json.loads(file.read_text())
    assert "model tiny" in other("undo")[1]
    assert other("agents")[1] == ""


def test_the_rubric_is_listed_and_set(memapp: Terminal) -> None:
    assert memapp("rubric")[1].startswith("Accuracy\t0.25\t")
    code, _, err = memapp("rubric", "set", "accuracy", "0.4")
    assert (code, "To undo: memapp undo." in err) == (0, True)
    assert memapp("rubric")[1].startswith("Accuracy\t0.40\t")
    assert "Set the weight of Accuracy" in memapp("undo")[1]
    assert memapp("rubric")[1].startswith("Accuracy\t0.25\t")
    assert memapp("rubric", "set", "Accuracy", "2")[0] == 2
