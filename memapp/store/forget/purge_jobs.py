"""Unfinished erasures, kept in `purge_jobs` until done, so that a kill loses none."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from memapp.store.session import Session

PurgeKind = Literal["memory", "message", "thread", "words", "settle"]


@dataclass(frozen=True, slots=True)
class PurgeJob:
    """Memories, messages and chats to erase by id, and words to erase everywhere."""

    memory_ids: tuple[str, ...] = ()
    message_ids: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    thread_ids: tuple[str, ...] = ()


_FIELDS: Mapping[PurgeKind, str] = {
    "memory": "memory_ids",
    "message": "message_ids",
    "words": "words",
    "thread": "thread_ids",
}
"""The field of a job for each kind of row."""


def plan(session: Session, job: PurgeJob) -> None:
    """Save a job, so that a kill cannot stop the erasure for good."""
    for kind, field in _FIELDS.items():
        for value in getattr(job, field):
            session.insert_new("purge_jobs", kind=kind, value=value)


def planned(session: Session) -> tuple[PurgeJob, bool]:
    """Return the job still to do, and True if anything at all is left to do."""
    rows = session.run("SELECT kind, value FROM purge_jobs WHERE user_id = :user").fetchall()
    return PurgeJob(
        **{
            field: tuple(value for of, value in rows if of == kind)
            for kind, field in _FIELDS.items()
        }
    ), bool(rows)


def mark_erased(session: Session) -> None:
    """Mark the rows as erased; cleaning the file comes next."""
    session.run("DELETE FROM purge_jobs WHERE user_id = :user")
    session.insert("purge_jobs", kind="settle", value="")


def count_erasure(session: Session) -> None:
    """Tell every process that something was erased for good."""
    session.run("UPDATE memory_file SET erasures = erasures + 1")


def mark_settled(session: Session) -> None:
    session.run("DELETE FROM purge_jobs WHERE user_id = :user AND kind = 'settle'")
