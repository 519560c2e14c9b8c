"""The model files of other programs on this disk, used in place and never changed.

Hugging Face's libraries keep them in `hub/models--OWNER--NAME/snapshots/COMMIT`, llama.cpp in a
folder of files, LM Studio in `models/OWNER/NAME`, Ollama as blobs named in manifests.
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
"""Files that are no chat models: for images, for tests, for quantisation."""
SNAPSHOTS = "models--*/snapshots/*/**/*.gguf"
OLLAMA_WEIGHTS = "application/vnd.ollama.image.model"
OLLAMA_REGISTRY, OLLAMA_NAMESPACE = "registry.ollama.ai", "library"
MOST_FILES = 50
"""The most files of a folder: each header is read, and who has more knows their names."""


@dataclass(frozen=True)
class KeptFile:
    """A model file of another program."""

    name: str
    path: Path
    program: str


def find() -> list[KeptFile]:
    """Return the model files of other programs, each once."""
    files: dict[str, KeptFile] = {}
    for search in (_ollama, _lm_studio, _llama_cpp, _hugging_face):
        with suppress(OSError, RuntimeError):  # an unreadable folder, or no home folder
            for file in search():
                files.setdefault(os.path.realpath(file.path), file)
    return list(files.values())


def _hugging_face() -> Iterator[KeptFile]:
    home = _folder("HF_HOME", _caches() / "huggingface")
    hub = _folder("HF_HUB_CACHE", _folder("HUGGINGFACE_HUB_CACHE", home / "hub"))
    yield from _ggufs(hub, SNAPSHOTS, "Hugging Face")


def _llama_cpp() -> Iterator[KeptFile]:
    caches = Path.home() / "Library/Caches" if sys.platform == "darwin" else _caches()
    folder = _folder("LLAMA_CACHE", caches / "llama.cpp")
    yield from _ggufs(folder, "*.gguf", "llama.cpp")
    # Newer versions keep files as Hugging Face does.
    yield from _ggufs(folder, SNAPSHOTS, "llama.cpp")


def _lm_studio() -> Iterator[KeptFile]:
    pointer = Path.home() / ".lmstudio-home-pointer"  # names a home that was moved
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
    """Yield the models in manifests, those of a system service included if readable."""
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
    """Return the first file of each model, sorted."""
    return sorted({gguf_file.first_part(path) for path in files})


def _caches() -> Path:
    return _folder("XDG_CACHE_HOME", Path.home() / ".cache")


def _folder(variable: str, otherwise: Path) -> Path:
    value = os.environ.get(variable)
    return Path(value).expanduser() if value else otherwise
