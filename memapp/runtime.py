"""The parts of a running memapp: settings, places, the database, the models and the clock.

Built once by `bootstrap` and handed to every service.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, Literal, TypeVar

from memapp.domain.categories import Categories
from memapp.domain.changes import Actor
from memapp.domain.chat import Thread
from memapp.domain.jobs import Progress
from memapp.domain.persona import Persona
from memapp.domain.prediction import Prefetched
from memapp.errors import ModelError, ModelLoading, UsageError
from memapp.inference import Cancel as Cancel  # re-exported for the screen
from memapp.inference import ChatModel, Embedder
from memapp.paths import Paths
from memapp.settings import Loaded, Settings
from memapp.store.database import Database
from memapp.store.encoding import new_id
from memapp.store.session import USER_ID as USER_ID
from memapp.store.session import Session

T = TypeVar("T", ChatModel, Embedder)
SlotState = Literal["off", "loading", "ready", "failed"]


class ModelSlot(Generic[T]):
    """A model that may be loading, missing or broken. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._value: T | None = None
        self.state: SlotState = "off"
        self.note = ""
        """The progress or the failure, for the screen."""

    def loading(self, note: str) -> None:
        self._set("loading", note, None)

    def fill(self, value: T, note: str = "") -> None:
        self._set("ready", note, value)

    def fail(self, note: str) -> None:
        self._set("failed", note, None)

    def ready(self, *, within: float = 0.0) -> T | None:
        """Return the model if it is ready; wait at most `within` seconds while it loads."""
        with self._changed:
            self._changed.wait_for(lambda: self.state != "loading", within)
            return self._value

    def wait(self, cancel: Cancel, seconds: float) -> T:
        """Return the model when it is loaded.

        Raises `ModelError` if there is none, and `ModelLoading` after `seconds`.
        """
        waited = 0.0
        with self._changed:
            while self._value is None:
                if self.state in ("off", "failed"):
                    raise ModelError(
                        self.note or "No model is loaded.", "Choose one under Models (F8)."
                    )
                if cancel.is_set() or waited >= seconds:
                    raise ModelLoading(
                        self.note or "The model is still loading.", "Try again in a moment."
                    )
                self._changed.wait(0.1)
                waited += 0.1
            return self._value

    def empty(self) -> None:
        value = self._value
        self._set("off", "", None)
        if value is not None:
            value.close()

    def _set(self, state: SlotState, note: str, value: T | None) -> None:
        with self._changed:
            self.state, self.note, self._value = state, note, value
            self._changed.notify_all()


@dataclass
class Runtime:
    """Everything a service needs."""

    loaded: Loaded
    paths: Paths
    database: Database
    personas: Mapping[str, Persona]
    categories: Categories
    clock: Callable[[], datetime]
    open_chat_model: Callable[["Runtime", Callable[[str], None]], ChatModel]
    """Opens the chosen model; slow; reports its progress. Raises `ModelError`."""
    open_embedder: Callable[["Runtime"], Embedder]
    """Opens the embedding model for search. Raises `ModelError`."""
    open_reader: Callable[["Runtime"], Embedder]
    """Opens the bundled embedding model, for which all readers were fitted. Raises `ModelError`."""
    user_id: str = USER_ID

    def __post_init__(self) -> None:
        self.chat: ModelSlot[ChatModel] = ModelSlot()
        self.embedding: ModelSlot[Embedder] = ModelSlot()
        """The model for search, whose vectors are stored."""
        self.apart: ModelSlot[Embedder] = ModelSlot()
        """The bundled embedding model, while another one searches."""
        self.typed: tuple[str, int, Prefetched] | None = None
        """Call 1 of the text being typed: thread, number of erasures, result. Never saved."""
        self.progress: Progress | None = None
        """The progress of the background job in this process."""
        self.doubted = ""
        """The last text that may be a password; the person is asked once, and repeating is a yes.
        """
        self.downloading_from = ""
        """The host of a running download, else empty."""

    @property
    def settings(self) -> Settings:
        return self.loaded.settings

    @property
    def judge_embedder(self) -> ModelSlot[Embedder]:
        """The embedding model that reads messages: always the bundled one."""
        return self.apart if self.settings.embedding_model else self.embedding

    def persona(self, persona_id: str) -> Persona:
        """Return a persona; the companion if the persona is gone."""
        return self.personas.get(persona_id) or self.personas["companion"]

    def persona_called(self, name: str) -> str:
        """Return the id of a persona by id or name. Raises `UsageError`."""
        for persona_id, persona in self.personas.items():
            if name.lower() in (persona_id, persona.name.lower()):
                return persona_id
        wrong = f"There is no persona {name!r}." if name else "Write /persona and a name."
        raise UsageError(wrong, f"There are: {', '.join(sorted(self.personas))}.")

    def persona_in(self, thread: Thread) -> Persona:
        """Return the persona of a chat, with the trust level of the chat."""
        persona = self.persona(thread.persona)
        if thread.trust_level is None:
            return persona
        return persona.model_copy(update={"trust_level": thread.trust_level})

    def actor(self, thread_id: str = "", *, name: str = "person") -> Actor:
        """Return an actor, the person or a part of memapp, with a new step."""
        return Actor(name, thread_id, new_id(self.clock()))

    def purge_at(self, since: datetime | None = None) -> datetime:
        """Return when memories trashed now, or at `since`, are erased."""
        return (since or self.clock()) + timedelta(days=self.settings.purge_days)

    def read(self) -> Session:
        """Return a session on the committed data, for this thread."""
        return Session(self.database.read(), self.user_id, self.clock())

    def write(self) -> AbstractContextManager[Session]:
        """Return a session that commits everything, or nothing."""
        return self._session(self.database.write())

    def decide(self) -> AbstractContextManager[Session]:
        """Like `write`, and consent requests and the profile may change too."""
        return self._session(self.database.decide())

    def rehearse(self) -> AbstractContextManager[Session]:
        """Like `write`, but rolled back: shows the effect of a change."""
        return self._session(self.database.rehearse())

    @contextmanager
    def _session(self, transaction: AbstractContextManager[Any]) -> Iterator[Session]:
        with transaction as conn:
            yield Session(conn, self.user_id, self.clock())

    def close(self) -> None:
        """Stop the models, then close the database."""
        self.chat.empty()
        self.embedding.empty()
        self.apart.empty()
        self.database.close()
