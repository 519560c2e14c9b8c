"""The paces of background jobs by name."""

from memapp.domain.jobs import Pace
from memapp.store.session import Session


def get_pace(session: Session, name: str) -> Pace | None:
    """Return the pace of a job; None if the job never ran."""
    return session.record(
        Pace, "SELECT ran_at, due_at FROM jobs WHERE user_id = :user AND name = :name", name=name
    )


def save_pace(session: Session, name: str, pace: Pace) -> None:
    session.put("jobs", name=name, ran_at=pace.ran_at, due_at=pace.due_at)
