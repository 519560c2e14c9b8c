"""The paces of the jobs that are done in idle time, by their names."""

from memapp.domain.jobs import Pace
from memapp.store.encoding import to_text, to_time
from memapp.store.session import Session


def get_pace(session: Session, name: str) -> Pace | None:
    """Return the pace of a job; None for one that never ran."""
    row = session.conn.execute(
        "SELECT ran_at, due_at FROM jobs WHERE user_id = ? AND name = ?", (session.user_id, name)
    ).fetchone()
    return Pace(to_time(row["ran_at"]), to_time(row["due_at"])) if row else None


def save_pace(session: Session, name: str, pace: Pace) -> None:
    session.conn.execute(
        """INSERT INTO jobs (user_id, name, ran_at, due_at) VALUES (?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET ran_at = excluded.ran_at, due_at = excluded.due_at""",
        (session.user_id, name, to_text(pace.ran_at), to_text(pace.due_at)),
    )
