"""Claude's `conversations.json`, `memories.json` and projects."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from memapp.domain.foreign import items
from memapp.domain.foreign.items import (
    ForeignFact,
    ForeignMessage,
    Found,
    Unread,
    an_object,
    inner,
    listed,
)
from memapp.domain.foreign.notes import passages


def read_conversation(data: Mapping[str, Any]) -> Iterator[Found]:
    messages = items.each(_said, data["chat_messages"])
    yield from items.conversation(
        data.get("uuid"), data.get("name"), data.get("created_at"), data.get("updated_at"), messages
    )


def _said(message: Mapping[str, Any]) -> Iterator[Found]:
    author, at = message.get("sender"), message.get("created_at")
    contents = list(items.worded(message.get("content"), author, at))
    yield from contents
    # Older exports have only the text.
    if not any(isinstance(item, ForeignMessage) for item in contents):
        yield from items.message(author, message.get("text"), at)
    yield from (Unread("file") for kind in ("attachments", "files") for _ in listed(message, kind))


def read_memories(data: Mapping[str, Any]) -> Iterator[Found]:
    """Yield Claude's notes about the person, and about their work in each project."""
    for text in (data.get("conversations_memory"), *inner(data, "project_memories").values()):
        yield from passages(text, ["claude"])
    for file in map(an_object, listed(data, "memory_files")):
        topic = items.plain_text(file.get("path")).rpartition("/")[2].removesuffix(".md")
        at = items.moment(file.get("updated_at"))
        contents = (
            passages(file.get("content"), ["claude", topic])
            if file.get("content")
            else [Unread("file")]
        )
        yield from (
            replace(item, created_at=at) if isinstance(item, ForeignFact) else item
            for item in contents
        )


def read_project(data: Mapping[str, Any]) -> Iterator[Found]:
    name, described = items.written(data.get("name")), items.written(data.get("description"))
    if name and described:
        yield from items.fact(f"{name}: {described}", ["claude"], data.get("created_at"))
    if data.get("prompt_template"):
        yield Unread("instruction of a project")
    yield from (Unread("file") for _ in data["docs"])
