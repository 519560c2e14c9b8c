"""The memories compared for duplicates, and their order."""

from datetime import timedelta

from memapp.domain.changes import Actor, Created
from memapp.store import changes, consolidation
from memapp.store.access_counts import count_access
from memapp.store.database import Database
from tests.builders import fact, on
from tests.store.conftest import NOW

LONG_AGO = NOW - timedelta(days=200)


def test_what_is_recent_important_or_used_comes_daily_before_the_new(database: Database) -> None:
    old = [fact(f"User owns book {number}.", LONG_AGO) for number in range(12)]
    important = fact("User has a son.", LONG_AGO, importance=4)
    recent = fact("User has a cold.", NOW - timedelta(hours=70))
    with database.write() as conn:
        session = on(conn, now=NOW)
        for memory in (*old, important, recent):
            changes.apply(session, Created(memory), Actor("rules"))
        for number, memory in enumerate(old):
            for _ in range(number):
                count_access(session, [memory.id])

        def candidates() -> list[str]:
            return list(consolidation.candidates(session, NOW - timedelta(hours=72), today, 100))

        today = NOW
        most_used = [old[11].id, old[10].id]
        assert set(candidates()) == {memory.id for memory in (*old, important, recent)}, (
            "nothing was looked at yet"
        )
        assert candidates()[0] == important.id
        assert set(candidates()[:4]) == {important.id, recent.id, *most_used}, (
            "the tenth that is used most"
        )
        consolidation.mark_looked_at(session, candidates())
        assert candidates() == []
        today = NOW + timedelta(days=1)
        assert set(candidates()) == {important.id, recent.id, *most_used}


def test_pairs_are_known_by_their_likeness_until_their_time_is_over(database: Database) -> None:
    one, other = (fact(text, NOW) for text in ("User likes tea.", "User likes coffee."))
    with database.write() as conn:
        session = on(conn, now=NOW)
        for memory in (one, other):
            changes.apply(session, Created(memory), Actor("rules"))
        consolidation.note_pair(session, frozenset((other.id, one.id)), 0.61, asked=False)
        consolidation.note_pair(session, frozenset((one.id, other.id)), 0.74, asked=True)
        assert consolidation.looked_at(session, one.id) == {(other.id, 0.61), (other.id, 0.74)}
        consolidation.clear(session, NOW)
        assert len(consolidation.looked_at(session, other.id)) == 2
        consolidation.clear(session, NOW + timedelta(days=1))
        assert consolidation.looked_at(session, other.id) == {(one.id, 0.74)}, (
            "what was asked is not asked again"
        )
