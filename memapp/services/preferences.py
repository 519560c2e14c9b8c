"""The settings as the person sees and changes them."""

import itertools
import threading
from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from memapp import settings
from memapp.errors import ModelError, UsageError
from memapp.inference import gguf_file, model_folder, server_key
from memapp.paths import Paths
from memapp.prompts import budget
from memapp.runtime import Runtime
from memapp.settings import THEMES, Settings

ORIGINS = {"flag": "the command line", "environment": "the environment", "file": "config.toml"}
NEXT_START = frozenset(
    {
        "server",
        "server_model",
        "server_key_file",
        "allow_remote",
        "context_tokens",
        "embedding_model",
    }
)
"""Settings that take effect when a model is loaded."""
NAMING = ("persona", "theme", "model", "server", "server_key_file", "embedding_model")
"""Settings that name something, which may not be there."""
LIMITS = ("context_tokens", "budget_tokens", "reply_tokens")
"""Settings of which one may leave no room for another."""
LEAST_PROMPT_TOKENS = 1_180
"""Tokens around a message of one word, by the tokenizers of the listed models."""
TOKENS_STEP = 256
_one_change = threading.Lock()
"""Held while a setting is changed: the file is read, changed and written as a whole."""


@dataclass(frozen=True, slots=True)
class Preference:
    name: str
    label: str
    value: str
    default: str
    description: str
    variable: str
    """The environment variable that sets it; empty if only config.toml does."""
    origin: str
    """Source of a value that is not the default, in words; empty for the default."""
    reload: bool
    """True if it takes effect when the model is loaded again."""
    choices: tuple[str, ...]
    """All possible values; empty for a number or a text."""


def list_preferences(runtime: Runtime) -> list[Preference]:
    """Return every setting, in the order of the program."""
    return [
        Preference(
            name=name,
            label=field.title or name,
            value=shown(getattr(runtime.settings, name)),
            default=shown(field.default),
            description=field.description or "",
            variable="" if name in settings.WRITTEN else f"{settings.PREFIX}{name.upper()}",
            origin=ORIGINS[runtime.loaded.origin[name]] if name in runtime.loaded.origin else "",
            reload=name in NEXT_START,
            choices=choices(runtime, name),
        )
        for name, field in Settings.model_fields.items()
    ]


def choices(runtime: Runtime, name: str) -> tuple[str, ...]:
    """Return all possible values of a setting; none for a number or a text."""
    kind = Settings.model_fields[name].annotation
    if name == "theme":
        return THEMES
    if name == "persona":
        return tuple(sorted(runtime.personas))
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return tuple(kind)
    return ("true", "false") if kind is bool else ()


def set_preference(runtime: Runtime, name: str, value: str) -> None:
    """Change a setting now and in config.toml; raise `UsageError` for an invalid value."""
    check_free(runtime, name)
    with _one_change:
        changed = Settings.model_validate(
            {**runtime.settings.model_dump(), name: settings.parse(name, value)}
        )
        check(name, changed, runtime.paths, runtime.personas)
        settings.write(runtime.paths.config, name, value)
        other_origins = {
            other_name: where
            for other_name, where in runtime.loaded.origin.items()
            if other_name != name
        }
        runtime.loaded = replace(
            runtime.loaded,
            settings=changed,
            origin={**other_origins, name: "file"} if value else other_origins,
        )


def check_free(runtime: Runtime, name: str) -> None:
    """Raise `UsageError` for a setting fixed for this start, by a flag or the environment."""
    where = runtime.loaded.origin.get(name)
    if where in ("flag", "environment"):
        label = Settings.model_fields[name].title
        raise UsageError(
            f"{label} was set by {ORIGINS[where]}.", "Start memapp without it to change it here."
        )


def check(name: str, chosen: Settings, places: Paths, personas: Collection[str]) -> None:
    """Raise `UsageError` if a setting names something unusable or leaves no room for another."""
    try:
        match name:
            case "persona":
                settings.check_known("persona", chosen.persona, personas)
            case "theme":
                settings.check_known("theme", chosen.theme, THEMES)
            case "model" if chosen.model not in ("", settings.BUNDLED):
                gguf_file.read(gguf_file.find(places.models, chosen.model))
            case "server" if chosen.server:
                from memapp.inference import server_http

                server_http.checked_address(chosen.server, chosen.allow_remote)
            case "server_key_file" if chosen.server_key_file:
                server_key.read(Path(chosen.server_key_file))
            case "context_tokens" | "budget_tokens" | "reply_tokens":
                check_limits(chosen)
            case "embedding_model" if chosen.embedding_model:
                path = Path(chosen.embedding_model)
                gguf_file.read_embedder(path) if path.is_file() else model_folder.dimension(path)
    except ModelError as error:
        raise UsageError(error.message, error.advice) from None


def check_limits(chosen: Settings) -> None:
    """Raise `UsageError` if a request has no room for a prompt and the longest reply."""
    name = min("budget_tokens", "context_tokens", key=lambda setting: getattr(chosen, setting))
    limit: int = getattr(chosen, name)
    needed = LEAST_PROMPT_TOKENS + chosen.reply_tokens
    if budget.room_of(limit) < needed:
        enough = next(
            tokens
            for tokens in itertools.count(limit, TOKENS_STEP)
            if budget.room_of(tokens) >= needed
        )
        raise UsageError(
            f"{name} = {limit:,} leaves no room for a prompt:"
            f" an answer may take {chosen.reply_tokens:,} tokens (reply_tokens).",
            f"Set {name} to {enough:,} or more, or lower reply_tokens.",
        )


def said_now(label: str, value: str) -> str:
    """Return a sentence on the new value of a setting."""
    return f"{label} is now {value}." if value else f"{label} is no longer set."


def shown(value: object) -> str:
    """Return a value as written in config.toml."""
    return str(value).lower() if isinstance(value, bool) else str(value)
