"""Erasures that are not finished: kept in `purge_jobs` until done, so that a kill loses none."""

from dataclasses import dataclass
from typing import Literal

from memapp.store.session import Session

PurgeKind = Literal["memory", "message", "thread", "words", "settle"]


@dataclass(frozen=True, slots=True)
class PurgeJob:
    """What is to be erased: memories, messages and whole chats by id, and words wherever they stand."""

    memory_ids: tuple[str, ...] = ()
    message_ids: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    thread_ids: tuple[str, ...] = ()


def plan(session: Session, job: PurgeJob) -> None:
    """Save what to erase, so that a kill cannot stop it for good."""
    rows = [("memory", id) for id in job.memory_ids] + [("message", id) for id in job.message_ids]
    rows += [("words", words) for words in job.words] + [("thread", id) for id in job.thread_ids]
    session.conn.executemany(
        "INSERT INTO purge_jobs (user_id, kind, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        [(session.user_id, kind, value) for kind, value in rows],
    )


def planned(session: Session) -> tuple[PurgeJob, bool]:
    """Return what is still to be erased, and whether anything at all is left to do."""
    rows = session.conn.execute("SELECT kind, value FROM purge_jobs WHERE user_id = ?", (session.user_id,)).fetchall()
    kinds = (tuple(row["value"] for row in rows if row["kind"] == kind) for kind in ("memory", "message", "words", "thread"))
    return PurgeJob(*kinds), bool(rows)


def mark_erased(session: Session) -> None:
    """Note that the rows are erased; cleaning the file comes next."""
    session.conn.execute("DELETE FROM purge_jobs WHERE user_id = ?", (session.user_id,))
    session.conn.execute("INSERT INTO purge_jobs (user_id, kind, value) VALUES (?, 'settle', '')", (session.user_id,))


def count_erasure(session: Session) -> None:
    """Let every process know that something was erased for good."""
    session.conn.execute("UPDATE memory_file SET erasures = erasures + 1")


def mark_settled(session: Session) -> None:
    session.conn.execute("DELETE FROM purge_jobs WHERE user_id = ? AND kind = 'settle'", (session.user_id,))
