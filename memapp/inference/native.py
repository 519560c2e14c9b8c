"""llama.cpp through its C interface: a loaded model with its tokenizer, and a context.

Every call that can crash the process on a wrong argument is made here. `NativeModel` may be used by
any thread, `Context` by its owner thread only (except `abort`). Native messages go to logging at
debug level, never to the terminal.
"""

import ctypes
import functools
import logging
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memapp.domain.engine import RepackRule
from memapp.errors import ModelError
from memapp.inference import closed
from memapp.inference.thoughts import MARKS

log = logging.getLogger(__name__)

CHAT, BRANCH, LOOK_UP = 0, 1, 2
SEQUENCES = 3
BATCH = 256
"""Tokens computed at a time: one batch for llama.cpp, which an abort discards as a whole."""
NO_VOCABULARY, SPM_VOCABULARY = 0, 1
DECODED, ABORTED = 0, 2
"""The results of `llama_decode`: success, and stopped by the abort callback."""
ENVIRONMENT = {
    # How often a computing thread polls the others before it sleeps (libgomp, read on loading). By
    # default a thread polls for milliseconds, hundreds of times for each batch: as soon as any
    # other program is busy, prefill takes 5 to 20 times as long, with this value 1.1 to 1.3 times.
    # On an idle machine both are equally fast.
    "GOMP_SPINCOUNT": "1000",
    # Otherwise a failed assertion starts a debugger and prints to the terminal.
    "GGML_NO_BACKTRACE": "1",
}
CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
"""The memory layout of `llama_token_data`."""


@functools.cache
def library() -> Any:
    """Return llama.cpp, loaded once, with its messages sent to logging. Raises `ModelError`."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    try:
        import llama_cpp.llama_cpp as lib
    except (ImportError, OSError, RuntimeError) as error:
        raise ModelError(
            "llama.cpp cannot be loaded: its package is missing or broken.", "Install memapp anew."
        ) from error

    lib.llama_log_set(_log_callback(lib), None)
    lib.llama_backend_init()
    return lib


@functools.cache
def _log_callback(lib: Any) -> Any:
    @lib.llama_log_callback  # type: ignore[untyped-decorator]
    def forward(_level: int, text: bytes, _user_data: object) -> None:
        log.debug("%s", text.decode("utf-8", "replace").rstrip())

    return forward


def usable_cores() -> int:
    """Return the number of physical cores this process may use, without hardware threads."""
    try:
        processors = os.sched_getaffinity(0)
    except AttributeError:
        processors = set(range(os.cpu_count() or 1))
    siblings = Path("/sys/devices/system/cpu")
    try:
        lists = (siblings / f"cpu{number}/topology/thread_siblings_list" for number in processors)
        return len({path.read_text() for path in lists})
    except OSError:
        return len(processors)


def model_parameters(repack: RepackRule = RepackRule.AUTO, gpu_layers: int = -1) -> Any:
    """Return the parameters for loading a model: repacked weights, and layers on the graphics card.

    `AUTO` repacks unless this build computes with AMX. There GCC up to 12 writes only part of the
    tile configuration, and the first matrix product ends the process at `ldtilecfg`
    (ggml-org/llama.cpp#20824). This can go once a release fixes the bug.
    """
    lib = library()
    parameters = lib.llama_model_default_params()
    parameters.use_extra_bufts = repack is RepackRule.ON or (
        repack is RepackRule.AUTO and "AMX_INT8 = 1" not in system_info()
    )
    parameters.n_gpu_layers = gpu_layers  # ignored by a CPU build
    return parameters


def system_info() -> str:
    """Return the processor features that this build of llama.cpp uses, as llama.cpp lists them."""
    return str(library().llama_print_system_info().decode("utf-8", "replace")).strip()


class NativeModel:
    """The weights and the vocabulary of a model file."""

    def __init__(self, path: Path, parameters: Any) -> None:
        self.lib = library()
        self._lock = threading.Lock()
        self._handle = self.lib.llama_model_load_from_file(os.fsencode(path), parameters)
        if not self._handle:
            raise ModelError(
                f"{path.name} cannot be loaded: "
                "it is damaged or of a kind this version does not know.",
                "Choose another model, or update memapp.",
            )
        self.vocabulary = self.lib.llama_model_get_vocab(self._handle)
        if not self._writes_text():
            self.close()
            raise no_chat_model()
        self.vocabulary_size: int = self.lib.llama_vocab_n_tokens(self.vocabulary)
        self.window: int = self.lib.llama_model_n_swa(self._handle)
        self.recurrent = bool(
            self.lib.llama_model_is_recurrent(self._handle)
            or self.lib.llama_model_is_hybrid(self._handle)
        )
        """True if the cache cannot be cut back, so that every call needs a fork of the trunk."""
        self.adds_bos = bool(self.lib.llama_vocab_get_add_bos(self.vocabulary))
        self.bos: int = self.lib.llama_vocab_bos(self.vocabulary)
        self._marks: dict[int, bytes] = {}
        self.bos_text = self._control_text(self.bos)
        self.eos_text = self._control_text(self.lib.llama_vocab_eos(self.vocabulary))
        self._space_prefix = self.lib.llama_vocab_type(self.vocabulary) == SPM_VOCABULARY
        self._line_start = self._tokens(b"\n", special=False) if self._space_prefix else []
        self._marks = self._marks_of_thoughts()

    def _writes_text(self) -> bool:
        lib, handle = self.lib, self._handle
        return (
            lib.llama_vocab_type(self.vocabulary) != NO_VOCABULARY
            and lib.llama_model_has_decoder(handle)
            and not lib.llama_model_has_encoder(handle)
            and not lib.llama_model_is_diffusion(handle)
        )

    @property
    def handle(self) -> Any:
        if not self._handle:
            raise closed()
        return self._handle

    def chat_template(self) -> str | None:
        with self._lock:
            template = self.lib.llama_model_chat_template(self.handle, None)
        return template.decode("utf-8", "replace") if template else None

    def tokens(self, text: str, *, special: bool) -> list[int]:
        """Return the tokens of a text inside other text; `special` allows control tokens."""
        if not text:
            return []
        data = text.encode("utf-8", "replace")
        with self._lock:
            if not self._space_prefix:
                return self._tokens(data, special)
            # Such vocabularies put a space before the first word of every call, here the line
            # break.
            tokens = self._tokens(b"\n" + data, special)
            size = len(self._line_start)
            return (
                tokens[size:] if tokens[:size] == self._line_start else self._tokens(data, special)
            )

    def _tokens(self, data: bytes, special: bool) -> list[int]:
        assert self.handle
        room = len(data) + 8
        while True:
            buffer = (ctypes.c_int32 * room)()
            count = self.lib.llama_tokenize(
                self.vocabulary, data, len(data), buffer, room, False, special
            )
            if count >= 0:
                return buffer[:count]
            room = -count

    def text(self, token: int, *, special: bool = False) -> bytes:
        """Return the bytes of a token, for control tokens only if `special` or around thoughts."""
        if token in self._marks:
            return self._marks[token]
        with self._lock:
            assert self.handle
            room = 64
            while True:
                buffer = ctypes.create_string_buffer(room)
                count = self.lib.llama_token_to_piece(
                    self.vocabulary, token, buffer, room, 0, special
                )
                if count >= 0:
                    return buffer.raw[:count]
                room = -count

    def ends_turn(self, token: int) -> bool:
        with self._lock:
            assert self.handle
            return bool(self.lib.llama_vocab_is_eog(self.vocabulary, token))

    def _marks_of_thoughts(self) -> dict[int, bytes]:
        tokenised = ((self.tokens(mark, special=True), mark) for mark in MARKS)
        return {tokens[0]: mark.encode() for tokens, mark in tokenised if len(tokens) == 1}

    def _control_text(self, token: int) -> str:
        return self.text(token, special=True).decode("utf-8", "replace") if token >= 0 else ""

    def close(self) -> None:
        """Free the weights. Every context must be closed before."""
        with self._lock:
            if self._handle:
                self.lib.llama_model_free(self._handle)
                self._handle = None


class Context:
    """A unified key/value cache: two trunks, and a branch for the running call."""

    def __init__(
        self, model: NativeModel, context_tokens: int, threads: int, batch_threads: int
    ) -> None:
        self.model = model
        self.lib = lib = model.lib
        parameters = lib.llama_context_default_params()
        parameters.n_ctx = context_tokens
        parameters.n_batch = parameters.n_ubatch = BATCH
        parameters.n_seq_max, parameters.kv_unified = SEQUENCES, True
        parameters.n_threads, parameters.n_threads_batch = threads, batch_threads
        parameters.swa_full = True
        parameters.no_perf = True
        self._handle = lib.llama_init_from_model(model.handle, parameters)
        if not self._handle:
            raise ModelError(
                f"There is no room for a context of {context_tokens:,} tokens.",
                "Close other programs, set a smaller `context_tokens`, or choose a smaller model.",
            )
        self.size: int = lib.llama_n_ctx(self._handle)
        self._memory = lib.llama_get_memory(self._handle)
        if not self._memory:
            lib.llama_free(self._handle)
            raise no_chat_model()
        self._batch = lib.llama_batch_init(BATCH, 0, SEQUENCES)
        # llama.cpp calls this at every step of its graph. `strlen` of a two-byte buffer answers
        # without Python and without the interpreter lock: an empty string is 0 (continue), one
        # character is 1 (stop).
        self._abort = ctypes.create_string_buffer(2)
        self._callback = ctypes.cast(ctypes.CDLL(None).strlen, lib.ggml_abort_callback)
        lib.llama_set_abort_callback(
            self._handle, self._callback, ctypes.cast(self._abort, ctypes.c_void_p)
        )

    def abort(self, wanted: bool) -> None:
        """Stop the current decoding, or allow decoding again. From any thread."""
        self._abort[0] = b"\x01" if wanted else b"\x00"

    def decode(
        self,
        tokens: Sequence[int],
        sequences: Sequence[tuple[int, ...]],
        position: int,
        *,
        logits: bool,
    ) -> bool:
        """Compute up to `BATCH` tokens from `position` on for their sequences; False if aborted."""
        batch = self._batch
        batch.n_tokens = len(tokens)
        for index, (token, owners) in enumerate(zip(tokens, sequences, strict=True)):
            batch.token[index] = token
            batch.pos[index] = position + index
            batch.n_seq_id[index] = len(owners)
            for place, owner in enumerate(owners):
                batch.seq_id[index][place] = owner
            batch.logits[index] = logits and index == len(tokens) - 1
        status = self.lib.llama_decode(self._live(), batch)
        if status not in (DECODED, ABORTED):
            raise ModelError(
                f"The model failed while computing ({status}).",
                "Try again, or choose another model.",
            )
        return bool(status == DECODED)

    def logits(self, place: int = -1) -> NDArray[np.float32]:
        """Return the scores of the next token: llama.cpp's memory, valid until the next `decode`.

        `place` is the index among the tokens computed with scores, the last being -1.
        """
        pointer = self.lib.llama_get_logits_ith(self._live(), place)
        if not pointer:
            raise ModelError("The model gave no scores.", "Try again, or choose another model.")
        memory: Any = (ctypes.c_float * self.model.vocabulary_size).from_address(
            ctypes.addressof(pointer.contents)
        )
        return np.frombuffer(memory, np.float32)

    def cut(self, sequence: int, length: int) -> bool:
        """Keep the first `length` tokens of a sequence; return False if the model cannot."""
        return bool(self.lib.llama_memory_seq_rm(self._live_memory(), sequence, length, -1))

    def fork(self, trunk: int) -> None:
        """Copy a trunk's sequence to the branch."""
        self.lib.llama_memory_seq_cp(self._live_memory(), trunk, BRANCH, -1, -1)

    def first_position(self, sequence: int) -> int:
        return int(self.lib.llama_memory_seq_pos_min(self._live_memory(), sequence))

    def clear(self) -> None:
        self.lib.llama_memory_clear(self._live_memory(), False)

    def close(self) -> None:
        if self._handle:
            self.lib.llama_batch_free(self._batch)
            self.lib.llama_free(self._handle)
            self._handle = self._memory = None

    def _live(self) -> Any:
        if not self._handle:
            raise closed()
        return self._handle

    def _live_memory(self) -> Any:
        self._live()
        return self._memory


class Grammar:
    """A compiled GBNF grammar that follows one reply, closed once after its last use."""

    def __init__(self, model: NativeModel, text: str) -> None:
        self.lib = model.lib
        self._handle = None
        if "root" in text and "\0" not in text:
            self._handle = self.lib.llama_sampler_init_grammar(
                model.vocabulary, text.encode("utf-8"), b"root"
            )
        if not self._handle:
            raise ModelError("The grammar for the model's reply does not compile.")

    def allowed(self, tokens: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return a mask of the tokens that may come next."""
        candidates = np.zeros(len(tokens), CANDIDATE)
        candidates["id"] = tokens
        array = self.lib.llama_token_data_array(
            candidates.ctypes.data_as(self.lib.llama_token_data_p), len(tokens), -1, False
        )
        self.lib.llama_sampler_apply(self._handle, ctypes.byref(array))
        return np.asarray(candidates["logit"] == 0)

    def accept(self, token: int) -> None:
        """Advance by `token`, which must be allowed."""
        self.lib.llama_sampler_accept(self._handle, token)

    def close(self) -> None:
        self.lib.llama_sampler_free(self._handle)


def no_chat_model() -> ModelError:
    """Return the error for files with another kind of model: embeddings, translation, images."""
    return ModelError("This file holds a model that does not write text.", "Choose a chat model.")
