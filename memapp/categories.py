"""The file of categories and allowlists: the one that comes with memapp, and the person's own over it."""

import re
import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from memapp.domain.categories import Categories
from memapp.errors import ConfigError


def load_categories(shipped: Path, own: Path) -> Categories:
    """Read both files; what the person's own file names replaces what is shipped. Raises `ConfigError` with file and line."""
    merged: dict[str, dict[str, Any]] = {"categories": {}, "allowlists": {}}
    for path in (shipped, own):
        for table, values in _read(path).items():
            if table not in merged or not isinstance(values, dict):
                raise ConfigError(f"{_place(path, table)}: there is no table {table!r}.", "Known: categories, allowlists.")
            merged[table] |= values
    try:
        return Categories.model_validate(merged)
    except ValidationError as error:
        raise _explained(error, own if own.exists() else shipped) from None


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig")) if path.exists() else {}
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not valid TOML: {error}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}.") from None


def _explained(error: ValidationError, path: Path) -> ConfigError:
    first = error.errors()[0]
    message = first["msg"].removeprefix("Value error, ")
    named = re.findall(r"'([\w-]+)'", message)
    word = str(first["loc"][1]) if len(first["loc"]) > 1 else named[-1] if named else ""
    return ConfigError(f"{_place(path, word)}: {message}.", "Define the category, or take its name out of the list.")


def _place(path: Path, word: str) -> str:
    """Name the file and the first line where a word stands."""
    match = re.search(rf"^[^#\n]*\b{re.escape(word)}\b", path.read_text("utf-8-sig"), re.MULTILINE) if word else None
    return f"{path}, line {path.read_text('utf-8-sig').count(chr(10), 0, match.end()) + 1}" if match else str(path)
