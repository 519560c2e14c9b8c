"""Example sentences in all languages, which stand in `sentences.toml`."""

import tomllib
from pathlib import Path
from typing import Any

TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def sentences(name: str) -> list[tuple[Any, ...]]:
    """The rows of a table, each after the code of its language."""
    return [
        (code, *(row if isinstance(row, list) else [row]))
        for code, rows in TABLES[name].items()
        for row in rows
    ]
