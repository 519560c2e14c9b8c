"""An embedding model in a process of its own, loaded in the background.

The bundled model and any GGUF file run in llama.cpp, a folder named by the person in
sentence-transformers; none stands in for another. The process is killed, not asked: it keeps
nothing that could be lost. When it dies, the waiting calls fail, and the next one restarts it, a
few times.
"""

import atexit
import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memapp.errors import ModelError, ModelLoading
from memapp.inference import Cancel, Stopped, embedder_child, gguf_file, model_folder
from memapp.inference.bundled import bundled_embedder_path
from memapp.inference.cached_copies import content_hash
from memapp.inference.child import Child
from memapp.inference.embedder_child import FILE, FOLDER, MINILM, READY, STOP, STOPPED, VECTORS

REQUEST_CHARS = 500
"""The most characters of one request: a question during a long job waits for one request at most.
"""
TEXT_CHARS = 8000
"""The part of a text that is read; the models take a few hundred word pieces at most."""
RESTARTS = 3


@dataclass(frozen=True)
class Source:
    """An embedding model that was examined and not loaded yet."""

    model_id: str
    """A name that changes with everything the vectors depend on: vectors of different models are
    never mixed.
    """
    dimension: int
    loading: tuple[str, ...]
    """The arguments of the process: how to load the model, and from where."""


def bundled(cache: Path) -> Source:
    """Return the bundled model, converted to `cache` when loaded. Raises `ModelError`."""
    from memapp.inference import minilm

    folder = bundled_embedder_path()
    try:
        model_id, converted = minilm.identify(folder, cache)
    except OSError as error:
        file = f"{error.filename}, " if error.filename else ""  # a full disk names no file
        raise ModelError(
            f"The embedding model cannot be prepared: {file}{error.strerror}."
        ) from None
    return Source(
        model_id,
        minilm.DIMENSION,
        (MINILM, os.fspath(folder.absolute()), os.fspath(converted.absolute())),
    )


def in_folder(folder: Path) -> Source:
    """Return the model in a sentence-transformers folder. Raises `ModelError` if none is safe."""
    dimension = model_folder.dimension(folder)
    return Source(model_folder.model_id(folder), dimension, (FOLDER, os.fspath(folder.absolute())))


def named(path: Path, cache: Path) -> Source:
    """Return the model in the named GGUF file or folder. Raises `ModelError` if there is none."""
    if path.is_dir():
        return in_folder(path)
    header = gguf_file.read_embedder(path)
    model_id = f"{header.name}@{content_hash(path, cache)[:12]}"
    return Source(model_id, header.number("embedding_length"), (FILE, os.fspath(path.absolute())))


class ChildEmbedder:
    """Embeds texts with a model. Thread-safe; one request at a time."""

    def __init__(
        self,
        source: Source,
        *,
        load_seconds: float = 120.0,
        answer_seconds: float = 60.0,
        set_aside: Callable[[str], object] = lambda _: None,
    ) -> None:
        """Remember the model to load; `set_aside` gets the reason after too many crashes."""
        self._set_aside = set_aside
        self.model_id, self.dimension = source.model_id, source.dimension
        self._source = source
        self._load_seconds = load_seconds
        self._answer_seconds = answer_seconds
        self._turn = threading.Lock()
        """Held by the caller that talks to the process, or waits for it to load."""
        self._next = threading.Lock()
        """Held by the next caller, so that a long job cannot take the turn again at once."""
        self._of_thread = threading.local()
        """The cancel flag of a thread's calls."""
        self._child: _Child | None = None
        self._starts = 0
        self._closed = False
        atexit.register(self.close)
        _multiply_on_one_thread()

    def embed(self, texts: Sequence[str], *, wait: bool = True) -> NDArray[np.float32]:
        """Return one unit-length float32 row for each text, loading the model first if need be.

        Raises `ModelLoading` when loading takes too long, or at once unless `wait`; `ModelError`
        when the model cannot be loaded, died or was closed.
        """
        self._check_open()
        rows = [
            self._embed(group, wait) for group in _requests([_readable(text) for text in texts])
        ]
        return np.concatenate(rows) if rows else np.empty((0, self.dimension), dtype=np.float32)

    @contextmanager
    def stopped_by(self, cancel: Cancel) -> Iterator[None]:
        """Let this thread's calls within the context end with `Stopped` on cancel."""
        self._of_thread.cancel = cancel
        try:
            yield
        finally:
            self._of_thread.cancel = None

    def close(self) -> None:
        """End the process; later calls raise `ModelError`. Idempotent."""
        atexit.unregister(self.close)
        self._closed = True
        if self._child is not None:
            self._child.kill()  # ends the calls in progress
        with self._turn:
            if self._child is not None:
                self._child.end()

    def _embed(self, texts: Sequence[str], wait: bool) -> NDArray[np.float32]:
        cancel = getattr(self._of_thread, "cancel", None) or Cancel()
        if wait or (self._child is not None and self._child.ready):
            with self._next:
                self._turn.acquire()
        elif not self._turn.acquire(blocking=False):
            raise _still_loading()
        try:
            child = self._living_child()
            child.wait_until_ready(self._load_seconds if wait else 0)
            with cancel.heard_by(child.stop):
                if cancel.is_set():
                    raise Stopped
                return child.embed(texts, self._answer_seconds)
        finally:
            self._turn.release()

    def _living_child(self) -> "_Child":
        if self._child is None or self._child.ended:
            if self._starts > RESTARTS:
                error = ModelError("The embedding model stopped too often.", "Start memapp again.")
                self._set_aside(str(error))
                raise error
            self._starts += 1
            try:
                self._child = _Child(self._source, self._answer_seconds)
            except OSError as error:
                raise ModelError(
                    f"The embedding model cannot be started: {error.strerror}."
                ) from None
        # `close` may have run before this process was started.
        self._check_open()
        return self._child

    def _check_open(self) -> None:
        if self._closed:
            raise ModelError("The embedding model was closed.", "Start memapp again.")


class _Child:
    """One run of the process. Only `kill` may be called by another thread than the others."""

    def __init__(self, source: Source, answer_seconds: float) -> None:
        self.ready = False
        self.ended = False
        self._dimension = source.dimension
        self._process = Child(
            [embedder_child.__file__], source.loading, send_seconds=answer_seconds
        )
        self._pipe = self._process.pipe
        self._sending = threading.Lock()

    def wait_until_ready(self, seconds: float) -> None:
        """Raise `ModelLoading` if still loading after so long, `ModelError` if loading failed."""
        if self.ready:
            return
        with self._ended_by_errors():
            answer = self._answer(seconds)
            if answer is None:
                raise _still_loading()
            kind, content = answer
            if kind != READY:
                raise ModelError(f"The embedding model could not be loaded: {content.decode()}")
            if int(content) != self._dimension:
                raise ModelError(
                    f"The embedding model gives {int(content)} numbers "
                    f"where its files say {self._dimension}."
                )
        self.ready = True

    def embed(self, texts: Sequence[str], seconds: float) -> NDArray[np.float32]:
        with self._ended_by_errors():
            with self._sending:
                self._pipe.send_bytes(json.dumps(texts).encode())
            answer = self._answer(seconds)
            if answer is None:
                raise ModelError("The embedding model stopped answering.")
        kind, content = answer
        if kind == STOPPED:
            raise Stopped
        if kind != VECTORS:
            raise ModelError(f"The embedding model failed ({content.decode()}).")
        return np.frombuffer(content, dtype="<f4").reshape(-1, self._dimension).astype(np.float32)

    def stop(self) -> None:
        """Stop the running request, while another thread waits for its answer."""
        with suppress(OSError), self._sending:
            self._pipe.send_bytes(STOP)

    def kill(self) -> None:
        """End the process, while another thread waits for its answer."""
        self._process.kill()

    def end(self) -> None:
        """End the process and wait until it is gone. Idempotent."""
        self.ended = True
        self._process.end()

    def _answer(self, seconds: float) -> tuple[bytes, bytes] | None:
        """Return the kind and the content of the next answer; None after a timeout."""
        if not self._pipe.poll(seconds):
            return None
        frame = self._pipe.recv_bytes()
        return frame[:1], frame[1:]

    @contextmanager
    def _ended_by_errors(self) -> Iterator[None]:
        try:
            yield
        except ModelLoading:
            raise
        except ModelError:
            self.end()
            raise
        except (EOFError, OSError):
            self.end()
            raise ModelError("The embedding model stopped.") from None


def _multiply_on_one_thread() -> None:
    """Limit numpy to one thread for products of vectors, which would slow down models.

    Its threads spin while they wait, ten times as long as a product takes.
    """
    from threadpoolctl import threadpool_limits

    threadpool_limits(1, user_api="blas")


def _requests(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the texts in groups that fit one request."""
    group: list[str] = []
    for text in texts:
        if group and sum(map(len, group)) + len(text) > REQUEST_CHARS:
            yield group
            group = []
        group.append(text)
    if group:
        yield group


def _readable(text: str) -> str:
    """Return the beginning of a text without lone surrogates, which tokenizers refuse."""
    return text[:TEXT_CHARS].encode("utf-8", "replace").decode().replace("\x00", " ")


def _still_loading() -> ModelLoading:
    return ModelLoading("The embedding model is still loading.", "Try again in a moment.")
