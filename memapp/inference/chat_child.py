"""The program of the chat model's process: it loads a GGUF model with llama.cpp and serves calls
until its parent ends.

Frames of JSON come in through a socket: first how to load, then calls, each with a number, and the
numbers of calls to cancel. Frames with the number of their call go out, as `child_model` reads
them. Only `child_model` starts it, and nothing imports it.
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
"""Where Linux reads which process to end first when memory runs out: rather this one than the
window. There is none elsewhere.
"""


def main(fd: str) -> None:
    """Load the model that the first frame names, then serve calls."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):
        OOM_SCORE.write_text("500")
    network.watch()
    _Server(Connection(int(fd))).serve()


class _Server:
    """The parent's socket, and the calls that run."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._sending = threading.Lock()
        self._requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._cancels: dict[int, Cancel] = {}
        threading.Thread(target=self._receive, daemon=True).start()

    def serve(self) -> None:
        """Load the model, then do what is asked for; text is written on threads, so that counting
        never waits for it.
        """
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

    def _load(self, asked: dict[str, Any]) -> LlamaModel:
        path = prepare(
            Path(asked["file"]), Path(asked["cache"]), lambda text: self._send(LOADING, report=text)
        )
        model = LlamaModel(
            path,
            context_tokens=asked["context_tokens"],
            gpu_layers=asked["gpu_layers"],
            repack=RepackRule(asked["repack"]),
        )
        described = {name: getattr(model, name) for name in ("name", "context_tokens")}
        self._send(LOADING, ready={**described, "system_info": native.system_info()})
        return model

    def _answer(self, model: LlamaModel, request: dict[str, Any]) -> None:
        """Do one call and send what comes of it; an error ends the call and not the process."""
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
            self._send(
                number,
                error=(
                    f"The model failed in an unexpected way ({type(error).__name__}).",
                    "Try again.",
                ),
            )
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
        """Read on a thread of its own, so that a cancelled call and the end of the parent are
        noticed at once.
        """
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
