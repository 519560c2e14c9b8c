"""A memory as a Markdown note for Obsidian and basic-memory, which can be read back exactly.

The front matter holds the fields, the first item the category and the text, a list the steps of a
how-to. Sources and history follow for reading only. A checksum tells whether a note was edited.
Chats and the profile are notes for reading only.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from pydantic import ValidationError

from memapp.domain.categories import NOTES
from memapp.domain.portable import MemoryLine, explain
from memapp.domain.text import one_line, shorten

TITLE_CHARS = 50
_MARK = "memapp"
_HEADER = re.compile(r"\ufeff?---[ \t]*\n(.{0,16000}?\n)?---[ \t]*(?:\n|\Z)", re.DOTALL)
_SAID = re.compile(r"[-*+] \[([^\[\]]*)\] ?")
_STEP = re.compile(r"\d{1,3}[.)] +")
_NO_NAME = re.compile(r'[*"\\/<>:|?#^\[\]\x00-\x1f]+')
_KEPT = (
    "id",
    "kind",
    "importance",
    "pinned",
    "origin",
    "agent_id",
    "run_id",
    "valid_until",
    "created_at",
    "updated_at",
)
_FOR_READING = ("chat", "profile")
_GUARDED = ("text", "category", "tags", "importance", "pinned", "steps")
"""The fields that a person may edit in a note."""
_FIXED: Mapping[str, Any] = {
    "type": "memory",
    "state": "live",
    "reason": "",
    "merged_into": "",
    "purge_at": None,
    "agent_id": "",
    "run_id": "",
    "sources": [],
    "used": None,
}


@dataclass(frozen=True, slots=True)
class MemoryNote:
    """A memory read from a note."""

    line: MemoryLine
    is_edited: bool
    """True if the note was edited since it was written."""


def split(text: str) -> tuple[Mapping[str, Any] | None, str]:
    """Return the front matter of a note as texts and lists, and the body; None if malformed."""
    import yaml  # only exports and imports need the library

    text = text.replace("\r\n", "\n")
    front_matter = _HEADER.match(text)
    if not front_matter:
        return {}, text
    try:
        header = yaml.BaseLoader(front_matter[1] or "").get_single_data() or {}
    except (yaml.YAMLError, RecursionError, ValueError):
        header = None
    return header if isinstance(header, dict) else None, text[front_matter.end() :]


def is_of_memapp(header: Mapping[str, Any]) -> bool:
    return _MARK in header


def for_reading(header: Mapping[str, Any]) -> str:
    """Return the kind of a note for reading only, `chat` or `profile`; empty for a memory."""
    return str(header[_MARK]) if header[_MARK] in _FOR_READING else ""


def read(header: Mapping[str, Any], body: str) -> MemoryNote:
    """Return the memory in a note of memapp. Raises `ValueError` in words for a damaged note."""
    content = [
        line
        for line in re.split(r"^## ", body, maxsplit=1, flags=re.MULTILINE)[0].splitlines()
        if line.strip()
    ]
    steps = (
        [_STEP.sub("", line, count=1) for line in content if _STEP.match(line)]
        if header.get("kind") == "procedural"
        else []
    )
    text = one_line(" ".join(line for line in content if not (steps and _STEP.match(line))))
    first = _SAID.match(text)
    values = {name: header[name] for name in _KEPT if header.get(name) not in (None, "null")} | {
        "origin": "import"
    }  # anybody's
    values |= {
        "text": text[first.end() if first else 0 :],
        "category": first[1] if first else NOTES,
        "steps": steps,
    }
    try:
        line = MemoryLine.model_validate(
            {**_FIXED, "tags": header.get("tags") or [], **values}, strict=False
        )
    except ValidationError as error:
        raise ValueError(explain(error)) from None
    return MemoryNote(line, header[_MARK] != _checksum(line.model_dump()))


def write(
    line: Mapping[str, Any], sources: Sequence[tuple[str, str]], history: Sequence[str]
) -> str:
    """Return the note of a memory, given as an export line, with its source texts and history."""
    title = shorten(line["text"], TITLE_CHARS)
    header = {
        "title": title,
        "type": "memory",
        "permalink": f"memapp/{line['id']}",
        "tags": line["tags"],
    }
    header |= {name: line[name] for name in _KEPT if line.get(name) not in (None, "")} | {
        _MARK: _checksum(line)
    }
    content = [
        f"- [{line['category']}] {line['text']}",
        *(f"{number}. {step}" for number, step in enumerate(line["steps"], start=1)),
    ]
    quoted = [
        f"{where}\n\n" + "\n".join(f"> {line}" for line in text.splitlines())
        for where, text in sources
    ]
    parts = [
        "---",
        *(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in header.items()),
        "---",
        "",
        *content,
    ]
    for name, lines in (
        ("Source", "\n\n".join(quoted)),
        ("History", "\n".join(f"- {entry}" for entry in history)),
    ):
        parts += ["", f"## {name}", "", lines] if lines else []
    return "\n".join(parts) + "\n"


def write_for_reading(kind: str, title: str, body: str) -> str:
    """Return a note of kind `chat` or `profile`, which is not read back."""
    header = {"title": title, "type": kind, _MARK: kind}
    return "\n".join(
        [
            "---",
            *(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in header.items()),
            "---",
            "",
            body,
        ]
    )


def file_name(text: str, id_: str) -> str:
    """Return a unique name for a note that is valid on every system."""
    words = one_line(_NO_NAME.sub(" ", text)).lstrip(".")
    return f"{shorten(words, TITLE_CHARS)} {id_[-8:]}.md".strip()


def _checksum(line: Mapping[str, Any]) -> str:
    return f"{crc32(json.dumps([line[name] for name in _GUARDED]).encode()):08x}"
