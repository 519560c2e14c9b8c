"""Recording what was done outside memapp: the whole of it opens the file, but no model, no persona,
no prompt.

Nobody waits for it, and nobody is there to be told: what goes wrong is said the next time.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from memapp import after_run, paths, settings
from memapp.after_run import Attempted, Options, path_in
from memapp.categories import load_categories
from memapp.domain.lessons.recording import Client
from memapp.errors import ModelError
from memapp.language.wording import WORDING
from memapp.runtime import Runtime
from memapp.services import runs
from memapp.services.lessons import before_run, recognise
from memapp.services.lessons.hints import Drawn
from memapp.store.opening import open_database
from memapp.tools import markers, program
from memapp.tools.ended import NOT_FOUND


def record(options: Options, did: Attempted, told: Sequence[Drawn]) -> None:
    """Record a step with the hints that were told of it, and leave a marker of the failures that
    are open then.
    """
    try:
        with _opened(path_in(options, "home"), path_in(options, "db")) as runtime:
            reported = runs.record(runtime, did.step, told, did.before)
            before_run.notice(runtime, [recognise.scope_hash(program.project(did.folder))])
        slip = [markers.ANY] if reported.still_open and did.step.done.exit_code == NOT_FOUND else []
        markers.mark(options, did.place, reported.still_open, slip)
        markers.mark_unsolved(options, did.place, reported.unsolved)
    except Exception as error:
        _say_later(options, error)


def finish(
    options: Options, scope: str, client: Client, passed: bool | None, score: float | None
) -> None:
    """Record how the run of a client in a place went, if one goes on there."""
    try:
        with _opened(path_in(options, "home"), path_in(options, "db")) as runtime:
            if run := runs.current_run(runtime, scope, client):
                runs.finish(runtime, run.id, passed=passed, score=score)
    except Exception as error:
        _say_later(options, error)


def _say_later(options: Options, error: Exception) -> None:
    with suppress(OSError):
        after_run.lost(paths.locate(path_in(options, "home")).cache).write_text(
            after_run.in_words(options, error), "utf-8"
        )


@contextmanager
def _opened(home: Path | None, database: Path | None) -> Iterator[Runtime]:
    """Open the file for a moment; `bootstrap` does more. Raises `ConfigError` or `StoreError`."""
    places = paths.locate(home, database)
    loaded = settings.load(places.config)
    categories = load_categories(paths.bundled("assets", "categories.toml"), places.categories)
    file = open_database(places.database, WORDING)
    runtime = Runtime(
        loaded,
        places,
        file,
        {},
        categories,
        lambda: datetime.now(UTC),
        _no_model,
        _no_model,
        _no_model,
    )
    try:
        yield runtime
    finally:
        runtime.close()


def _no_model(*_: object) -> NoReturn:
    raise ModelError("No model is loaded for this.")
