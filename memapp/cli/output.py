"""Output of commands: data as text or JSON on stdout, messages on stderr, no escape sequences."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.cells import cell_len, set_cell_size

from memapp import paths
from memapp.domain import strict_json
from memapp.domain.text import clean, one_line
from memapp.errors import MemappError, ModelError, StoreError, UsageError

if TYPE_CHECKING:
    from memapp.domain.chat import Message
    from memapp.runtime import Runtime
    from memapp.services.id_lookup import Named

DUMB = ("", "dumb", "unknown")
"""Kinds of terminals without a movable cursor."""
LEAST_CELLS = 20
"""The least width of a column that is cut to fit the terminal."""

LOAD_SECONDS = 180.0
"""Longer than any embedding model takes to load or to fail."""
CATCH_UP_SECONDS = 2.0
"""The longest wait for new embeddings; the rest is left to idle time."""

_Found = TypeVar("_Found")

EXPECTED = (
    MemappError,
    click.ClickException,
    click.exceptions.Exit,
    click.Abort,
    OSError,
    UnicodeError,
)
"""The errors a command may end with; any other is a bug, or comes from a damaged file."""


def say(text: str) -> None:
    """Write a message to standard error."""
    with suppress(OSError):  # a closed stream must not fail the command
        click.echo(clean(text), err=True)


def show(text: str, *, newline: bool = True) -> None:
    """Write data to standard output."""
    click.echo(clean(text), nl=newline)


def show_json(value: Any) -> None:
    """Write JSON, with control characters escaped."""
    click.echo(strict_json.write(plain(value), indent=2))


@dataclass(frozen=True)
class Output:
    """The output of a command: JSON for programs, and text for people."""

    data: Any
    """The JSON of `--json`."""
    text: str = ""
    rows: Sequence[Mapping[str, Any]] = ()
    notes: Sequence[str] = ()
    """Messages for people only; empty ones are skipped."""
    aside: str = ""
    """A message for people and programs."""
    error: MemappError | None = None
    """Raised after the rest was written."""

    def write(self, as_json: bool) -> None:
        if as_json:
            show_json(self.data)
        else:
            if self.text:
                show(self.text)
            show_rows(self.rows)
        for note in (*(() if as_json else self.notes), self.aside):
            if note:
                say(note)
        if self.error is not None:
            raise self.error


def listing(
    found: Sequence[_Found],
    row: Callable[[_Found], Mapping[str, Any]],
    nothing: str = "",
    limit: int | None = None,
    aside: str = "",
) -> Output:
    """Return a listing with a row for each result, at most `limit`, or a word if there is none."""
    shown = found[:limit]
    is_cut = limit is not None and len(found) > limit
    more = f"There are more: add -n {2 * limit}." if limit and is_cut else ""
    return Output(
        shown,
        rows=[row(result) for result in shown],
        notes=() if found else (nothing,),
        aside="\n".join(filter(None, (aside, more))),
    )


def messages_behind(messages: "Sequence[Message]") -> list[str]:
    """Return a line for each source message."""
    return [f"from {when(message.created_at)}: {message.text}" for message in messages]


def has_terminal() -> bool:
    """Return True if there is a terminal to type in and to draw on; Textual draws on stderr."""
    is_dumb = os.name == "posix" and os.environ.get("TERM", "") in DUMB
    return not is_dumb and all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def show_rows(rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows: aligned columns that fit the terminal, or tab-separated in a pipe."""
    if not rows:
        return
    table = [[one_line(clean(str(value))) for value in row.values()] for row in rows]
    if not sys.stdout.isatty():
        for line in table:
            click.echo("\t".join(line))
        return
    columns = shutil.get_terminal_size().columns
    room = columns - 2 * (len(table[0]) - 1)
    widths = _fitting(
        [max(cell_len(line[column]) for line in table) for column in range(len(table[0]))], room
    )
    for line in table:
        if sum(widths) > room:
            click.echo(
                click.wrap_text("  ".join(filter(None, line)), columns, subsequent_indent="    ")
            )
        else:
            cells = (_cut(cell, width) for cell, width in zip(line, widths, strict=True))
            click.echo("  ".join(cells).rstrip())


def _fitting(widths: list[int], room: int) -> list[int]:
    """Return column widths that fit: the widest shrinks first, down to `LEAST_CELLS`."""
    fitting = [*widths]
    for column in sorted(range(len(widths)), key=lambda column: -widths[column]):
        over = max(0, sum(fitting) - room)
        fitting[column] = max(min(LEAST_CELLS, widths[column]), widths[column] - over)
    return fitting


def _cut(cell: str, width: int) -> str:
    if cell_len(cell) <= width:
        return set_cell_size(cell, width)
    return f"{set_cell_size(cell, width - 1).rstrip()}…"


def short_ids(runtime: "Runtime", table: "Named") -> Callable[[str], str]:
    """Return a function that shortens an id: on a terminal to its shortest unique ending."""
    from memapp.services import id_lookup

    named = id_lookup.endings(runtime, table) if sys.stdout.isatty() else {}
    return lambda memory_id: named.get(memory_id, memory_id)


def when(moment: datetime) -> str:
    """Return a time in the person's time zone."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def refuse_own(options: Mapping[str, Any], target: Path) -> None:
    """Raise `UsageError` for one of memapp's own files, which nothing may overwrite."""
    own = paths.locate(options["home"], options["database"])
    kept = [
        own.config,
        own.categories,
        *(Path(f"{own.database}{end}") for end in ("", "-wal", "-shm", "-journal", ".lock")),
    ]
    if os.path.realpath(target) in map(os.path.realpath, kept):
        raise UsageError(f"{target} is memapp's own file.", "Name another.")


@contextmanager
def opened(options: Mapping[str, Any], *, read_only: bool = False) -> "Iterator[Runtime]":
    """Open memapp for one command, without loading a model.

    Only the default file is created if it does not exist.
    """
    from memapp import bootstrap
    from memapp.services import backups

    is_first_start = (
        options["database"] is None and not paths.locate(options["home"]).database.exists()
    )
    read_only = read_only and not is_first_start
    places = {"home": options["home"], "database": options["database"]}
    runtime = bootstrap.start(**places, flags=options["flags"], read_only=read_only, tell=say)
    try:
        yield runtime
        backups.run(runtime)
    except Exception as error:
        if not isinstance(error, EXPECTED) and (damage := runtime.database.damage()):
            raise damage from error
        raise
    finally:
        runtime.close()


@contextmanager
def opened_if_possible(options: Mapping[str, Any]) -> "Iterator[Runtime]":
    """Open memapp, read-only if the file cannot be written, as on a full disk."""
    with ExitStack() as stack:
        try:
            runtime = stack.enter_context(opened(options))
        except StoreError:
            runtime = stack.enter_context(opened(options, read_only=True))
        yield runtime


@contextmanager
def opened_to_search(options: Mapping[str, Any]) -> "Iterator[Runtime]":
    """Open memapp with its embedding model, read-only if the file cannot be written."""
    with opened_if_possible(options) as runtime:
        search_by_meaning(runtime)
        yield runtime


def load_embedder(runtime: "Runtime") -> bool:
    """Wait until the embedding model is loaded; return True if there is one."""
    from memapp.services.models import model_loading

    if runtime.embedding.state == "off":
        model_loading.load_embedder(runtime)
    return runtime.embedding.ready(within=LOAD_SECONDS) is not None


def search_by_meaning(runtime: "Runtime") -> None:
    """Load the embedding model and embed new texts; without a model, say so."""
    from memapp.inference import Cancel
    from memapp.services import jobs

    if not load_embedder(runtime):
        say(f"Searching by words only. {runtime.embedding.note}")
    elif not runtime.database.read_only:
        with suppress(ModelError, StoreError):
            list(jobs.run(runtime, Cancel(), [jobs.EMBED], CATCH_UP_SECONDS))


def plain(value: Any) -> Any:
    """Return a value as JSON types: records as dictionaries, and other types as text."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Mapping():
            return {name: plain(item) for name, item in value.items()}
        case tuple() if hasattr(value, "_asdict"):
            return plain(value._asdict())
        case list() | tuple():
            return [plain(item) for item in value]
        case _ if is_dataclass(value):
            return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return value.isoformat() if isinstance(value, datetime) else str(value)
