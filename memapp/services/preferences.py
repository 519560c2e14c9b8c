"""The settings as the person sees and changes them."""

from dataclasses import dataclass, replace

from memapp import settings
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.settings import Settings

ORIGINS = {"flag": "the command line", "environment": "the environment", "file": "config.toml"}
NEXT_START = frozenset({"server", "server_model", "allow_remote", "context_tokens"})
"""Settings that a model takes when it is loaded."""


@dataclass(frozen=True, slots=True)
class Preference:
    """One setting."""

    name: str
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
    where = runtime.loaded.origin.get(name)
    if where in ("flag", "environment"):
        raise UsageError(f"{name} was set by {ORIGINS[where]}.", "Start memapp without it to change it here.")
    settings.write(runtime.paths.config, name, value)
    changed = Settings.model_validate({**runtime.settings.model_dump(), name: value})
    runtime.loaded = replace(runtime.loaded, settings=changed, origin={**runtime.loaded.origin, name: "file"})


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
