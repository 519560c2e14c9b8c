"""The header of a GGUF model file, read without loading the model: integrity, types, memory.

Layout and block sizes are those of the GGUF specification (ggml/docs/gguf.md) and of ggml's type
table. A model in several files is one model, identified by the first of them.
"""

import math
import mmap
import re
import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import psutil

from memapp.errors import ModelError

MAGIC = b"GGUF"
PART = re.compile(r"(.+)-(\d{5})-of-(\d{5})\.gguf", re.DOTALL)
"""The name of a part of a split model; llama.cpp finds the others by name."""
STRING, ARRAY = 8, 9
SCALARS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
LONGEST_KEPT_ARRAY = 1024
"""Longer arrays (vocabularies) are skipped."""

UNDECODED = re.compile("[\ud800-\udfff]")
"""Python's stand-in for a byte in a file name that is not UTF-8."""

Q4_1, Q5_1 = 3, 7
BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
    9: (32, 40), 10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210),
    15: (256, 292), 16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18),
    21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8),
    28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17),
}  # fmt: skip
"""Values and bytes of a block by ggml type number. Newer types count as zero bytes."""

DAMAGE = (struct.error, LookupError, ValueError, TypeError, ArithmeticError, RecursionError)
"""Exceptions from parsing arbitrary bytes."""
BROKEN = "Download it again, or choose another file."
WORKING_MEMORY = 150_000_000
"""Bytes for scores and intermediate results, beside weights and cache."""


@dataclass(frozen=True)
class GgufFile:
    """The header of a complete model file."""

    path: Path
    """The first file of a split model."""
    size: int
    """The total size in bytes."""
    metadata: Mapping[str, Any]
    """Keys as in the file, without arrays longer than `LONGEST_KEPT_ARRAY`."""
    type_bytes: Mapping[int, int]
    """Bytes of weights by ggml type."""

    @property
    def architecture(self) -> str:
        return str(self.metadata.get("general.architecture", ""))

    @property
    def name(self) -> str:
        """Return the model's name: the file name, or that in the header if the file is a hash."""
        return (
            model_name(self.path)
            if self.path.suffix == ".gguf"
            else str(self.metadata.get("general.name") or self.path.name)
        )

    @property
    def chat_template(self) -> str:
        """Return the chat template in the header; empty without one."""
        template = self.metadata.get("tokenizer.chat_template")
        return template if isinstance(template, str) else ""

    @property
    def is_chat_model(self) -> bool:
        """Return True for a model that may write text: no adapter, vision part or embedder."""
        kind = self.metadata.get("general.type", "model")
        return kind == "model" and self.architecture != "clip" and not self.is_embedder

    @property
    def is_embedder(self) -> bool:
        """Return True for a model that embeds whole texts."""
        return f"{self.architecture}.pooling_type" in self.metadata

    @property
    def main_type(self) -> int:
        """Return the ggml type of most weights."""
        return max(self.type_bytes, key=lambda kind: self.type_bytes[kind], default=0)

    def number(self, key: str, default: int = 0) -> int:
        """Return an integer of the architecture, such as `block_count`; the largest of a list."""
        value = self.metadata.get(f"{self.architecture}.{key}", default)
        if isinstance(value, list):
            value = max((item for item in value if isinstance(item, int)), default=default)
        return value if isinstance(value, int) else default

    def cache_bytes(self, context_tokens: int) -> int:
        """Return the size of a 16-bit key/value cache; an upper bound for mixed architectures."""
        heads = self.number("attention.head_count", 1) or 1
        cached_heads = self.number("attention.head_count_kv", heads)
        head_size = self.number("embedding_length") // heads
        widths = self.number("attention.key_length", head_size) + self.number(
            "attention.value_length", head_size
        )
        return 2 * context_tokens * self.number("block_count") * cached_heads * widths

    def needed_bytes(self, context_tokens: int) -> int:
        """Return the memory for loading the model with a context up to its own maximum."""
        window = min(context_tokens, self.number("context_length") or context_tokens)
        return self.size + self.cache_bytes(window) + WORKING_MEMORY


def free_memory() -> int:
    """Return the bytes of memory that are free without swapping."""
    return int(psutil.virtual_memory().available)


def find(folder: Path, name: str) -> Path:
    """Return the model file of a setting: a path, or a name in the folder. Raises `ModelError`."""
    given = Path(name)
    with suppress(RuntimeError):  # unknown user in ~user
        given = given.expanduser()
    for path in (given, folder / name, folder / f"{name}.gguf", *_first_parts(folder, name)):
        with suppress(OSError):  # name too long
            if any(part.is_file() for part in parts(path)):
                return first_part(path.absolute())
    raise ModelError(
        f"There is no model file {shown(name)}.", f"Put it into {folder}, or name its full path."
    )


def _first_parts(folder: Path, name: str) -> list[Path]:
    """Return the first files of split models with a name in a folder."""
    with suppress(OSError):
        return sorted(path for path in folder.glob("*-00001-of-*.gguf") if model_name(path) == name)
    return []


def model_name(path: Path) -> str:
    """Return the name of a model: its file name without the ending and the number of a part."""
    part = PART.fullmatch(path.name)
    return shown(part[1] if part else path.stem)


def first_part(path: Path) -> Path:
    """Return the first file of a split model, or the file itself."""
    return parts(path)[0]


def parts(path: Path) -> list[Path]:
    """Return the paths of all files of a model, existing or not."""
    part = PART.fullmatch(path.name)
    if not part or not 1 <= int(part[2]) <= int(part[3]):
        return [path]
    return [
        path.with_name(f"{part[1]}-{number:05}-of-{part[3]}.gguf")
        for number in range(1, int(part[3]) + 1)
    ]


def size_here(path: Path) -> int:
    """Return the total size of the existing files of a model, in bytes."""
    total = 0
    for part in parts(path):
        with suppress(OSError):
            total += part.stat().st_size
    return total


def shown(name: str) -> str:
    """Return a file name as text without bytes that are not UTF-8."""
    return UNDECODED.sub("\ufffd", name)


def read_embedder(path: Path) -> GgufFile:
    """Return the header of an embedding model. Raises `ModelError` for any other file."""
    header = read(path)
    if not header.is_embedder:
        raise ModelError(
            f"{path.name} makes no embeddings.", "Choose an embedding model: see `memapp models`."
        )
    return header


def read(path: Path) -> GgufFile:
    """Return the header of a model after checking its files. Raises `ModelError` for bad files."""
    files = parts(path)
    missing = [file.name for file in files if not file.is_file()]
    if len(files) > 1 and missing:
        more = f" and {len(missing) - 3:,} more" if len(missing) > 3 else ""
        verb, pronoun = ("is", "it") if len(missing) == 1 else ("are", "them")
        raise ModelError(
            f"{model_name(path)} is one model in {len(files):,} files, "
            f"and {shown(', '.join(missing[:3]))}{more} {verb} missing.",
            f"Download {pronoun} into the folder of the others.",
        )
    return _whole([_read_file(file) for file in files])


def _whole(headers: Sequence[GgufFile]) -> GgufFile:
    """Return the headers of all files of a model as one."""
    first, *others = headers
    type_bytes = dict(first.type_bytes)
    for other in others:
        for kind, size in other.type_bytes.items():
            type_bytes[kind] = type_bytes.get(kind, 0) + size
    return replace(
        first,
        size=sum(header.size for header in headers),
        type_bytes=type_bytes,
    )


def _read_file(path: Path) -> GgufFile:
    """Return the header of one file after checking the file."""
    name = shown(path.name)
    if str(path) != shown(str(path)):
        raise ModelError(
            f"The name of {shown(str(path))} is not UTF-8, so it cannot be kept in the settings.",
            "Rename it.",
        )
    if path.is_dir():
        raise ModelError(f"{name} is a folder.", "Choose a model file.")
    if path.is_symlink() and not path.exists():
        raise ModelError(
            f"{name} is a link that leads to no file.", "Remove it, or put the file there."
        )
    if not path.is_file():
        raise ModelError(
            f"There is no model file at {path}.", "Check the name, or choose another model."
        )
    try:
        status = path.stat()
    except OSError as error:
        raise ModelError(
            f"{name} cannot be read: {error.strerror}.", "Check who may read the file."
        ) from error
    header = _read(path, status.st_size, status.st_mtime_ns)
    count = header.metadata.get("split.count")
    if isinstance(count, int) and count > 1 and not PART.fullmatch(path.name):
        raise ModelError(
            f"{name} is one of {count:,} files of a model, under another name.",
            f"Give them their names back: NAME-00001-of-{count:05}.gguf and so on, in one folder.",
        )
    return header


@cache
def _read(path: Path, size: int, _changed: int) -> GgufFile:
    """Return the header of a file, cached by its state, as a large vocabulary takes long."""
    try:
        with path.open("rb") as file:
            if file.read(4) != MAGIC:
                advice = BROKEN if path.suffix == ".gguf" else "Choose a file that ends in .gguf."
                raise ModelError(f"{path.name} is not a GGUF model file.", advice)
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _parse(path, size, data)
    except OSError as error:
        raise ModelError(
            f"{path.name} cannot be read: {error.strerror}.", "Check who may read the file."
        ) from error
    except DAMAGE as error:
        raise ModelError(f"{path.name} is cut short or damaged.", BROKEN) from error


def _parse(path: Path, size: int, data: mmap.mmap) -> GgufFile:
    reader = _Reader(data)
    version = reader.scalar("<I")
    if version not in (2, 3):
        raise ModelError(
            f"{path.name} is a GGUF file of version {version}, not 2 or 3.", "Choose another file."
        )
    tensors, keys = reader.scalar("<Q"), reader.scalar("<Q")
    metadata: dict[str, Any] = {}
    for _ in range(keys):
        key = reader.string()
        metadata[key] = reader.value(reader.scalar("<I"))
    type_bytes: dict[int, int] = {}
    end = 0
    for _ in range(tensors):
        reader.string()
        shape = [reader.scalar("<Q") for _ in range(reader.scalar("<I"))]
        kind, offset = reader.scalar("<I"), reader.scalar("<Q")
        values, block_bytes = BLOCKS.get(kind, (1, 0))
        tensor_bytes = math.prod(shape) // values * block_bytes
        type_bytes[kind] = type_bytes.get(kind, 0) + tensor_bytes
        end = max(end, offset + tensor_bytes)
    alignment = metadata.get("general.alignment", 32)
    start = -(-reader.at // alignment) * alignment
    if start + end > size:
        missing = (start + end - size) / 1e6
        raise ModelError(f"{path.name} is cut short: {missing:,.1f} MB are missing.", BROKEN)
    return GgufFile(
        path, size, {key: value for key, value in metadata.items() if value is not None}, type_bytes
    )


class _Reader:
    """A reader of the file's bytes; a length beyond the file is an error, never an allocation."""

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
        return self.data[start : self.at].decode("utf-8", "replace")  # unchecked, as in llama.cpp

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
