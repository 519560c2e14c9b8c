"""Exports of other programs in the shape that those programs write, with contents made up; and the
harm that comes to each.

The shapes were compared with: ChatGPT, conversations that people made public (2024 to 2026) and
their parsers; Claude, what others wrote down of its archives of September 2026 and their fixtures;
Open WebUI, the code that folds thoughts into an answer; basic-memory, its parser of observations
and relations; mem0, what `get_all` returns; MCP's memory server, programs that write its file.
Nobody's own export was opened.
"""

import json
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

EXPORTS = Path(__file__).parent / "exports"
AT = 1769847300.0
"""2026-01-31, 08:15 UTC."""
ISO = "2026-01-31T08:15:00.000000Z"


def as_json(data: Any) -> Callable[[Path], None]:
    return lambda path: path.write_text(json.dumps(data), "utf-8") and None


def as_folder(**files: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for name, text in files.items():
            path = folder / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    return write


def as_zip(**files: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files.items():
                archive.writestr(name.replace("__", "/"), text)

    return write


def as_database(*statements: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            for statement in statements:
                connection.executescript(statement)

    return write


def export(name: str) -> Callable[[Path], None]:
    """What writes an export of `exports/`: statements as a database, and a folder in a zip if its
    name says so.
    """
    source = EXPORTS / name
    if source.suffix == ".sql":
        return as_database(source.read_text("utf-8"))
    if source.is_dir():
        files = {
            str(file.relative_to(source)): file.read_text("utf-8")
            for file in source.rglob("*")
            if file.is_file()
        }
        return as_zip(**files) if source.suffix == ".zip" else as_folder(**files)
    return lambda path: shutil.copyfile(source, path) and None


def loaded(name: str) -> Any:
    text = (EXPORTS / name).read_text("utf-8")
    if name.endswith(".jsonl"):
        return [json.loads(line) for line in text.splitlines()]
    return json.loads(text)


(CHATGPT,), (CLAUDE,), (PROJECT,) = map(
    loaded, ("chatgpt.json", "claude.json", "claude_projects.json")
)
MEMORIES = loaded("claude_memories.json")
OTERM = (EXPORTS / "oterm.sql").read_text("utf-8")
