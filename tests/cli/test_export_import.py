"""Everything out and in from the command line."""

import json
import os
import stat
from pathlib import Path

import pytest

from tests.builders import word_list
from tests.cli.conftest import Terminal


def exported(memapp: Terminal, tmp_path: Path) -> Path:
    memapp("add", "I keep bees.")
    memapp("add", "I live in Ghent.")
    memapp("profile", "set", "city", "Ghent")
    target = tmp_path / "all.jsonl"
    code, out, err = memapp("export", "-o", str(target))
    assert (code, out) == (0, "")
    assert err.endswith(
        "This is no backup: to move with everything, history and inbox included, "
        "use memapp backup.\n"
    )
    return target


def test_an_export_goes_to_a_private_file_or_to_the_pipe(memapp: Terminal, tmp_path: Path) -> None:
    target = exported(memapp, tmp_path)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    code, out, _ = memapp("export")
    assert code == 0
    assert [json.loads(line)["type"] for line in out.splitlines()] == word_list(
        "header memory memory consent_request profile"
    )
    assert out.splitlines()[1:] == target.read_text("utf-8").splitlines()[1:]
    assert "- Home: Ghent" in memapp("export", "--format", "md")[1]


def test_what_an_export_leaves_out_a_backup_moves(
    memapp: Terminal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exported(memapp, tmp_path)
    memapp("backup", str(tmp_path / "all.db"))
    imported, restored = (Terminal(tmp_path / name, capsys) for name in ("imported", "restored"))
    imported("import", str(tmp_path / "all.jsonl"), "--yes")
    restored("restore", "--file", str(tmp_path / "all.db"), "--yes")
    verbs = (("list", "--json"), ("profile",), ("history", "--format", "jsonl"), ("consents",))
    before, brought, moved = (
        [store(*verb)[1] for verb in verbs] for store in (memapp, imported, restored)
    )
    assert moved == before
    assert all(text != other for text, other in zip(brought, before, strict=True))


def test_an_import_is_shown_first_and_wants_a_yes(
    memapp: Terminal, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = exported(memapp, tmp_path)
    other = Terminal(tmp_path / "other", capsys)
    code, out, err = other("import", str(target))
    assert (code, out) == (4, "")
    assert "This would import: 2 facts to wait for your yes." in err
    code, out, _ = other("import", str(target), "--dry-run", "--json")
    assert (code, json.loads(out)["facts"], json.loads(out)["dry_run"]) == (0, 2, True)
    assert other("list")[1] == ""
    assert not (other.home / "backups").exists()
    assert other("import", str(target), "--yes")[0] == 0
    assert len(list((other.home / "backups").iterdir())) == 1, "what was there before"
    assert (other("list")[1], other("profile")[1]) == ("", "")
    assert other("consents")[1].endswith("2 facts from all.jsonl\n")
    code, out, _ = other("undo")
    assert out.startswith("Undone: Imported a file: ")
    assert other("consents")[1] == ""


def test_a_file_is_one_question_to_approve_or_deny(memapp: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "notes.json"
    file.write_text('{"text": "User keeps bees."}\n{"text": "User plays chess."}\n')
    assert "into a folder" in memapp("import", str(file), str(file), "--yes")[2]
    _, _, err = memapp("import", str(file), "--yes")
    (row,) = memapp("consents")[1].splitlines()
    file_id = row.split("\t")[0]
    assert row.endswith("\timported\tFile\t2 facts from notes.json")
    assert f"memapp approve {file_id}, or one by one: memapp consents show {file_id}" in err
    facts = [line.split("\t") for line in memapp("consents", "show", file_id)[1].splitlines()]
    actual = [fact[3:] for fact in facts]
    assert actual == [["Fact", "User keeps bees."], ["Fact", "User plays chess."]]
    assert memapp("consents", "show", file_id, "-n", "1")[2] == "There are more: add -n 2.\n"
    assert memapp("approve", facts[0][0])[0] == 0
    assert memapp("approve", file_id, "--value", "x")[0] == 2
    assert memapp("approve", file_id)[2].startswith(
        "Approved Fact “User plays chess.”. To undo: memapp undo."
    )
    assert len(memapp("list")[1].splitlines()) == 2
    memapp("undo")
    code, _, err = memapp("deny", file_id)
    assert (code, err.startswith("Denied Fact")) == (0, True)
    assert (len(memapp("list")[1].splitlines()), memapp("consents")[1]) == (1, "")


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (
            b'{"text": "I keep bees."}\n{"text": "I play chess."}\n',
            0,
            "Imported: 2 facts to wait for your yes.",
        ),
        (b"[]", 0, "Imported: nothing new."),
        (b"PK\x03\x04", 2, "The archive is damaged."),
        (b'{\n"conversation_history": []}', 2, "memapp chats import"),
        (b'{"conversation_history": []}', 2, "memapp chats import"),
        (b"[{]", 2, "Nothing was imported."),
    ],
)
def test_an_import_may_be_piped_in(memapp: Terminal, content: bytes, code: int, said: str) -> None:
    out, into = os.pipe()
    before = os.dup(0)
    try:
        os.write(into, content)
        os.close(into)
        os.dup2(out, 0)
        found = memapp("import", "-", "--yes")
    finally:
        os.dup2(before, 0)
        os.close(before)
        os.close(out)
    assert (found[0], said in found[2], "Traceback" in found[2]) == (code, True, False)


SAVE = {"conversation_history": [{"user": "I live in Porto.", "tom": "Do you?"}]}
CLAUDE = [
    {
        "uuid": "a",
        "name": "Pastries",
        "created_at": "2026-01-31T08:15:00Z",
        "chat_messages": [{"sender": "human", "text": "I live in Porto and I love pastries."}],
    }
]


def written(tmp_path: Path, content: object) -> str:
    file = tmp_path / "file.json"
    file.write_text(json.dumps(content), "utf-8")
    return str(file)


def test_an_old_save_becomes_a_chat_that_teaches_nothing(memapp: Terminal, tmp_path: Path) -> None:
    code, out, err = memapp("chats", "import", written(tmp_path, SAVE))
    assert code == 0
    assert "Imported 2 messages." in err
    assert "learns no facts from them" in err
    assert "I live in Porto." in memapp("chats", "show", out.strip())[1]
    assert memapp("list")[1] == ""
    assert memapp("consents")[1].endswith("1 chat from file.json\n")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            [],
            (
                "is not a save: it has no conversation_history. "
                "What ChatGPT, Claude or memapp exported: memapp import."
            ),
        ),
        ({"recipes": ["bread"]}, "is not a save: it has no conversation_history."),
        ({"conversation_history": 7}, "its conversation_history is not a list"),
        ({"conversation_history": [7]}, "exchange 1 is not an object"),
        ({"conversation_history": [{"user": "a", "reply": "b"}, {"user": "a"}]},
         "the reply of exchange 2 is missing"),
        ({"conversation_history": [{"user": 7, "reply": "b"}]},
         "the words of the person of exchange 1 are not what"),
        ({"conversation_history": [{"reply": "b", "timestamp": "soon"}]},
         "the time of exchange 1 is not what it should be"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_save_makes_no_chat(
    memapp: Terminal, tmp_path: Path, content: object, said: str
) -> None:
    code, out, err = memapp("chats", "import", written(tmp_path, content))
    assert (code, out) == (2, "")
    assert said in err
    assert memapp("chats")[1] == ""


def test_a_save_is_imported_for_a_persona_that_there_is(memapp: Terminal, tmp_path: Path) -> None:
    code, _, err = memapp("chats", "import", written(tmp_path, SAVE), "--persona", "compannion")
    assert code == 2
    assert "There is no persona 'compannion'. Did you mean 'companion'?" in err
    assert memapp("chats")[1] == ""


def test_importing_conversations_says_no_facts_come(memapp: Terminal, tmp_path: Path) -> None:
    file = written(tmp_path, CLAUDE)
    for arguments in (("import", file), ("import", file, "--yes")):
        _, _, err = memapp(*arguments)
        assert "1 chat with 1 message" in err
        assert "memapp learns no facts from them" in err
    assert memapp("list")[1] == ""
    assert memapp("consents")[1].endswith("1 chat from file.json\n")
    code, _, err = memapp("import", file)
    assert (code, err) == (0, "This would import: nothing new; 1 entry here already.\n")
