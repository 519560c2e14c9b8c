"""A database of the person's, of which only can be read."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks import MADE_UP
from memapp.errors import UsageError
from memapp.store import untrusted_files
from memapp.store.lent_database import LentDatabase, lent
from memapp.tools.sql import Sql

MADE = """
CREATE TABLE vases (id INTEGER PRIMARY KEY, name TEXT NOT NULL, height REAL);
INSERT INTO vases (name, height) VALUES ('tall', 40), ('wide', 20);
CREATE VIEW high AS SELECT name FROM vases WHERE height > 30;
CREATE TRIGGER broken AFTER DELETE ON vases BEGIN INSERT INTO vases (name) VALUES ('shard'); END;
CREATE VIRTUAL TABLE notes USING fts5 (text);
INSERT INTO notes VALUES ('a vase of glass');
"""
TRICKS = (MADE_UP / "lessons" / "sql_tricks.txt").read_text("utf-8").splitlines()
LONG = (
    "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c",
    (
        "WITH RECURSIVE c (x) AS (SELECT randomblob(8000) UNION ALL SELECT randomblob(8000) "
        "FROM c) SELECT * FROM c ORDER BY x"
    ),
)


@pytest.fixture(params=["delete", "wal"])
def vases(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "vases.db"
    with closing(sqlite3.connect(path)) as made:
        made.execute(f"PRAGMA journal_mode = {request.param}")
        made.executescript(MADE)
    return path


@pytest.fixture
def database(vases: Path) -> Iterator[LentDatabase]:
    with lent(vases) as database:
        yield database


def test_no_trick_writes_anything(vases: Path) -> None:
    before = vases.read_bytes()
    assert len(TRICKS) >= 60
    with lent(vases) as database:
        for trick in TRICKS:
            assert database.ask(trick.format(folder=vases.parent)).error, trick
        for query in LONG:
            assert "stopped after" in database.ask(query, seconds=0.1).error
        assert database.ask("SELECT name FROM vases").rows == (("tall",), ("wide",)), (
            "the copy is as it was, too"
        )
    assert vases.read_bytes() == before
    assert [path.name for path in vases.parent.iterdir()] == ["vases.db"]


def test_what_only_reads_is_answered(database: LentDatabase) -> None:
    answered = {
        "SELECT name, height FROM vases ORDER BY height": (("wide", 20.0), ("tall", 40.0)),
        "SELECT * FROM high;": (("tall",),),
        "VALUES (1), (NULL)": ((1,), (None,)),
        "SELECT text FROM notes WHERE notes MATCH 'glass'": (("a vase of glass",),),
        (
            "WITH RECURSIVE c (x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c LIMIT 3) "
            "SELECT sum(x) FROM c"
        ): ((6,),),
        "SELECT CAST(x'ff41' AS TEXT)": (("\ufffdA",),),
    }
    for query, rows in answered.items():
        table = database.ask(query)
        assert (table.rows, table.error) == (rows, "")
    cut = database.ask("SELECT name FROM vases", most_rows=1)
    assert (cut.columns, cut.rows, cut.is_cut) == (("name",), (("tall",),), True)


def test_as_a_tool_it_tells_a_failure_scoped_by_its_tables(vases: Path, tmp_path: Path) -> None:
    (tmp_path / "moved.db").write_bytes(vases.read_bytes())
    with lent(vases) as one, lent(tmp_path / "moved.db") as moved:
        tool = Sql(one)
        done, wrong = tool.attempt("SELECT 1 AS one"), tool.attempt("SELECT nmae FROM vases")
        assert tool.scope == Sql(moved).scope and "CREATE TABLE vases" in tool.scope
    assert (done.output, wrong.output) == ("one\n1", "no such column: nmae")
    assert [tool.feedback(attempt).hard_failure for attempt in (done, wrong)] == [False, True]


def test_what_is_in_the_log_is_read_too_and_a_large_file_is_copied_beside(
    vases: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(untrusted_files, "MOST_IN_MEMORY", 100)
    with closing(sqlite3.connect(vases)) as other:
        other.execute("INSERT INTO vases (name) VALUES ('new')")
        other.commit()
        with lent(vases) as database:
            assert database.ask("SELECT count(*) FROM vases").rows == ((3,),)


@pytest.mark.parametrize(
    "content", [None, b"no database" * 100, b"SQLite format 3\0" + b"\xff" * 5000]
)
def test_what_is_no_database_is_refused_in_words(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "notes.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=r"notes\.txt"), lent(path):
        pass
