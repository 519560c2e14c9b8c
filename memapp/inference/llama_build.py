"""The installed build of llama.cpp, identified by its files without loading them."""

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

GRAPHICS = {"cuda": "CUDA", "metal": "Metal", "vulkan": "Vulkan", "hip": "ROCm", "sycl": "SYCL"}
"""The ggml libraries for graphics cards, with their common names."""


@cache
def name() -> str:
    """Return a name that changes with the build: version, and a digest of file sizes and times."""
    try:
        release = version("llama-cpp-python")
    except PackageNotFoundError:
        release = "none"
    states = (
        (file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in sorted(_libraries())
    )
    return f"{release}-{hashlib.sha256(repr([*states]).encode()).hexdigest()[:12]}"


def graphics() -> str:
    """Return the graphics backends of the build, such as CUDA or Metal; empty for a CPU build."""
    libraries = {
        match[1]
        for file in _libraries()
        if (match := re.match(r"(?:lib)?ggml-([a-z]+)\.", file.name))
    }
    return ", ".join(label for library, label in GRAPHICS.items() if library in libraries)


def _libraries() -> Iterator[Path]:
    """Yield the files of ggml and llama.cpp."""
    spec = find_spec("llama_cpp")
    for folder in (spec.submodule_search_locations if spec else None) or []:
        yield from (
            file
            for file in Path(folder, "lib").glob("*")
            if re.search("ggml|llama", file.name) and file.is_file()
        )
