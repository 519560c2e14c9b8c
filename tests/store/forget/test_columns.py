"""Every column that can hold words is known to forgetting."""

import re
import sqlite3
from contextlib import closing
from enum import StrEnum

from memapp.domain.forget import ERASED
from memapp.store.database import Database
from memapp.store.integrity import FULL_TEXT_TABLES
from memapp.store.vocabulary import VOCABULARY


class How(StrEnum):
    """What becomes of a column when something is forgotten."""

    ROW = "the row is deleted"
    MARK = f"{ERASED} takes its place"
    EMPTY = "the value is emptied, or the row deleted"
    OWNER = "it is deleted, or made anew, with what it belongs to"
    REBUILT = "the index is written anew without it"
    SHORT = "stands there only until the work is done"
    WORDLESS = "never holds what a person or a model wrote"


REGISTRY: dict[str, How] = {
    "threads.title": How.MARK,
    "threads.persona": How.WORDLESS,
    "messages.text": How.MARK,
    "messages.context": How.OWNER,
    "messages.pasted": How.OWNER,
    "messages.model": How.WORDLESS,
    "messages.usage": How.WORDLESS,
    "messages_fts": How.REBUILT,
    "memories_fts": How.REBUILT,
    "predictions.text": How.EMPTY,
    "predictions.needed_info": How.EMPTY,
    "predictions.why": How.WORDLESS,
    "memories.text": How.ROW,
    "memories.normal_text": How.ROW,
    "memories.tags": How.ROW,
    "memories.steps": How.ROW,
    "memories.instead_of": How.EMPTY,
    "memories.valid_until": How.WORDLESS,
    "memories.category": How.WORDLESS,
    "memories.reason": How.WORDLESS,
    "versions.snapshot": How.ROW,
    "embeddings.vector": How.OWNER,
    "embeddings.model_id": How.WORDLESS,
    "recalls.why": How.WORDLESS,
    "context_cards.text": How.ROW,
    "events.op": How.WORDLESS,
    "events.category": How.WORDLESS,
    "events.meta": How.WORDLESS,
    "supervisor_checkpoints.checkpoint_data": How.ROW,
    "drafts.text": How.ROW,
    "interface.name": How.WORDLESS,
    "interface.value": How.ROW,
    "history.actor": How.WORDLESS,
    "history.meta": How.WORDLESS,
    "change_log.meta": How.WORDLESS,
    "imported_files.name": How.MARK,
    "consent_requests.old_value": How.ROW,
    "consent_requests.new_value": How.ROW,
    "consent_requests.proposer": How.WORDLESS,
    "consent_requests.memory": How.ROW,
    "consent_requests.quote": How.ROW,
    "profile.value": How.ROW,
    "profile_fields.name": How.WORDLESS,
    "forgotten.fingerprint": How.WORDLESS,
    "forgotten.made_with": How.WORDLESS,
    "forgotten_key.secret": How.WORDLESS,
    "purge_jobs.value": How.SHORT,
    "leases.name": How.WORDLESS,
    "runs.agent": How.ROW,
    "runs.tool": How.ROW,
    "runs.task": How.ROW,
    "runs.scope": How.WORDLESS,
    "run_steps.action": How.ROW,
    "judged_steps.model": How.WORDLESS,
    "judged_steps.name": How.WORDLESS,
    "fingerprints.tool": How.ROW,
    "fingerprints.scope": How.WORDLESS,
    "fingerprints.shape": How.ROW,
    "fingerprints.subject": How.ROW,
    "fingerprints.tags": How.WORDLESS,
    "error_events.excerpt": How.ROW,
    "lessons.reason": How.WORDLESS,
    "lessons.rule_text": How.ROW,
    "lessons.normal_rule": How.ROW,
    "lessons.wrong": How.ROW,
    "lessons.correct": How.ROW,
    "lessons.tool": How.ROW,
    "lessons.scope": How.WORDLESS,
    "lessons.task": How.ROW,
    "lessons_fts": How.REBUILT,
    "lesson_tags.tag": How.WORDLESS,
    "lesson_versions.snapshot": How.ROW,
    "lesson_rows.said": How.ROW,
    "error_rows.said": How.ROW,
    "activations.parts": How.WORDLESS,
    "agents.name": How.WORDLESS,
    "agents.probation_until": How.WORDLESS,
    "agents.model": How.WORDLESS,
    "agents.imported": How.EMPTY,
    "agents.program": How.EMPTY,
    "rounds.task": How.ROW,
    "rounds.artifact_type": How.WORDLESS,
    "rounds.author": How.WORDLESS,
    "rounds.draft": How.ROW,
    "rounds.revision": How.ROW,
    "rounds.final": How.ROW,
    "dissents.agent": How.WORDLESS,
    "dissents.text": How.ROW,
    "dissents.quote": How.ROW,
    "dissents.citations": How.WORDLESS,
    "dissents.vector": How.OWNER,
    "agent_months.agent": How.WORDLESS,
    "agent_months.month": How.WORDLESS,
    "rubric.criterion": How.WORDLESS,
    "jobs.name": How.WORDLESS,
    "compared_pairs.id_a": How.WORDLESS,
    "compared_pairs.id_b": How.WORDLESS,
    "leases.owner": How.WORDLESS,
    "sync_machine.device": How.WORDLESS,
    "sync_machine.hash": How.WORDLESS,
    "sync_machine.told": How.WORDLESS,
    "sync_things.kind": How.WORDLESS,
    "sync_things.device": How.WORDLESS,
    "sync_entries.kind": How.WORDLESS,
    "sync_entries.hash": How.WORDLESS,
    "sync_erasures.box": How.SHORT,
    "sync_decisions.decided_by": How.WORDLESS,
}
"""Every column that could hold words; a test below fails when one of the schema is missing here.
Ids, times, and columns that take one of a few listed values are not named.
"""

NAMED_FOR = re.compile(
    r"(^|_)(id|at|ts|accessed)$|^(id|undoes|step|thread_id|checked_by|reply_to|merged_into|asked_in|snoozed_until)$"
)
"""Ids and times, by their names."""
NOT_OURS = re.compile(r"^(sqlite_|_sqlite_)|^(messages|memories|lessons)_fts_")


def words_of(conn: sqlite3.Connection) -> set[str]:
    """Return the columns that could hold words: text or bytes, and neither an id, a time, nor one
    of a few values.
    """
    found = set()
    for table, sql in conn.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
    ).fetchall():
        if table in FULL_TEXT_TABLES:
            found.add(table)
        elif not NOT_OURS.match(table) and table not in VOCABULARY:
            found |= {f"{table}.{column}" for column in _free_columns(conn, table, sql)}
    return found


def _free_columns(conn: sqlite3.Connection, table: str, sql: str) -> set[str]:
    columns = [(row["name"], row["type"]) for row in conn.execute(f"PRAGMA table_info({table})")]
    limited = set(re.findall(r"CHECK \((\w+) (?:IN \(|= ')", sql))
    referring = {row["from"] for row in conn.execute(f"PRAGMA foreign_key_list({table})")}
    return {
        name
        for name, kind in columns
        if kind in ("TEXT", "BLOB", "ANY")
        and name not in limited | referring
        and not NAMED_FOR.search(name)
    }


def test_each_column_that_can_hold_words_says_how_it_is_cleaned(database: Database) -> None:
    missing = words_of(database.read()) - set(REGISTRY)
    assert missing == set(), (
        "clean them, say above how; plant a word there in benchmarks/forgetting.py"
    )


def test_the_registry_names_no_column_that_is_gone(database: Database) -> None:
    conn = database.read()
    tables = [
        row["name"] for row in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    ]
    there = {
        f"{table}.{row['name']}"
        for table in tables
        for row in conn.execute(f"PRAGMA table_info({table})")
    }
    assert set(REGISTRY) - there - set(FULL_TEXT_TABLES) == set()


def test_a_new_table_with_words_is_noticed(database: Database) -> None:
    with closing(sqlite3.connect(database.path)) as conn:
        conn.row_factory = sqlite3.Row
        conn.execute(
            "CREATE TABLE diary (id TEXT PRIMARY KEY, state TEXT CHECK (state IN ('a')), "
            "entry TEXT, at TEXT) STRICT"
        )
        assert words_of(conn) - set(REGISTRY) == {"diary.entry"}
