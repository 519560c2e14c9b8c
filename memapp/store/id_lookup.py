"""Rows found by a part of their id: people type little, and ids are long."""

from typing import Literal

from memapp.store.session import Session

Named = Literal["memories", "consent_requests", "threads", "lessons", "runs"]
_ROWS: dict[Named, str] = {
    "memories": "SELECT id, user_id, text AS label FROM memories",
    "consent_requests": """SELECT id, user_id, field AS label FROM consent_requests
                           UNION ALL SELECT id, user_id, name FROM imported_files""",
    "threads": "SELECT id, user_id, title AS label FROM threads",
    "lessons": "SELECT id, user_id, rule_text AS label FROM lessons",
    "runs": "SELECT id, user_id, tool || ' ' || task AS label FROM runs",
}
"""Tables with ids, each with a label for people; a file is decided on like a request."""


def all_ids(session: Session, table: Named) -> list[str]:
    """Return all ids that a part may match."""
    return session.column(f"SELECT id FROM ({_ROWS[table]}) WHERE user_id = :user")  # noqa: S608


def beginning_or_ending(
    session: Session, table: Named, part: str, limit: int
) -> list[tuple[str, str]]:
    """Return the ids that begin or end with `part`, with a label; an exact match comes alone."""
    sql = f"""SELECT id, label FROM ({_ROWS[table]}) WHERE user_id = :user
              AND (substr(id, 1, length(:part)) = :part OR substr(id, -length(:part)) = :part)
              ORDER BY id <> :part, id DESC LIMIT :limit"""  # noqa: S608
    matches = [(row["id"], row["label"]) for row in session.run(sql, part=part, limit=limit)]
    return matches[:1] if matches and matches[0][0] == part else matches
