"""Leases: one owner at a time, who may renew and release; a dead owner's lease expires."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from memapp.language.normal_form import WORDING
from memapp.store import leases
from memapp.store.database import Database
from memapp.store.opening import open_database
from memapp.store.session import Session
from tests.builders import on, until


@contextmanager
def writing(database: Database) -> Iterator[Session]:
    with database.write() as conn:
        yield on(conn)


def take(database: Database, name: str, owner: str) -> bool:
    with database.write() as conn:
        return leases.take(on(conn), name, owner)


def owner(database: Database, name: str) -> str:
    return leases.owner_of(on(database.read()), name)


def ends(database: Database) -> float:
    return float(database.read().execute("SELECT until FROM leases").fetchone()["until"])


def test_one_owner_has_it_until_it_is_given_back(database: Database) -> None:
    assert take(database, "upkeep", "a") and take(database, "upkeep", "a")
    assert not take(database, "upkeep", "b")
    assert take(database, "other", "b")
    assert [owner(database, name) for name in ("upkeep", "other", "none")] == ["a", "b", ""]
    with database.write() as conn:
        leases.release(on(conn), "upkeep", "b")
    assert owner(database, "upkeep") == "a", "not by another"
    with database.write() as conn:
        leases.release(on(conn), "upkeep", "a")
    assert take(database, "upkeep", "b")


@pytest.mark.parametrize(
    "leap", [leases.LEASE_SECONDS + 1, -3600.0, 10 * 365 * 86400.0, -10 * 365 * 86400.0]
)
def test_that_of_a_dead_owner_ends_whatever_the_clock_does(
    database: Database, leap: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert take(database, "upkeep", "dead")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + leap)
    assert owner(database, "upkeep") == ""
    assert take(database, "upkeep", "b") and not take(database, "upkeep", "c")


def test_it_is_renewed_while_held(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [time.time()]
    monkeypatch.setattr(time, "time", lambda: now[0])
    monkeypatch.setattr(leases, "RENEWED_SECONDS", 0.05)
    with leases.hold(partial(writing, database), "upkeep") as mine:
        assert mine
        first = owner(database, "upkeep")
        for _ in range(3):
            now[0] += 0.9 * leases.LEASE_SECONDS
            until(lambda: ends(database) == now[0] + leases.LEASE_SECONDS)
        assert owner(database, "upkeep") == first
        with leases.hold(partial(writing, database), "upkeep", 0.1) as other:
            assert not other, "nobody has it twice, not even in one process"
    assert owner(database, "upkeep") == ""


def test_who_waits_has_it_next(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "LEASE_SECONDS", 0.2)
    assert take(database, "upkeep", "dead")
    with leases.hold(partial(writing, database), "upkeep", 5.0) as mine:
        assert mine


def test_those_of_the_dead_end_when_nobody_else_has_the_file_open(database: Database) -> None:
    assert take(database, "upkeep", "a")
    beside = open_database(database.path, WORDING)
    assert owner(beside, "upkeep") == "a", "its owner may live"
    beside.close()
    database.close()
    again = open_database(database.path, WORDING)
    assert owner(again, "upkeep") == ""
    again.close()
