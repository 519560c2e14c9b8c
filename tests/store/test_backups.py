"""Automatic backups in the store: occasion, source, and removal."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from memapp.errors import StoreError
from memapp.store import backups
from memapp.store.database import Database
from memapp.store.file_copies import ASIDE, BACKUPS, Copy, copies, from_backup, new_copy
from tests.builders import damage

EVERY = timedelta(minutes=30)
LATER = datetime.now(UTC) + timedelta(days=1)
"""The file that a test makes is older than half an hour then, whenever the test runs."""


def keep(database: Database, value: str) -> None:
    with database.write() as conn:
        conn.execute("INSERT OR REPLACE INTO interface VALUES ('me', 'note', ?)", (f'"{value}"',))


def write(
    database: Database, now: datetime, cancelled: Callable[[], bool] = lambda: False
) -> Path | None:
    return backups.write_if_due(database, now, EVERY, cancelled)


def note_in(path: Path) -> str:
    with closing(sqlite3.connect(path)) as conn:
        return str(conn.execute("SELECT value FROM interface").fetchone()[0])


def test_one_is_written_if_the_file_changed_and_half_an_hour_went_by(database: Database) -> None:
    keep(database, "first")
    assert write(database, datetime.now(UTC)) is None, "the file itself is new"
    first = write(database, LATER)
    assert first is not None and note_in(first) == '"first"'
    assert write(database, LATER + EVERY) is None, "nothing changed"
    keep(database, "second")
    assert write(database, LATER + EVERY / 2) is None, "the last is young"
    second = write(database, LATER + EVERY)
    assert second is not None and note_in(second) == '"second"'
    assert [backup.path for backup in copies(database.path)] == [second, first]


def test_changes_beside_it_are_counted(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def back_up(_: Database, target: Path, __: object) -> Path:
        copied = shutil.copyfile(database.path, target)
        keep(database, "beside")
        return copied

    with monkeypatch.context() as patched:
        patched.setattr(Database, "backup", back_up)
        assert write(database, LATER)
    second = write(database, LATER + EVERY)
    assert second is not None and note_in(second) == '"beside"'


def test_a_wrong_clock_stops_no_backup(database: Database) -> None:
    new_copy(database.path, BACKUPS, "auto", LATER + timedelta(days=9000)).touch()
    assert write(database, LATER)


def test_one_that_is_cancelled_or_finds_no_room_leaves_nothing(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memapp.store.database.STEPS_BETWEEN_LOOKS", 10)
    with pytest.raises(StoreError):
        write(database, LATER, lambda: True)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    assert write(database, LATER) is None
    assert list((database.path.parent / BACKUPS).iterdir()) == []


def test_old_copies_of_every_kind_are_let_go_of_and_nothing_else(database: Database) -> None:
    path = database.path
    for days in (0, 29, 31):
        for folder, why in ((BACKUPS, "schema1"), (ASIDE, "before-restore"), (BACKUPS, "auto")):
            new_copy(path, folder, why, LATER - timedelta(days=days)).touch()
    (old,) = [
        backup.path
        for backup in copies(path)
        if backup.why == "before-restore" and LATER - backup.made_at > timedelta(days=30)
    ]
    old.with_name(f"{old.name}-wal").touch()
    mine = path.parent / BACKUPS / "memapp-mine.db"
    mine.touch()
    backups.let_go_of_old(path, LATER)
    assert sorted((LATER - backup.made_at).days for backup in copies(path)) == [0, 0, 0, 29, 29, 29]
    assert list(old.parent.glob("*-wal")) == [] and mine.exists()


def test_a_clock_that_leapt_ends_none_and_later_few_at_once(database: Database) -> None:
    for hours in range(6):
        for folder, why in ((BACKUPS, "auto"), (ASIDE, "before-restore")):
            new_copy(database.path, folder, why, LATER - timedelta(hours=hours)).touch()
    for days, left in ((0, 13), (4, 14), (5, 12)):
        now = LATER + timedelta(days=9000 + days)
        new_copy(database.path, BACKUPS, "auto", now).touch()
        backups.let_go_of_old(database.path, now)
        assert len(copies(database.path)) == left


def test_the_newest_sound_one_is_found_and_named_with_its_age(database: Database) -> None:
    path = database.path
    actual = from_backup(path)
    assert actual == "There is no backup of it. To begin anew in another file: memapp --db PATH"
    assert backups.newest_sound(path) is None
    now = datetime.now(UTC)
    sound = database.backup(new_copy(path, BACKUPS, "schema9", now - timedelta(hours=5)))
    damage(
        database.backup(new_copy(path, BACKUPS, "auto", now - timedelta(hours=1))), "memories_due"
    )
    new_copy(path, ASIDE, "before-restore", now).write_bytes(sound.read_bytes())
    assert backups.newest_sound(path) == Copy(path, sound, "schema9", now - timedelta(hours=5))
    assert from_backup(path).startswith(
        "Its newest backup is 1 hour old. To put it back: memapp restore --yes --file '"
    )
