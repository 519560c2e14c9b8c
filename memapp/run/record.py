"""Recording steps and runs from outside the app: opens the database, but no model.

Runs in the background. The next command shows what went wrong here.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from memapp import paths, settings
from memapp.categories import load_categories
from memapp.domain.lessons.recording import Client
from memapp.errors import ModelError
from memapp.language.normal_form import WORDING
from memapp.run import notices
from memapp.run.attempt import Attempted, Options, path_in
from memapp.runtime import Runtime
from memapp.services import runs
from memapp.services.lessons import attempts, before_run
from memapp.services.lessons.hints import Drawn
from memapp.store.opening import open_database
from memapp.tools import markers, program
from memapp.tools.result import NOT_FOUND


def record(options: Options, attempt: Attempted, hints: Sequence[Drawn]) -> None:
    """Record a step and its hints, and mark the failures that are still open."""
    try:
        with _opened(path_in(options, "home"), path_in(options, "db")) as runtime:
            reported = runs.record(runtime, attempt.step, hints, attempt.before)
            before_run.notice(runtime, [attempts.scope_hash(program.project(attempt.folder))])
        is_slip = reported.still_open and attempt.step.done.exit_code == NOT_FOUND
        slip = [markers.ANY] if is_slip else []
        markers.mark(options, attempt.place, reported.still_open, slip)
        markers.mark_unsolved(options, attempt.place, reported.unsolved)
    except Exception as error:
        _note_failure(options, error)


def finish(
    options: Options, scope: str, client: Client, passed: bool | None, score: float | None
) -> None:
    """Record the result of a client's current run, if there is one."""
    try:
        with _opened(path_in(options, "home"), path_in(options, "db")) as runtime:
            if run := runs.current_run(runtime, scope, client):
                runs.finish(runtime, run.id, passed=passed, score=score)
    except Exception as error:
        _note_failure(options, error)


def _note_failure(options: Options, error: Exception) -> None:
    with suppress(OSError):
        notices.lost(paths.locate(path_in(options, "home")).cache).write_text(
            notices.in_words(options, error), "utf-8"
        )


@contextmanager
def _opened(home: Path | None, database: Path | None) -> Iterator[Runtime]:
    """Open the database for a moment. Raises `ConfigError` or `StoreError`."""
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
