"""The bundled embedding model, all-MiniLM-L6-v2, converted to GGUF once and run in llama.cpp.

As a GGUF file it loads in a fraction of the time and the memory of sentence-transformers, with the
same vectors to six digits of their cosine, except for texts of unknown words. This runs in the
embedder's process.
"""

import ctypes
import hashlib
import json
import platform
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memapp.errors import ModelError
from memapp.inference import cached_copies, gguf_file
from memapp.inference.gguf_embedder import GgufEmbedder

if TYPE_CHECKING:
    import gguf

FORMAT = "BF16" if platform.machine().casefold() in ("x86_64", "amd64") else "F16"
"""The number format of the matrices, half the size of F32. BF16 is a quarter faster than F16 where
the processor supports it, but slow in llama.cpp on ARM. Q8_0 separates texts less well.
"""
NAME = "all-MiniLM-L6-v2"
DIMENSION = 384
LONGEST = 256
"""The tokens read of a text, as in the model's training and in sentence-transformers."""
CONTROL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WORD_START = "▁"
UNUSED = ("embeddings.position_ids", "pooler")
"""Constant positions, and a training layer that mean pooling does not use."""
CHECK = {
    "I don't eat meat.": (0.0527, 0.0027, 0.0265, 0.0406, -0.0405, -0.0474, 0.0339, -0.0511),
    "Which pets do I own?": (0.0599, -0.0635, 0.0624, 0.0321, -0.0539, -0.0101, 0.0303, -0.0729),
}
"""Texts with the first numbers of their vectors by sentence-transformers, which a conversion must
reproduce.
"""
TOLERANCE = 0.002


def identify(source: Path, cache: Path) -> tuple[str, Path]:
    """Return the model's id, which depends on its files, and the path of its GGUF file."""
    digest = hashlib.sha256(
        cached_copies.content_hash(source / "model.safetensors", cache).encode()
    )
    for name in ("config.json", "vocab.txt"):
        digest.update((source / name).read_bytes())
    key = digest.hexdigest()[:32]
    return f"{NAME}@{key[:12]}", cache / key / f"{NAME}.{FORMAT}.gguf"


def load(
    source: Path, converted: Path, stop: "ctypes.Array[ctypes.c_char] | None" = None
) -> GgufEmbedder:
    """Return the model in the GGUF file, converted first if missing or wrong. Raises `ModelError`.

    `embed` is interrupted when `stop`, a C string, is not empty.
    """
    if converted.is_file():
        with suppress(ModelError):
            return _checked(converted, stop)
    try:
        _convert(source, converted)
    except OSError as error:
        advice = "Make room on the disk, or see who may write there."
        raise ModelError(
            f"{converted.name} cannot be written to {converted.parent}: {error.strerror or error}.",
            advice,
        ) from None
    return _checked(converted, stop)


def _checked(path: Path, stop: "ctypes.Array[ctypes.c_char] | None") -> GgufEmbedder:
    gguf_file.read(path)  # some damage would make llama.cpp end the process
    model = GgufEmbedder(path, LONGEST, stop)
    vectors = model.embed(list(CHECK))
    expected = np.array(list(CHECK.values()))
    if not np.allclose(vectors[:, : expected.shape[1]], expected, rtol=0, atol=TOLERANCE):
        raise ModelError(
            f"{path.name} does not give the vectors that it should.", "Install memapp again."
        )
    return model


def _convert(source: Path, converted: Path) -> None:
    """Write the GGUF file as llama.cpp's own conversion does."""
    import gguf

    config = json.loads((source / "config.json").read_text("utf-8"))
    with (
        cached_copies.whole(converted) as unfinished,
        closing(gguf.GGUFWriter(unfinished, "bert")) as writer,
    ):
        _describe(writer, config)
        _add_vocabulary(writer, (source / "vocab.txt").read_text("utf-8").splitlines())
        _add_weights(writer, source / "model.safetensors", config["num_hidden_layers"])
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()


def _describe(writer: "gguf.GGUFWriter", config: dict[str, Any]) -> None:
    from gguf import LlamaFileType, PoolingType

    writer.add_name(NAME)
    writer.add_file_type(LlamaFileType[f"MOSTLY_{FORMAT}"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_layer_norm_eps(config["layer_norm_eps"])
    writer.add_token_type_count(config["type_vocab_size"])
    writer.add_causal_attention(False)
    writer.add_pooling_type(PoolingType.MEAN)


def _add_vocabulary(writer: "gguf.GGUFWriter", words: Sequence[str]) -> None:
    """Add the word pieces; llama.cpp marks those at the start of a word, WordPiece the others."""
    from gguf import TokenType

    writer.add_tokenizer_model("bert")
    whole = [
        word if word in CONTROL or word.startswith("##") else WORD_START + word for word in words
    ]
    writer.add_token_list([word.removeprefix("##") for word in whole])
    writer.add_token_types(
        [TokenType.CONTROL if word in CONTROL else TokenType.NORMAL for word in words]
    )


def _add_weights(writer: "gguf.GGUFWriter", weights: Path, layers: int) -> None:
    """Add the matrices as `FORMAT`; vectors, positions and token types stay F32 for llama.cpp."""
    from gguf import (
        MODEL_ARCH,
        GGMLQuantizationType,
        SafetensorsLocal,
        get_tensor_name_map,
        quantize,
    )

    names = get_tensor_name_map(MODEL_ARCH.BERT, layers)
    for theirs, tensor in SafetensorsLocal(weights).tensors.items():
        if theirs.startswith(UNUSED):
            continue
        ours = names.get_name(theirs, try_suffixes=(".weight", ".bias"))
        if ours is None:
            raise ModelError(
                f"{weights} is another model than the one that belongs here ({theirs}).",
                "Install memapp again.",
            )
        values = tensor.mmap_bytes().view("<f4").reshape(tensor.shape)
        small = values.ndim == 1 or ours.startswith(("position_embd", "token_types"))
        written = GGMLQuantizationType["F32" if small else FORMAT]
        writer.add_tensor(ours, quantize(values, written), raw_dtype=written)
