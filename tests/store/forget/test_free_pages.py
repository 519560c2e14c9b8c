"""Remains of moved rows in a page of SQLite are emptied, and no live data is touched."""

import hashlib
import os
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memapp.store.database import Database
from memapp.store.forget.free_pages import empty_free_pages

SECRET = b"zqarla"


@pytest.fixture(params=[512, 4096, 65536])
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A file whose rows with a certain word were deleted under `secure_delete`."""
    path = tmp_path / "some.db"
    chance = random.Random(3)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute(f"PRAGMA page_size = {request.param}")
        conn.execute("PRAGMA secure_delete = 1")
        conn.execute("CREATE TABLE said (id INTEGER PRIMARY KEY, text TEXT UNIQUE)")
        conn.execute("CREATE TABLE named (text TEXT PRIMARY KEY, more TEXT) WITHOUT ROWID")
        conn.execute("BEGIN")
        for number in range(6000):
            word = "zqarla" if number % 3 else "other"
            text = (
                f"{chance.random()} {word} "
                f"{'x' * chance.choice((5, 60, 3000 if number % 50 == 0 else 9))}"
            )
            conn.execute("INSERT INTO said VALUES (?, ?)", (chance.randrange(10**9), text))
            conn.execute("INSERT INTO named VALUES (?, ?)", (text, word))
        conn.execute("COMMIT")
        for table in ("said", "named"):
            conn.execute(f"DELETE FROM {table} WHERE text LIKE '%zqarla%'")
    return path


def read(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as conn:
        assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return conn.execute(
            "SELECT id, text, '' FROM said UNION ALL SELECT text, more, '' FROM named"
        ).fetchall()


def page_size_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as conn:
        return int(conn.execute("PRAGMA page_size").fetchone()[0])


def test_moved_rows_leave_nothing_and_the_rest_reads_the_same(path: Path) -> None:
    assert SECRET in path.read_bytes(), "the control: deleting alone leaves it"
    before, page_size = read(path), page_size_of(path)
    with path.open("r+b", buffering=0) as file:
        empty_free_pages(file, 0, path.stat().st_size, page_size)
    assert SECRET not in path.read_bytes()
    assert read(path) == before


def test_pages_of_other_kinds_and_damaged_ones_are_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "pages"
    others = [bytes([kind]) + os.urandom(4095) for kind in range(256) if kind not in (2, 5, 10, 13)]
    too_many_rows, beyond_the_page = (
        b"\x0d\0\0" + at + os.urandom(4089) for at in (b"\xff\xff\x0f\xff", b"\0\1\x10\1")
    )
    path.write_bytes(pages := b"".join((*others, too_many_rows, beyond_the_page)))
    with path.open("r+b", buffering=0) as file:
        empty_free_pages(file, 4096, len(pages), 4096)
    assert path.read_bytes() == pages


@pytest.fixture
def filled(database: Database) -> Iterator[Database]:
    """A database of which every page was changed, and is kept by the connection that writes."""
    chance = random.Random(5)
    with database.write() as conn:
        for number in range(3000):
            name = hashlib.sha256(str(number).encode()).hexdigest()
            value = f'"{"other" if number % 3 else "zqarla"} {"x" * chance.choice((5, 60, 900))}"'
            conn.execute(
                "INSERT INTO interface (user_id, name, value) VALUES ('me', ?, ?)", (name, value)
            )
    with database.write() as conn:
        conn.execute("DELETE FROM interface WHERE value LIKE '%zqarla%'")
    yield database


def test_what_the_writer_kept_of_the_file_does_not_bring_it_back(filled: Database) -> None:
    with (
        filled.at_rest()
    ):  # the log is empty from here on: nothing but the settling makes the writer read anew
        assert SECRET in filled.path.read_bytes(), "the control"
    with filled.write() as conn:
        conn.execute("SELECT sum(length(value)) FROM interface").fetchone()
    with filled.at_rest() as file:
        empty_free_pages(file, 0, filled.path.stat().st_size, 4096)
    with filled.write() as conn:
        conn.execute("UPDATE interface SET value = replace(value, 'other', 'OTHER')")
    log = filled.path.with_name("memapp.db-wal").read_bytes()
    assert b"OTHER" in log
    assert SECRET not in filled.path.read_bytes() + log
