"""Automatic backups: their places, and erasure inside them."""

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memapp.runtime import Runtime
from memapp.services import activity, backups, curate, forget
from memapp.services.consent import decisions, pending, requests
from memapp.store import consents
from memapp.store.file_copies import copies
from memapp.store.lock import COPIES, held
from memapp.store.profile import read_profile
from tests.builders import make_runtime

FACT = "User's sister Zqarla lives in Ghent."


@pytest.fixture
def later(runtime: Runtime) -> Runtime:
    """A runtime an hour after its file was made."""
    runtime.clock = lambda: datetime.now(UTC) + timedelta(hours=1)
    return runtime


def made(runtime: Runtime) -> list[Path]:
    return [backup.path for backup in copies(runtime.paths.database)]


def test_none_is_written_beside_an_erasure(later: Runtime) -> None:
    with held(later.database.path, COPIES) as mine:
        assert mine
        backups.run(later)
    assert made(later) == []
    backups.run(later)
    assert len(made(later)) == 1


def test_leaving_waits_for_no_large_file(later: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(backups, "QUICK_BYTES", 0)
        backups.before_leaving(later)
    assert made(later) == []
    backups.before_leaving(later)
    (first,) = made(later)
    backups.before_leaving(later)
    assert made(later) == [first], "nothing changed since"
    curate.add(later, FACT)
    backups.before_leaving(later)
    (second,) = made(later)
    assert second != first, "however young the last one is; of one half hour the last stays"


def test_leaving_says_nothing_of_a_file_that_somebody_removed(later: Runtime) -> None:
    later.paths.database.unlink()
    backups.before_leaving(later)
    assert copies(later.paths.database) == []


def test_erasing_reaches_those_that_memapp_made_by_itself(later: Runtime, tmp_path: Path) -> None:
    memory = curate.add(later, FACT).memory_id
    backups.run(later)
    (copy,) = made(later)
    assert b"zqarla" in copy.read_bytes().lower()
    curate.discard(later, memory)
    receipt = forget.purge(later, [memory])
    assert (receipt.backups_cleaned, receipt.left) == (1, ())
    assert [
        file.name
        for file in tmp_path.rglob("*")
        if file.is_file() and b"zqarla" in file.read_bytes().lower()
    ] == []


def test_one_takes_the_place_of_its_file(later: Runtime) -> None:
    path = later.paths.database
    curate.add(later, FACT)
    backups.run(later)
    later.close()
    path.write_bytes(b"no database at all" * 999)
    backup = backups.newest_sound(path)
    assert backup is not None
    aside = backups.put_back(backup.of, backup.path)
    assert aside is not None and aside.read_bytes() == b"no database at all" * 999
    assert path.read_bytes().startswith(b"SQLite format 3")


def test_what_waits_in_one_waits_again_for_its_own_time(runtime: Runtime, tmp_path: Path) -> None:
    home, path = tmp_path, runtime.paths.database
    waits = requests.propose(runtime, "city", "Ghent")
    assert waits
    runtime.database.backup(copy := tmp_path / "mine.db")
    decisions.deny(runtime, waits.id)
    runtime.close()
    backups.put_back(path, copy)
    again = make_runtime(home)
    (found,) = pending.list_pending(again)
    assert (found.id, found.new_value, found.expires_at) == (waits.id, "Ghent", waits.expires_at)
    assert activity.entries(again) == [], "the history says nothing that did not happen"
    decisions.approve(again, found.id)
    assert read_profile(again.read()) == {"city": ("Ghent",)}
    again.close()


def test_a_yes_in_one_that_was_not_used_is_used_up(runtime: Runtime, tmp_path: Path) -> None:
    path, waits = runtime.paths.database, requests.propose(runtime, "city", "Ghent")
    assert waits
    with runtime.decide() as session:
        consents.decide(session, waits.id, "approved", "person")
    runtime.database.backup(copy := tmp_path / "mine.db")
    runtime.close()
    backups.put_back(path, copy)
    again = make_runtime(tmp_path)
    with (
        pytest.raises(sqlite3.IntegrityError, match="approved consent request"),
        again.decide() as session,
    ):
        session.conn.execute(
            "INSERT INTO profile VALUES (?, 'city', 'Ghent', ?, '')", (again.user_id, waits.id)
        )
    again.close()


def test_what_fails_is_tried_again_later(later: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(
            "memapp.store.backups.new_copy", lambda *_: (_ for _ in ()).throw(OSError(28, "full"))
        )
        backups.run(later)
    assert made(later) == []
    backups.run(later)
    assert len(made(later)) == 1
