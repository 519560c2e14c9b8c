"""Uses are counted beside the memory, never in it."""

from datetime import timedelta

from memapp.domain.changes import Actor, Created
from memapp.store import changes
from memapp.store.access_counts import count_access
from memapp.store.database import Database
from tests.builders import fact, on
from tests.store.conftest import NOW


def test_uses_and_days_are_counted_and_the_last_is_kept(database: Database) -> None:
    memory = fact("User drinks oolong.", NOW)
    with database.write() as conn:
        changes.apply(on(conn), Created(memory), Actor("person"))
        before = conn.execute("SELECT * FROM memories").fetchall()
        for hours in (0, 1, 2, 24, 25):
            count_access(on(conn, now=NOW + timedelta(hours=hours)), [memory.id, "gone"])
        count_access(on(conn, "somebody else", now=NOW + timedelta(days=9)), [memory.id])
        (row,) = conn.execute("SELECT uses, days, last_accessed FROM access_counts").fetchall()
        assert tuple(row) == (5, 2, "2026-02-01T09:15:00.000Z")
        assert conn.execute("SELECT * FROM memories").fetchall() == before
