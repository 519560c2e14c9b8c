"""The build of llama.cpp that is installed, told from its files: nothing is loaded for it."""

import re
from importlib.util import find_spec
from pathlib import Path

GRAPHICS = {"cuda": "CUDA", "metal": "Metal", "vulkan": "Vulkan", "hip": "ROCm", "sycl": "SYCL"}
"""Libraries of ggml that compute on a graphics card, and what people call them."""


def graphics() -> str:
    """Name what this build can compute with beside the processor, such as CUDA or Metal; empty for a CPU build."""
    spec = find_spec("llama_cpp")
    folders = (spec.submodule_search_locations if spec else None) or []
    files = (file.name for folder in folders for file in Path(folder, "lib").glob("*ggml-*"))
    libraries = {match[1] for name in files if (match := re.match(r"(?:lib)?ggml-([a-z]+)\.", name))}
    return ", ".join(name for library, name in GRAPHICS.items() if library in libraries)
