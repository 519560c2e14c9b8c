"""The export lines of all of a person's rows, and the rows of imported lines.

Memories are not written here: `store.changes.apply` does that.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from memapp.domain import portable
from memapp.domain.portable import Item, PortableLine, Row
from memapp.store.session import Session

Values = dict[str, Any]
"""The fields of a line, as JSON has them."""
_ROWS: dict[type[PortableLine], tuple[str, str]] = {
    portable.ThreadLine: ("threads", "id"),
    portable.MessageLine: ("messages", "thread_id, seq"),
    portable.RelationLine: ("relations", "id"),
    portable.ContextCardLine: ("context_cards", "id"),
    portable.PredictionLine: ("predictions", "id"),
    portable.SurpriseLine: ("surprises", "id"),
    portable.RecallLine: ("recalls", "message_id, rank"),
}
"""The table and order of each kind of line that is written here."""
_TABLES = _ROWS | {
    portable.MemoryLine: ("memories", "id"),
    portable.RequestLine: ("consent_requests", "id"),
    portable.ProfileLine: ("profile", "field, value"),
}
_REFERENCES: dict[type[PortableLine], dict[str, str]] = {
    portable.MessageLine: {"thread_id": "threads", "reply_to": "messages"},
    portable.RelationLine: {"from_id": "memories", "to_id": "memories"},
    portable.ContextCardLine: {"thread_id": "threads"},
    portable.PredictionLine: {
        "thread_id": "threads",
        "message_id": "messages",
        "checked_by": "messages",
    },
    portable.SurpriseLine: {
        "thread_id": "threads",
        "message_id": "messages",
        "prediction_id": "predictions",
    },
    portable.RecallLine: {"message_id": "messages"},
}
"""Rows of the same person that must exist before a row can be written."""
_FLAGS = frozenset({"time_estimated", "unprompted", "active", "pinned", "surprised"})
_JSON = frozenset(
    {"pasted", "usage", "tags", "steps", "needed_info", "sources", "used", "memory", "evidence"}
)
_COMPUTED = {
    "sources": "(SELECT json_group_array(message_id) FROM memory_sources WHERE memory_id = o.id)",
    "used": """(SELECT json_object('last_accessed', last_accessed, 'uses', uses, 'days', days)
                FROM access_counts WHERE memory_id = o.id)""",
    "evidence": """(SELECT json_group_array(json_object('message_id', message_id, 'typed',
                                                        json(iif(typed, 'true', 'false'))))
                    FROM request_evidence
                    WHERE request_id = o.id)""",
    "memory": "nullif(o.memory, '')",
}
"""Fields of a line that the row lacks, or has in another form.

Rows without hidden keys are kept in the order of their ids.
"""

# Out ----------------------------------------------------------------------------------------------


@contextmanager
def one_moment(session: Session) -> Iterator[None]:
    """Give the reader one consistent view despite other writes."""
    session.conn.execute("BEGIN")
    try:
        yield
    finally:
        session.conn.execute("ROLLBACK")


def count_items(session: Session) -> int:
    return sum(session.value(f"SELECT count(*) {_from(kind)}") for kind in portable.ORDER)


def items(
    session: Session, kinds: Sequence[type[PortableLine]] = portable.ORDER
) -> Iterator[Values]:
    """Yield all lines, or those of some kinds, in the order of the portable form."""
    for kind in kinds:
        sql = f"SELECT {_columns(kind)} {_from(kind)} ORDER BY {_TABLES[kind][1]}"
        for row in session.run(sql):
            yield _line(kind, row)


def find(session: Session, line: Item) -> Values | None:
    """Return the stored line with the id of a line; None without one."""
    kind = type(line)
    key = ("message_id", "rank") if kind is portable.RecallLine else ("id",)
    condition = " AND ".join(f"o.{name} = :{name}" for name in key)
    row = session.row(
        f"SELECT {_columns(kind)} {_from(kind)} AND {condition}",
        **{name: getattr(line, name) for name in key},
    )
    return _line(kind, row) if row else None


def _from(kind: type[PortableLine]) -> str:
    return f"FROM {_TABLES[kind][0]} o WHERE o.user_id = :user"


def _names(kind: type[PortableLine]) -> list[str]:
    return [name for name in kind.model_fields if name != "type"]


def _columns(kind: type[PortableLine]) -> str:
    computed = _COMPUTED if kind in (portable.MemoryLine, portable.RequestLine) else {}
    return ", ".join(
        f"{computed[name]} AS {name}" if name in computed else f"o.{name}" for name in _names(kind)
    )


def _line(kind: type[PortableLine], row: sqlite3.Row) -> Values:
    values: Values = {"type": kind.model_fields["type"].annotation.__args__[0]}  # type: ignore[union-attr]
    for name in _names(kind):
        value = row[name]
        if name in _JSON and value is not None:
            value = json.loads(value)
        if name == "memory" and value is not None:
            value = {
                part: value[part] for part in portable.RequestMemory.model_fields if part in value
            }
        elif name in _FLAGS and value is not None:
            value = bool(value)
        values[name] = value
    return values


# In -----------------------------------------------------------------------------------------------


def missing_reference(session: Session, line: Row) -> str:
    """Return an id to which a line refers and that is missing; empty if there is none."""
    for name, table in _REFERENCES.get(type(line), {}).items():
        wanted = getattr(line, name)
        sql = f"SELECT 1 FROM {table} WHERE id = :id AND user_id = :user"  # noqa: S608
        if wanted is not None and not session.row(sql, id=wanted):
            return str(wanted)
    return ""


def insert(session: Session, line: Row) -> bool:
    """Write the row of a line; return True if it is new.

    An existing relation of two memories stays as it is. Raises `sqlite3.IntegrityError` for a row
    against the schema.
    """
    table, row = _ROWS[type(line)][0], {name: getattr(line, name) for name in _names(type(line))}
    return (
        session.insert_new(table, **row)
        if isinstance(line, portable.RelationLine)
        else session.insert(table, **row)
    )
