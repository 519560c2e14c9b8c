"""The guards of the writing connection: the SQL that it may run.

Two authorizers: `everyday`, and `deciding`, which also allows changes of requests, of the profile
and of what is to be forgotten. SQLite asks while it prepares a statement; setting another
authorizer makes it ask again.
"""

import sqlite3
from collections.abc import Callable
from functools import partial

from memapp.store.vocabulary import VOCABULARY

Authorizer = Callable[[int, str | None, str | None, str | None, str | None], int]

READ_PRAGMAS = frozenset(
    {
        *("application_id", "cell_size_check", "data_version", "foreign_keys", "freelist_count"),
        *("journal_mode", "page_count", "page_size", "query_only", "recursive_triggers"),
        *("secure_delete", "synchronous", "temp_store", "user_version"),
    }
)
"""May be read but not set. The full-text index reads `data_version` by itself."""
CHECK_PRAGMAS = frozenset({"foreign_key_check", "integrity_check", "quick_check", "wal_checkpoint"})
"""Change no remembered data, whatever their argument."""
DECIDED_TABLES = frozenset(
    {
        "consent_requests",
        "profile",
        "forgotten",
        "forgotten_key",
        "memory_file",
        "purge_jobs",
        "sync_decisions",
    }
)
"""Written while the person decides; consent requests may be added at any time."""
LASTING_TABLES = frozenset({"versions", "events", "request_evidence", "lesson_versions"})
"""Rows are added, never rewritten, and deleted only while the person decides."""
FIXED_TABLES = frozenset({"history", "profile_fields"})
"""Rows are added, never rewritten or deleted."""
EMPTIED = frozenset({("history", "old_ref"), ("history", "new_ref")})
"""Columns that a foreign key sets to NULL when their target is erased.

SQLite takes that for an update, so triggers guard everything else in them.
"""
BARRED_FUNCTIONS = frozenset({"load_extension", "fts3_tokenizer", "edit", "writefile"})
HARMLESS = frozenset(
    {
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_TRANSACTION,
        sqlite3.SQLITE_SAVEPOINT,
        sqlite3.SQLITE_RECURSIVE,
    }
)


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
"""Allows everyday writes: consent requests may be added, nothing decided or erased."""
deciding: Authorizer = partial(_answer, deciding=True)
"""Allows the writes of a decision: consent requests may be decided, and the profile changed."""


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
