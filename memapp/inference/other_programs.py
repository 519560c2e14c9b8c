"""The model files that other programs keep on this disk: they are found and used in place, and
never changed.

Where each keeps them: Hugging Face's libraries in `hub/models--OWNER--NAME/snapshots/COMMIT`,
llama.cpp in a folder of files, LM Studio in `models/OWNER/NAME`, Ollama as blobs that manifests
name.
"""

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memapp.inference import gguf_file

NO_CHAT = re.compile(r"mmproj|ggml-vocab|imatrix", re.IGNORECASE)
"""Files beside models: for pictures, for tests, for making models smaller."""
SNAPSHOTS = "models--*/snapshots/*/**/*.gguf"
OLLAMA_WEIGHTS = "application/vnd.ollama.image.model"
OLLAMA_REGISTRY, OLLAMA_NAMESPACE = "registry.ollama.ai", "library"
MOST_FILES = 50
"""Of one folder: each header is read, and whoever has more knows their names."""


@dataclass(frozen=True)
class KeptFile:
    """A model file of another program."""

    name: str
    path: Path
    program: str


def find() -> list[KeptFile]:
    """Return the model files of other programs, each once."""
    found: dict[str, KeptFile] = {}
    for search in (_ollama, _lm_studio, _llama_cpp, _hugging_face):
        with suppress(
            OSError, RuntimeError
        ):  # a folder of somebody else, or a person without a home
            for kept in search():
                found.setdefault(os.path.realpath(kept.path), kept)
    return list(found.values())


def _hugging_face() -> Iterator[KeptFile]:
    home = _folder("HF_HOME", _caches() / "huggingface")
    hub = _folder("HF_HUB_CACHE", _folder("HUGGINGFACE_HUB_CACHE", home / "hub"))
    yield from _ggufs(hub, SNAPSHOTS, "Hugging Face")


def _llama_cpp() -> Iterator[KeptFile]:
    caches = Path.home() / "Library/Caches" if sys.platform == "darwin" else _caches()
    folder = _folder("LLAMA_CACHE", caches / "llama.cpp")
    yield from _ggufs(folder, "*.gguf", "llama.cpp")
    yield from _ggufs(
        folder, SNAPSHOTS, "llama.cpp"
    )  # its newer versions keep them as Hugging Face does


def _lm_studio() -> Iterator[KeptFile]:
    pointer = Path.home() / ".lmstudio-home-pointer"  # who moved it left this behind
    home = (
        Path(pointer.read_text("utf-8").strip()) if pointer.is_file() else Path.home() / ".lmstudio"
    )
    chosen: object = None
    with suppress(OSError, ValueError, AttributeError):
        chosen = json.loads((home / "settings.json").read_text("utf-8")).get("downloadsFolder")
    folders = [home / "models", _caches() / "lm-studio" / "models"]
    for folder in [*([Path(chosen)] if isinstance(chosen, str) and chosen else []), *folders]:
        yield from _ggufs(folder, "*/*/*.gguf", "LM Studio")


def _ollama() -> Iterator[KeptFile]:
    """Yield what the manifests name; those of a system's own service may be readable too."""
    for folder in (
        _folder("OLLAMA_MODELS", Path.home() / ".ollama/models"),
        Path("/usr/share/ollama/.ollama/models"),
    ):
        manifests = folder / "manifests"
        with suppress(OSError):
            for manifest in sorted(manifests.glob("*/*/*/*"))[:MOST_FILES]:
                yield from _ollama_model(folder, manifest, manifest.relative_to(manifests).parts)


def _ollama_model(folder: Path, manifest: Path, place: tuple[str, ...]) -> Iterator[KeptFile]:
    registry, namespace, model, tag = place
    name = f"{model}:{tag}" if namespace == OLLAMA_NAMESPACE else f"{namespace}/{model}:{tag}"
    if registry != OLLAMA_REGISTRY:
        name = f"{registry}/{name}"
    with suppress(OSError, ValueError, LookupError, TypeError):  # a manifest of another form
        layers = json.loads(manifest.read_text("utf-8"))["layers"]
        digests = [str(layer["digest"]) for layer in layers if layer["mediaType"] == OLLAMA_WEIGHTS]
        if len(digests) == 1 and re.fullmatch("sha256:[0-9a-f]{64}", digests[0]):
            blob = folder / "blobs" / digests[0].replace(":", "-")
            if blob.is_file():
                yield KeptFile(name, blob, "Ollama")


def _ggufs(folder: Path, pattern: str, program: str) -> Iterator[KeptFile]:
    for path in known_by(folder.glob(pattern))[:MOST_FILES]:
        if all(part.is_file() for part in gguf_file.parts(path)) and not NO_CHAT.search(path.name):
            yield KeptFile(gguf_file.model_name(path), path, program)


def known_by(files: Iterable[Path]) -> list[Path]:
    """Return one file for each model, sorted: of a split model the first."""
    return sorted({gguf_file.first_part(path) for path in files})


def _caches() -> Path:
    return _folder("XDG_CACHE_HOME", Path.home() / ".cache")


def _folder(variable: str, otherwise: Path) -> Path:
    value = os.environ.get(variable)
    return Path(value).expanduser() if value else otherwise
