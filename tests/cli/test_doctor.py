"""`memapp doctor` finds out what is wrong with the memory file."""

import json
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memapp import bootstrap, paths
from memapp.cli.doctor import sqlite_remark
from memapp.crash import write_crash_file
from memapp.errors import ModelError
from memapp.inference import ChatModel, minilm
from tests.builders import damage
from tests.cli.conftest import Terminal

CHECK_ENGINE = bootstrap.check_engine


def tamper(memapp: Terminal, script: str) -> None:
    with closing(sqlite3.connect(paths.locate(memapp.home).database)) as conn:
        conn.executescript(script)


def problems(memapp: Terminal, *options: str) -> list[str]:
    """Return the problems that the doctor finds, of which it must find one."""
    code, out, _ = memapp(*options, "doctor", "--json")
    assert code == 1
    return list(json.loads(out)["problems"])


def test_it_says_that_the_guards_stand_and_how_learning_goes(memapp: Terminal) -> None:
    memapp("add", "User keeps bees.")
    code, out, _ = memapp("doctor", "--json")
    report = json.loads(out)
    assert (code, report["problems"]) == (0, [])
    assert (
        report["guards"] == "all stand as memapp made them; the file was read through and is sound"
    )
    assert report["learning"] == "0 messages waiting, 0 set aside"
    assert report["embedding model"] == f"bundled, {minilm.NAME}, in llama.cpp"
    tamper(memapp, "UPDATE memories SET category = 'hobbies'")
    code, out, _ = memapp("doctor", "--json")
    (problem,) = json.loads(out)["problems"]
    assert code == 1
    assert problem.startswith("Memories in 1 category are seen by no chat.") is True
    assert "hobbies" not in out


def test_it_names_a_file_whose_guards_were_changed(memapp: Terminal) -> None:
    memapp("add", "User keeps bees.")
    tamper(
        memapp,
        """PRAGMA writable_schema = 1;
           UPDATE sqlite_master SET sql = replace(sql, '<= 280', '<= 999')
           WHERE name = 'consent_requests'""",
    )
    code, out, _ = memapp("doctor", "--json")
    report = json.loads(out)
    assert (code, len(report["problems"])) == (1, 1)
    assert "was changed by another program" in report["problems"][0]
    assert "guards" not in report


def test_it_names_a_damaged_file(memapp: Terminal) -> None:
    memapp("add", "User keeps bees.")
    damage(paths.locate(memapp.home).database, "memories_due")
    assert "damaged" in problems(memapp)[0]


@pytest.mark.parametrize(
    ("column", "named"), [("tags", "CHECK constraint failed in "), ("created_at", "a time in ")]
)
def test_it_names_a_damaged_value(memapp: Terminal, column: str, named: str) -> None:
    memapp("add", "User keeps bees.", "--tag", "hives")
    path = paths.locate(memapp.home).database
    with closing(sqlite3.connect(path)) as conn:
        value = conn.execute(f"SELECT {column} FROM memories").fetchone()[0].encode()
    path.write_bytes(path.read_bytes().replace(value, b"Z" + value[1:]))
    assert named in problems(memapp)[0]


@pytest.mark.parametrize("command", [("list",), ("search", "bees"), ("export",)])
def test_a_command_says_that_a_page_is_damaged(memapp: Terminal, command: tuple[str, ...]) -> None:
    memapp("add", "User keeps bees.")
    damage(paths.locate(memapp.home).database, "memories")
    code, _, err = memapp(*command)
    assert (code, err.count("is damaged")) == (1, 1)


def test_it_looks_at_what_the_settings_name(memapp: Terminal, tmp_path: Path) -> None:
    memapp("add", "User keeps bees.")
    config = memapp.home / "config.toml"
    config.write_text(
        'persona = "nobody"\ntheme = "pink"\nserver = "http://192.0.2.1/v1"\n', "utf-8"
    )
    text = tmp_path / "text.gguf"
    text.write_text("no model", "utf-8")
    named = [problem.partition(":")[0] for problem in problems(memapp, "-m", str(text))]
    assert named == ["persona", "theme", "model", "server"]


def test_it_says_that_limits_leave_no_room(memapp: Terminal) -> None:
    memapp("add", "User keeps bees.")
    (memapp.home / "config.toml").write_text("context_tokens = 512\n", "utf-8")
    (problem,) = problems(memapp)
    assert problem.startswith("context_tokens: context_tokens = 512 leaves no room for a prompt")


def test_it_says_that_all_is_read_only(memapp: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    memapp("add", "User keeps bees.")
    monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)
    (problem,) = problems(memapp)
    assert "memapp.db cannot be written. Check the folder's permissions" in problem


def test_it_warns_of_a_synced_folder_and_of_an_old_sqlite(memapp: Terminal, tmp_path: Path) -> None:
    folder = tmp_path / "Dropbox (me)" / "notes"
    folder.mkdir(parents=True, mode=0o700)
    (problem, *_) = problems(memapp, "--db", str(folder / "memapp.db"))
    assert problem.startswith(f"Dropbox copies {folder}")
    versions = ((3, 40, 1), (3, 50, 6), (3, 50, 7), (3, 51, 2), (3, 51, 3), (4, 0, 0))
    actual = [bool(sqlite_remark(version)) for version in versions]
    assert actual == [True, True, False, True, False, False]


def test_it_asks_the_server_that_is_set(memapp: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object) -> ChatModel:
        raise ModelError("No server answers.")

    memapp("config", "set", "server", "http://127.0.0.1:1/v1")
    monkeypatch.setattr(bootstrap, "open_chat_model", unreachable)
    assert problems(memapp) == ["No server answers."]


def test_it_tells_of_crashes_the_newest_first_and_what_to_do(memapp: Terminal) -> None:
    memapp("add", "User keeps bees.")
    assert "crashes" not in json.loads(memapp("doctor", "--json")[1])
    log = paths.locate(memapp.home).log
    for day in (2, 1):
        path = write_crash_file(ValueError(), log, datetime(2026, 3, day, tzinfo=UTC))
        assert path is not None
        os.utime(path, (day, day))
    code, out, err = memapp("doctor")
    assert code == 0, "what is over is no problem of now"
    assert "1 fact\n" in out and "bees" not in out
    assert "crashes\t2, the newest crash-20260302-000000.txt" in out
    assert f"{log / 'crash-20260302-000000.txt'} says where memapp crashed last" in err
    assert "none of your words" in err and "delete" in err


def test_it_computes_a_token_and_names_what_the_processor_can_do(
    memapp: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "check_engine", CHECK_ENGINE)
    memapp("add", "User keeps bees.")
    report = json.loads(memapp("doctor", "--json")[1])
    assert report["engine"].startswith("computes; processor features: ")
    dies = ("-c", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    monkeypatch.setattr("memapp.inference.child_model.PROGRAM", dies)
    code, out, _ = memapp("doctor", "--json")
    report = json.loads(out)
    assert (code, report["engine"]) == (1, "fails; processor features: not known")
    actual = report["problems"][0]
    assert "The engine computed no token. The model's process crashed (SIGSEGV)." in actual
