"""An embedding model in a process of its own, which loads in the background and never blocks the screen.

The bundled model runs in llama.cpp, any other that the person names in sentence-transformers; neither stands in for the other.

The process is killed, not asked: it keeps nothing that could be lost. When it dies, the calls that waited for it fail, and the
next one starts it again, a few times.
"""

import atexit
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memapp.errors import ModelError, ModelLoading
from memapp.inference import embedder_child, model_folder
from memapp.inference.bundled import bundled_embedder_path
from memapp.inference.embedder_child import FOLDER, MINILM, READY, VECTORS, read_frame, write_frame

BATCH = 32
"""Texts per request. A question that comes during a long job waits for one batch, not for the job."""
TEXT_CHARS = 8000
"""What of a text is looked at; the models read a few hundred word pieces at most."""
RESTARTS = 3


@dataclass(frozen=True)
class Source:
    """An embedding model whose files were looked at and not loaded yet."""

    model_id: str
    """A name that changes with what the vectors depend on: vectors of another model are never mixed in."""
    dimension: int
    loading: tuple[str, ...]
    """What the process is told: how to load it, and from where."""


def bundled(cache: Path) -> Source:
    """Find the bundled model; its form for llama.cpp is made in `cache` when it is loaded. Raises `ModelError`."""
    from memapp.inference import minilm

    folder = bundled_embedder_path()
    try:
        model_id, converted = minilm.identify(folder, cache)
    except OSError as error:
        raise ModelError(f"The embedding model cannot be prepared: {error.filename}, {error.strerror}.") from None
    return Source(model_id, minilm.DIMENSION, (MINILM, os.fspath(folder.absolute()), os.fspath(converted.absolute())))


def in_folder(folder: Path) -> Source:
    """Look at a model of sentence-transformers. Raises `ModelError` if the folder has no safe one."""
    dimension = model_folder.dimension(folder)
    return Source(model_folder.model_id(folder), dimension, (FOLDER, os.fspath(folder.absolute())))


class ChildEmbedder:
    """Embeds texts with a model. Thread-safe; one request at a time, in the order they came."""

    def __init__(self, source: Source, *, load_seconds: float = 120.0, answer_seconds: float = 60.0) -> None:
        self.model_id, self.dimension = source.model_id, source.dimension
        self._source = source
        self._load_seconds = load_seconds
        self._answer_seconds = answer_seconds
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self._starts = 0
        self._closed = False
        atexit.register(self.close)

    def embed(self, texts: Sequence[str], *, wait: bool = True) -> NDArray[np.float32]:
        """Return one unit-length float32 row for each text, waiting for the model to load if need be and if asked to.

        Raises `ModelLoading` when it takes too long to load, `ModelError` when it cannot be loaded, died or was closed.
        """
        if self._closed:
            raise _closed()
        rows = [self._embed(texts[at : at + BATCH], wait) for at in range(0, len(texts), BATCH)]
        return np.concatenate(rows) if rows else np.empty((0, self.dimension), dtype=np.float32)

    def close(self) -> None:
        """End the process; later calls raise `ModelError`. More than once does no harm."""
        atexit.unregister(self.close)
        with self._lock:
            self._closed = True
            child = self._child
        if child is not None:
            child.kill()
            child.join()

    def _living_child(self) -> "_Child":
        with self._lock:
            if self._closed:
                raise _closed()
            if self._child is None or self._child.ended:
                if self._starts > RESTARTS:
                    raise ModelError("The embedding model stopped too often.", "Start memapp again.")
                self._starts += 1
                self._child = _Child(self._source)
            return self._child

    def _embed(self, texts: Sequence[str], wait: bool) -> NDArray[np.float32]:
        child = self._living_child()
        try:
            child.ready.result(self._load_seconds if wait else 0)
        except FutureTimeout:
            raise ModelLoading("The embedding model is still loading.", "Try again in a moment.") from None
        answer = child.submit([_readable(text) for text in texts])
        try:
            return answer.result(self._answer_seconds)
        except FutureTimeout:
            child.kill()
            raise ModelError("The embedding model stopped answering.", "It is started again when needed.") from None


@dataclass(frozen=True, eq=False)
class _Request:
    texts: list[str]
    answer: "Future[NDArray[np.float32]]" = field(default_factory=Future)


class _Child:
    """One life of the process, and the thread that talks to it."""

    def __init__(self, source: Source) -> None:
        self.ready: Future[None] = Future()
        self.ended = False
        """The process is gone, or about to be; what is submitted now fails."""
        self._source = source
        self._requests: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._live, name="embedder", daemon=True)
        self._thread.start()

    def submit(self, texts: list[str]) -> "Future[NDArray[np.float32]]":
        request = _Request(texts)
        with self._lock:
            if self.ended:
                raise _died()
            self._requests.put(request)
        return request.answer

    def kill(self) -> None:
        with self._lock:
            self.ended = True
            if self._process is not None:
                self._process.kill()
            self._requests.put(None)

    def join(self) -> None:
        """Wait until the killed process is gone."""
        self._thread.join()

    def _live(self) -> None:
        """Start the process, serve requests one by one, and clear up when it ends. The thread does nothing else."""
        problem = _died()
        try:
            with self._lock:
                if self.ended:
                    return
                self._process = process = _spawn(self._source.loading)
            self._talk(process)
        except ModelError as error:
            problem = error
        except (EOFError, OSError):
            pass  # it died: everyone who waits is told below
        finally:
            self._end(problem)

    def _talk(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdin is not None and process.stdout is not None
        kind, found = _answer(process.stdout.fileno())
        if kind != READY:
            raise ModelError(f"The embedding model could not be loaded: {found.decode()}")
        dimension = self._source.dimension
        if int(found) != dimension:
            raise ModelError(f"The embedding model gives {int(found)} numbers where its files say {dimension}.")
        self.ready.set_result(None)
        while (request := self._requests.get()) is not None:
            try:
                write_frame(process.stdin.fileno(), json.dumps(request.texts).encode())
                kind, data = _answer(process.stdout.fileno())
            except (EOFError, OSError):
                with self._lock:
                    self.ended = True  # before the caller knows, so that its next call finds a new process
                request.answer.set_exception(_died())
                raise
            if kind == VECTORS:
                request.answer.set_result(np.frombuffer(data, dtype="<f4").reshape(-1, dimension).astype(np.float32))
            else:
                request.answer.set_exception(ModelError(f"The embedding model failed ({data.decode()})."))

    def _end(self, problem: ModelError) -> None:
        with self._lock:
            self.ended = True
            process = self._process
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
        if not self.ready.done():
            self.ready.set_exception(problem)
        while not self._requests.empty():
            request = self._requests.get()
            if request is not None:
                request.answer.set_exception(problem)


def _spawn(loading: Sequence[str]) -> "subprocess.Popen[bytes]":
    # Not multiprocessing: its spawn runs the parent's __main__ again (memapp's command line, or pytest), and its resource
    # tracker is one more process. A script with two pipes has neither; -P keeps our own modules from hiding others.
    # Unbuffered, because a buffer's lock held by a waiting thread can crash the interpreter when it exits.
    return subprocess.Popen(
        [sys.executable, "-P", embedder_child.__file__, *loading],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
    )


def _answer(fd: int) -> tuple[bytes, bytes]:
    frame = read_frame(fd)
    return frame[:1], frame[1:]


def _readable(text: str) -> str:
    """Cut what nobody would read, and replace lone surrogates, which tokenizers refuse."""
    return text[:TEXT_CHARS].encode("utf-8", "replace").decode().replace("\x00", " ")


def _died() -> ModelError:
    return ModelError("The embedding model stopped.", "It is started again when needed.")


def _closed() -> ModelError:
    return ModelError("The embedding model was closed.", "Start memapp again.")
