"""The manifest of models: the bundled one, and those that are worth getting."""

import tomllib
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from memapp import paths
from memapp.domain.prompt import PromptForm


class Recommended(BaseModel):
    """An entry of models/manifest.toml; `file` is empty for the bundled model."""

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
    prompt_form: PromptForm | None = None
    """The form of prompt that it was found to do with; None leaves that to the self-test."""


def recommended() -> tuple[Recommended, ...]:
    """Return the bundled model and the ones that are worth getting, as memapp's list names them."""
    return _read(paths.bundled("models", "manifest.toml"))


@cache
def _read(file: Path) -> tuple[Recommended, ...]:
    manifest = tomllib.loads(file.read_text("utf-8"))
    return tuple(Recommended.model_validate(entry) for entry in manifest["model"])


def known_form(model_key: str) -> PromptForm | None:
    """Return the form of prompt of a listed file, given the beginning of its hash; None for any other."""
    found = (one.prompt_form for one in recommended() if model_key and one.sha256.startswith(model_key))
    return next(found, None)
