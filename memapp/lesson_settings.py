"""The settings of lessons alone: a hint waits for no check of all the others. What is not plainly
so goes the whole way.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memapp.domain.lessons.recording import LessonRule, LessonSettings

PREFIX = "MEMAPP_"
NOT_SETTINGS = frozenset({"HOME", "DB", "MODELS", "SERVER_KEY"})
"""Variables with our prefix that name places (see `paths`) or hold a secret, which no list of
settings may show; not knobs.
"""


def from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the values that the environment gives to settings."""
    ours = {
        name.removeprefix(PREFIX): value
        for name, value in environment.items()
        if name.startswith(PREFIX)
    }
    return {name.lower(): value for name, value in ours.items() if name not in NOT_SETTINGS}


def load(path: Path, environment: Mapping[str, str] = os.environ) -> LessonSettings:
    """Return the settings of lessons. Raises `ConfigError` like `settings.load`, but for what is
    wrong with these only.
    """
    values = {**_from_file(path), **from_environment(environment)}
    given = {name: values[name] for name in LessonSettings._fields if name in values}
    found = LessonSettings(**given)
    if (
        found.lessons in list(LessonRule)
        and isinstance(found.lessons_not_of, str)
        and isinstance(found.lessons_compare, bool)
    ):
        return found._replace(lessons=LessonRule(found.lessons))
    from memapp import settings

    loaded = settings.load(path, environment=environment).settings
    return LessonSettings(*(getattr(loaded, name) for name in LessonSettings._fields))


def _from_file(path: Path) -> Mapping[str, Any]:
    if not os.path.lexists(path):
        return {}
    from memapp.toml_file import read_toml

    return read_toml(path)[1]
