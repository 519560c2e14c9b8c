"""A memory as a note in Markdown that Obsidian and basic-memory read, and that is read back
exactly.

The front matter holds its fields, the first item its category and its words, a list the steps of a
how-to. Where it comes from and what became of it follow for reading. A note says by a checksum
whether it is as it was written. Chats and the profile are notes for reading only.
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
"""What a person may change in a note."""
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
    """A memory that a note says."""

    line: MemoryLine
    is_edited: bool
    """Whether it says something else than when it was written."""


def split(text: str) -> tuple[Mapping[str, Any] | None, str]:
    """Return the front matter of a note, whose values are texts and lists of texts, and its body;
    None for an unsound one.
    """
    import yaml  # only who moves in or out pays for it

    text = text.replace("\r\n", "\n")
    found = _HEADER.match(text)
    if not found:
        return {}, text
    try:
        header = yaml.BaseLoader(found[1] or "").get_single_data() or {}
    except (yaml.YAMLError, RecursionError, ValueError):
        header = None
    return header if isinstance(header, dict) else None, text[found.end() :]


def is_of_memapp(header: Mapping[str, Any]) -> bool:
    return _MARK in header


def for_reading(header: Mapping[str, Any]) -> str:
    """Return what a note of memapp is that is not read back: `chat` or `profile`; nothing for a
    memory.
    """
    return str(header[_MARK]) if header[_MARK] in _FOR_READING else ""


def read(header: Mapping[str, Any], body: str) -> MemoryNote:
    """Read a note of memapp. Raises `ValueError`, in words, for one that is none any more."""
    said = [
        line
        for line in re.split(r"^## ", body, maxsplit=1, flags=re.MULTILINE)[0].splitlines()
        if line.strip()
    ]
    steps = (
        [_STEP.sub("", line, count=1) for line in said if _STEP.match(line)]
        if header.get("kind") == "procedural"
        else []
    )
    text = one_line(" ".join(line for line in said if not (steps and _STEP.match(line))))
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
    """Return the note of a memory, given as its line in an export, with what its messages said, and
    the lines of its history.
    """
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
    said = [
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
        *said,
    ]
    for name, lines in (
        ("Source", "\n\n".join(quoted)),
        ("History", "\n".join(f"- {entry}" for entry in history)),
    ):
        parts += ["", f"## {name}", "", lines] if lines else []
    return "\n".join(parts) + "\n"


def write_for_reading(kind: str, title: str, body: str) -> str:
    """Return a note that is not read back, of one of the kinds `chat` and `profile`."""
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
    """Return a name for a note that every system takes and no other memory or chat has."""
    words = one_line(_NO_NAME.sub(" ", text)).lstrip(".")
    return f"{shorten(words, TITLE_CHARS)} {id_[-8:]}.md".strip()


def _checksum(line: Mapping[str, Any]) -> str:
    return f"{crc32(json.dumps([line[name] for name in _GUARDED]).encode()):08x}"
