"""The files around: copies, what a killed backup leaves, and reading the open file without losing its locks."""

import subprocess
import sys
from pathlib import Path

import pytest

from memapp.domain.forget import ByteNeedles
from memapp.errors import StoreError, StoreLocked
from memapp.store import traces
from memapp.store.database import Database, open_copy, open_database

BEGIN = """
import sqlite3, sys
try:
    sqlite3.connect(sys.argv[1], timeout=0.1).execute("BEGIN IMMEDIATE")
except sqlite3.OperationalError as error:
    print(error)
else:
    print("free")
"""


def asked_by_another_process(database: Database) -> str:
    done = subprocess.run([sys.executable, "-c", BEGIN, str(database.path)], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_open_file_is_searched_and_its_locks_stay(database: Database) -> None:
    with database.write():
        files, left = traces.scan(database, [], ByteNeedles(["no such words in here"]))
        assert (files >= 3, left) == (True, [])
        assert asked_by_another_process(database) == "database is locked"
    assert asked_by_another_process(database) == "free"


def test_opening_and_closing_the_file_would_lose_them(database: Database) -> None:
    with database.write():
        for suffix in ("", "-shm"):
            database.path.with_name(database.path.name + suffix).read_bytes()
        assert asked_by_another_process(database) == "free", "else the test above proves nothing"


def test_only_copies_of_this_file_are_touched(database: Database) -> None:
    for name in ("backups", "damaged", "elsewhere"):
        (database.path.parent / name).mkdir()
    names = ("backups/memapp-1.db", "damaged/memapp-2.db", "backups/other-1.db", "backups/memapp-1.txt", "elsewhere/memapp-3.db")
    for name in names:
        (database.path.parent / name).touch()
    (database.path.parent / "backups" / "memapp-link.db").symlink_to(database.path)
    found = [path.relative_to(database.path.parent).as_posix() for path in traces.copies(database.path)]
    assert found == ["backups/memapp-1.db", "damaged/memapp-2.db"]


def test_half_a_backup_is_removed_and_nothing_else(database: Database) -> None:
    folder = database.path.parent / "backups"
    folder.mkdir()
    for name in ("memapp-1.db.partial", "memapp-1.db.partial-journal", "memapp-1.db", "other.db.partial"):
        (folder / name).touch()
    traces.remove_unfinished(database.path)
    assert sorted(file.name for file in folder.iterdir()) == ["memapp-1.db", "other.db.partial"]


def test_the_file_cannot_be_rewritten_within_a_change_or_by_a_reader(database: Database) -> None:
    with database.write(), pytest.raises(StoreError), database.alone():
        pass
    reader = open_database(database.path, read_only=True)
    with pytest.raises(StoreLocked), reader.alone():
        pass
    reader.close()


def test_another_program_s_file_is_not_opened_as_a_copy(tmp_path: Path) -> None:
    path = tmp_path / "memapp-1.db"
    path.write_bytes(b"no database at all, but longer than a header is" * 30)
    with pytest.raises(StoreError), open_copy(path):
        pass
    assert path.read_bytes().startswith(b"no database")
