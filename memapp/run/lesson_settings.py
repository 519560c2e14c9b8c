"""The settings of lessons alone, so that a hint does not wait for pydantic.

`settings` reads every value that is not plainly valid.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memapp.domain.lessons.recording import LessonRule, LessonSettings
from memapp.environment import from_environment


def load(path: Path, environment: Mapping[str, str] = os.environ) -> LessonSettings:
    """Return the settings of lessons. Raises `ConfigError`, like `settings.load`."""
    values = {**_from_file(path), **from_environment(environment)}
    given = {name: values[name] for name in LessonSettings._fields if name in values}
    chosen = LessonSettings(**given)
    if (
        chosen.lessons in list(LessonRule)
        and isinstance(chosen.lessons_not_of, str)
        and isinstance(chosen.lessons_compare, bool)
    ):
        return chosen._replace(lessons=LessonRule(chosen.lessons))
    from memapp import settings

    loaded = settings.load(path, environment=environment).settings
    return LessonSettings(*(getattr(loaded, name) for name in LessonSettings._fields))


def _from_file(path: Path) -> Mapping[str, Any]:
    if not os.path.lexists(path):
        return {}
    from memapp.toml_file import read_toml

    return read_toml(path)[1]
