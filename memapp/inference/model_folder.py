"""The folder of a sentence-transformers model, and facts read from it without loading."""

import hashlib
import json
from pathlib import Path

from memapp.errors import ModelError


def dimension(folder: Path) -> int:
    """Return the dimension of the model's vectors. Raises `ModelError` without a safe model."""
    if not any(path.suffix == ".safetensors" for path in _files(folder)):
        raise ModelError(
            f"There is no embedding model in {folder}.",
            "It needs modules.json and a .safetensors file.",
        )
    try:
        return _dimension(folder)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _damaged(folder, error) from None


def model_id(folder: Path) -> str:
    """Return a name that changes with the model's files."""
    digest = hashlib.sha256()
    try:
        for path in _files(folder):
            with path.open("rb") as opened:
                digest.update(
                    path.relative_to(folder).as_posix().encode()
                    + hashlib.file_digest(opened, "blake2b").digest()
                )
    except OSError as error:
        raise _damaged(folder, error) from None
    return f"{folder.name}@{digest.hexdigest()[:12]}"


def _files(folder: Path) -> list[Path]:
    return sorted(
        path for path in folder.rglob("*") if path.suffix in (".json", ".txt", ".safetensors")
    )


def _dimension(folder: Path) -> int:
    """Return the dimension set by the last module that sets one."""
    width = int(json.loads((folder / "config.json").read_text("utf-8"))["hidden_size"])
    for module in json.loads((folder / "modules.json").read_text("utf-8")):
        settings = folder / module["path"] / "config.json"
        if module["path"] and settings.is_file():
            stated = json.loads(settings.read_text("utf-8"))
            width = int(
                stated.get("out_features") or stated.get("word_embedding_dimension") or width
            )
    return width


def _damaged(folder: Path, error: Exception) -> ModelError:
    return ModelError(
        f"The embedding model in {folder} is damaged ({error}).", "Get it again, or choose another."
    )
