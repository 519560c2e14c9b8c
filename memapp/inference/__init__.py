"""The models, behind two protocols: `ChatModel` writes text, `Embedder` turns text into vectors.

Implementations: `child_model` (a GGUF file, run by `llama` in a process of its own), `server` (an
OpenAI-compatible server on loopback), `embedder` (also in a process of its own: `minilm` in
llama.cpp, or sentence-transformers). `scripted` has both for tests and benchmarks. Heavy libraries
are imported inside functions, so that importing this package costs nothing.
"""

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from typing import TYPE_CHECKING, Protocol

from memapp.domain.prompt import Finished, Piece, Prompt, Sampling
from memapp.errors import ModelError

if TYPE_CHECKING:
    import numpy as np

NAME_CHARS = 80
"""The longest shown name of a model; files and servers set no limit."""


class Cancel:
    """A flag that stops a call within milliseconds, even in prefill. Thread-safe; never reset."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._set = False
        self._listeners: list[Callable[[], None]] = []

    def set(self) -> None:
        with self._lock:
            self._set = True
            listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener()

    def is_set(self) -> bool:
        return self._set

    @contextmanager
    def heard_by(self, listener: Callable[[], None]) -> Iterator[None]:
        """Call `listener` when the flag is set within the context; at once if already set."""
        with self._lock:
            was_set = self._set
            if not was_set:
                self._listeners.append(listener)
        if was_set:
            listener()
        try:
            yield
        finally:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)


class Stopped(BaseException):
    """Ends an idle job in the middle of a step, as a kill would.

    No failure, and so not caught by handlers of failures.
    """


@contextmanager
def after(seconds: float, do: Callable[[], None]) -> Iterator[None]:
    """Call a function on a thread, unless the context ends in time."""
    timer = threading.Timer(seconds, do)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def closed() -> ModelError:
    """Return the error for every call after `close`."""
    return ModelError("The model was closed.", "Start it again.")


class ChatModel(Protocol):
    """A language model. Calls come from any thread and are served in order, before prefilling.

    Idle work that generates is cancelled by whoever begins a person's turn.
    """

    name: str
    context_tokens: int
    key: str
    """The identity of the model: the hash of the file, or the server's address and the model's
    name; may be empty.
    """

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of a text; control tokens count as ordinary text."""

    def prompt_tokens(self, prompt: Prompt) -> int:
        """Return the number of tokens of a rendered prompt, template and head included."""

    def generate(
        self, prompt: Prompt, sampling: Sampling, cancel: Cancel
    ) -> Generator[Piece | Finished, None, None]:
        """Stream a reply, `Finished` last; closing the iterator stops it. Raises `ModelError`."""

    def warm(self, prompt: Prompt, cancel: Cancel, *, open_end: bool = False) -> int:
        """Prefill a prompt's trunk in idle time; return the tokens computed.

        `open_end` means that the last user turn is being typed: the prompt is computed as if sent
        now. A turn interrupts the call at once.
        """

    def forget(self) -> None:
        """Drop the cached prompts after the running call."""

    def close(self) -> None:
        """Release the model; later calls raise `ModelError`."""


def whole_reply(
    model: ChatModel,
    prompt: Prompt,
    sampling: Sampling,
    cancel: Cancel,
    is_enough: Callable[[str], bool] = lambda _: False,
) -> str:
    """Return the text a model writes, up to where `is_enough`. Raises `ModelError`."""
    text = ""
    with closing(model.generate(prompt, sampling, cancel)) as stream:
        for part in stream:
            if isinstance(part, Piece):
                text = part.joined_to(text)
                if is_enough(text):
                    break
    return text


class Embedder(Protocol):
    """A sentence embedding model."""

    model_id: str
    dimension: int

    def embed(
        self, texts: Sequence[str], *, wait: bool = True
    ) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
        """Return one unit-length float32 row of `dimension` numbers for each text.

        Raises `ModelError`; and `ModelLoading` if the model died and is loading again, at once
        unless `wait`.
        """

    def stopped_by(self, cancel: Cancel) -> AbstractContextManager[None]:
        """Let this thread's calls within the context end with `Stopped` on cancel."""

    def close(self) -> None:
        """Release the model."""
