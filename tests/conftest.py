"""What holds for every test: no setting and no file of the developer's own, and no network for the
model libraries.

And what most tests want: a store below `tmp_path`, with a model that says what the test tells it
to.
"""

import gc
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import hypothesis
import pytest

from memapp.inference.native import usable_cores
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.store import connection, schema
from tests.builders import make_runtime

# No deadline, for the first call compiles patterns and a busy machine is no bug.
hypothesis.settings.register_profile("memapp", deadline=None, max_examples=50)
hypothesis.settings.load_profile("memapp")
# Read when the libraries are imported, so set before any test.
OFFLINE = "HF_HUB_OFFLINE TRANSFORMERS_OFFLINE HF_HUB_DISABLE_TELEMETRY HF_DATASETS_OFFLINE"
os.environ.update(dict.fromkeys(OFFLINE.split(), "1"))
gc.set_threshold(50_000, 20, 50)  # so many modules are loaded that collecting often takes long


def pytest_xdist_auto_num_workers() -> int:
    """Three more than the cores: a test of the screen or of another process mostly waits."""
    return usable_cores() + 3


def pytest_sessionfinish() -> None:
    """Collect once: pytest would go through everything five times."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def a_person_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """An empty home, and none of the variables by which memapp is configured; return the home."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("MEMAPP_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture(autouse=True, scope="session")
def new_files_are_copies_of_one() -> Iterator[None]:
    """Let the migrations make the first new file only: the others are like it but for their id, and
    most tests make one.
    """
    migrate, released = schema.migrate, schema.scripts()
    with (
        closing(sqlite3.connect(":memory:", check_same_thread=False)) as made,
        pytest.MonkeyPatch.context() as patch,
    ):
        made.row_factory = sqlite3.Row
        schema.add_functions(made)
        migrate(made, lambda _: None)

        def copy(writer: sqlite3.Connection, back_up: Callable[[int], None]) -> None:
            if schema.scripts() != released or writer.execute("PRAGMA user_version").fetchone()[0]:
                migrate(writer, back_up)
                return
            made.backup(writer)
            writer.execute("UPDATE memory_file SET id = lower(hex(randomblob(16)))")

        patch.setattr(schema, "migrate", copy)
        yield


@pytest.fixture(autouse=True)
def unsynced() -> Iterator[None]:
    """Let no write in this process wait for the disk, from the first pragma on. Tests of what a
    failure leaves there put another fixture in its place.
    """
    usual = dict(connection.PRAGMAS)
    connection.PRAGMAS.clear()
    connection.PRAGMAS.update({"synchronous": 0, **usual} | {"synchronous": 0})
    yield
    connection.PRAGMAS.clear()
    connection.PRAGMAS.update(usual)


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
def runtime(
    request: pytest.FixtureRequest, tmp_path: Path, model: ScriptedModel
) -> Iterator[Runtime]:
    """A store, made as `pytest.mark.made_with` says: settings, and another or no `model`."""
    marker = request.node.get_closest_marker("made_with")
    opened = make_runtime(tmp_path, **{"model": model, **(marker.kwargs if marker else {})})
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def utc() -> Iterator[None]:
    """Set the machine's time zone, from which a person's days follow, to the same everywhere."""
    with pytest.MonkeyPatch.context() as zone:
        zone.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def live_in(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Move the machine to another time zone."""

    def move(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    return move
