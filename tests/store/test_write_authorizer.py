"""SQL on the writing connection cannot do what would break a rule, and can do the rest."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.guards import (
    CONTROLS,
    NOW,
    TRICKS,
    add,
    approve,
    attack,
    control,
    copied,
    planted,
    unguard,
)
from memapp import paths
from memapp.domain.changes import Actor, ProfileChanged
from memapp.domain.consent import BESIDE_PROFILE
from memapp.domain.profile import FIELDS
from memapp.errors import Damaged, StoreError, UsageError
from memapp.language.normal_form import WORDING
from memapp.store import changes, schema
from memapp.store.database import Database
from memapp.store.opening import open_database
from tests.builders import on


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed file that has consent requests in every state."""
    folder = tmp_path_factory.mktemp("planted") / "data"
    with planted(folder) as database:
        return database.path


@pytest.fixture
def attacked(template: Path) -> Iterator[Database]:
    with copied(template) as database:
        yield database


@pytest.mark.parametrize("name", TRICKS)
def test_a_trick_alters_nothing(attacked: Database, name: str) -> None:
    assert attack(attacked, TRICKS[name]) == []


def test_the_tricks_would_be_noticed(attacked: Database) -> None:
    unguard(attacked)
    for name, altered in (
        ("approve", "decisions"),
        ("attach another file", "files"),
        ("schema version", "schema_version"),
    ):
        assert attack(attacked, TRICKS[name]) == [altered]


def test_the_legitimate_way_succeeds_each_time(attacked: Database) -> None:
    assert control(attacked) == CONTROLS


INSERT = "INSERT INTO profile VALUES ('{}', '{}', '{}', 'yes', '2026')"
UPDATE = "UPDATE profile SET value = '{}', request_id = 'yes' WHERE value = '{}'"


@pytest.mark.parametrize(
    ("field", "old", "new", "statement"),
    [
        ("health", "gout", "", "DELETE FROM profile WHERE value = 'asthma'"),
        ("health", "gout", "", UPDATE.format("", "gout")),
        ("health", "", "", "DELETE FROM profile WHERE field = 'health'"),
        ("health", "", "cough", UPDATE.format("cough", "gout")),
        ("health", "", "cough", INSERT.format("me", "health", "fever")),
        ("health", "", "cough", INSERT.format("you", "health", "cough")),
        ("health", "", "cough", INSERT.format("me", "law", "cough")),
        ("health", "gout", "cough", INSERT.format("me", "health", "cough")),
        ("health", "gout", "cough", UPDATE.format("cough", "asthma")),
        ("health", "gout", "cough", UPDATE.format("fever", "gout")),
        (
            "health",
            "gout",
            "cough",
            INSERT.format("me", "health", "gout").replace("INSERT", "REPLACE"),
        ),
        ("pronouns", "", "they/them", INSERT.format("me", "pronouns", "they/them")),
        ("pronouns", "", "they/them", "DELETE FROM profile WHERE field = 'pronouns'"),
    ],
)
def test_a_yes_to_one_value_changes_no_other(
    attacked: Database, field: str, old: str, new: str, statement: str
) -> None:
    with attacked.decide() as conn:
        for value in ("asthma", "gout"):
            add(conn, value, "health", value, NOW)
            approve(conn, value)
        add(conn, "yes", field, new, NOW, old)
        conn.execute(
            "UPDATE consent_requests SET state = 'approved', decided_at = created_at, "
            "decided_by = 'person' WHERE id = 'yes'"
        )
        before = conn.execute("SELECT * FROM profile").fetchall()
        with pytest.raises(sqlite3.IntegrityError):
            conn.execute(statement)
        assert conn.execute("SELECT * FROM profile").fetchall() == before
        if old or new:
            changes.apply(on(conn), ProfileChanged("yes"), Actor("person"))
            says = {
                row["value"]
                for row in conn.execute("SELECT value FROM profile WHERE field = ?", (field,))
            }
            assert says == ({new} if field == "pronouns" else {"asthma", "gout", new} - {old, ""})
            with pytest.raises(UsageError):
                changes.apply(on(conn), ProfileChanged("yes"), Actor("person"))


def test_the_file_and_the_code_know_the_same_fields(attacked: Database) -> None:
    stored = attacked.read().execute("SELECT name, sensitivity, many FROM profile_fields")
    fields = {(field.name, field.sensitivity, field.many) for field in FIELDS.values()}
    assert {tuple(row) for row in stored} == fields | {
        (name, "sensitive", False) for name in BESIDE_PROFILE
    }


def test_a_statement_prepared_while_deciding_is_refused_later(attacked: Database) -> None:
    snooze = "UPDATE consent_requests SET snoozed_until = '2026' WHERE id = 'waits'"
    with attacked.decide() as conn:
        conn.execute(snooze)
    with pytest.raises(StoreError, match="does not allow this change"), attacked.write() as conn:
        conn.execute(snooze)


def test_a_decision_inside_a_write_ends_with_it(attacked: Database) -> None:
    with attacked.write() as conn:
        with attacked.decide() as deciding:
            approve(deciding, "waits")
        with pytest.raises(sqlite3.DatabaseError, match="not authorized"):
            conn.execute("DELETE FROM profile")
    assert attacked.read().execute("SELECT count(*) FROM profile").fetchone()[0] == 2


def test_a_decision_that_fails_leaves_the_connection_guarded(attacked: Database) -> None:
    with pytest.raises(ZeroDivisionError), attacked.decide():
        raise ZeroDivisionError
    assert attack(attacked, TRICKS["approve"]) == []


def test_deciding_lifts_nothing_else(attacked: Database) -> None:
    for statement in (
        "UPDATE history SET actor = 'import'",
        "UPDATE versions SET snapshot = '{}'",
        "DROP TRIGGER consent_requests_stay",
        "PRAGMA foreign_keys = OFF",
    ):
        with pytest.raises(StoreError), attacked.decide() as conn:
            conn.execute(statement)


def test_search_messages_and_json_still_work_with_the_guard(attacked: Database) -> None:
    with attacked.decide() as conn:
        conn.execute("INSERT INTO messages_fts (messages_fts) VALUES ('rebuild')")
        conn.execute("INSERT INTO messages_fts (messages_fts) VALUES ('optimize')")
        conn.execute(
            "DELETE FROM messages WHERE id IN (SELECT value FROM json_each('[\"typed1\"]'))"
        )
        found = conn.execute(
            "SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'words'"
        ).fetchall()
    assert len(found) == 2
    assert attacked.read().execute("SELECT count(*) FROM request_evidence").fetchone()[0] == 0


def test_a_backup_keeps_the_guards(attacked: Database, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    folder.mkdir(mode=0o700)
    copy = open_database(attacked.backup(folder / "memapp.db"), WORDING)
    assert attack(copy, TRICKS["update the profile"]) == []
    copy.close()


@pytest.mark.parametrize(
    "altered",
    [
        "DROP TRIGGER profile_update_needs_request",
        "DROP INDEX memories_once",
        "ALTER TABLE consent_requests RENAME COLUMN memory TO kept",
        (
            "DROP VIEW memories_indexed; CREATE VIEW memories_indexed AS SELECT key, text, tags "
            "FROM memories"
        ),
        "CREATE TRIGGER evil AFTER INSERT ON events BEGIN DELETE FROM drafts; END",
        (
            "DROP TRIGGER consent_requests_stay; CREATE TRIGGER consent_requests_stay BEFORE "
            "DELETE ON consent_requests "
            "BEGIN SELECT 1; END"
        ),
    ],
)
def test_what_outsiders_altered_stops_writing_only(attacked: Database, altered: str) -> None:
    attacked.close()
    other = sqlite3.connect(attacked.path)
    schema.add_functions(other)
    other.executescript(altered)
    other.close()
    with pytest.raises(Damaged, match=r"its (trigger|index|table|view) \w+ is not the one"):
        open_database(attacked.path, WORDING)
    reader = open_database(attacked.path, WORDING, read_only=True)
    assert reader.read().execute("SELECT value FROM profile").fetchone()["value"] == "she/her"
    reader.close()


def test_only_consent_and_forgetting_decide() -> None:
    services = paths.bundled("memapp", "services")
    users = {
        file
        for file in paths.bundled("memapp").rglob("*.py")
        if "runtime.decide(" in file.read_text("utf-8")
    }
    beside = {services / item for item in ("forget.py", "jobs/retention.py", "sync/exchange.py")}
    assert users <= {*(services / "consent").iterdir(), *beside}
