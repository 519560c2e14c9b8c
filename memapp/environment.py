"""The environment variables that set a setting: `MEMAPP_TOP_K` for `top_k`."""

from collections.abc import Mapping

PREFIX = "MEMAPP_"
NOT_SETTINGS = frozenset({"HOME", "DB", "MODELS", "SERVER_KEY"})
"""Variables with the prefix that name places (see `paths`) or hold a secret: no settings."""


def from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the settings in the environment, by name."""
    prefixed = {
        name.removeprefix(PREFIX): value
        for name, value in environment.items()
        if name.startswith(PREFIX)
    }
    return {name.lower(): value for name, value in prefixed.items() if name not in NOT_SETTINGS}
