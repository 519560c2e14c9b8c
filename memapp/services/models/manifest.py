"""The manifest of models: bundled ones, and recommended ones to download."""

import tomllib
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from memapp import paths
from memapp.domain.model_jobs import ModelJob
from memapp.inference.download import Wheels


class Recommended(BaseModel):
    """An entry of models/manifest.toml; `file` is empty for a bundled model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    file: str
    bytes: int
    licence: str
    source: str
    """The page of its repository."""
    note: str
    commit: str = ""
    """Its revision; empty for the newest."""
    sha256: str = ""
    """Hash of the file; empty if unknown."""
    jobs: tuple[ModelJob, ...] | None = None
    """Jobs it was measured to do well; None leaves them to `memapp models test`."""
    embeds: bool = False
    """True for an embedding model, which serves the search and does not chat."""
    default: bool = False
    """True for the model that answers if downloaded and no other is chosen."""
    wheels: Wheels | None = None
    """Another place with the same file; None if there is none."""


def recommended() -> tuple[Recommended, ...]:
    """Return the models of the manifest, in its order."""
    return _read(paths.bundled("models", "manifest.toml"))


def bundled_model() -> Recommended:
    """Return the bundled chat model."""
    return next(entry for entry in recommended() if not (entry.file or entry.embeds))


def bundled_embedder() -> Recommended:
    """Return the bundled embedding model."""
    return next(entry for entry in recommended() if entry.embeds and not entry.file)


def default_model() -> Recommended | None:
    """Return the model that answers by default once downloaded; None if there is none."""
    return next((entry for entry in recommended() if entry.default), None)


@cache
def _read(file: Path) -> tuple[Recommended, ...]:
    manifest = tomllib.loads(file.read_text("utf-8"))
    return tuple(Recommended.model_validate(entry) for entry in manifest["model"])


def known_jobs(model_key: str) -> tuple[ModelJob, ...] | None:
    """Return the jobs of a listed model by the beginning of its hash; None if not listed."""
    jobs = (
        entry.jobs for entry in recommended() if model_key and entry.sha256.startswith(model_key)
    )
    return next(jobs, None)
