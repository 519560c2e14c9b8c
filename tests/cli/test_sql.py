"""Queries to a database of the person's: rows, failures, and what worked before."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.cli.conftest import Terminal


def test_a_failed_query_is_put_right_as_it_was_last_time(memapp: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "vases.db"
    with closing(sqlite3.connect(file)) as made:
        made.executescript(
            "CREATE TABLE vases (name, glaze); INSERT INTO vases "
            "VALUES ('tall', NULL), ('wide', x'00ff')"
        )
    actual = memapp("sql", str(file), "SELECT * FROM vases")[:2]
    assert actual == (0, "name\tglaze\ntall\tNULL\nwide\tx'00ff'\n")
    assert not memapp.home.exists(), "what works opens nothing"

    code, out, err = memapp("sql", str(file), "SELECT nmae FROM vases")
    assert (code, out, err.splitlines()[0]) == (1, "", "sql: no such column: nmae")
    assert "memapp lessons" in err
    assert memapp("sql", str(file), "SELECT name FROM vases")[1] == "name\ntall\nwide\n"
    code, _, err = memapp("sql", str(file), "SELECT nmae FROM vases")
    assert err.splitlines()[1:] == [
        "memapp: here `SELECT name FROM vases` worked once, untested as a hint · memapp why"
    ]

    assert memapp("why")[1].splitlines()[0] == "failed: SELECT nmae FROM vases", (
        "wherever the person is"
    )

    (run,) = json.loads(memapp("runs", "--json")[1])
    assert (run["tool"], run["client"], run["steps"], run["tool_errors"]) == ("sql", "person", 3, 2)
    answer = json.loads(memapp("sql", "--json", "-n", "1", str(file), "SELECT name FROM vases")[1])
    assert answer == {"columns": ["name"], "rows": [["tall"]]}
    assert not any(b"tall" in path.read_bytes() for path in memapp.home.glob("memapp.db*")), (
        "its rows are not kept"
    )
