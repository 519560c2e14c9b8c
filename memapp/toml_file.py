"""A TOML file that a person may have written: its values, or what is wrong, and where."""

import re
import stat
import tomllib
from pathlib import Path
from typing import Any

from memapp.errors import ConfigError


def read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the text and the values of a file, empty if missing. Raises `ConfigError`."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # reading a pipe or a device may never end
            raise ConfigError(f"{path} is not a plain file.", "Move it out of this folder.")
        text = path.read_text("utf-8-sig")
        return text, tomllib.loads(text)
    except (FileNotFoundError, NotADirectoryError):
        return "", {}
    except (OSError, UnicodeDecodeError):
        raise ConfigError(
            f"{path} cannot be read as text.", "Correct it, or move it out of this folder."
        ) from None
    except (ValueError, RecursionError) as error:  # also a number of thousands of digits
        raise ConfigError(f"{path}: not valid TOML: {error}.") from None


def line_of(word: str, text: str) -> int:
    """Return the line of a key or table, else of the first use of the word, else 1."""
    for before in (r"^\s*\[*\s*[\"']?", r"^[^#\n]*\b"):
        if match := re.search(rf"{before}{re.escape(word)}\b", text, re.MULTILINE):
            return text.count("\n", 0, match.end()) + 1
    return 1
