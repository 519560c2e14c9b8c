"""Open WebUI's export of chats, and the rows of its database, which have the same form."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from memapp.domain.foreign import items
from memapp.domain.foreign.branches import branch
from memapp.domain.foreign.items import Found, Unread, an_object, inner, listed

_FOLDED = re.compile(r'<details type="(\w+)"[^>]*>.*?</details>\s*', re.DOTALL)
"""A folded part of an answer: thoughts or tool calls."""


def read_open_webui(data: Mapping[str, Any]) -> Iterator[Found]:
    chat, history = data["chat"], inner(data["chat"], "history")
    active, abandoned = branch(
        inner(history, "messages"), history.get("currentId"), "parentId", "childrenIds", _written
    )
    yield from items.retries(items.each(_said, abandoned))
    title = data.get("title") or chat.get("title")
    begun = data.get("created_at") or chat.get("timestamp")
    contents = items.each(_said, active or listed(chat, "messages"))
    yield from items.conversation(
        data.get("id") or chat.get("id"), title, begun, data.get("updated_at"), contents
    )


def _said(message: Mapping[str, Any]) -> Iterator[Found]:
    content = message.get("content")
    if isinstance(content, str) and message.get("role") == "assistant":
        yield from (Unread(items.named(kind)) for kind in _FOLDED.findall(content))
        content = _FOLDED.sub("", content)
    yield from items.worded(content, message.get("role"), message.get("timestamp"))
    yield from (
        Unread("image" if an_object(file).get("type") == "image" else "file")
        for file in listed(message, "files")
    )


def _written(node: object) -> datetime | None:
    return items.moment(an_object(node).get("timestamp"))
