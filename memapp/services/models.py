"""The models: loading them in the background, listing the ones there are, choosing one."""

import logging
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import psutil
from pydantic import BaseModel, ConfigDict

from memapp import paths, settings
from memapp.errors import MemappError, ModelError, UsageError
from memapp.inference import gguf_file
from memapp.runtime import Runtime

log = logging.getLogger(__name__)

BUNDLED = "bundled"
OVERHEAD_BYTES = 300 * 1024 * 1024
"""What a model needs beside its weights: the key/value cache of a 4,096-token window and the library's buffers, roughly."""

Fit = Literal["fits", "tight", "too big", "unusable"]
"""Whether a model has room in the memory; unusable is a file that is missing or damaged, as the note says."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model that could be used: on this machine already, or recommended."""

    name: str
    path: Path | None
    """None for a recommendation that is not here yet, and for the bundled model."""
    bytes: int
    licence: str
    note: str
    fit: Fit
    current: bool


class Recommended(BaseModel):
    """An entry of models/manifest.toml; `file` is empty for the bundled model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    file: str
    bytes: int
    licence: str
    source: str
    """The page where a person gets it."""
    note: str


def load_chat_model(runtime: Runtime) -> None:
    """Load the language model that the settings name; slow. `runtime.chat` tells how it went; nothing is raised."""
    runtime.chat.empty()
    runtime.chat.loading("Loading the model…")
    try:
        model = runtime.open_chat_model(runtime, runtime.chat.loading)
    except MemappError as error:
        log.warning("the chat model did not load: %s", type(error).__name__)
        runtime.chat.fail(str(error))
        return
    runtime.chat.fill(model, model.name)


def load_embedder(runtime: Runtime) -> None:
    """Load the embedding model; slow. `runtime.embedding` tells how it went; nothing is raised."""
    runtime.embedding.loading("Loading the embedding model…")
    try:
        embedder = runtime.open_embedder(runtime)
        embedder.embed(["ready"])
    except MemappError as error:
        log.warning("the embedder did not load: %s", type(error).__name__)
        runtime.embedding.fail(str(error))
        return
    runtime.embedding.fill(embedder, embedder.model_id)


def list_models(runtime: Runtime) -> list[ModelChoice]:
    """Return the bundled model, the GGUF files in the models folder, and what the manifest recommends."""
    current = runtime.settings.model
    recommended = {entry.file: entry for entry in _manifest()}
    bundled = recommended.pop("")
    choices = [_choice(BUNDLED, None, bundled.bytes, bundled.licence, bundled.note, not current)]
    for path in sorted(runtime.paths.models.glob("*.gguf")):
        is_current = current in (path.name, path.stem, str(path))
        choices.append(_choice_of_file(path, path.stem, recommended.pop(path.name, None), is_current))
    if current and not any(one.current for one in choices):
        choices.append(_choice_of_file(Path(current).expanduser(), current, None, True))
    for file, entry in recommended.items():
        note = f"{entry.note} Get {file} from {entry.source} and put it into {runtime.paths.models}."
        choices.append(_choice(entry.name, None, entry.bytes, entry.licence, note, False))
    return choices


def use_model(runtime: Runtime, name: str) -> None:
    """Make a model the one for this and later starts. Load it with `load_chat_model`.

    Raises `UsageError` if there is none of this name, `ModelError` if its file is damaged.
    """
    chosen = next((one for one in list_models(runtime) if one.name == name), None)
    path = Path(name).expanduser()
    if name == BUNDLED:
        value = ""
    elif chosen is not None and chosen.path is not None:
        value = str(chosen.path)
    elif path.is_file():
        value = str(path.absolute())
    else:
        here = [one.name for one in list_models(runtime) if one.path or one.name == BUNDLED]
        raise UsageError(
            f"There is no model {name!r} here.", settings.nearest(name, here, f"Put its GGUF file into {runtime.paths.models}.")
        )
    if value:
        check_file(runtime.paths.models, value)
    settings.write(runtime.paths.config, "model", value)
    runtime.loaded = replace(runtime.loaded, settings=runtime.settings.model_copy(update={"model": value, "server": ""}))


def file_of(folder: Path, name: str) -> Path:
    """Return the GGUF file that the setting `model` names: a path, or a name in the models folder. Raises `ModelError`."""
    for path in (Path(name).expanduser(), folder / name, folder / f"{name}.gguf"):
        if path.is_file():
            return path.absolute()
    raise ModelError(f"There is no model file {name}.", f"Put it into {folder}, or name its full path.")


def check_file(folder: Path, name: str) -> None:
    """Look whether a model file is there and whole, without loading it. Raises `ModelError`."""
    gguf_file.read(file_of(folder, name))


def _manifest() -> list[Recommended]:
    text = paths.bundled("models", "manifest.toml").read_text("utf-8")
    return [Recommended.model_validate(entry) for entry in tomllib.loads(text)["model"]]


def _choice(name: str, path: Path | None, size: int, licence: str, note: str, current: bool) -> ModelChoice:
    return ModelChoice(name, path, size, licence, note, fit(size), current)


def _choice_of_file(path: Path, name: str, known: Recommended | None, current: bool) -> ModelChoice:
    size = path.stat().st_size if path.is_file() else 0
    choice = _choice(name, path, size, known.licence if known else "", known.note if known else "", current)
    try:
        gguf_file.read(path)
    except ModelError as error:
        return replace(choice, fit="unusable", note=str(error))
    return choice


def fit(size: int) -> Fit:
    """Tell whether a model file of `size` bytes fits into the memory that is free now."""
    available = psutil.virtual_memory().available
    needed = size + OVERHEAD_BYTES
    if needed > available:
        return "too big"
    return "tight" if needed > 0.7 * available else "fits"
