"""memapp upkeep: for cron, and for whoever wants to know what waits."""

import json

import pytest

from memapp import bootstrap
from memapp.inference.scripted import ScriptedModel
from memapp.services.jobs import consolidate
from tests.builders import word_list
from tests.cli.conftest import Terminal
from tests.services.test_consolidate import says

NAMES = word_list("learn embed expire unused lessons referee rewording purge consolidate")
NAMES += ["trust", "insights", "episodes", "distil", "backup"]


def rows(out: str) -> dict[str, list[str]]:
    return {line.split("\t")[0]: line.split("\t")[1:] for line in out.splitlines()}


def test_it_says_what_it_did_on_an_empty_and_on_a_small_file(memapp: Terminal) -> None:
    code, out, _ = memapp("upkeep")
    assert code == 0
    assert {name: row[0] for name, row in rows(out).items()} == dict.fromkeys(NAMES, "0 done")
    for number in range(3):
        memapp("add", f"The neighbour at number {number} keeps bees.")
    code, out, _ = memapp("upkeep")
    done = rows(out)
    assert code == 0
    assert done["embed"][0] == "3 done"
    assert (done["purge"][0], done["purge"][1][:5]) == ("not due", "next ")


def test_a_dry_run_counts_what_waits_and_changes_nothing(memapp: Terminal) -> None:
    memapp("add", "The neighbour keeps bees.")
    before = memapp("history", "--json")[1]
    code, out, _ = memapp("upkeep", "--dry-run")
    assert code == 0
    assert {name: row[:2] for name, row in rows(out).items()}["expire"] == ["0 waits", "never ran"]
    assert memapp("history", "--json")[1] == before


def test_one_job_runs_due_or_not_and_programs_read_it(memapp: Terminal) -> None:
    memapp("upkeep")
    shown = json.loads(memapp("upkeep", "--job", "purge", "--json")[1])
    assert [(job["job"], job["done"]) for job in shown] == [("purge", 0)]
    assert shown[0]["due_at"] > shown[0]["ran_at"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--job", "nonsense"), "There is no job 'nonsense'. Known: learn, embed"),
        (("--budget", "soon"), "'soon' is not a time. Write it like 60s or 5m."),
        (("--budget", "0"), "'0' is not a time."),
    ],
)
def test_no_job_or_time_are_told(memapp: Terminal, arguments: tuple[str, ...], said: str) -> None:
    code, _, err = memapp("upkeep", *arguments)
    assert (code, said in err) == (2, True), err


def test_facts_that_are_alike_are_told_of_in_a_line_and_asked_about_in_the_inbox(
    memapp: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consolidate, "is_trusted_with", lambda *_: True)
    monkeypatch.setattr(bootstrap, "open_chat_model", lambda *_: ScriptedModel(says("not_both")))
    for text in ("User has two cats.", "User has three cats.", "User likes tea."):
        memapp("add", text)
    memapp("upkeep", "--job", "embed")
    actual = rows(memapp("upkeep", "--job", "consolidate", "--dry-run")[1])["consolidate"][0]
    assert actual == "1 waits"
    shown = json.loads(memapp("upkeep", "--job", "consolidate", "--json")[1])
    assert shown[0]["report"] == "merged 0, linked 0, left 0, asked about 1"
    (asked,) = json.loads(memapp("consents", "list", "--json")[1])
    assert (
        "Only one holds\tUser has two cats. → User has three cats." in memapp("consents", "list")[1]
    )
    assert "approve keeps the newer, deny keeps both" in "".join(
        memapp("consents", "show", asked["id"])[1:]
    )
    assert memapp("approve", asked["id"], "--value", "User has two cats.")[0] == 0
    assert "three" not in memapp("list")[1] and "two cats" in memapp("list")[1]
    assert "Kept “User has two cats.”" in "".join(memapp("undo")[1:])
