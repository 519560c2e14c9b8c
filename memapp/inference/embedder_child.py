"""The program of the embedder's child process.

The program is started by its path, so that it imports no more of memapp than its model. Lists of
texts come in through a pipe, and vectors go out; an empty message stops the computation. When the
pipe ends, because the parent closed it or died, so does the process.
"""

import ctypes
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

Encode = Callable[[Sequence[str]], Any]

LONGEST = 512
"""The most tokens read of a text by a person's own model file: all that small models can."""
READY = b"R"
"""Followed by the dimension, in decimal digits."""
VECTORS = b"V"
"""Followed by little-endian float32 numbers, row by row."""
STOPPED = b"S"
"""The computation was stopped."""
STOP = b""
"""Sent in place of texts."""
FAILED = b"F"
"""Followed by the error, as UTF-8."""


_stop = ctypes.create_string_buffer(2)
"""An empty string lets llama.cpp continue, one character stops it."""


def main(fd: str, loader: str, *arguments: str) -> None:
    """Load a model, then answer each list of texts with its vectors until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl+c in the terminal is the parent's business
    pipe = Connection(int(fd))
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(pipe, requests), daemon=True).start()
    os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"
    sys.addaudithook(_refuse_network)
    try:
        encode = LOADERS[loader](*arguments)
        dimension = encode(["ready"]).shape[1]  # the first call is slow
    except Exception as error:  # a model folder can break a loader in any way
        pipe.send_bytes(FAILED + _described(error))
        return
    pipe.send_bytes(READY + str(dimension).encode())
    while True:
        try:
            answer = VECTORS + encode(json.loads(requests.get())).astype("<f4").tobytes()
        except InterruptedError:
            answer = STOPPED
        except Exception as error:  # one bad request must not end the process
            answer = FAILED + _described(error)
        pipe.send_bytes(answer)


def _receive(pipe: Connection, requests: "queue.SimpleQueue[bytes]") -> None:
    """Read on a thread, to notice the parent's end while the model loads or computes."""
    try:
        while True:
            received = pipe.recv_bytes()
            # The parent sends a request only after the answer to the last one.
            _stop[0] = b"\x01" if received == STOP else b"\x00"
            if received != STOP:
                requests.put(received)
    except (EOFError, OSError):
        os._exit(0)


def _load_minilm(source: str, converted: str) -> Encode:
    """Load the bundled model in llama.cpp."""
    sys.path.append(os.fspath(Path(__file__).parents[2]))  # memapp may run without being installed
    from memapp.inference import minilm

    return minilm.load(Path(source), Path(converted), _stop).embed


def _load_file(path: str) -> Encode:
    """Load a GGUF file of the person's in llama.cpp."""
    sys.path.append(os.fspath(Path(__file__).parents[2]))  # memapp may run without being installed
    from memapp.inference.gguf_embedder import GgufEmbedder

    model = GgufEmbedder(Path(path), LONGEST, _stop)
    model.centre()
    return model.embed


def _load_folder(folder: str) -> Encode:
    """Load a sentence-transformers folder: no network, one thread, no code from the folder."""
    for name in (
        "HF_HUB_OFFLINE",
        "TRANSFORMERS_OFFLINE",
        "HF_HUB_DISABLE_TELEMETRY",
        "HF_DATASETS_OFFLINE",
    ):
        os.environ[name] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"

    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    model = SentenceTransformer(
        folder,
        device="cpu",
        local_files_only=True,
        trust_remote_code=False,
        model_kwargs={"use_safetensors": True},
    )

    def encode(texts: Sequence[str]) -> Any:
        rows = model.encode(
            list(texts), normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )
        unknown = getattr(getattr(model, "tokenizer", None), "unk_token_id", None)
        if unknown is not None:  # a text of mostly unknown tokens gets a zero vector
            encoded = model.tokenizer(list(texts), add_special_tokens=False, truncation=True)
            rows[[2 * ids.count(unknown) > len(ids) for ids in encoded["input_ids"]]] = 0
        return rows

    return encode


MINILM, FILE, FOLDER = "minilm", "file", "folder"
LOADERS: dict[str, Callable[..., Encode]] = {
    MINILM: _load_minilm,
    FILE: _load_file,
    FOLDER: _load_folder,
}


def _refuse_network(event: str, _: tuple[Any, ...]) -> None:
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        raise PermissionError("the embedding model has no business on the network")


def _described(error: Exception) -> bytes:
    """Return the error in words: memapp's own errors without their type."""
    words = (
        str(error)
        if type(error).__module__ == "memapp.errors"
        else f"{type(error).__name__}: {error}"
    )
    return words.encode("utf-8", "replace")[:2000]


if __name__ == "__main__":
    main(*sys.argv[1:])
