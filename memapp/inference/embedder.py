"""A sentence-transformers model in a process of its own, which loads in the background and never blocks the screen.

The process is killed, not asked: it keeps nothing that could be lost. When it dies, the calls that waited for it fail, and the
next one starts it again, a few times.
"""

import atexit
import hashlib
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
from memapp.inference import embedder_child
from memapp.inference.embedder_child import READY, VECTORS, read_frame, write_frame

BATCH = 32
"""Texts per request. A question that comes during a long job waits for one batch, not for the job."""
TEXT_CHARS = 8000
"""What of a text is looked at; the models read a few hundred word pieces at most."""
RESTARTS = 3

_WITHOUT = "Search by words works without it."


class SentenceEmbedder:
    """Embeds texts with the model in a folder. Thread-safe; one request at a time, in the order they came."""

    def __init__(self, folder: Path, *, load_seconds: float = 120.0, answer_seconds: float = 60.0) -> None:
        """Look at the files without loading them; raise `ModelError` if they are not a safe model."""
        self.model_id, self.dimension = _identify(folder)
        self._folder = folder
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
                    raise ModelError("The embedding model stopped too often.", f"Start memapp again. {_WITHOUT}")
                self._starts += 1
                self._child = _Child(self._folder, self.dimension)
            return self._child

    def _embed(self, texts: Sequence[str], wait: bool) -> NDArray[np.float32]:
        child = self._living_child()
        try:
            child.ready.result(self._load_seconds if wait else 0)
        except FutureTimeout:
            raise ModelLoading("The embedding model is still loading.", f"Try again in a moment. {_WITHOUT}") from None
        answer = child.submit([_readable(text) for text in texts])
        try:
            return answer.result(self._answer_seconds)
        except FutureTimeout:
            child.kill()
            raise ModelError("The embedding model stopped answering.", f"It is started again when needed. {_WITHOUT}") from None


@dataclass(frozen=True, eq=False)
class _Request:
    texts: list[str]
    answer: "Future[NDArray[np.float32]]" = field(default_factory=Future)


class _Child:
    """One life of the process, and the thread that talks to it."""

    def __init__(self, folder: Path, dimension: int) -> None:
        self.ready: Future[None] = Future()
        self.ended = False
        """The process is gone, or about to be; what is submitted now fails."""
        self._folder = folder
        self._dimension = dimension
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
                self._process = process = _spawn(self._folder)
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
            raise ModelError(f"The embedding model could not be loaded ({found.decode()}).", f"Install memapp again. {_WITHOUT}")
        if int(found) != self._dimension:
            raise ModelError(f"The embedding model gives {int(found)} numbers where its files say {self._dimension}.")
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
                request.answer.set_result(np.frombuffer(data, dtype="<f4").reshape(-1, self._dimension).astype(np.float32))
            else:
                request.answer.set_exception(ModelError(f"The embedding model failed ({data.decode()}).", _WITHOUT))

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


def _spawn(folder: Path) -> "subprocess.Popen[bytes]":
    # Not multiprocessing: its spawn runs the parent's __main__ again (memapp's command line, or pytest), and its resource
    # tracker is one more process. A script with two pipes has neither; -P keeps our own modules from hiding others.
    # Unbuffered, because a buffer's lock held by a waiting thread can crash the interpreter when it exits.
    return subprocess.Popen(
        [sys.executable, "-P", embedder_child.__file__, os.fspath(folder.absolute())],
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


def _identify(folder: Path) -> tuple[str, int]:
    """Return a name that changes with the model's files, and the number of dimensions."""
    files = sorted(one for one in folder.rglob("*") if one.suffix in (".json", ".txt", ".safetensors"))
    if not any(one.suffix == ".safetensors" for one in files):
        raise ModelError(f"There is no embedding model in {folder}.", "It needs modules.json and a .safetensors file.")
    digest = hashlib.sha256()
    try:
        for one in files:
            with one.open("rb") as opened:
                digest.update(one.relative_to(folder).as_posix().encode() + hashlib.file_digest(opened, "blake2b").digest())
        dimension = _dimension(folder)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"The embedding model in {folder} is damaged ({error}).", "Install memapp again.") from None
    name = folder.parent.name if folder.name == "model" else folder.name
    return f"{name}@{digest.hexdigest()[:12]}", dimension


def _dimension(folder: Path) -> int:
    """Read how many numbers the last module that can change that puts out."""
    width = int(json.loads((folder / "config.json").read_text("utf-8"))["hidden_size"])
    for module in json.loads((folder / "modules.json").read_text("utf-8")):
        settings = folder / module["path"] / "config.json"
        if module["path"] and settings.is_file():
            said = json.loads(settings.read_text("utf-8"))
            width = int(said.get("out_features") or said.get("word_embedding_dimension") or width)
    return width


def _died() -> ModelError:
    return ModelError("The embedding model stopped.", f"It is started again when needed. {_WITHOUT}")


def _closed() -> ModelError:
    return ModelError("The embedding model was closed.", "Start memapp again.")
