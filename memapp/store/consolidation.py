"""Queries of consolidation: candidate memories, compared pairs, and the budget used up."""

from collections.abc import Sequence
from datetime import datetime

from memapp.domain.consolidation import Spent, Tidied
from memapp.store.session import Session

_OFTEN_USED = """SELECT a.uses FROM access_counts a JOIN memories m ON m.id = a.memory_id
                 WHERE m.user_id = :user AND m.state = 'live' ORDER BY a.uses DESC
                 LIMIT 1 OFFSET (SELECT count(*) / 10 FROM access_counts WHERE user_id = :user)"""
_CLEARED = (
    "DELETE FROM compared_pairs WHERE user_id = :user AND asked = 0 AND ts < :before",
    """DELETE FROM compared_pairs
       WHERE user_id = :user
       AND (NOT EXISTS (SELECT 1 FROM memories WHERE id = id_a)
            OR NOT EXISTS (SELECT 1 FROM memories WHERE id = id_b))""",
    """DELETE FROM consolidated
       WHERE user_id = :user AND NOT EXISTS (SELECT 1 FROM memories WHERE id = memory_id)""",
)


def candidates(session: Session, recent: datetime, today: datetime, limit: int) -> dict[str, bool]:
    """Return the memories to compare, most relevant first, each with True if it is new.

    First memories that are recent, important or among the most used tenth, once a day; then new
    ones.
    """
    sql = f"""WITH pool AS (
                SELECT o.id, o.importance, c.ts,
                       max(o.created_at, o.updated_at) >= :recent OR o.importance >= 3
                       OR coalesce(u.uses >= ({_OFTEN_USED}), 0) AS matters
                FROM memories o
                LEFT JOIN consolidated c ON c.memory_id = o.id
                LEFT JOIN access_counts u ON u.memory_id = o.id
                WHERE o.user_id = :user AND o.state = 'live' AND o.kind = 'semantic')
              SELECT id, ts IS NULL AS is_new FROM pool
              WHERE ts IS NULL OR (matters AND ts < :today)
              ORDER BY matters DESC, importance DESC, id DESC LIMIT :limit"""  # noqa: S608
    return {
        row["id"]: bool(row["is_new"])
        for row in session.run(sql, recent=recent, today=today, limit=limit)
    }


def mark_looked_at(session: Session, ids: Sequence[str]) -> None:
    """Mark live memories whose pairs were all compared."""
    sql = """INSERT INTO consolidated (memory_id, user_id, ts)
             SELECT id, user_id, :now FROM memories
             WHERE +user_id = :user AND state = 'live' AND id IN (SELECT value FROM json_each(:ids))
             ON CONFLICT DO UPDATE SET ts = excluded.ts"""
    session.run(sql, ids=ids)


def looked_at(session: Session, memory_id: str) -> set[tuple[str, float]]:
    """Return the compared pairs of a memory: the other memory and their likeness."""
    sql = """SELECT id_b AS other, score FROM compared_pairs
             WHERE user_id = :user AND id_a = :id
             UNION ALL
             SELECT id_a, score FROM compared_pairs
             WHERE user_id = :user AND id_b = :id"""
    return {(row["other"], row["score"]) for row in session.run(sql, id=memory_id)}


def note_pair(session: Session, ids: frozenset[str], score: float, *, asked: bool) -> None:
    """Mark a pair as compared."""
    first, second = sorted(ids)
    row = {"id_a": first, "id_b": second, "score": score, "asked": asked}
    session.put("compared_pairs", **row, ts=session.now)


def clear(session: Session, before: datetime) -> None:
    """Delete compared pairs older than a time, and those of erased memories."""
    for sql in _CLEARED:
        session.run(sql, before=before)


def was_brought_back(session: Session, ids: frozenset[str]) -> bool:
    """Return True if one of two live memories once replaced the other: the person wants both."""
    sql = """SELECT 1
             FROM history gone
             JOIN history kept ON kept.step = gone.step AND kept.memory_id = :other
             WHERE gone.user_id = :user AND gone.memory_id = :one
             AND (gone.event IN ('MERGE', 'DELETE') OR kept.event = 'DELETE')"""
    one, other = ids
    return session.row(sql, one=one, other=other) is not None


def spent(session: Session, since: datetime) -> Spent:
    """Return the budget that consolidation used up since a time."""
    pairs = "SELECT count(*) FROM compared_pairs WHERE user_id = :user AND ts >= :since"
    cost = """SELECT coalesce(sum(meta ->> 'tokens'), 0) AS tokens,
                     coalesce(sum(meta ->> 'seconds'), 0.0) AS seconds
              FROM events
              WHERE user_id = :user AND op = 'consolidate' AND ts >= :since"""
    row = session.row(cost, since=since)
    if row is None:
        return Spent(0, 0, 0.0)
    return Spent(session.value(pairs, since=since), row["tokens"], row["seconds"])


def tidied(session: Session, since: datetime) -> Tidied:
    """Return the results of consolidation since a time."""
    sums = ", ".join(
        f"coalesce(sum(meta ->> '{name}'), 0) AS {name}" for name in Tidied.__dataclass_fields__
    )
    sql = f"""SELECT {sums} FROM events
              WHERE user_id = :user AND op = 'consolidate' AND ts >= :since"""  # noqa: S608
    return session.records(Tidied, sql, since=since)[0]
