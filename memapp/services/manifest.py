"""The manifest of models: the bundled one, and those that are worth getting."""

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
    """The page of the repository where it is."""
    note: str
    commit: str = ""
    """The revision that was looked at; empty is the newest."""
    sha256: str = ""
    """The hash of the file; empty where nobody knows it."""
    jobs: tuple[ModelJob, ...] | None = None
    """The jobs that it was measured to do well; None leaves that to the test (`memapp models
    test`).
    """
    embeds: bool = False
    """It makes embeddings, by which the search finds what means the same, and does not chat."""
    default: bool = False
    """It answers where the settings name no model and its file is here."""
    wheels: Wheels | None = None
    """Where the same file is once more; None if nowhere."""


def recommended() -> tuple[Recommended, ...]:
    """Return the bundled models and the ones that are worth getting, as memapp's list names them."""
    return _read(paths.bundled("models", "manifest.toml"))


def bundled_model() -> Recommended:
    """Return the model that comes with memapp and chats."""
    return next(entry for entry in recommended() if not (entry.file or entry.embeds))


def bundled_embedder() -> Recommended:
    """Return the model that comes with memapp, searches by meaning, and reads messages."""
    return next(entry for entry in recommended() if entry.embeds and not entry.file)


def default_model() -> Recommended | None:
    """Return the model that answers where the settings name none and its file is here; None if the
    list marks none.
    """
    return next((entry for entry in recommended() if entry.default), None)


@cache
def _read(file: Path) -> tuple[Recommended, ...]:
    manifest = tomllib.loads(file.read_text("utf-8"))
    return tuple(Recommended.model_validate(entry) for entry in manifest["model"])


def known_jobs(model_key: str) -> tuple[ModelJob, ...] | None:
    """Return the jobs that a listed file does well, given the beginning of its hash; None where the
    list does not say.
    """
    found = (
        entry.jobs for entry in recommended() if model_key and entry.sha256.startswith(model_key)
    )
    return next(found, None)
