"""The files around: copies, what a killed backup leaves, and reading the open file without losing
its locks.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from memapp.domain.forget import ByteNeedles
from memapp.errors import StoreError
from memapp.language.normal_form import WORDING
from memapp.store import text_traces
from memapp.store.connection import open_copy
from memapp.store.database import Database
from memapp.store.file_copies import noted, notes
from memapp.store.opening import open_database

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
    done = subprocess.run(
        [sys.executable, "-c", BEGIN, str(database.path)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_the_open_file_is_searched_and_its_locks_stay(database: Database) -> None:
    with database.write():
        scan = text_traces.scan(database, [], ByteNeedles(["no such words in here"]))
        assert (scan.files >= 3, scan.left, scan.unread) == (True, (), ())
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
    ours = [
        "backups/memapp.db-schema3-20260131T081500Z.db",
        "damaged/memapp.db-before-restore-20260131T081500000000Z.db",
    ]
    others = [
        *(
            "backups/memapp.db",
            "backups/memapp-mine.db",
            "backups/memapp.db-schema3-20260131T081500Z.txt",
            "backups/-schema3-.db",
        ),
        "backups/memapp-old-schema3-20260131T081500Z.db",
        "damaged/memapp-old-before-restore-20260131T081500000000Z.db",
        "elsewhere/memapp.db-schema3-20260131T081500Z.db",
    ]
    for name in (*ours, *others):
        (database.path.parent / name).touch()
    (database.path.parent / "backups" / "memapp.db-schema4-20260131T081500Z.db").symlink_to(
        database.path
    )
    found = [
        path.relative_to(database.path.parent).as_posix() for path in text_traces.copies(database)
    ]
    assert found == ours
    scan = text_traces.scan(database, [], ByteNeedles(["no such words in here"]))
    assert scan.unread == ("memapp.db-schema4-20260131T081500Z.db",), (
        "a link is not followed, and is told"
    )


def test_half_a_backup_is_removed_and_nothing_else(database: Database) -> None:
    folder = database.path.parent
    (folder / "backups").mkdir()
    (folder / "damaged").mkdir()
    copy = "backups/memapp.db-schema3-20260131T081500Z.db"
    aside = "damaged/memapp.db-before-restore-20260131T081500000000Z.db"
    halves = {
        *("memapp.db-restored.partial", "memapp.db-restored.partial-journal"),
        *(f"{copy}.partial", f"{copy}.partial-journal", f"{aside}.partial", f"{aside}-wal.partial"),
    }
    for name in halves:
        (folder / name).touch()
    others = {
        *(
            copy,
            aside,
            "backups/memapp-mine.db.partial",
            "backups/memapp-old-schema3-20260131T081500Z.db.partial",
        ),
        *(
            "memapp-thesis.partial-draft.md",
            "memapp.partial",
            "memapp-old-restored.partial",
            f"{copy}.partial-draft.md",
        ),
        "memapp.db-schema3-20260131T081500Z.db.partial",
    }
    for name in others:
        (folder / name).touch()
    before = {file.relative_to(folder).as_posix() for file in folder.rglob("*")}
    text_traces.remove_unfinished(database.path)
    after = {file.relative_to(folder).as_posix() for file in folder.rglob("*")}
    assert (before - after, others - after) == (halves, set())


def test_what_a_kill_leaves_is_found_by_its_note(database: Database, tmp_path: Path) -> None:
    drive = tmp_path / "drive"
    half, draft = drive / "copy.db.partial", drive / "thesis.tex"
    with noted(database.path, drive / "copy.db"):
        (note,) = notes(database.path)
        left = note.read_bytes()
    assert not notes(database.path)
    other = note.with_name(note.name.replace("memapp.db", "memapp.db-2"))
    strange = note.with_name(f"memapp.db-{'0' * 16}-elsewhere.partial")
    for path, content in ((note, left), (other, left), (strange, bytes(draft))):
        path.write_bytes(content)
    text_traces.remove_unfinished(database.path)
    scan = text_traces.scan(database, [], ByteNeedles(["nothing"]))
    assert note.exists() is True
    assert scan.unread == (half.name,), "its drive is not there, and it is not looked into"
    drive.mkdir()
    for path in (half, draft, drive / "copy.db"):
        path.touch()
    text_traces.remove_unfinished(database.path)
    assert note.exists() is False
    assert other.exists() is True
    assert sorted(drive.iterdir()) == [drive / "copy.db", draft]


def test_the_file_is_not_at_rest_within_a_change_or_for_a_reader(database: Database) -> None:
    with database.write(), pytest.raises(StoreError), database.at_rest():
        pass
    reader = open_database(database.path, WORDING, read_only=True)
    with pytest.raises(StoreError), reader.at_rest():
        pass
    reader.close()


def test_another_program_s_file_is_not_opened_as_a_copy(tmp_path: Path) -> None:
    path = tmp_path / "memapp-1.db"
    path.write_bytes(b"no database at all, but longer than a header is" * 30)
    with pytest.raises(StoreError), open_copy(path):
        pass
    assert path.read_bytes().startswith(b"no database")
