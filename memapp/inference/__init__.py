"""The models, behind two Protocols: a `ChatModel` writes text, an `Embedder` turns text into
vectors.

Real ones: `child_model` (a GGUF file, which `llama` runs in a process of its own), `server` (an
OpenAI-compatible server on loopback), `embedder` (in a process of its own, too: `minilm` in
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
"""The longest name of a model: one of a file or a server may be as long as it likes."""


class Cancel:
    """A flag that stops a call within milliseconds, in prefill too. Thread-safe; once set it stays
    set.
    """

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
        """Call `listener` when the flag is set while this lasts; at once if it is set already."""
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
    """Ends a job of idle time in the middle of a step, as a kill would: no failure, so nothing that
    handles those catches it.
    """


@contextmanager
def after(seconds: float, do: Callable[[], None]) -> Iterator[None]:
    """Do something, on a thread, if what is done meanwhile takes longer."""
    timer = threading.Timer(seconds, do)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def closed() -> ModelError:
    """The error of every call after `close`."""
    return ModelError("The model was closed.", "Start it again.")


class ChatModel(Protocol):
    """A language model. Calls come from any thread and are served one at a time, in their order;
    prefilling gives way.

    Idle work that generates is cancelled by whoever begins a person's turn.
    """

    name: str
    context_tokens: int
    key: str
    """What a model is known by: the hash of its file, or the address of a server and its name
    there; empty for none.
    """

    def count_tokens(self, text: str) -> int:
        """Count `text` with the model's own tokenizer; control-token strings count as ordinary
        text.
        """

    def prompt_tokens(self, prompt: Prompt) -> int:
        """Count a whole prompt as it will be rendered, template and head included."""

    def generate(
        self, prompt: Prompt, sampling: Sampling, cancel: Cancel
    ) -> Generator[Piece | Finished, None, None]:
        """Stream a reply, `Finished` last. Closing the iterator early stops the model. Raises
        `ModelError`.
        """

    def warm(self, prompt: Prompt, cancel: Cancel, *, open_end: bool = False) -> int:
        """Prefill a prompt's trunk in idle time; return the tokens computed.

        `open_end` says that the last user turn is being typed: the prompt is computed as it would
        be sent now. A turn that starts meanwhile interrupts this at once.
        """

    def forget(self) -> None:
        """Drop what is kept of earlier prompts, after the call that runs; the next call computes
        all of its prompt.
        """

    def close(self) -> None:
        """Release the model; later calls raise `ModelError`."""


def whole_reply(
    model: ChatModel,
    prompt: Prompt,
    sampling: Sampling,
    cancel: Cancel,
    is_enough: Callable[[str], bool] = lambda _: False,
) -> str:
    """Return what a model writes, up to where that is enough. Raises `ModelError`."""
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

        Raises `ModelError`; also `ModelLoading`, at once unless it shall `wait`, when the model
        died and is loaded again.
        """

    def stopped_by(self, cancel: Cancel) -> AbstractContextManager[None]:
        """Let the calls of this thread end with `Stopped` while this lasts, in mid-text too, once
        somebody cancels.
        """

    def close(self) -> None:
        """Release the model."""
