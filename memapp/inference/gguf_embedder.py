"""An embedding model in a GGUF file, run by llama.cpp in the embedder's process."""

import ctypes
import os
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memapp.errors import ModelError
from memapp.inference.native import ABORTED, library, model_parameters

TEXTS = 32
"""The most texts computed at a time."""
NO_TOKEN = -1
UNKNOWN = {"bert": 100}
"""The unknown token of vocabularies whose file does not state one, as in llama.cpp."""


UNRELATED = (
    "The train to Lisbon leaves at nine.",
    "My sister keeps bees.",
    "Water boils at a hundred degrees.",
    "He lost the key.",
    "What time is it?",
    "I am allergic to peanuts.",
    "The printer is out of paper again.",
    "She paints in the evening.",
    "Der Zug hat Verspätung.",
    "J'ai oublié mon parapluie.",
    "Me gusta nadar en el mar.",
    "Сегодня идёт снег.",
    "我昨天买了一辆自行车。",
    "猫が屋根の上で寝ている。",
    "어제 친구를 만났어요.",
    "الطقس جميل اليوم.",
    "मुझे संगीत पसंद है।",
    "ฉันทำงานที่โรงพยาบาล",
)
"""Texts on unrelated subjects, in several languages."""


class GgufEmbedder:
    """The loaded model. One thread may use it; it is freed with its process."""

    def __init__(
        self, path: Path, longest: int, stop: "ctypes.Array[ctypes.c_char] | None" = None
    ) -> None:
        """Load a model that reads, and computes at a time, `longest` tokens of a text.

        Larger batches are no faster.
        """
        self._lib = lib = library()
        self._longest = longest
        self._common: NDArray[np.float32] | None = None
        self._model = model = lib.llama_model_load_from_file(os.fsencode(path), model_parameters())
        if not model:
            raise ModelError(f"{path.name} cannot be loaded.")
        parameters = lib.llama_context_default_params()
        parameters.n_ctx = parameters.n_batch = parameters.n_ubatch = longest
        parameters.n_seq_max, parameters.kv_unified = TEXTS, True
        # More threads help long texts little, and short ones not at all.
        parameters.n_threads = parameters.n_threads_batch = 1
        parameters.embeddings = parameters.no_perf = True
        self._context = lib.llama_init_from_model(model, parameters)
        if not self._context:
            raise ModelError(
                f"There is no room in memory for {path.name}.", "Close other programs."
            )
        if stop is not None:  # asked without Python, as in `native`
            self._callback = ctypes.cast(ctypes.CDLL(None).strlen, lib.ggml_abort_callback)
            lib.llama_set_abort_callback(
                self._context, self._callback, ctypes.cast(stop, ctypes.c_void_p)
            )
        self._vocabulary = lib.llama_model_get_vocab(model)
        self._vocabulary_kind = self._metadata("tokenizer.ggml.model")
        stated = self._metadata("tokenizer.ggml.unknown_token_id")
        self._unknown = int(stated) if stated else UNKNOWN.get(self._vocabulary_kind, NO_TOKEN)
        self._batch = lib.llama_batch_init(longest, 0, 1)
        self._remembers = lib.llama_get_memory(self._context)
        """The cache of a generative model, to be emptied before the next texts."""

    def centre(self) -> None:
        """Subtract the mean of unrelated texts from every vector from now on.

        The vectors of most models lean to one side, so that any two texts look as alike as related
        ones do for another model.
        """
        self._common = self.embed(UNRELATED).mean(axis=0)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row for each text, of unit length, or zero for a text of mostly unknown words.

        Raises `InterruptedError` when stopped.
        """
        rows: list[NDArray[np.float32]] = []
        batch: list[list[int]] = []
        tokenised = [self._tokens(text) for text in texts]
        for tokens in tokenised:
            if len(batch) == TEXTS or sum(map(len, batch)) + len(tokens) > self._longest:
                rows += self._encode(batch)
                batch = []
            batch.append(tokens)
        rows += self._encode(batch)
        vectors = np.array(rows, dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        if self._common is not None:
            vectors -= self._common
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors[[not self._knows(tokens) for tokens in tokenised]] = 0.0
        return vectors

    def _tokens(self, text: str) -> list[int]:
        """Return the tokens of the beginning of a text; control tokens in it are ordinary text."""
        if self._vocabulary_kind == "bert":  # else only a Hangul syllable's first letter is kept
            text = unicodedata.normalize("NFD", text)
        data = text.encode()
        buffer = (ctypes.c_int32 * (len(data) + 2))()
        count = self._lib.llama_tokenize(
            self._vocabulary, data, len(data), buffer, len(buffer), True, False
        )
        return (
            buffer[:count]
            if count <= self._longest
            else [*buffer[: self._longest - 1], buffer[count - 1]]
        )

    def _knows(self, tokens: Sequence[int]) -> bool:
        """Return True unless more tokens are unknown than are known words or numbers."""
        unknown = tokens.count(self._unknown)
        return not unknown or unknown <= sum(map(self._is_word, tokens))

    def _is_word(self, token: int) -> bool:
        if token == self._unknown or self._lib.llama_vocab_is_control(self._vocabulary, token):
            return False
        text = self._lib.llama_vocab_get_text(self._vocabulary, token).decode("utf-8", "replace")
        return any(map(str.isalnum, text))

    def _metadata(self, key: str) -> str:
        buffer = ctypes.create_string_buffer(64)
        self._lib.llama_model_meta_val_str(self._model, key.encode(), buffer, len(buffer))
        return buffer.value.decode("utf-8", "replace")

    def _encode(self, texts: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        batch = self._batch
        owned = [
            (number, at, token)
            for number, tokens in enumerate(texts)
            for at, token in enumerate(tokens)
        ]
        batch.n_tokens = len(owned)
        for place, (number, at, token) in enumerate(owned):
            batch.token[place], batch.pos[place], batch.logits[place] = token, at, True
            batch.n_seq_id[place], batch.seq_id[place][0] = 1, number
        if self._remembers:
            self._lib.llama_memory_clear(self._remembers, True)
        compute = self._lib.llama_decode if self._remembers else self._lib.llama_encode
        status = compute(self._context, batch)
        if status == ABORTED:
            raise InterruptedError
        if status != 0:
            raise ModelError(f"The embedding model failed while computing ({status}).")
        vectors = (
            self._lib.llama_get_embeddings_seq(self._context, number)
            for number in range(len(texts))
        )
        size = self._lib.llama_model_n_embd(self._model)
        return [np.ctypeslib.as_array(vector, (size,)).copy() for vector in vectors]
