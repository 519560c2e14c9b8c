"""The databases of other chat programs (oterm, elia and Open WebUI), read-only and untrusted."""

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from memapp.domain import strict_json
from memapp.errors import UsageError
from memapp.store.lent_database import lent

SECONDS = 60.0
MAX_CHAT_BYTES = 100 * 1024 * 1024
OTERM = """SELECT 'oterm' AS program, CAST(m.chat_id AS TEXT) AS chat, c.name AS title,
                  m.author AS role, m.text,
                  CASE WHEN json_valid(m.images) THEN json_array_length(m.images) END AS images
           FROM message m LEFT JOIN chat c ON c.id = m.chat_id
           ORDER BY m.chat_id, m.id"""
OTERM_WITHOUT_IMAGES = """SELECT 'oterm' AS program, CAST(m.chat_id AS TEXT) AS chat,
                                 c.name AS title, m.author AS role, m.text
                          FROM message m LEFT JOIN chat c ON c.id = m.chat_id
                          ORDER BY m.chat_id, m.id"""
ELIA = """
    SELECT 'elia' AS program, CAST(m.chat_id AS TEXT) AS chat, c.title, c.started_at AS begun,
           m.role, m.content AS text, m.timestamp AS at
    FROM message m LEFT JOIN chat c ON c.id = m.chat_id ORDER BY m.chat_id, m.id"""
OPEN_WEBUI = (
    "SELECT id, title, chat AS chat_json, created_at, updated_at FROM chat ORDER BY created_at"
)
OPEN_WEBUI_MEMORY = "SELECT content AS memory, created_at FROM memory ORDER BY created_at"
QUERIES = ((OTERM,), (OTERM_WITHOUT_IMAGES,), (ELIA,), (OPEN_WEBUI, OPEN_WEBUI_MEMORY))
"""The queries of each program; the first whose tables and columns exist are used."""
_ABSENT = "no such"


def rows(path: Path, most: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a chat database. Raises `UsageError` if it is unknown or too large."""
    with lent(path) as database:
        database.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_CHAT_BYTES)
        for queries in QUERIES:
            answers = [database.ask(query, most, SECONDS) for query in queries]
            if _ABSENT in answers[0].error:
                continue
            for answer in answers:
                if answer.is_cut or (answer.error and _ABSENT not in answer.error):
                    raise UsageError(
                        f"{path.name}: {answer.error or f'there are more than {most:,} messages'}.",
                        "Nothing was imported.",
                    )
                yield from (
                    _row(dict(zip(answer.columns, row, strict=True))) for row in answer.rows
                )
            return
    raise UsageError(
        f"{path.name} is not the database of a chat program that memapp knows.",
        "It knows oterm, elia and Open WebUI.",
    )


def _row(values: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its chat parsed from JSON, where the row has one."""
    if "chat_json" in values:
        with suppress(ValueError):  # a row without a chat is counted
            values["chat"] = strict_json.read_foreign(str(values.pop("chat_json")))
    return values
