"""`memapp sql`: queries a SQLite database, and learns from failed queries."""

import os
from pathlib import Path
from typing import Any

import click

from memapp.cli.options import COUNT, PATH
from memapp.cli.output import say, show_json, show_rows
from memapp.domain.lessons.query_result import Table

NULL = "NULL"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Write JSON, for programs.")
@click.option(
    "-n",
    "limit",
    metavar="N",
    type=COUNT,
    default=100,
    show_default=True,
    help="The most rows to show.",
)
@click.argument("file", type=PATH)
@click.argument("query")
@click.pass_obj
def sql(options: dict[str, Any], file: Path, query: str, as_json: bool, limit: int) -> int:
    """Query a SQLite database, and learn from failed queries.

    The query reads a copy of FILE: one SELECT, for at most ten seconds. memapp keeps failed
    queries, and the queries that then work, without secrets: see `memapp lessons`. It never keeps a
    row.
    """
    from memapp.domain.lessons.recording import Client, ToolStep
    from memapp.run.attempt import Attempted
    from memapp.run.hints import WHY, tell_person
    from memapp.store.lent_database import lent
    from memapp.tools import markers
    from memapp.tools.sql import Sql, as_attempt

    with lent(file) as database:
        tool, table = Sql(database), database.ask(query, limit)
        _show(table, limit, as_json)
        where = {"home": options["home"], "db": options["database"]}
        places = {name: str(path) for name, path in where.items() if path is not None}
        place = os.path.realpath(file)
        if table.error or markers.is_open(tool.name, places, place):
            done = as_attempt(query, table)
            step = ToolStep(tool.name, tool.scope, done, tool.feedback(done), Client())
            tell_person(places, Attempted(step, place, str(Path(place).parent)), WHY)
    return 1 if table.error else 0


def _show(table: Table, limit: int, as_json: bool) -> None:
    if table.error:
        say(f"sql: {table.error}")
        return
    rows = [tuple(map(_readable, row)) for row in table.rows]
    if as_json:
        show_json({"columns": table.columns, "rows": rows})
    else:
        lines = [table.columns, *([NULL if cell is None else cell for cell in row] for row in rows)]
        show_rows([{str(number): cell for number, cell in enumerate(line)} for line in lines])
    if table.is_cut:
        say(f"There are more: add -n {2 * limit}.")


def _readable(value: object) -> object:
    return f"x'{value.hex()}'" if isinstance(value, bytes) else value
