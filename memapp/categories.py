"""The files of categories and allowlists: the bundled one, and the person's own over it."""

import re
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from memapp.domain.categories import Categories
from memapp.errors import ConfigError
from memapp.toml_file import line_of, read_toml


def load_categories(shipped: Path, own: Path) -> Categories:
    """Merge both files; tables of the person's own file win.

    Raises `ConfigError` with file and line.
    """
    merged: dict[str, dict[str, Any]] = {"categories": {}, "allowlists": {}}
    for path in (shipped, own):
        text, tables = read_toml(path)
        for table, values in tables.items():
            if table not in merged or not isinstance(values, dict):
                line = line_of(table, text)
                raise ConfigError(
                    f"{path}, line {line}: there is no table {table!r}.",
                    "Known: categories, allowlists.",
                )
            merged[table] |= values
    try:
        return Categories.model_validate(merged)
    except ValidationError as error:
        first = error.errors()[0]
        message = first["msg"].removeprefix("Value error, ")
        word = (
            str(first["loc"][1])
            if len(first["loc"]) > 1
            else re.findall(r"'([\w-]+)'", message)[-1]
        )
        advice = "Define the category, or take its name out of the list."
        raise ConfigError(f"{own}, line {line_of(word, text)}: {message}.", advice) from None
