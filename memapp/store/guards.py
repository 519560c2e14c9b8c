"""The guards of the writing connection: which SQL it may run.

Two answers to every statement: `everyday`, and `deciding`, which lifts the lock from requests, the
profile and what is to be forgotten, and from nothing else. SQLite asks while it prepares a
statement, so putting another function in place is what makes it ask again.
"""

import sqlite3
from collections.abc import Callable
from functools import partial

from memapp.store.vocabulary import VOCABULARY

Authorizer = Callable[[int, str | None, str | None, str | None, str | None], int]

READ_PRAGMAS = frozenset({
    *("application_id", "cell_size_check", "data_version", "foreign_keys", "freelist_count", "journal_mode", "page_count"),
    *("page_size", "query_only", "recursive_triggers", "secure_delete", "synchronous", "temp_store", "user_version"),
})  # fmt: skip
"""May be read but not set. The full-text index reads `data_version` by itself."""
CHECK_PRAGMAS = frozenset({"foreign_key_check", "integrity_check", "quick_check", "wal_checkpoint"})
"""Change nothing that is remembered, whatever their argument."""
DECIDED_TABLES = frozenset(
    {"consent_requests", "profile", "forgotten", "forgotten_key", "memory_file", "purge_jobs"}
)
"""Written while the person decides; consent requests may be added at any time."""
LASTING_TABLES = frozenset({"versions", "events", "request_evidence", "lesson_versions"})
"""Rows are added and never rewritten; they are deleted while the person decides, with what they
belong to.
"""
FIXED_TABLES = frozenset({"history", "profile_fields"})
"""Rows are added, never rewritten or deleted."""
EMPTIED = frozenset({("history", "old_ref"), ("history", "new_ref")})
"""Columns that a foreign key empties when what they refer to is erased. To SQLite that is an update
like any other, so triggers keep everything else off them.
"""
BARRED_FUNCTIONS = frozenset({"load_extension", "fts3_tokenizer", "edit", "writefile"})
HARMLESS = frozenset({
    *(sqlite3.SQLITE_READ, sqlite3.SQLITE_SELECT, sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_SAVEPOINT, sqlite3.SQLITE_RECURSIVE),
})  # fmt: skip


def _answer(
    action: int,
    first: str | None,
    second: str | None,
    schema: str | None,
    _trigger: str | None,
    *,
    deciding: bool,
) -> int:
    match action:
        case _ if action in HARMLESS:
            allowed = True
        case sqlite3.SQLITE_PRAGMA:
            allowed = first in CHECK_PRAGMAS or (first in READ_PRAGMAS and second is None)
        case sqlite3.SQLITE_FUNCTION:
            allowed = (second or "").lower() not in BARRED_FUNCTIONS
        case sqlite3.SQLITE_INSERT | sqlite3.SQLITE_UPDATE | sqlite3.SQLITE_DELETE:
            allowed = schema == "main" and _may_write(
                action, (first or "").lower(), (second or "").lower(), deciding=deciding
            )
        case _:
            allowed = False
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


everyday: Authorizer = partial(_answer, deciding=False)
"""Answers SQLite's question whether the worker may do this: consent requests may be added, nothing
decided or erased.
"""
deciding: Authorizer = partial(_answer, deciding=True)
"""Answers while the person's decision is carried out: consent requests may be decided and the
profile may follow.
"""


def _may_write(action: int, table: str, column: str, *, deciding: bool) -> bool:
    if table in VOCABULARY:
        return False
    if table in DECIDED_TABLES:
        return deciding or (table == "consent_requests" and action == sqlite3.SQLITE_INSERT)
    if table in LASTING_TABLES:
        return action == sqlite3.SQLITE_INSERT or (deciding and action == sqlite3.SQLITE_DELETE)
    if table in FIXED_TABLES:
        return action == sqlite3.SQLITE_INSERT or (table, column) in EMPTIED
    return table != "sqlite_sequence"
