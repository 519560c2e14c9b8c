"""LM Studio's files `*.conversation.json`, and other lists of messages with a role."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memapp.domain.foreign import items
from memapp.domain.foreign.items import Found, Unread, listed, plain_text


def read_messages(data: Mapping[str, Any]) -> Iterator[Found]:
    title = data.get("name") or data.get("title")
    begun = data.get("createdAt") or data.get("created_at")
    source = data.get("id") or f"lm studio {plain_text(begun)} {plain_text(title)}"
    contents = items.each(_said, data["messages"])
    yield from items.conversation(
        source, title, begun, data.get("assistantLastMessagedAt"), contents
    )


def _said(data: Mapping[str, Any]) -> Iterator[Found]:
    if versions := listed(data, "versions"):
        shown = data.get("currentlySelected")
        is_there = isinstance(shown, float) and 0 <= shown < len(versions)
        yield from _version(versions[int(shown or 0) if is_there else -1])
        yield from (Unread("retry") for _ in versions[1:])
    else:
        yield from items.worded(
            data.get("content"), data.get("role"), data.get("created_at") or data.get("timestamp")
        )


def _version(version: Mapping[str, Any]) -> Iterator[Found]:
    """Yield the contents of one version: a question in one part, an answer in dated steps."""
    kinds = [(step, plain_text(step.get("type"))) for step in listed(version, "steps")]
    yield from (
        Unread(items.named(kind))
        for _, kind in kinds
        if kind not in ("contentBlock", "debugInfoBlock")
    )
    blocks = [step for step, kind in kinds if kind == "contentBlock"]
    parts = [part for step in blocks for part in listed(step, "content")] or version.get("content")
    time = re.match(r"\d{13}", plain_text(blocks[0].get("stepIdentifier"))) if blocks else None
    yield from items.worded(parts, version.get("role"), time and time[0])
