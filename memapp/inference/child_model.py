"""A GGUF chat model in a process of its own, so that a crash of native code costs one reply.

The process is started when the model is opened, and again by the next call after a crash or an
unload. Calls and answers are frames of JSON (`chat_child`); one thread reads the answers of each
process and distributes them.
"""

import atexit
import itertools
import json
import logging
import queue
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from memapp.domain.engine import RepackRule
from memapp.domain.prompt import Finished, Piece, Prompt, Sampling, Usage
from memapp.errors import ModelDied, ModelError
from memapp.inference import Cancel, closed
from memapp.inference.child import LOADING, Child
from memapp.inference.crashes import CrashRecord

log = logging.getLogger(__name__)

ROOT = str(Path(__file__).parents[2])
PROGRAM = (
    "-c",
    f"import sys; sys.path.append({ROOT!r}); "
    "from memapp.inference.chat_child import main; main(*sys.argv[1:])",
)
"""The program of the process; the path is for a memapp that is not installed."""
OTHER_MODEL = (
    "Choose another model under Models (F8), or try this one again: memapp models use NAME."
)
KILLED = "SIGKILL"
"""The signal that the system sends when memory runs out."""


class ChildModel:
    """A chat model from a GGUF file. Thread-safe."""

    def __init__(
        self,
        file: Path,
        cache: Path,
        *,
        key: str = "",
        context_tokens: int = 4096,
        gpu_layers: int = -1,
        repack: RepackRule = RepackRule.AUTO,
        unload_seconds: float = 0.0,
        keeps_record: bool = True,
        report: Callable[[str], None] = lambda _: None,
        set_aside: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Load the file in a new process. Raises `ModelError`, or `ModelDied` after a crash.

        `unload_seconds`: the process ends after so long without a call; 0 for never. Without
        `keeps_record` crashes are not counted, and a model that was set aside is tried. `set_aside`
        gets the reason when the model is set aside, on any thread.
        """
        self.key = key
        self.system_info = ""
        """The processor features that llama.cpp uses."""
        self._file = file
        self._asked = {
            "file": str(file),
            "cache": str(cache),
            "context_tokens": context_tokens,
            "gpu_layers": gpu_layers,
            "repack": str(repack),
        }
        self._unload_seconds = unload_seconds
        self._record = CrashRecord(cache, key or str(file)) if keeps_record else None
        self._set_aside = set_aside
        self._starting = threading.Lock()
        self._process: _Process | None = None
        self._closed = False
        atexit.register(self.close)
        ready = self._start(report)
        self.name = str(ready["name"])
        self.context_tokens = int(ready["context_tokens"])
        self.system_info = str(ready["system_info"])

    @property
    def pid(self) -> int | None:
        """Return the id of the process; None without one."""
        process = self._process
        return process.pid if process and not process.ended else None

    def count_tokens(self, text: str) -> int:
        return self._number({"do": "count", "text": text})

    def prompt_tokens(self, prompt: Prompt) -> int:
        return self._number({"do": "count_prompt", "prompt": asdict(prompt)})

    def generate(
        self, prompt: Prompt, sampling: Sampling, cancel: Cancel
    ) -> Generator[Piece | Finished, None, None]:
        if self._closed:
            raise closed()
        return self._stream(prompt, sampling, cancel)

    def _stream(
        self, prompt: Prompt, sampling: Sampling, cancel: Cancel
    ) -> Generator[Piece | Finished, None, None]:
        if cancel.is_set():  # else the process may write a piece before the cancel arrives
            yield Finished("cancelled", Usage())
            return
        call = self._call(
            {"do": "generate", "prompt": asdict(prompt), "sampling": asdict(sampling)}
        )
        try:
            with cancel.heard_by(call.cancel):
                while True:
                    match call.answer():
                        case {"piece": piece}:
                            yield Piece(**piece)
                        case {"finished": {"reason": reason, "usage": usage}}:
                            if self._record and reason != "cancelled":
                                self._record.clear()
                            yield Finished(reason, Usage(**usage))
                            return
        finally:
            call.end()

    def warm(self, prompt: Prompt, cancel: Cancel, *, open_end: bool = False) -> int:
        return self._number({"do": "warm", "prompt": asdict(prompt), "open_end": open_end}, cancel)

    def forget(self) -> None:
        process = self._process
        if process and not process.ended:  # else there is nothing to forget
            self._number({"do": "forget"})

    def close(self) -> None:
        """End the process; later calls raise `ModelError`. Idempotent."""
        atexit.unregister(self.close)
        self._closed = True
        if self._process:
            self._process.unload()

    def _died(self, how: str) -> ModelDied:
        """Count a crash and return the error."""
        log.warning("the model's process ended: %s", how)
        if self._record is None or not self._record.add():
            return _first_death(how)
        error = ModelDied("The model crashed twice in a row, so memapp set it aside.", OTHER_MODEL)
        self._set_aside(str(error))
        return error

    def _number(self, request: dict[str, Any], cancel: Cancel | None = None) -> int:
        call = self._call(request)
        try:
            with (cancel or Cancel()).heard_by(call.cancel):
                return int(call.answer()["result"])
        finally:
            call.end()

    def _call(self, request: dict[str, Any]) -> "_Call":
        """Send a request to the process; start one if there is none."""
        with self._starting:
            while True:
                if self._process is None or self._process.ended:
                    self._start(lambda _: None)
                assert self._process
                if call := self._process.begin(request):
                    return call

    def _start(self, report: Callable[[str], None]) -> dict[str, Any]:
        """Start a process that loads the model, twice on a crash; return its description."""
        try:
            return self._load(report)
        except ModelDied:
            if self._record is None:
                raise
            return self._load(report)

    def _load(self, report: Callable[[str], None]) -> dict[str, Any]:
        if self._record and self._record.is_set_aside:
            raise ModelError(
                f"{self._file.name} crashed twice in a row, so memapp set it aside.", OTHER_MODEL
            )
        process = self._process = _Process(self._asked, self._unload_seconds, self._died)
        if self._closed:  # meanwhile, and `close` did not see the new process
            process.unload()
        call = process.loading
        try:
            while "ready" not in (answer := call.answer()):
                report(answer["report"])
            return dict(answer["ready"])
        except ModelDied:
            raise
        except ModelError:
            process.unload()
            raise
        finally:
            call.end()


class _Process:
    """One run of the process, with the calls that await its answers."""

    def __init__(
        self, load_request: dict[str, Any], unload_seconds: float, died: Callable[[str], ModelDied]
    ) -> None:
        """Start the process, and send it the request to load the model.

        `died` gets how the process ended while calls were running, and returns the error for the
        calls.
        """
        try:
            self._child = Child(PROGRAM)
        except OSError as error:
            raise ModelError(
                f"The model's process cannot be started: {error.strerror}.", "Close other programs."
            ) from None
        self.pid = self._child.pid
        self.ended = False
        self._unload_seconds = unload_seconds
        self._died = died
        self._numbers = itertools.count(LOADING + 1)
        self._changing = threading.Lock()
        self._sending = threading.Lock()
        self.loading = _Call(self, LOADING)
        self._calls = {LOADING: self.loading}
        self._used_at = time.monotonic()
        self._reader = threading.Thread(target=self._read, name="memapp-model-answers", daemon=True)
        self._reader.start()
        self.send({"call": LOADING, **load_request})

    def begin(self, request: dict[str, Any]) -> "_Call | None":
        """Send a request and return its call, which gets the answers; None if the process ended."""
        with self._changing:
            if self.ended:
                return None
            call = _Call(self, next(self._numbers))
            self._calls[call.number] = call
        self.send({"call": call.number, **request})
        return call

    def send(self, frame: dict[str, Any]) -> None:
        """Send a frame; if the process is gone, the reading thread handles its end."""
        try:
            with self._sending:
                self._child.pipe.send_bytes(json.dumps(frame).encode())
        except OSError:
            self._child.kill()

    def end(self, call: "_Call") -> None:
        """Remove a call; cancel the request if still running."""
        with self._changing:
            self._used_at = time.monotonic()
            is_running = self._calls.pop(call.number, None) is not None and not call.is_over
        if is_running:
            self.send({"cancel": call.number})

    def unload(self) -> None:
        """End the process and the calls in progress."""
        with self._changing:
            self.ended = True
            calls, self._calls = self._calls, {}
        for call in calls.values():
            call.answers.put(closed())
        self._child.kill()
        self._reader.join()

    def _read(self) -> None:
        """Distribute the answers of the process until it ends, then give its calls the error."""
        try:
            while self._has_answer():
                answer = json.loads(self._child.pipe.recv_bytes())
                if call := self._calls.get(answer["call"]):
                    call.answers.put(answer)
        except (EOFError, OSError):
            pass
        with self._changing:
            self.ended = True
            calls, self._calls = self._calls, {}
        with self._sending:  # nobody writes to a socket that is being closed
            how = self._child.end()
        error = self._died(how) if calls else None
        for call in calls.values():
            call.answers.put(error or closed())

    def _has_answer(self) -> bool:
        """Wait for the next answer; return False if the process is unloaded for lack of calls."""
        if not self._unload_seconds:
            return self._child.pipe.poll(None)
        while not self._child.pipe.poll(
            max(0.1, self._used_at + self._unload_seconds - time.monotonic())
        ):
            with self._changing:
                if not self._calls and time.monotonic() >= self._used_at + self._unload_seconds:
                    self.ended = True  # no more calls
                    return False
        return True


class _Call:
    """A request to the process, and its answers."""

    def __init__(self, process: _Process, number: int) -> None:
        self.number = number
        self.answers: queue.SimpleQueue[dict[str, Any] | ModelError] = queue.SimpleQueue()
        self.is_over = False
        self._process = process

    def answer(self) -> dict[str, Any]:
        """Wait for the next answer. Raises `ModelError`; `ModelDied` if the process ended first."""
        answer = self.answers.get()
        self.is_over = isinstance(answer, ModelError) or not ({"piece", "report"} & answer.keys())
        if isinstance(answer, ModelError):
            raise answer
        if "error" in answer:
            raise ModelError(*answer["error"])
        return answer

    def cancel(self) -> None:
        self._process.send({"cancel": self.number})

    def end(self) -> None:
        self._process.end(self)


def _first_death(how: str) -> ModelDied:
    if how == KILLED:
        return ModelDied(
            "The model's process was killed, most often because memory ran out.",
            "It starts again with your next message. "
            "If this happens again, close other programs or choose a smaller model.",
        )
    return ModelDied(
        f"The model's process crashed ({how}).",
        "It starts again with your next message. "
        "If this happens again, choose another model under Models (F8).",
    )
