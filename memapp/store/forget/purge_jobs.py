"""Erasures that are not finished: kept in `purge_jobs` until done, so that a kill loses none."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from memapp.store.session import Session

PurgeKind = Literal["memory", "message", "thread", "words", "settle"]


@dataclass(frozen=True, slots=True)
class PurgeJob:
    """What is to be erased: memories, messages and whole chats by id, and words wherever they
    stand.
    """

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
"""Where each kind of row stands in a job."""


def plan(session: Session, job: PurgeJob) -> None:
    """Save what to erase, so that a kill cannot stop it for good."""
    for kind, field in _FIELDS.items():
        for value in getattr(job, field):
            session.insert_new("purge_jobs", kind=kind, value=value)


def planned(session: Session) -> tuple[PurgeJob, bool]:
    """Return what is still to be erased, and whether anything at all is left to do."""
    rows = session.run("SELECT kind, value FROM purge_jobs WHERE user_id = :user").fetchall()
    return PurgeJob(
        **{
            field: tuple(value for of, value in rows if of == kind)
            for kind, field in _FIELDS.items()
        }
    ), bool(rows)


def mark_erased(session: Session) -> None:
    """Note that the rows are erased; cleaning the file comes next."""
    session.run("DELETE FROM purge_jobs WHERE user_id = :user")
    session.insert("purge_jobs", kind="settle", value="")


def count_erasure(session: Session) -> None:
    """Let every process know that something was erased for good."""
    session.run("UPDATE memory_file SET erasures = erasures + 1")


def mark_settled(session: Session) -> None:
    session.run("DELETE FROM purge_jobs WHERE user_id = :user AND kind = 'settle'")
