"""Rows that repeat a memory or contain given words."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from memapp.domain.forget import Needles
from memapp.store.forget.purge_jobs import PurgeJob
from memapp.store.session import Session
from memapp.store.snapshots import STEPS, TAGS, TEXT

_HOLDS = "(holds(text) OR holds(tags) OR holds(steps))"


@contextmanager
def searching(session: Session, texts: Iterable[str]) -> Iterator[None]:
    """Define the SQL function `holds(text)` on the connection for a while."""
    session.conn.create_function("holds", 1, Needles(texts).held_by, deterministic=True)
    try:
        yield
    finally:
        session.conn.create_function("holds", 1, None)


def with_absorbed(session: Session, memory_ids: Sequence[str]) -> tuple[str, ...]:
    """Return the memories that exist, with the duplicates merged into them."""
    sql = """WITH RECURSIVE wanted (id) AS (
               SELECT id FROM memories
               WHERE +user_id = :user AND id IN (SELECT value FROM json_each(:ids))
               UNION
               SELECT m.id FROM wanted w
               JOIN memories m ON m.merged_into = w.id AND m.merged_into <> ''
               WHERE m.user_id = :user)
             SELECT id FROM wanted
             ORDER BY id"""
    return tuple(session.column(sql, ids=memory_ids))


def made_of(
    session: Session, memory_ids: Sequence[str], message_ids: Sequence[str]
) -> tuple[str, ...]:
    """Return the insights and episodes that rest on any of these memories or messages."""
    sql = """SELECT id FROM memories
             WHERE user_id = :user AND (origin = 'reflected' OR kind = 'insight')
             AND id IN (SELECT from_id FROM relations
                        WHERE relation_type = 'evidence'
                        AND to_id IN (SELECT value FROM json_each(:memories))
                        UNION
                        SELECT memory_id FROM memory_sources
                        WHERE message_id IN (SELECT value FROM json_each(:messages)))
             ORDER BY id"""
    return tuple(session.column(sql, memories=memory_ids, messages=message_ids))


def in_trash(
    session: Session, memory_ids: Sequence[str], until: datetime | None = None
) -> tuple[str, ...]:
    """Return the memories that are in the trash, or only those due by a time."""
    sql = """SELECT id FROM memories
             WHERE +user_id = :user AND purge_at <= coalesce(:until, purge_at)
             AND id IN (SELECT value FROM json_each(:ids))
             ORDER BY id"""
    return tuple(session.column(sql, ids=memory_ids, until=until))


def overdue_threads(
    session: Session, thread_ids: Sequence[str], before: datetime
) -> tuple[str, ...]:
    """Return the chats that were deleted before a time."""
    sql = """SELECT id FROM threads WHERE user_id = :user AND deleted_at <= :before
             AND id IN (SELECT value FROM json_each(:ids)) ORDER BY id"""
    return tuple(session.column(sql, ids=thread_ids, before=before))


def said_in(session: Session, memory_ids: Sequence[str]) -> tuple[str, ...]:
    """Return the source messages of memories, memapp's questions, their answers and all replies."""
    sql = """WITH sources (id) AS (
               SELECT message_id FROM memory_sources
               WHERE memory_id IN (SELECT value FROM json_each(:ids))),
             asked (id, thread_id, seq, answered) AS (
               SELECT m.id, m.thread_id, m.seq, p.decided_by = 'chat'
               FROM request_evidence e
               JOIN consent_requests p ON p.id = e.request_id
               JOIN messages m ON m.id = p.asked_in
               WHERE e.message_id IN sources),
             said (id) AS (
               SELECT id FROM sources
               UNION
               SELECT id FROM asked
               UNION
               SELECT (SELECT id FROM messages
                       WHERE thread_id = asked.thread_id AND role = 'user' AND seq > asked.seq
                       ORDER BY seq LIMIT 1)
               FROM asked
               WHERE answered)
             SELECT id FROM messages
             WHERE user_id = :user AND (id IN said OR reply_to IN said)
             ORDER BY id"""
    return tuple(session.column(sql, ids=memory_ids))


def texts_of(session: Session, memory_ids: Sequence[str]) -> tuple[str, ...]:
    """Return the current and earlier texts of memories."""
    sql = f"""SELECT text FROM memories
              WHERE +user_id = :user AND id IN (SELECT value FROM json_each(:ids))
              UNION ALL
              SELECT {TEXT} FROM versions
              WHERE +user_id = :user
              AND memory_id IN (SELECT value FROM json_each(:ids))"""  # noqa: S608
    return tuple(dict.fromkeys(session.column(sql, ids=memory_ids)))


def texts_of_messages(session: Session, message_ids: Sequence[str]) -> tuple[str, ...]:
    """Return the texts of the person's messages; a model's replies are not the person's own."""
    sql = """SELECT text FROM messages
             WHERE user_id = :user AND role = 'user'
             AND id IN (SELECT value FROM json_each(:ids))"""
    return tuple(session.column(sql, ids=message_ids))


def holding(session: Session, words: Sequence[str]) -> PurgeJob:
    """Return the memories and messages with any of these words."""
    with searching(session, words):
        memories = session.column(f"SELECT id FROM memories WHERE user_id = :user AND {_HOLDS}")  # noqa: S608
        messages = session.column("SELECT id FROM messages WHERE user_id = :user AND holds(text)")
        return PurgeJob(tuple(memories), tuple(messages))


def lessons_with(session: Session, words: Sequence[str]) -> list[str]:
    sql = """SELECT id FROM lessons
             WHERE user_id = :user AND (holds(wrong) OR holds(correct) OR holds(rule_text)
                                        OR holds(tool) OR holds(task))"""
    with searching(session, words):
        return session.column(sql)


def memories_with(session: Session, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the memories with any of these texts, now or in an earlier version, newest first."""
    sql = f"""SELECT id FROM memories
              WHERE user_id = :user
              AND ({_HOLDS}
                   OR EXISTS (SELECT 1 FROM versions
                              WHERE memory_id = memories.id
                              AND (holds({TEXT}) OR holds({TAGS}) OR holds({STEPS}))))
              ORDER BY id DESC"""  # noqa: S608
    with searching(session, texts):
        return tuple(session.column(sql))
