"""The grants of agents, agents.toml: one table an agent, read again for each call."""

import re
from pathlib import Path
from typing import Any

import tomlkit
from pydantic import ValidationError

from memapp.domain.grants import NAME, Grant
from memapp.errors import ConfigError, UsageError
from memapp.runtime import Runtime
from memapp.services.exports import write_private
from memapp.toml_file import line_of, read_toml


def checked_name(name: str) -> str:
    """Return the name of an agent. Raises `UsageError` for an invalid name."""
    if not re.fullmatch(NAME, name):
        raise UsageError(
            "An agent's name is made of small letters, digits and . _ -, at most 40.",
            "Such as: claude-code.",
        )
    return name


def load_grant(runtime: Runtime, agent: str) -> Grant:
    """Read the grant of an agent, with defaults for missing values.

    Raises `ConfigError` with file and line.
    """
    path = file_of(runtime)
    text, tables = read_toml(path)
    given = tables.get(agent, {})
    try:
        grant = Grant.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        word = str(first["loc"][0]) if first["loc"] else agent
        raise ConfigError(
            f"{path}, line {line_of(word, text)}: {agent}: {word}: {first['msg']}."
        ) from None
    if unknown := sorted(set(grant.categories or ()) - set(runtime.categories.categories)):
        raise ConfigError(
            f"{path}, line {line_of(unknown[0], text)}: there is no category {unknown[0]!r}."
        )
    return grant


def write_grant(runtime: Runtime, agent: str) -> None:
    """Add the grant of an agent to the file, if missing, for the person to change."""
    path, grant = file_of(runtime), load_grant(runtime, agent)
    document = tomlkit.parse(read_toml(path)[0])
    if agent in document:
        return
    capability = grant.capability(agent, runtime.user_id, runtime.categories)
    table: dict[str, Any] = grant.model_dump() | {"categories": sorted(capability.categories)}
    document[agent] = table
    path.parent.mkdir(parents=True, exist_ok=True)
    write_private(runtime, path, [tomlkit.dumps(document)])


def file_of(runtime: Runtime) -> Path:
    return runtime.paths.categories.with_name("agents.toml")
