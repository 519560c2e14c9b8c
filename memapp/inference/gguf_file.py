"""The header of a GGUF model file, read without loading it: whether it is whole, its number formats, its memory.

Only the header is read. Layout and block sizes are those of the GGUF specification (ggml/docs/gguf.md) and of ggml's
type table.
"""

import math
import mmap
import struct
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import psutil

from memapp.errors import ModelError

MAGIC = b"GGUF"
STRING, ARRAY = 8, 9
SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
LONGEST_KEPT_ARRAY = 1024
"""Arrays beyond this (vocabularies) are skipped, not kept."""

Q4_1, Q5_1 = 3, 7
BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 40), 10: (256, 84),
    11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292), 16: (256, 66), 17: (256, 74),
    18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2),
    26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17),
}  # fmt: skip
"""ggml type number: (values in a block, bytes of a block). Types made later than this table count as zero bytes."""

DAMAGE = (struct.error, LookupError, ValueError, TypeError, ArithmeticError, RecursionError)
"""What parsing senseless bytes can lead to."""
BROKEN = "Download it again, or choose another file."
WORKING_MEMORY = 150_000_000
"""Bytes for scores and intermediate results, beside weights and cache."""


@dataclass(frozen=True)
class GgufFile:
    """The header of a model file that was found whole."""

    path: Path
    size: int
    metadata: Mapping[str, Any]
    """Keys as in the file; arrays longer than `LONGEST_KEPT_ARRAY` are left out."""
    type_bytes: Mapping[int, int]
    """Bytes of weights in each ggml type."""
    parameters: int
    """How many weights there are."""

    @property
    def architecture(self) -> str:
        return str(self.metadata.get("general.architecture", ""))

    @property
    def name(self) -> str:
        """What the model is called: its file, or where that is named after a hash, what the header says."""
        return self.path.stem if self.path.suffix == ".gguf" else str(self.metadata.get("general.name") or self.path.name)

    @property
    def languages(self) -> tuple[str, ...]:
        """The codes of the languages it was made for, if the header says so."""
        told = self.metadata.get("general.languages")
        return tuple(map(str, told)) if isinstance(told, list) else ()

    @property
    def is_chat_model(self) -> bool:
        """Say whether it may write text: it is no adapter, no part of a vision model, and makes no embeddings."""
        kind = self.metadata.get("general.type", "model")
        return kind == "model" and self.architecture != "clip" and f"{self.architecture}.pooling_type" not in self.metadata

    @property
    def main_type(self) -> int:
        """The ggml type that holds most of the weights."""
        return max(self.type_bytes, key=lambda kind: self.type_bytes[kind], default=0)

    def number(self, key: str, default: int = 0) -> int:
        """An integer of this architecture, such as `block_count`; the largest where each layer has its own."""
        value = self.metadata.get(f"{self.architecture}.{key}", default)
        if isinstance(value, list):
            value = max((item for item in value if isinstance(item, int)), default=default)
        return value if isinstance(value, int) else default

    def cache_bytes(self, context_tokens: int) -> int:
        """Size of the key/value cache for a context in 16-bit floats; an upper bound for mixed architectures."""
        heads = self.number("attention.head_count", 1) or 1
        cached_heads = self.number("attention.head_count_kv", heads)
        head_size = self.number("embedding_length") // heads
        widths = self.number("attention.key_length", head_size) + self.number("attention.value_length", head_size)
        return 2 * context_tokens * self.number("block_count") * cached_heads * widths

    def needed_bytes(self, context_tokens: int) -> int:
        """Memory that loading takes, with a context as long as wanted, or as the model can have."""
        window = min(context_tokens, self.number("context_length") or context_tokens)
        return self.size + self.cache_bytes(window) + WORKING_MEMORY


def free_memory() -> int:
    """Bytes that can be used without swapping."""
    return int(psutil.virtual_memory().available)


def find(folder: Path, name: str) -> Path:
    """Return the model file that a setting names: a path, or a name in the models folder. Raises `ModelError`."""
    for path in (Path(name).expanduser(), folder / name, folder / f"{name}.gguf"):
        with suppress(OSError):  # no file has so long a name
            if path.is_file():
                return path.absolute()
    raise ModelError(f"There is no model file {name}.", f"Put it into {folder}, or name its full path.")


def read(path: Path) -> GgufFile:
    """Read and check a model file; raise `ModelError` when it is missing, no GGUF file, or cut short."""
    if not path.is_file():
        raise ModelError(f"There is no model file at {path}.", "Check the name, or choose another model.")
    status = path.stat()
    return _read(path, status.st_size, status.st_mtime_ns)


@cache
def _read(path: Path, size: int, _changed: int) -> GgufFile:
    """Read the header of a file as it is now; a vocabulary of 150,000 words takes a tenth of a second, and a list has many."""
    try:
        with path.open("rb") as file:
            if file.read(4) != MAGIC:
                advice = BROKEN if path.suffix == ".gguf" else "Choose a file that ends in .gguf."
                raise ModelError(f"{path.name} is not a GGUF model file.", advice)
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _parse(path, size, data)
    except OSError as error:
        raise ModelError(f"{path.name} cannot be read: {error.strerror}.", "Check who may read the file.") from error
    except DAMAGE as error:
        raise ModelError(f"{path.name} is cut short or damaged.", BROKEN) from error


def _parse(path: Path, size: int, data: mmap.mmap) -> GgufFile:
    reader = _Reader(data)
    version = reader.scalar("<I")
    if version not in (2, 3):
        raise ModelError(f"{path.name} is a GGUF file of version {version}, not 2 or 3.", "Choose another file.")
    tensors, keys = reader.scalar("<Q"), reader.scalar("<Q")
    metadata: dict[str, Any] = {}
    for _ in range(keys):
        key = reader.string()
        metadata[key] = reader.value(reader.scalar("<I"))
    type_bytes: dict[int, int] = {}
    end = parameters = 0
    for _ in range(tensors):
        reader.string()
        shape = [reader.scalar("<Q") for _ in range(reader.scalar("<I"))]
        kind, offset = reader.scalar("<I"), reader.scalar("<Q")
        values, block_bytes = BLOCKS.get(kind, (1, 0))
        parameters += math.prod(shape)
        tensor_bytes = math.prod(shape) // values * block_bytes
        type_bytes[kind] = type_bytes.get(kind, 0) + tensor_bytes
        end = max(end, offset + tensor_bytes)
    alignment = metadata.get("general.alignment", 32)
    start = -(-reader.at // alignment) * alignment
    if start + end > size:
        missing = (start + end - size) / 1e6
        raise ModelError(f"{path.name} is cut short: {missing:,.1f} MB are missing.", BROKEN)
    return GgufFile(path, size, {key: value for key, value in metadata.items() if value is not None}, type_bytes, parameters)


class _Reader:
    """Walks through the bytes; a length that leads out of the file is an error, never a huge allocation."""

    def __init__(self, data: mmap.mmap) -> None:
        self.data = data
        self.at = len(MAGIC)

    def scalar(self, code: str) -> Any:
        value = struct.unpack_from(code, self.data, self.at)[0]
        self.at += struct.calcsize(code)
        return value

    def string(self) -> str:
        length = self.scalar("<Q")
        start = self.at
        self._skip(length)
        return self.data[start : self.at].decode("utf-8")

    def value(self, kind: int) -> Any:
        if kind == STRING:
            return self.string()
        if kind == ARRAY:
            return self._array()
        return self.scalar(SCALARS[kind])

    def _array(self) -> list[Any] | None:
        kind, length = self.scalar("<I"), self.scalar("<Q")
        if length <= LONGEST_KEPT_ARRAY:
            return [self.value(kind) for _ in range(length)]
        if kind == STRING:
            self._skip_strings(length)
        else:
            self._skip(length * struct.calcsize(SCALARS[kind]))
        return None

    def _skip_strings(self, count: int) -> None:
        data, at, size = self.data, self.at, len(self.data)
        length_at = struct.Struct("<Q").unpack_from
        for _ in range(count):
            at += 8 + length_at(data, at)[0]
            if at > size:
                raise IndexError(at)
        self.at = at

    def _skip(self, length: int) -> None:
        self.at += length
        if self.at > len(self.data):
            raise IndexError(self.at)
