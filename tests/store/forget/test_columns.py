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
    column: how
    for how, columns in {
        How.MARK: """
            threads.title messages.text imported_files.name
        """,
        How.WORDLESS: """
            threads.persona messages.model messages.usage predictions.why memories.valid_until
            memories.category memories.reason embeddings.model_id recalls.why events.op
            events.category events.meta interface.name history.actor history.meta
            change_log.meta consent_requests.proposer profile_fields.name forgotten.fingerprint
            forgotten.made_with
            forgotten_key.secret leases.name leases.owner runs.scope judged_steps.model
            judged_steps.name fingerprints.scope fingerprints.tags lessons.reason lessons.scope
            lesson_tags.tag activations.parts agents.name agents.probation_until agents.model
            rounds.artifact_type rounds.author dissents.agent dissents.citations
            agent_months.agent agent_months.month rubric.criterion jobs.name compared_pairs.id_a
            compared_pairs.id_b sync_machine.device sync_machine.hash
            sync_machine.told sync_things.kind sync_things.device sync_entries.kind
            sync_entries.hash sync_decisions.decided_by
        """,
        How.OWNER: """
            messages.context messages.pasted embeddings.vector dissents.vector
        """,
        How.REBUILT: """
            messages_fts memories_fts lessons_fts
        """,
        How.EMPTY: """
            predictions.text predictions.needed_info memories.instead_of agents.imported
            agents.program
        """,
        How.ROW: """
            memories.text memories.normal_text memories.tags memories.steps versions.snapshot
            context_cards.text supervisor_checkpoints.checkpoint_data drafts.text
            interface.value consent_requests.old_value consent_requests.new_value
            consent_requests.memory consent_requests.quote profile.value runs.agent runs.tool
            runs.task run_steps.action fingerprints.tool fingerprints.shape fingerprints.subject
            error_events.excerpt lessons.rule_text lessons.normal_rule lessons.wrong
            lessons.correct lessons.tool lessons.task lesson_versions.snapshot lesson_rows.said
            error_rows.said rounds.task rounds.draft rounds.revision rounds.final dissents.text
            dissents.quote
        """,
        How.SHORT: """
            purge_jobs.value sync_erasures.box
        """,
    }.items()
    for column in columns.split()
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
