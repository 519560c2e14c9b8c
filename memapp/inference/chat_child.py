"""The program of the chat model's process, which serves calls on a GGUF model in llama.cpp.

Frames of JSON come in through a socket: first how to load, then numbered calls, and the numbers of
calls to cancel. Frames with the number of their call go out, as `child_model` reads them. Only
`child_model` starts the program, and nothing imports it. The process ends with its parent.
"""

import json
import os
import queue
import signal
import threading
from contextlib import closing, suppress
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from memapp.domain.engine import RepackRule
from memapp.domain.prompt import Piece, Prompt, PromptTurn, Sampling
from memapp.errors import MemappError
from memapp.inference import Cancel, native, network
from memapp.inference.child import LOADING
from memapp.inference.llama import LlamaModel
from memapp.inference.quantise import prepare

OOM_SCORE = Path("/proc/self/oom_score_adj")
"""The file by which Linux ends this process before the app when memory runs out. Missing on other
systems.
"""


def main(fd: str) -> None:
    """Load the model of the first frame, then serve calls."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):
        OOM_SCORE.write_text("500")
    network.watch()
    _Server(Connection(int(fd))).serve()


class _Server:
    """The parent's socket, and the running calls."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._sending = threading.Lock()
        self._requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._cancels: dict[int, Cancel] = {}
        threading.Thread(target=self._receive, daemon=True).start()

    def serve(self) -> None:
        """Load the model, then serve requests, text on threads so that counting never waits."""
        try:
            model = self._load(self._requests.get())
        except MemappError as error:
            self._send(LOADING, error=(error.message, error.advice))
            return
        while True:
            request = self._requests.get()
            if request["do"] in ("generate", "warm"):
                threading.Thread(target=self._answer, args=(model, request), daemon=True).start()
            else:
                self._answer(model, request)

    def _load(self, request: dict[str, Any]) -> LlamaModel:
        path = prepare(
            Path(request["file"]),
            Path(request["cache"]),
            lambda text: self._send(LOADING, report=text),
        )
        model = LlamaModel(
            path,
            context_tokens=request["context_tokens"],
            gpu_layers=request["gpu_layers"],
            repack=RepackRule(request["repack"]),
        )
        described = {name: getattr(model, name) for name in ("name", "context_tokens")}
        self._send(LOADING, ready={**described, "system_info": native.system_info()})
        return model

    def _answer(self, model: LlamaModel, request: dict[str, Any]) -> None:
        """Serve a call and send the result; an error ends the call and not the process."""
        number = request["call"]
        cancel = self._cancels[number]
        try:
            match request:
                case {"do": "generate", "prompt": prompt, "sampling": sampling}:
                    self._generate(model, number, _prompt(prompt), _sampling(sampling), cancel)
                case {"do": "warm", "prompt": prompt, "open_end": open_end}:
                    self._send(
                        number, result=model.warm(_prompt(prompt), cancel, open_end=open_end)
                    )
                case {"do": "count", "text": text}:
                    self._send(number, result=model.count_tokens(text))
                case {"do": "count_prompt", "prompt": prompt}:
                    self._send(number, result=model.prompt_tokens(_prompt(prompt)))
                case {"do": "forget"}:
                    model.forget()
                    self._send(number, result=0)
        except MemappError as error:
            self._send(number, error=(error.message, error.advice))
        except Exception as error:
            message = f"The model failed in an unexpected way ({type(error).__name__})."
            self._send(number, error=(message, "Try again."))
        finally:
            del self._cancels[number]

    def _generate(
        self, model: LlamaModel, number: int, prompt: Prompt, sampling: Sampling, cancel: Cancel
    ) -> None:
        with closing(model.generate(prompt, sampling, cancel)) as stream:
            for part in stream:
                self._send(
                    number, **{"piece" if isinstance(part, Piece) else "finished": asdict(part)}
                )

    def _send(self, number: int, **answer: Any) -> None:
        with self._sending:
            self._pipe.send_bytes(json.dumps({"call": number, **answer}).encode())

    def _receive(self) -> None:
        """Read frames on a thread, to notice cancelled calls and the parent's end at once."""
        try:
            while True:
                received = json.loads(self._pipe.recv_bytes())
                if "cancel" not in received:
                    self._cancels[received["call"]] = Cancel()
                    self._requests.put(received)
                elif running := self._cancels.get(received["cancel"]):
                    running.set()
        except (EOFError, OSError):
            os._exit(0)


def _prompt(data: dict[str, Any]) -> Prompt:
    turns = tuple(PromptTurn(**turn) for turn in data["turns"])
    return Prompt(**{**data, "turns": turns})


def _sampling(data: dict[str, Any]) -> Sampling:
    tuples: dict[str, Any] = {
        name: tuple(value) for name, value in data.items() if isinstance(value, list)
    }
    return Sampling(**{**data, **tuples})
