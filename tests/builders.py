"""A real Runtime on real SQLite with scripted models and a clock that the test moves."""

import json
import re
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from memapp import paths, settings
from memapp.categories import load_categories
from memapp.domain.chat import Message, Origin, Role
from memapp.domain.forget import Receipt
from memapp.domain.memory import Kind, Memory
from memapp.domain.model_jobs import MODEL_JOBS, JobTest, ModelJob
from memapp.domain.turn_events import TurnEvent
from memapp.inference import Cancel
from memapp.inference.embedder import ChildEmbedder, bundled
from memapp.inference.scripted import ScriptedModel
from memapp.language.normal_form import WORDING
from memapp.prompts.personas import load_personas
from memapp.runtime import Runtime
from memapp.services import chats, curate, forget, jobs, upkeep
from memapp.services.models import model_key
from memapp.services.turn import take_turn
from memapp.store import chat, model_jobs
from memapp.store.encoding import new_id
from memapp.store.opening import open_database
from memapp.store.session import Session


class Reader:
    """The bundled embedding model, by which messages are read: opened once in a process, and left
    open by runtimes that end.
    """

    _opened: ClassVar[ChildEmbedder | None] = None
    _vectors: ClassVar[dict[str, NDArray[np.float32]]] = {}
    """Of the texts so far: many tests say the same."""

    def __init__(self) -> None:
        Reader._opened = Reader._opened or ChildEmbedder(
            bundled(Path(tempfile.gettempdir()) / "memapp-tests")
        )
        self.model_id, self.dimension = Reader._opened.model_id, Reader._opened.dimension

    def embed(
        self, texts: Sequence[str], *, wait: bool = True
    ) -> NDArray[np.float32]:  # it may wait in a test
        assert Reader._opened
        new = [text for text in dict.fromkeys(texts) if text not in Reader._vectors]
        Reader._vectors.update(zip(new, Reader._opened.embed(new), strict=True))
        return np.array([Reader._vectors[text] for text in texts], dtype=np.float32).reshape(
            len(texts), self.dimension
        )

    def stopped_by(self, cancel: Cancel) -> AbstractContextManager[None]:
        assert Reader._opened
        return Reader._opened.stopped_by(cancel)

    def close(self) -> None:
        """Leave it open."""


class Clock:
    """A clock that advances by a second at each reading."""

    def __init__(self, start: datetime = datetime(2026, 1, 31, 8, 15, tzinfo=UTC)) -> None:
        self.now = start

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def make_runtime(
    home: Path, model: ScriptedModel | None = None, *, embedder: bool = True, **chosen: Any
) -> Runtime:
    """Open a store below `home`; `chosen` are settings. Without a model the slot stays off."""
    places = paths.locate(home)
    # what is shown is no lot
    loaded = settings.load(places.config, {"lessons_compare": False, **chosen}, environment={})
    personas = load_personas([paths.bundled("assets", "personas"), places.personas])
    runtime = Runtime(
        loaded,
        places,
        open_database(places.database, WORDING),
        personas,
        load_categories(paths.bundled("assets", "categories.toml"), places.categories),
        Clock(),
        open_chat_model=lambda _runtime, _report: ScriptedModel(),
        open_embedder=lambda _runtime: Reader(),  # type: ignore[arg-type]
        open_reader=lambda _runtime: Reader(),  # type: ignore[arg-type]
    )
    if model is not None:
        runtime.chat.fill(model)
    if embedder:
        runtime.embedding.fill(Reader())
    return runtime


def ask_the_model(runtime: Runtime) -> None:
    """Let every turn reach the model, also questions that quotations would answer."""
    settings = runtime.settings.model_copy(update={"answer_from_memory": False})
    runtime.loaded = replace(runtime.loaded, settings=settings)


def trust(runtime: Runtime, *jobs: ModelJob) -> None:
    """Let the loaded model count as one that passed the test of some jobs, or of all."""
    model = runtime.chat.ready()
    assert model
    with runtime.write() as session:
        model_jobs.save_tests(
            session, model_key(model), {job: JobTest(20, 20) for job in jobs or MODEL_JOBS}
        )


def fact(text: str, at: datetime, **other: Any) -> Memory:
    """Return an unstored memory, learned at the given time, with other fields as given."""
    values: dict[str, Any] = {
        "id": new_id(at),
        "text": text,
        "tags": (),
        "kind": Kind.SEMANTIC,
        "category": "",
        "importance": 2,
    }
    values |= {"origin": "distilled", "created_at": at, "updated_at": at}
    return Memory(**values | other)


def say(runtime: Runtime, thread_id: str, text: str) -> list[TurnEvent]:
    """Take a whole turn and return its events."""
    return list(take_turn(runtime, thread_id, text))


def chat_of(runtime: Runtime, *texts: str) -> str:
    """Say things in a new chat; return its id."""
    thread_id = new_chat(runtime)
    for text in texts:
        say(runtime, thread_id, text)
    return thread_id


def learn(runtime: Runtime, thread_id: str | None = None) -> list[Any]:
    """Run the jobs of idle time, such as learning from messages; return the news."""
    return list(upkeep.work(runtime, thread_id, Cancel()))


def erase(runtime: Runtime, *memory_ids: str, messages: bool = False) -> Receipt:
    """Put memories into the trash, and erase them from there for good."""
    curate.discard(runtime, *memory_ids)
    return forget.purge(runtime, memory_ids, messages=messages)


def tidy(runtime: Runtime) -> int:
    """Do the jobs of now and then that are due, but for the backup; return how many things were
    done.
    """
    due = [job for job in jobs.NOW_AND_THEN if job.name != "backup"]
    return sum(event for event in jobs.run_due(runtime, Cancel(), due) if isinstance(event, int))


def only(kind: type, happened: Iterable[object]) -> Any:
    """Return the one event of a kind."""
    (found,) = [event for event in happened if isinstance(event, kind)]
    return found


def recorded(runtime: Runtime, op: str) -> list[dict[str, Any]]:
    """Return what was noted of an operation, newest first."""
    rows = runtime.database.read().execute(
        "SELECT * FROM events WHERE op = ? ORDER BY id DESC", (op,)
    )
    return [{**dict(row), "meta": json.loads(row["meta"])} for row in rows]


def typed_message(session: Session, thread_id: str, text: str) -> Message:
    """Add a message that the person typed, without a turn."""
    return chat.add_message(session, thread_id, Role.USER, text, session.now, origin=Origin.TYPED)


def new_chat(runtime: Runtime, persona: str = "") -> str:
    return chats.new_thread(runtime, persona).id


def damage(path: Path, name: str) -> None:
    """Overwrite the first page of a table or an index in a file that nobody has open."""
    with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as conn:
        (page,) = conn.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)
        ).fetchone()
        (size,) = conn.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as file:
        file.seek(size * (page - 1))
        file.write(b"\x05" * size)


def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait for a condition."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.005)


def on(
    conn: sqlite3.Connection,
    user_id: str = "me",
    now: datetime = datetime(2026, 1, 31, 8, 15, tzinfo=UTC),
) -> Session:
    """Return a session on a connection that a test opened itself."""
    return Session(conn, user_id, now)


def sentence_list(text: str) -> tuple[str, ...]:
    """Return the sentences of a text, where many stand in a list."""
    return tuple(re.split(r"(?<=[.?!]) ", text))


def word_list(text: str) -> list[str]:
    """Return the words of a text, where many stand in a list."""
    return text.split()
