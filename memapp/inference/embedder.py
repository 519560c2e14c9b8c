"""An embedding model in a process of its own, which loads in the background and never blocks the
screen.

The bundled model and any GGUF file run in llama.cpp, a folder that the person names in
sentence-transformers; none stands in for another.

The process is killed, not asked: it keeps nothing that could be lost. When it dies, the calls that
waited for it fail, and the next one starts it again, a few times.
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
from memapp.inference.child import Child
from memapp.inference.embedder_child import FILE, FOLDER, MINILM, READY, STOP, STOPPED, VECTORS
from memapp.inference.prepared import content_hash

REQUEST_CHARS = 500
"""Texts are sent until they are so long together: a question that comes during a long job waits for
one request at most.
"""
TEXT_CHARS = 8000
"""What of a text is looked at; the models read a few hundred word pieces at most."""
RESTARTS = 3


@dataclass(frozen=True)
class Source:
    """An embedding model whose files were looked at and not loaded yet."""

    model_id: str
    """A name that changes with what the vectors depend on: vectors of another model are never mixed
    in.
    """
    dimension: int
    loading: tuple[str, ...]
    """What the process is told: how to load it, and from where."""


def bundled(cache: Path) -> Source:
    """Find the bundled model; its form for llama.cpp is made in `cache` when it is loaded. Raises
    `ModelError`.
    """
    from memapp.inference import minilm

    folder = bundled_embedder_path()
    try:
        model_id, converted = minilm.identify(folder, cache)
    except OSError as error:
        named = f"{error.filename}, " if error.filename else ""  # a full disk names no file
        raise ModelError(
            f"The embedding model cannot be prepared: {named}{error.strerror}."
        ) from None
    return Source(
        model_id,
        minilm.DIMENSION,
        (MINILM, os.fspath(folder.absolute()), os.fspath(converted.absolute())),
    )


def in_folder(folder: Path) -> Source:
    """Look at a model of sentence-transformers. Raises `ModelError` if the folder has no safe one."""
    dimension = model_folder.dimension(folder)
    return Source(model_folder.model_id(folder), dimension, (FOLDER, os.fspath(folder.absolute())))


def named(path: Path, cache: Path) -> Source:
    """Look at the GGUF file or the folder that the person named. Raises `ModelError` if it has no
    embedding model.
    """
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
        """`set_aside` is told why, once the process died so often that it is not started again."""
        self._set_aside = set_aside
        self.model_id, self.dimension = source.model_id, source.dimension
        self._source = source
        self._load_seconds = load_seconds
        self._answer_seconds = answer_seconds
        self._turn = threading.Lock()
        """Held by the one caller that talks to the process, or waits for it to load."""
        self._next = threading.Lock()
        """Held by the one caller that is to have the turn after that: who is at a long job cannot
        take it again at once.
        """
        self._of_thread = threading.local()
        """What cancels the calls of a thread."""
        self._child: _Child | None = None
        self._starts = 0
        self._closed = False
        atexit.register(self.close)
        _multiply_on_one_thread()

    def embed(self, texts: Sequence[str], *, wait: bool = True) -> NDArray[np.float32]:
        """Return one unit-length float32 row for each text, waiting for the model to load if need
        be and if asked to.

        Raises `ModelLoading` when it takes too long to load, `ModelError` when it cannot be loaded,
        died or was closed.
        """
        self._check_open()
        rows = [self._embed(some, wait) for some in _requests([_readable(text) for text in texts])]
        return np.concatenate(rows) if rows else np.empty((0, self.dimension), dtype=np.float32)

    @contextmanager
    def stopped_by(self, cancel: Cancel) -> Iterator[None]:
        """Let the calls of this thread end with `Stopped` while this lasts, in mid-text too, once
        somebody cancels.
        """
        self._of_thread.cancel = cancel
        try:
            yield
        finally:
            self._of_thread.cancel = None

    def close(self) -> None:
        """End the process; later calls raise `ModelError`. More than once does no harm."""
        atexit.unregister(self.close)
        self._closed = True
        if self._child is not None:
            self._child.kill()  # so that whoever waits for it leaves
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
        # `close` ends whatever process it finds; this one may have come after it
        self._check_open()
        return self._child

    def _check_open(self) -> None:
        if self._closed:
            raise ModelError("The embedding model was closed.", "Start memapp again.")


class _Child:
    """One life of the process. One thread at a time may use it, but for `kill`."""

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
        """Raise `ModelLoading` if the model is still loading after so long, `ModelError` if it
        cannot be loaded.
        """
        if self.ready:
            return
        with self._ended_by_errors():
            answer = self._answer(seconds)
            if answer is None:
                raise _still_loading()
            kind, found = answer
            if kind != READY:
                raise ModelError(f"The embedding model could not be loaded: {found.decode()}")
            if int(found) != self._dimension:
                raise ModelError(
                    f"The embedding model gives {int(found)} numbers where its files say {self._dimension}."
                )
        self.ready = True

    def embed(self, texts: Sequence[str], seconds: float) -> NDArray[np.float32]:
        with self._ended_by_errors():
            with self._sending:
                self._pipe.send_bytes(json.dumps(texts).encode())
            answer = self._answer(seconds)
            if answer is None:
                raise ModelError("The embedding model stopped answering.")
        kind, found = answer
        if kind == STOPPED:
            raise Stopped
        if kind != VECTORS:
            raise ModelError(f"The embedding model failed ({found.decode()}).")
        return np.frombuffer(found, dtype="<f4").reshape(-1, self._dimension).astype(np.float32)

    def stop(self) -> None:
        """Let the request that runs end before it is done, while another thread waits for its
        answer.
        """
        with suppress(OSError), self._sending:
            self._pipe.send_bytes(STOP)

    def kill(self) -> None:
        """End the process, while another thread waits for it too."""
        self._process.kill()

    def end(self) -> None:
        """End the process and wait until it is gone. More than once does no harm."""
        self.ended = True
        self._process.end()

    def _answer(self, seconds: float) -> tuple[bytes, bytes] | None:
        """Return the kind and the content of the next answer; None if it does not come in time."""
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
    """Let numpy use one thread for products of vectors: its threads spin while they wait, ten times
    as long as a product takes.

    That time is missing wherever a model computes beside it.
    """
    from threadpoolctl import threadpool_limits

    threadpool_limits(1, user_api="blas")


def _requests(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield texts as long as they are sent together."""
    some: list[str] = []
    for text in texts:
        if some and sum(map(len, some)) + len(text) > REQUEST_CHARS:
            yield some
            some = []
        some.append(text)
    if some:
        yield some


def _readable(text: str) -> str:
    """Cut what nobody would read, and replace lone surrogates, which tokenizers refuse."""
    return text[:TEXT_CHARS].encode("utf-8", "replace").decode().replace("\x00", " ")


def _still_loading() -> ModelLoading:
    return ModelLoading("The embedding model is still loading.", "Try again in a moment.")
