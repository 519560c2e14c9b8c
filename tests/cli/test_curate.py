"""The verbs that change, take back, erase and decide."""

import csv
import io
import json
import re
import sqlite3
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

import pytest

from memapp import bootstrap
from memapp.domain.chat import Origin, Role
from memapp.errors import NeedsYes, StoreError
from memapp.runtime import Runtime
from memapp.services import chats, curate, undo
from memapp.services.consent import requests
from memapp.store import chat, schema
from tests.cli.conftest import Terminal


def add(memapp: Terminal, text: str) -> str:
    return memapp("add", text)[1].strip()


def texts(memapp: Terminal) -> set[str]:
    return {memory["text"] for memory in json.loads(memapp("list", "--json")[1])}


def propose(memapp: Terminal, field: str, value: str) -> str:
    runtime = bootstrap.start(home=memapp.home)
    request = requests.propose(runtime, field, value)
    runtime.close()
    assert request
    return request.id


def test_a_memory_is_edited_in_its_parts(memapp: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    memory_id = add(memapp, "I keep bees.")
    monkeypatch.setattr("sys.stdin", io.StringIO("I keep wasps.\n"))
    assert memapp("edit", memory_id, "-")[:2] == (0, "I keep wasps.\n")
    assert memapp("edit", memory_id, "I", "keep", "hens.")[:2] == (0, "I keep hens.\n")
    code, out, _ = memapp(
        "edit", memory_id, "--tag", "farm", "--importance", "5", "--category", "tasks", "--json"
    )
    after = json.loads(out)
    assert code == 0
    assert after["text"] == "I keep hens."
    assert after["tags"] == ["farm"]
    assert after["importance"] == 5
    assert after["category"] == "tasks"
    assert memapp("edit", memory_id)[0] == memapp("edit", memory_id, "")[0] == 2
    assert memapp("edit", memory_id, "--category", "nowhere")[0] == 2


def test_pinned_and_no_longer(memapp: Terminal) -> None:
    memory_id = add(memapp, "I keep bees.")
    assert json.loads(memapp("pin", memory_id, "--json")[1])[0]["pinned"] is True
    assert memapp("list", "--pinned")[1]
    assert memapp("unpin", memory_id)[::2] == (0, "No longer pinned: I keep bees.\n")
    assert memapp("list", "--pinned")[1] == ""


def test_either_end_of_an_id_is_enough_while_it_is_the_only_one(memapp: Terminal) -> None:
    first, second = add(memapp, "I keep bees."), add(memapp, "I keep hens.")
    assert memapp("list", "-n", "1")[2] == "There are more: add -n 2.\n"
    assert memapp("list", "-n", "2")[2] == ""
    assert json.loads(memapp("show", first[-8:].lower(), "--json")[1])["id"] == first
    assert json.loads(memapp("show", first, "--json")[1])["id"] == first
    code, out, err = memapp("rm", first[:4])
    assert (code, out) == (2, "")
    assert first in err
    assert second in err
    assert "I keep hens." in err
    assert "Write at least 3 characters" in memapp("show", first[-2:])[2]
    assert memapp("rm", "%")[0] == 2
    assert len(texts(memapp)) == 2


def test_what_was_removed_comes_back_by_restore_and_by_undo(memapp: Terminal) -> None:
    bees, hens = add(memapp, "I keep bees."), add(memapp, "I keep hens.")
    actual = [bee["state"] for bee in json.loads(memapp("rm", bees, hens, "--json")[1])]
    assert actual == ["soft_deleted", "soft_deleted"]
    assert texts(memapp) == set()
    code, out, _ = memapp("trash")
    assert code == 0
    assert [line.split("\t")[2] for line in out.splitlines()] == ["put there by you"] * 2
    shown = memapp("show", bees)[2]
    assert re.search(r"in the trash since .* \(put there by you\), kept until .* at least\n", shown)
    actual = memapp("pin", bees)[::2]
    assert actual == (2, "That cannot be done: This memory is in the trash. Restore it first.\n")
    assert "It is still in the trash." in memapp("edit", bees, "--importance", "4")[2]
    assert memapp("undo")[0] == 0
    assert "`memapp trash` lists them" in memapp("restore", "nobody")[2]
    back = json.loads(memapp("restore", bees, "--json")[1])
    assert [memory["text"] for memory in back["restored"]] == ["I keep bees."]
    assert back["stayed"] == []
    assert texts(memapp) == {"I keep bees."}
    code, out, _ = memapp("undo", "--steps", "2")
    assert out.splitlines() == [
        "Undone: Restored “I keep bees.”",
        "Undone: Trashed “I keep bees.” and 1 more",
    ]
    assert texts(memapp) == {"I keep bees.", "I keep hens."}
    assert json.loads(memapp("undo", "--json")[1])[0]["event"] == "ADD"


def test_undo_says_when_there_is_no_more(memapp: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    add(memapp, "I keep hens.")
    add(memapp, "I keep bees.")
    once = iter([undo.undo_last])
    with monkeypatch.context() as broken:
        broken.setattr(undo, "undo_last", lambda runtime: next(once, _needs_a_yes)(runtime))
        code, out, _ = memapp("undo", "--steps", "2", "--json")
    assert (code, [entry["event"] for entry in json.loads(out)]) == (4, ["ADD"]), (
        "what went before is told to programs too"
    )
    code, _, err = memapp("undo", "--steps", "9")
    assert code == 0
    assert "Only 1 change could be undone." in err
    assert memapp("undo")[0] == 2


def _needs_a_yes(_: Runtime) -> NoReturn:
    raise NeedsYes("This stays in the trash.")


def test_what_is_known_again_meanwhile_stays_in_the_trash(memapp: Terminal) -> None:
    memory_id = add(memapp, "I keep bees.")
    memapp("rm", memory_id)
    add(memapp, "I keep bees.")
    code, _, err = memapp("restore", memory_id)
    assert code == 2
    assert err.endswith("knows the same already: I keep bees.\n")


@pytest.mark.parametrize("is_terminal", [True, False])
def test_memories_are_told_as_they_are_stored(
    memapp: Terminal, monkeypatch: pytest.MonkeyPatch, is_terminal: bool
) -> None:
    found, gone = (
        memapp("add", text)[1].strip() for text in ("User has a cat.", "My coffee is black.")
    )
    memapp("edit", found, "User has two cats.")
    assert "Trashed: My coffee is black." in memapp("rm", gone)[2]
    monkeypatch.setattr("sys.stdout.isatty", lambda: is_terminal, raising=False)
    for command in (("list",), ("search", "cats"), ("show", found), ("history", found)):
        assert "User has two cats." in memapp(*command)[1]
    assert "User has [-a cat.-] {+two cats.+}" in memapp("history", found, "--diff", "1", "2")[1]
    assert "My coffee is black." in memapp("trash", "list")[1]


def test_what_says_something_of_the_profile_is_restored_with_a_yes_only(memapp: Terminal) -> None:
    memapp("ask", "I live in Bergen.")
    (waits,) = json.loads(memapp("consents", "list", "--json")[1])
    assert memapp("approve", waits["id"])[0] == 0
    (memory_id,) = (memory["id"] for memory in json.loads(memapp("list", "--json")[1]))
    assert memapp("rm", memory_id)[0] == 0
    assert "Bergen" not in memapp("profile")[1], "it had it from this memory alone"
    code, out, err = memapp("restore", memory_id, "--json")
    assert (code, [memory["id"] for memory in json.loads(out)["stayed"]]) == (4, [memory_id])
    assert "I live in Bergen" in err and "memapp consents list" in err
    assert texts(memapp) == set()
    (waits,) = json.loads(memapp("consents", "list", "--json")[1])
    assert (waits["field"], waits["new_value"]) == ("city", "Bergen")


def test_history_shows_and_exports_changes_and_compares_two_versions(memapp: Terminal) -> None:
    memory_id = add(memapp, "I keep bees.")
    other = add(memapp, "I like tea.")
    memapp("edit", memory_id, "I keep hens.")
    lines = memapp("history", memory_id)[1].splitlines()
    assert [line.split("\t")[2] for line in lines] == ["UPDATE", "ADD"]
    assert [line.split("\t")[3] for line in lines] == ["1 > 2", "- > 1"]
    actual = memapp("history", memory_id, "--diff", "1", "2")[1].splitlines()[0]
    assert actual == "I keep [-bees.-] {+hens.+}"
    assert (
        json.loads(memapp("history", memory_id, "--diff", "1", "2", "--json")[1])["after"]["text"]
        == "I keep hens."
    )
    actual = memapp("history", memory_id, "--diff", "1", "3")[2]
    assert "This memory has no version 3. It has 2 versions" in actual
    assert "Name the memory." in memapp("history", "--diff", "1", "2")[2]
    assert "--json and --format" in memapp("history", "--format", "csv", "--json")[2]
    rows = [json.loads(line) for line in memapp("history", "--format", "jsonl")[1].splitlines()]
    assert [(row["event"], row["old"], row["new"]) for row in rows if row["event"] != "LINK"] == [
        ("ADD", None, "I keep bees."),
        ("ADD", None, "I like tea."),
        ("UPDATE", "I keep bees.", "I keep hens."),
    ]
    table = list(csv.DictReader(io.StringIO(memapp("history", "--format", "csv")[1])))
    assert [row["memory_id"] for row in table] == [row["memory_id"] for row in rows]
    actual = {(row["before"], row["after"]) for row in rows if row["memory_id"] == other}
    assert actual <= {(None, 1), (1, 1)}


def test_an_exported_history_has_the_words_and_their_messages(memapp: Terminal) -> None:
    runtime = bootstrap.start(home=memapp.home)
    thread = chats.new_thread(runtime)
    with runtime.write() as session:
        said = chat.add_message(
            session, thread.id, Role.USER, "I live in Oslo.", thread.created_at, origin=Origin.TYPED
        )
    bees = curate.add(runtime, "I keep bees.", sources=[said.id]).memory_id
    request = requests.propose(runtime, "city", "Oslo", message_id=said.id, typed=True)
    runtime.close()
    assert request
    memapp("rm", bees)
    memapp("approve", request.id)
    memapp("profile", "set", "city", "Bergen")
    rows = [json.loads(line) for line in memapp("history", "--format", "jsonl")[1].splitlines()]
    assert [(row["event"], row["old"], row["new"], row["evidence"]) for row in rows] == [
        ("ADD", None, "I keep bees.", [said.id]),
        ("DELETE", "I keep bees.", "I keep bees.", [said.id]),
        ("PROFILE", "", "Oslo", [said.id]),
        ("PROFILE", "Oslo", "Bergen", []),
    ]
    table = list(csv.DictReader(io.StringIO(memapp("history", "--format", "csv")[1])))
    actual = [(row["old"], row["new"], row["evidence"]) for row in table[1:3]]
    assert actual == [("I keep bees.", "I keep bees.", said.id), ("", "Oslo", said.id)]
    assert "Home: changed" in memapp("history")[1]


def test_relations_are_shown_and_none_is_no_error(memapp: Terminal) -> None:
    memory_id = add(memapp, "I keep bees.")
    assert memapp("relations", memory_id)[:2] == (0, "")
    assert json.loads(memapp("relations", memory_id, "--json")[1]) == []
    add(memapp, "I keep old bees too.")
    memapp("ask", "Hello there.")
    assert memapp("relations", memory_id)[1].endswith("\tI keep old bees too.\n")
    assert len(memapp("search", "too", "-n", "1")[1].splitlines()) == 1, (
        "what is related counts too"
    )


def test_purging_wants_a_yes_and_leaves_a_receipt(memapp: Terminal) -> None:
    bees, hens = add(memapp, "I keep bees."), add(memapp, "I keep hens.")
    memapp("rm", bees)
    assert memapp("trash", "purge", hens, "--yes")[0] == 2, "it is not in the trash"
    assert memapp("trash", "purge", "--all", "--json")[:2] == (4, '{\n  "memories": 1\n}\n')
    actual = memapp("trash", "purge", "--expired", "--yes", "--json")[:2]
    assert actual == (0, '{\n  "memories": 0\n}\n'), "its time is not over"
    assert len(memapp("trash")[1].splitlines()) == 1
    code, out, _ = memapp("trash", "purge", "--all", "--yes")
    assert code == 0
    assert "1 item erased" in out
    assert "0 copies left" in out
    assert memapp("trash", "purge")[0] == 2


def test_forgetting_words_is_previewed_first(memapp: Terminal) -> None:
    add(memapp, "I keep bees.")
    code, out, err = memapp("forget", "bees")
    assert (code, out) == (4, "")
    assert "This would erase for good: 2 items: 1 memory, 0 messages and 1 other entry (" in err
    assert texts(memapp) == {"I keep bees."}
    code, out, err = memapp("forget", "bees", "--yes", "--json")
    assert "To be erased: 2 items" in err
    assert code == 0
    assert json.loads(out)["memories"] == 1
    assert json.loads(out)["others"] == 1
    assert json.loads(out)["left"] == []
    assert texts(memapp) == set()
    actual = memapp("forget", "wasps")[0::2]
    assert actual == (0, "There is nothing to erase: nothing holds these words.\n")


def test_a_request_is_shown_approved_and_taken_back(memapp: Terminal) -> None:
    request = propose(memapp, "city", "Ghent")
    assert memapp("consents")[1].split("\t")[2:] == ["from a chat", "Home", "nothing → Ghent\n"]
    shown = json.loads(memapp("consents", "show", request[-6:], "--json")[1])
    assert (shown["new_value"], shown["proposer"]) == ("Ghent", "rules")
    assert memapp("profile")[1] == ""
    shown = memapp("consents", "show", request)[2]
    assert "pending, from a chat, asked on " in shown and ", open until " in shown
    assert memapp("approve", request[-6:])[0] == 0
    assert ", open until " not in memapp("consents", "show", request)[2]
    assert memapp("profile")[1] == "Home\tGhent\n"
    assert memapp("undo")[0] == 0
    assert memapp("profile")[1] == ""


def test_a_request_is_approved_with_another_value_or_denied(memapp: Terminal) -> None:
    assert memapp("approve", propose(memapp, "city", "Ghent"), "--value", "Bruges")[0] == 0
    assert json.loads(memapp("profile", "list", "--json")[1]) == {"city": ["Bruges"]}
    request = propose(memapp, "language", "Dutch")
    assert (
        json.loads(memapp("deny", request, "--reason", "private", "--json")[1])["state"] == "denied"
    )
    assert memapp("approve", request)[0] == 2
    assert json.loads(memapp("history", "--json")[1])[0]["meta"]["reason"] == "private"


def test_another_value_leaves_those_beside_it(memapp: Terminal) -> None:
    memapp("profile", "set", "health", "asthma")
    code, out, _ = memapp(
        "approve", propose(memapp, "health", "diabetis"), "--value", "diabetes", "--json"
    )
    assert (code, json.loads(out)["values"]) == (0, ["asthma", "diabetes"])
    assert memapp("approve", propose(memapp, "health", "migrane"), "--value", "migraine")[0] == 0
    assert memapp("profile")[1] == "Health\tasthma\nHealth\tdiabetes\nHealth\tmigraine\n"
    request = propose(memapp, "health", "gout")
    assert memapp("consents")[1].split("\t")[3:] == ["Health", "nothing → gout\n"]
    assert "stays beside: asthma; diabetes; migraine\n" in memapp("consents", "show", request)[2]
    said = "Health: asthma; migraine. To undo: memapp undo.\n"
    assert memapp("profile", "clear", "health", "Diabetes")[0::2] == (0, said)
    assert memapp("profile", "clear", "health", "diabetes")[0] == 2
    actual = memapp("profile", "clear", "health")[0::2]
    assert actual == (0, "Health is empty now. To undo: memapp undo.\n")
    assert memapp("undo")[1] == "Undone: Took away Health “asthma” and 1 more\n"


def test_the_person_writes_and_clears_the_profile(memapp: Terminal) -> None:
    assert memapp("profile", "set", "preferred_name", "Ana", "Maria")[0] == 0
    assert memapp("profile")[1] == "Name\tAna Maria\n"
    assert memapp("profile", "clear", "preferred_name")[0] == 0
    assert memapp("profile")[1] == ""
    assert "There are: Name, Pronouns, Home" in memapp("profile", "set", "shoe_size", "44")[2]
    assert "Did you mean 'Pronouns'?" in memapp("profile", "set", "pronuns", "they")[2]
    assert memapp("profile", "set", "home", "Ghent")[0::2] == (0, "Home: Ghent\n")
    assert memapp("profile", "clear", "Home")[0] == 0
    assert memapp("undo")[1] == "Undone: Took away Home “Ghent”\n"


def test_query_keeps_to_its_capability(memapp: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def pipe(**request: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps({"query": "bees", **request})))
        return memapp("query", "-")

    memapp("add", "I keep bees.")
    found = json.loads(memapp("query", "bees", "--json", "--top-k", "1")[1])
    assert [set(memory) for memory in found["memories"]] == [{"id", "category", "text"}]
    assert (
        "why" in json.loads(memapp("query", "bees", "--return", "full", "--json")[1])["memories"][0]
    )
    add(memapp, "I keep hens.")
    told = ["Memory updates since rev 1:", "- +created: [Notes] I keep hens. (imp=3)"]
    assert memapp("query", "nothing like it", "--threshold", "2")[1].splitlines() == told
    assert found["header"] == [] and memapp("query", "nothing like it", "--threshold", "2")[1] == ""
    assert memapp("query", "bees", "--category", "secret")[0] == 2
    assert memapp("query", "bees", "--top-k", "0")[0] == 2
    assert memapp("query", "{bees}")[0] == 0, "only what comes in a pipe is a whole request"
    assert "limit" in pipe(agent="supervisor", limit=3)[2]
    assert "  importance: 3" in memapp("query", "bees", "--return", "full")[1]
    assert "budget of 5 tokens: 1." in memapp("query", "bees", "--budget", "5")[2], (
        "what there was no room for is said"
    )
    nothing = (0, "Nothing found.\n")
    assert pipe(agent="planner", categories=["tasks"])[0::2] == nothing, "it names its agent"
    monkeypatch.setattr("sys.stdin", io.StringIO('{"agent": "planner", "query": "bees"}'))
    assert "speaks for another agent" in memapp("query", "-", "--agent", "stylist")[2]
    assert "I keep bees." in pipe(agent="supervisor", **{"return": "bullets"})[1]
    code, out, err = pipe(agent="supervisor", filters={"user_id": "eve"})
    assert (code, out) == (2, "")
    assert "another person" in err
    assert memapp("stats", "--json")[1].count('"failed": 3') == 1, "each refusal is recorded"


def test_stats_count_what_was_done(memapp: Terminal) -> None:
    memapp("add", "I keep bees.")
    code, out, err = memapp("stats", "--days", "2")
    assert code == 0
    assert "hotpath\tcreate\t1\t1\t1\t0" in out
    assert "1 memory, " in err
    assert len(json.loads(memapp("stats", "--days", "2", "--json")[1])["days"]) == 2


def make_backup(memapp: Terminal, tmp_path: Path) -> Path:
    target = tmp_path / "copy.db"
    assert memapp("backup", str(target))[0] == 0
    return target


def test_a_backup_is_put_back_and_what_was_there_is_kept(memapp: Terminal, tmp_path: Path) -> None:
    add(memapp, "I keep bees.")
    memapp("approve", propose(memapp, "preferred_name", "Bo"))
    propose(memapp, "city", "Ghent")
    backup = make_backup(memapp, tmp_path)
    add(memapp, "I keep hens.")
    code, out, err = memapp("restore", "--file", str(backup), "--json")
    assert (code, json.loads(out)["memories"]) == (4, 1)
    assert "1 memory, 0 messages and 1 pending request" in err
    assert "Name: Bo" in err
    assert memapp("restore", "--file", str(backup), "--yes")[0] == 0
    assert texts(memapp) == {"I keep bees."}
    assert "Home\tnothing → Ghent" in memapp("consents")[1], "what waited then waits again"
    assert "Expired" not in memapp("history")[1]
    (aside,) = (memapp.home / "damaged").glob("memapp.db-before-restore-*.db")
    with sqlite3.connect(aside) as kept:
        assert kept.execute("SELECT count(*) FROM memories").fetchone() == (2,)


def test_a_backup_of_an_older_schema_is_put_back_too(
    memapp: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(memapp, "I keep bees.")
    propose(memapp, "city", "Ghent")
    backup = make_backup(memapp, tmp_path)
    newer = tmp_path / "9999_newer.sql"
    newer.write_text("CREATE TABLE newer (x TEXT) STRICT;", "utf-8")
    released = schema.scripts()
    monkeypatch.setattr(schema, "scripts", lambda: [*released, newer])
    assert memapp("restore", "--file", str(backup), "--yes")[0] == 0
    assert texts(memapp) == {"I keep bees."}
    assert "Home\tnothing → Ghent" in memapp("consents")[1]


def test_a_damaged_file_is_moved_aside_as_it_is(memapp: Terminal, tmp_path: Path) -> None:
    add(memapp, "I keep bees.")
    backup = make_backup(memapp, tmp_path)
    database = memapp.home / "memapp.db"
    database.write_bytes(b"not a database" * 1000)
    assert memapp("list")[0] == 1
    assert memapp("restore", "--file", str(backup), "--yes")[0] == 0
    assert texts(memapp) == {"I keep bees."}
    (aside,) = (memapp.home / "damaged").glob("*.db")
    assert aside.read_bytes() == b"not a database" * 1000


@pytest.mark.parametrize(
    "spoil",
    [
        "PRAGMA application_id = 1",
        "PRAGMA user_version = 99",
        "PRAGMA user_version = 0",
        "DROP TRIGGER consent_requests_need_a_yes",
        "CREATE TRIGGER evil AFTER INSERT ON memories BEGIN DELETE FROM memories; END",
        "CREATE VIEW more AS SELECT 1",
        "CREATE TABLE more (x)",
        "CREATE VIRTUAL TABLE more USING fts5 (x)",
    ],
)
def test_a_file_that_memapp_did_not_make_is_never_put_in_place(
    memapp: Terminal, tmp_path: Path, spoil: str
) -> None:
    add(memapp, "I keep bees.")
    backup = make_backup(memapp, tmp_path)
    with sqlite3.connect(backup) as spoiled:
        spoiled.execute(spoil)
    spoiled.close()
    code, _, err = memapp("restore", "--file", str(backup), "--yes")
    assert code == 1
    assert "Traceback" not in err
    assert texts(memapp) == {"I keep bees."}
    assert not (memapp.home / "damaged").exists()


def test_damaged_truncated_and_linked_backups_are_refused(memapp: Terminal, tmp_path: Path) -> None:
    add(memapp, "I keep bees.")
    backup = make_backup(memapp, tmp_path)
    whole = backup.read_bytes()
    link = tmp_path / "link.db"
    link.symlink_to(backup)
    assert memapp("restore", "--file", str(link), "--yes")[0] == 1
    assert memapp("restore", "--file", str(tmp_path / "nowhere.db"), "--yes")[0] == 2
    for spoiled in (
        whole[: len(whole) // 2],
        whole[:4096] + bytes(4096) + whole[8192:],
        b"",
        b"{}",
    ):
        backup.write_bytes(spoiled)
        assert memapp("restore", "--file", str(backup), "--yes")[0] == 1
    assert texts(memapp) == {"I keep bees."}


def test_a_backup_is_put_back_beside_an_open_window_and_a_damaged_file_is_not_exchanged(
    memapp: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memapp.store.lock.ALONE_SECONDS", 0.1)
    add(memapp, "I keep bees.")
    backup = make_backup(memapp, tmp_path)
    add(memapp, "I keep hens.")
    window = bootstrap.start(home=memapp.home)
    erasures = window.database.erasures
    assert memapp("restore", "--file", str(backup), "--yes")[0] == 0
    assert [memory.text for memory in curate.list_memories(window)] == ["I keep bees."]
    assert window.database.changed_elsewhere()
    assert window.database.erasures != erasures, "what is written from the old words is not saved"
    (aside,) = (memapp.home / "damaged").glob("*.db")
    with closing(sqlite3.connect(aside)) as kept:
        assert kept.execute("SELECT count(*) FROM memories").fetchone() == (2,)
    (memapp.home / "memapp.db").write_bytes(b"no database" * 999)
    code, _, err = memapp("restore", "--file", str(backup), "--yes")
    assert (code, "Close it first" in err) == (3, True)
    assert (memapp.home / "memapp.db").read_bytes() == b"no database" * 999
    with suppress(StoreError):
        window.close()


def test_expired_ones_leave_in_time(memapp: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    memory_id = add(memapp, "I keep bees.")
    memapp("rm", memory_id)
    monkeypatch.setattr(bootstrap, "_now", lambda: datetime(2099, 1, 1, tzinfo=UTC))
    assert memapp("trash", "purge", "--expired")[0] == 4
    assert "1 item erased" in memapp("trash", "purge", "--expired", "--yes")[1]
