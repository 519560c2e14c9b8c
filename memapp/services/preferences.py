"""The settings as the person sees and changes them."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from memapp import settings
from memapp.errors import ModelError, UsageError
from memapp.inference import gguf_file
from memapp.paths import Paths
from memapp.runtime import Runtime
from memapp.settings import THEMES, Settings

ORIGINS = {"flag": "the command line", "environment": "the environment", "file": "config.toml"}
NEXT_START = frozenset({"server", "server_model", "allow_remote", "context_tokens"})
"""Settings that a model takes when it is loaded."""
NAMING = ("persona", "theme", "model", "server")
"""Settings that name something, which may not be there."""
LABELS = {
    "max_facts": "Facts kept",
    "link_min": "Likeness to be related",
    "link_top_k": "Related facts at most",
    "ttl_days": "Days unused until trash",
    "ttl_importance": "Importance that stays",
    "purge_days": "Days in the trash",
    "fuzzy_threshold": "Likeness of a good guess",
    "top_k": "Memories looked up",
    "mismatch_rule": "How guesses are checked",
    "prompt_memories": "Memories in a prompt",
    "speculate": "Guess ahead while idle",
    "persona": "Persona of new chats",
    "history_exchanges": "Exchanges in a prompt",
    "budget_tokens": "Longest request",
    "reply_tokens": "Longest reply",
    "temperature": "Liveliness",
    "remark_after_minutes": "Minutes until a remark",
    "ask_in_chat": "Ask in the chat",
    "model": "Model file",
    "server": "Model server",
    "server_model": "Model on the server",
    "allow_remote": "Other machines allowed",
    "context_tokens": "Window of the model",
    "first_token_seconds": "Seconds to the 1st word",
    "turn_seconds": "Seconds for a reply",
    "theme": "Colours",
    "hints": "One-time hints",
}
"""What each setting is called on the screen."""


@dataclass(frozen=True, slots=True)
class Preference:
    """One setting."""

    name: str
    label: str
    value: str
    default: str
    description: str
    origin: str
    """Where a value that is not the default came from, in words; empty for the default."""
    reload: bool
    """It counts from the next loading of the model."""


def list_preferences(runtime: Runtime) -> list[Preference]:
    """Return every setting, in the order of the program."""
    return [
        Preference(
            name=name,
            label=LABELS[name],
            value=_shown(getattr(runtime.settings, name)),
            default=_shown(field.default),
            description=field.description or "",
            origin=ORIGINS[runtime.loaded.origin[name]] if name in runtime.loaded.origin else "",
            reload=name in NEXT_START,
        )
        for name, field in Settings.model_fields.items()
    ]


def set_preference(runtime: Runtime, name: str, value: str) -> None:
    """Change a setting now and in config.toml. Raises `UsageError` for a value that does not fit."""
    check_free(runtime, name)
    changed = Settings.model_validate({**runtime.settings.model_dump(), name: settings.parse(name, value)})
    check(name, changed, runtime.paths, runtime.personas)
    settings.write(runtime.paths.config, name, value)
    runtime.loaded = replace(runtime.loaded, settings=changed, origin={**runtime.loaded.origin, name: "file"})


def check_free(runtime: Runtime, name: str) -> None:
    """Raise `UsageError` for a setting that was given for this start, and can only be changed where it was given."""
    where = runtime.loaded.origin.get(name)
    if where in ("flag", "environment"):
        raise UsageError(f"{LABELS[name]} was set by {ORIGINS[where]}.", "Start memapp without it to change it here.")


def check(name: str, chosen: Settings, places: Paths, personas: Collection[str]) -> None:
    """Raise `UsageError` if a setting names what is not there or cannot be used: a persona, theme, model file or server."""
    try:
        match name:
            case "persona":
                settings.check_known("persona", chosen.persona, personas)
            case "theme":
                settings.check_known("theme", chosen.theme, THEMES)
            case "model" if chosen.model:
                gguf_file.read(gguf_file.find(places.models, chosen.model))
            case "server" if chosen.server:
                from memapp.inference import server_address

                server_address.checked(chosen.server, chosen.allow_remote)
    except ModelError as error:
        raise UsageError(error.message, error.advice) from None


def said_now(label: str, value: str) -> str:
    """Say that a setting has another value now, or none."""
    return f"{label} is now {value}." if value else f"{label} is no longer set."


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
