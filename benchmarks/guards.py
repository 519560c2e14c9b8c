"""Can SQL on the writing connection get around the person? Tricks that must all fail, and the way
that must work.

Each trick runs in a fresh file that has consent requests in every state. It succeeded if the
profile, a decision, a field's sensitivity, the history, what was erased or is to be, or a guard is
different afterwards. The controls: without the guards each trick succeeds, and twenty consent
requests are decided as the person would.

python -m benchmarks.guards
"""

import argparse
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks import MISSED
from memapp.domain.changes import Actor, Created, ProfileChanged
from memapp.domain.chat import Origin, Role
from memapp.domain.memory import Kind, Memory
from memapp.errors import StoreError
from memapp.language.normal_form import WORDING
from memapp.runtime import USER_ID
from memapp.store import changes, chat
from memapp.store.database import Database
from memapp.store.encoding import to_text
from memapp.store.opening import open_database
from memapp.store.session import Session

USER = "me"
NOW = datetime(2026, 1, 31, 8, 15, tzinfo=UTC)
CONTROLS = 20
_SWITCHES = (
    "foreign_keys",
    "recursive_triggers",
    "ignore_check_constraints",
    "writable_schema",
    "schema_version",
)
_OSLO = Memory(
    id="oslo",
    text="User saw Oslo.",
    tags=(),
    kind=Kind.SEMANTIC,
    category="notes",
    importance=2,
    origin="distilled",
    created_at=NOW,
    updated_at=NOW,
)

_REQUEST = (
    "INSERT INTO consent_requests (id, user_id, field, old_value, new_value, proposer, "
    "created_at, expires_at{more}) "
    "VALUES ({values}{rest})"
)


def _request(values: str, more: str = "", rest: str = "") -> str:
    return _REQUEST.format(values=values, more=more, rest=rest)


_APPROVE = "state = 'approved', decided_at = '2026-01-31T09', decided_by = 'person'"
_FRESH = "'x', 'me', 'city', '', 'Evil', 'rules', '2026-01-31', '2026-02-07'"


def _entry(memory_id: str, event: str, meta: str = "{}", undoes: str = "NULL") -> str:
    return (
        "INSERT INTO history (id, user_id, step, memory_id, event, actor, meta, undoes, ts) "
        f"VALUES ('forged', 'me', 'forged', '{memory_id}', '{event}', 'person', '{meta}', "
        f"{undoes}, '2026')"
    )


_PRONOUNS = _FRESH.replace("'city'", "'pronouns'")

TRICKS: dict[str, tuple[str, ...]] = {
    # The profile, without a consent request
    "insert into the profile": (
        "INSERT INTO profile VALUES ('me', 'city', 'Evil', 'waits', '2026')",
    ),
    "update the profile": ("UPDATE profile SET value = 'Evil'",),
    "update by an earlier request": ("UPDATE profile SET value = 'Evil', request_id = 'denied'",),
    "delete from the profile": ("DELETE FROM profile",),
    "replace in the profile": (
        "REPLACE INTO profile VALUES ('me', 'pronouns', 'Evil', 'applied', '2026')",
    ),
    "insert or ignore": (
        "INSERT OR IGNORE INTO profile VALUES ('me', 'city', 'Evil', 'waits', '2026')",
    ),
    "upsert into the profile": (
        "INSERT INTO profile VALUES ('me', 'pronouns', 'Evil', 'applied', '2026') "
        "ON CONFLICT (user_id, field, value) DO UPDATE SET value = excluded.value",
    ),
    "update or replace": ("UPDATE OR REPLACE profile SET field = 'city', value = 'Evil'",),
    "update from": (
        "UPDATE profile SET value = p.new_value FROM consent_requests p WHERE p.id = 'waits'",
    ),
    "give the row to another person": ("UPDATE profile SET user_id = 'you'",),
    "rename the field": ("UPDATE profile SET field = 'preferred_name'",),
    "schema-qualified name": ("UPDATE main.profile SET value = 'Evil'",),
    "quoted and upper case table": ("UPDATE \"PROFILE\" SET value = 'Evil'",),
    "with a common table expression": (
        "WITH v(x) AS (SELECT 'Evil') UPDATE profile SET value = (SELECT x FROM v)",
    ),
    # Consent requests
    "approve": (f"UPDATE consent_requests SET {_APPROVE} WHERE id = 'waits'",),
    "approve as the chat": (
        (
            "UPDATE consent_requests SET state = 'approved', decided_at = '2026-01-31T09', "
            "decided_by = 'chat' WHERE id = 'waits'"
        ),
    ),
    "claim a question": ("UPDATE consent_requests SET asked_in = 'said' WHERE id = 'waits'",),
    "insert approved": (
        _request(
            _FRESH, ", state, decided_at, decided_by", ", 'approved', '2026-01-31T09', 'person'"
        ),
        "INSERT INTO profile VALUES ('me', 'city', 'Evil', 'x', '2026')",
    ),
    "insert asked": (_request(_FRESH, ", asked_in", ", 'said'"),),
    "insert snoozed for ever": (_request(_FRESH, ", snoozed_until", ", '9999'"),),
    "insert that never expires": (
        _request("'x', 'me', 'city', '', 'Evil', 'rules', '2026-01-31', '9999-01-01'"),
    ),
    "insert with an expiry that is no time": (
        _request("'x', 'me', 'city', '', 'Evil', 'rules', '2026-01-31', 'never'"),
    ),
    "replace a waiting request": (
        _REQUEST.replace("INSERT", "REPLACE").format(
            more="",
            rest="",
            values="'waits', 'me', 'city', '', 'Evil', 'rules', '2026-01-31', '2026-02-07'",
        ),
    ),
    "replace a decided request": (
        _REQUEST.replace("INSERT", "REPLACE").format(
            more="",
            rest="",
            values="'denied', 'me', 'city', '', 'Evil', 'rules', '2026-01-31', '2026-02-07'",
        ),
    ),
    "upsert that approves": (
        _request("'waits', 'me', 'city', '', 'Evil', 'rules', '2026-01-31', '2026-02-07'")
        + f" ON CONFLICT (id) DO UPDATE SET {_APPROVE}",
    ),
    "edit after it was shown": (
        "UPDATE consent_requests SET new_value = 'Evil' WHERE id = 'waits'",
    ),
    "edit what is held": (
        "UPDATE consent_requests SET memory = '{\"text\":\"Evil\"}' WHERE id = 'waits'",
    ),
    "make a field of it": ("UPDATE consent_requests SET field = 'tone' WHERE id = 'waits'",),
    "prolong": ("UPDATE consent_requests SET expires_at = '2099' WHERE id = 'late'",),
    "replay a used approval": (
        "UPDATE consent_requests SET state = 'approved' WHERE id = 'applied'",
        "INSERT INTO profile VALUES ('me', 'pronouns', 'she/her', 'applied', '2099') "
        "ON CONFLICT (user_id, field, value) DO UPDATE SET updated_at = '2099'",
    ),
    "decide again": (
        (
            "UPDATE consent_requests SET state = 'pending', decided_at = NULL, decided_by = NULL "
            "WHERE id = 'denied'"
        ),
    ),
    "forget a decision": ("DELETE FROM consent_requests WHERE id = 'denied'",),
    "delete what waits": ("DELETE FROM consent_requests WHERE id = 'waits'",),
    "two signals for a sensitive field": (
        "INSERT INTO request_evidence VALUES ('waits', 'typed2', 1, 'me')",
        (
            "UPDATE consent_requests SET state = 'approved', decided_at = '2026-01-31T09', "
            "decided_by = 'signals' WHERE id = 'waits'"
        ),
    ),
    "signals from the model": ("INSERT INTO request_evidence VALUES ('tone', 'said', 1, 'me')",),
    "signals that were pasted": ("UPDATE request_evidence SET typed = 1",),
    "signals that were pasted, said anew": (
        "REPLACE INTO request_evidence VALUES ('tone', 'typed1', 1, 'me')",
    ),
    "take evidence away": ("DELETE FROM request_evidence",),
    "evidence for what is decided": (
        "INSERT INTO request_evidence VALUES ('denied', 'typed1', 1, 'me')",
    ),
    # Fields
    "a field of one's own": ("INSERT INTO profile_fields VALUES ('nickname', 'benign', 0)",),
    "make a field benign": ("UPDATE profile_fields SET sensitivity = 'benign'",),
    "make it anew as benign": (
        "DELETE FROM profile_fields WHERE name = 'money'",
        "INSERT INTO profile_fields VALUES ('money', 'benign', 1)",
    ),
    "replace it as benign": ("REPLACE INTO profile_fields VALUES ('money', 'benign', 1)",),
    "let a field have several values": ("UPDATE profile_fields SET many = 1",),
    "rename a benign field": ("UPDATE profile_fields SET name = 'home' WHERE name = 'tone'",),
    "a memory that cannot be read": (_request(_FRESH, ", memory", ", '{}'"),),
    "upper case field": (
        _request("'x', 'me', 'CITY', '', 'Evil', 'rules', '2026-01-31', '2026-02-07'"),
    ),
    "field with a space": (
        _request("'x', 'me', 'city ', '', 'Evil', 'rules', '2026-01-31', '2026-02-07'"),
    ),
    "full-width field": (
        _request("'x', 'me', 'ｃｉｔｙ', '', 'Evil', 'rules', '2026-01-31', '2026-02-07'"),
    ),
    "unknown field": (
        _request("'x', 'me', 'shoe_size', '', 'Evil', 'rules', '2026-01-31', '2026-02-07'"),
    ),
    # The guards themselves
    "drop a trigger": (
        "DROP TRIGGER profile_insert_needs_request",
        "INSERT INTO profile VALUES ('me', 'city', 'Evil', 'waits', '2026')",
    ),
    "drop the table": ("DROP TABLE profile",),
    "rename the table": (
        "ALTER TABLE profile RENAME TO profile_old",
        "CREATE TABLE profile (user_id, field, value, request_id, updated_at)",
    ),
    "add a column": ("ALTER TABLE profile ADD COLUMN evil TEXT",),
    "a trigger that approves": (
        (
            "CREATE TRIGGER evil AFTER INSERT ON events BEGIN UPDATE consent_requests "
            f"SET {_APPROVE} WHERE id = 'waits'; END"
        ),
    ),
    "a temporary trigger": (
        (
            "CREATE TEMP TRIGGER evil AFTER INSERT ON main.events BEGIN UPDATE consent_requests "
            f"SET {_APPROVE} "
            "WHERE id = 'waits'; END"
        ),
        (
            "INSERT INTO events (id, user_id, node, op, status, ts) "
            "VALUES ('e', 'me', 'worker', 'x', 'ok', '2026')"
        ),
    ),
    "a temporary table in front": (
        "CREATE TEMP TABLE profile (user_id, field, value, request_id, updated_at)",
    ),
    "a view in front": (
        "CREATE TEMP VIEW profile AS SELECT 'me' AS user_id, 'city' AS field, 'Evil' AS value",
    ),
    "a virtual table": ("CREATE VIRTUAL TABLE evil USING fts5 (text)",),
    "writable schema": (
        "PRAGMA writable_schema = ON",
        "DELETE FROM sqlite_master WHERE type = 'trigger'",
    ),
    "schema version": ("PRAGMA schema_version = 1",),
    "no foreign keys": (
        "COMMIT",
        "PRAGMA foreign_keys = OFF",
        "BEGIN",
        _request(_FRESH.replace("'city'", "'CITY'")),
    ),
    "no recursive triggers": (
        "PRAGMA recursive_triggers = OFF",
        "REPLACE INTO history SELECT * FROM history",
    ),
    "ignore checks": (
        "PRAGMA ignore_check_constraints = ON",
        _request(_FRESH.replace("2026-02-07", "9999-01-01")),
    ),
    "attach another file": ("ATTACH ':memory:' AS evil", "CREATE TABLE evil.profile (value)"),
    "attach the same file": (
        "COMMIT",
        "ATTACH '{path}' AS evil",
        "UPDATE evil.profile SET value = 'Evil'",
        "DETACH evil",
    ),
    "copy out": ("COMMIT", "VACUUM INTO '{path}.stolen'"),
    # The audit
    "rewrite the history": ("UPDATE history SET actor = 'import'",),
    "point to another version": ("UPDATE history SET old_ref = 1",),
    "delete the history": ("DELETE FROM history",),
    "replace in the history": (
        "REPLACE INTO history (number, id, user_id, step, memory_id, event, actor, ts) "
        "SELECT number, 'x', user_id, step, memory_id, 'ADD', 'person', ts FROM history",
    ),
    "a change that an undo would turn into what waits": (
        _request(_PRONOUNS),
        _entry("profile:pronouns", "PROFILE", '{"request_id":"applied","before":"x"}'),
    ),
    "a change told twice": (_entry("profile:pronouns", "PROFILE", '{"request_id":"applied"}'),),
    "a change with two meanings": (
        _entry(
            "profile:city",
            "PROFILE",
            '{"request_id":"denied","decision":"denied","decision":"changed"}',
        ),
    ),
    "a decision that nobody made": (
        _entry("profile:city", "PROFILE", '{"request_id":"waits","decision":"denied"}'),
    ),
    "a change that was undone by nobody": (
        _entry("x", "UNDO", undoes="(SELECT min(step) FROM history)"),
    ),
    "rewrite what a memory was": (
        "UPDATE versions SET snapshot = replace(snapshot, 'Oslo', 'Evil')",
    ),
    "replace what a memory was": (
        (
            "REPLACE INTO versions SELECT id, user_id, memory_id, replace(snapshot, 'Oslo', "
            "'Evil') FROM versions"
        ),
    ),
    "delete what a memory was": ("DELETE FROM versions",),
    "delete a memory with what it was": ("DELETE FROM memories",),
    "delete a chat with its evidence": ("DELETE FROM threads",),
    "delete what happened": ("DELETE FROM events",),
    "rewrite what happened": ("UPDATE events SET op = 'evil'",),
    # What is to be erased and stay erased
    "learn again what was erased": ("DELETE FROM forgotten",),
    "make the fingerprints unreadable": ("UPDATE forgotten_key SET secret = randomblob(32)",),
    "call off an erasure": ("DELETE FROM purge_jobs",),
    "plan an erasure": ("INSERT INTO purge_jobs VALUES ('me', 'words', 'e')",),
    "count anew": ("UPDATE sqlite_sequence SET seq = 0", "DELETE FROM sqlite_sequence"),
}
"""What is tried on the connection of `Database.write()`, statement by statement; each goes on when
the one before failed.
"""


def plant(database: Database) -> None:
    """Put a conversation, a consent request in every state, and a profile into an empty file."""
    with database.decide() as conn:
        thread = chat.create_thread(Session(conn, USER), "Chat", "companion", NOW)
        for message_id, role, origin in (
            ("typed1", Role.USER, Origin.TYPED),
            ("typed2", Role.USER, Origin.TYPED),
            ("said", Role.ASSISTANT, Origin.MODEL),
        ):
            real = chat.add_message(
                Session(conn, USER),
                thread.id,
                role,
                "words",
                NOW,
                origin=origin,
                unprompted=role is Role.ASSISTANT,
            )
            conn.execute("UPDATE messages SET id = ? WHERE id = ?", (message_id, real.id))
        for request_id, field, value, created in (
            ("waits", "city", "Oslo", NOW),
            ("denied", "city", "Bergen", NOW),
            ("applied", "pronouns", "she/her", NOW),
            ("late", "preferred_name", "Ana", NOW - timedelta(days=8)),
            ("tone", "tone", "short", NOW),
        ):
            add(conn, request_id, field, value, created)
        conn.execute(
            "INSERT INTO request_evidence VALUES ('waits', 'typed1', 1, 'me'), ('tone', 'typed1', "
            "0, 'me')"
        )
        conn.execute(
            (
                "UPDATE consent_requests SET state = 'denied', decided_at = ?, "
                "decided_by = 'person' WHERE id = 'denied'"
            ),
            (to_text(NOW),),
        )
        approve(conn, "applied")
        changes.apply(Session(conn, USER_ID, NOW), Created(_OSLO), Actor("person"))
        conn.execute("INSERT INTO forgotten VALUES ('me', 'f', '2026-01-31T08:15:00.000Z', '')")
        conn.execute("INSERT INTO forgotten_key VALUES (1, randomblob(32))")
        conn.execute("INSERT INTO purge_jobs VALUES ('me', 'memory', 'gone')")


def add(
    conn: sqlite3.Connection,
    request_id: str,
    field: str,
    value: str,
    created: datetime,
    old: str = "",
) -> None:
    conn.execute(
        _request("?, ?, ?, ?, ?, 'rules', ?, ?"),
        (
            request_id,
            USER,
            field,
            old,
            value,
            to_text(created),
            to_text(created + timedelta(days=7)),
        ),
    )


def approve(conn: sqlite3.Connection, request_id: str) -> None:
    conn.execute(
        (
            "UPDATE consent_requests SET state = 'approved', decided_at = ?, "
            "decided_by = 'person' WHERE id = ?"
        ),
        (to_text(NOW), request_id),
    )
    changes.apply(Session(conn, USER_ID, NOW), ProfileChanged(request_id), Actor("person"))


def guarded(database: Database) -> dict[str, Any]:
    """Return the protected content. A new consent request is no harm: it only waits."""
    with unwatched(database), database.write() as conn:
        queries = {
            "profile": "SELECT * FROM profile",
            "decisions": "SELECT * FROM consent_requests WHERE id <> 'x' ORDER BY id",
            "new requests that do more than wait": """
                SELECT * FROM consent_requests
                WHERE id = 'x' AND (
                    state <> 'pending'
                    OR asked_in IS NOT NULL
                    OR snoozed_until IS NOT NULL
                    OR field NOT IN (SELECT name FROM profile_fields)
                    OR coalesce(julianday(expires_at) > julianday(created_at) + 7.1, 1)
                    OR proposer = 'nobody'
                    OR memory = '{}'
                )""",
            "memories": "SELECT * FROM memories ORDER BY key",
            "what memories were": "SELECT * FROM versions ORDER BY id",
            "what happened": "SELECT * FROM events WHERE id <> 'e' ORDER BY id",
            "what was erased": "SELECT fingerprint, secret FROM forgotten, forgotten_key",
            "what is to be erased": "SELECT * FROM purge_jobs",
            "chats": "SELECT * FROM threads",
            "signals": "SELECT * FROM request_evidence WHERE request_id <> 'waits' ORDER BY 1, 2",
            "fields": "SELECT * FROM profile_fields ORDER BY name",
            "history": "SELECT * FROM history ORDER BY number",
            "numbers": "SELECT * FROM sqlite_sequence ORDER BY name",
            "schema": "SELECT type, name, sql FROM sqlite_master ORDER BY type, name",
            "temporary": "SELECT * FROM sqlite_temp_master",
            "files": "PRAGMA database_list",
            **{name: f"PRAGMA {name}" for name in _SWITCHES},
        }
        return {name: _rows(conn, sql) for name, sql in queries.items()}


def _rows(conn: sqlite3.Connection, sql: str) -> list[tuple[Any, ...]]:
    try:
        return [tuple(row) for row in conn.execute(sql)]
    except sqlite3.OperationalError as error:  # its table is gone
        return [(str(error),)]


@contextmanager
def unwatched(database: Database) -> Iterator[None]:
    """Let any statement run for a while."""
    before = database._authorizer
    database._guard(lambda *_: sqlite3.SQLITE_OK)
    yield
    database._guard(before)


def unguard(database: Database) -> None:
    """Remove every guard, to see the harm a trick would do."""
    database._guard(lambda *_: sqlite3.SQLITE_OK)
    with database.write() as conn:
        for row in conn.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%raise(ABORT%'"
        ).fetchall():
            conn.execute(f"DROP TRIGGER {row['name']}")
    conn.execute("PRAGMA foreign_keys = OFF")
    conn.execute("PRAGMA ignore_check_constraints = ON")
    conn.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 1)


def attack(database: Database, trick: tuple[str, ...]) -> list[str]:
    """Run a trick on the everyday connection; return the alterations."""
    before = guarded(database)
    with suppress(StoreError, sqlite3.Error), database.write() as conn:
        for statement in trick:
            with suppress(sqlite3.Error):
                conn.execute(statement.replace("{path}", str(database.path)))
    after = guarded(database)
    altered = [name for name in before if before[name] != after[name]]
    return altered + (["file"] if Path(f"{database.path}.stolen").exists() else [])


@contextmanager
def planted(folder: Path) -> Iterator[Database]:
    """Yield a database to attack."""
    database = open_database(folder / "memapp.db", WORDING)
    try:
        plant(database)
        yield database
    finally:
        database.close()


@contextmanager
def copied(template: Path) -> Iterator[Database]:
    """Yield a copy of a planted file to attack."""
    with tempfile.TemporaryDirectory() as folder:
        database = open_database(Path(shutil.copy(template, folder)), WORDING)
        try:
            yield database
        finally:
            database.close()


def control(database: Database) -> int:
    """Decide consent requests the legitimate way; return how many reached the profile."""
    reached = 0
    for number in range(CONTROLS):
        with database.write() as conn:
            add(conn, f"control{number}", "city", f"City {number}", NOW)
        with database.decide() as conn:
            approve(conn, f"control{number}")
        row = database.read().execute("SELECT value FROM profile WHERE field = 'city'").fetchone()
        reached += row["value"] == f"City {number}"
    return reached


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--small", action="store_true", help="the same: it takes seconds")
    parser.add_argument("--data", help="not used")
    parser.parse_args()
    succeeded = effective = 0
    with tempfile.TemporaryDirectory() as place:
        with planted(Path(place)) as database:
            template = database.path
        for name, trick in TRICKS.items():
            with copied(template) as database:
                if altered := attack(database, trick):
                    succeeded += 1
                    print(f"{name:40} altered {', '.join(altered)}")
            with copied(template) as database:
                unguard(database)
                effective += bool(attack(database, trick))
        with copied(template) as database:
            reached = control(database)
    print(f"{'tricks that succeeded':40} {succeeded} of {len(TRICKS)} (bound 0)")
    print(f"{'without the guards':40} {effective} of {len(TRICKS)} (bound {len(TRICKS)})")
    print(f"{'legitimate changes that succeeded':40} {reached} of {CONTROLS} (bound {CONTROLS})")
    return 0 if succeeded == 0 and effective == len(TRICKS) and reached == CONTROLS else MISSED


if __name__ == "__main__":
    sys.exit(main())
