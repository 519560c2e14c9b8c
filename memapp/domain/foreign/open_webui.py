"""Open WebUI's export of chats, and its database, whose rows hold the same."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from memapp.domain.foreign import found
from memapp.domain.foreign.found import Found, Unread, an_object, inner, listed
from memapp.domain.foreign.tree import branch

_FOLDED = re.compile(r'<details type="(\w+)"[^>]*>.*?</details>\s*', re.DOTALL)
"""What an answer shows folded: how the model thought, which tools it called."""


def read_open_webui(data: Mapping[str, Any]) -> Iterator[Found]:
    chat, history = data["chat"], inner(data["chat"], "history")
    kept, left = branch(
        inner(history, "messages"), history.get("currentId"), "parentId", "childrenIds", _written
    )
    yield from found.retries(found.each(_said, left))
    title, begun = (
        data.get("title") or chat.get("title"),
        data.get("created_at") or chat.get("timestamp"),
    )
    said = found.each(_said, kept or listed(chat, "messages"))
    yield from found.conversation(
        data.get("id") or chat.get("id"), title, begun, data.get("updated_at"), said
    )


def _said(message: Mapping[str, Any]) -> Iterator[Found]:
    said = message.get("content")
    if isinstance(said, str) and message.get("role") == "assistant":
        yield from (Unread(found.named(kind)) for kind in _FOLDED.findall(said))
        said = _FOLDED.sub("", said)
    yield from found.worded(said, message.get("role"), message.get("timestamp"))
    yield from (
        Unread("image" if an_object(file).get("type") == "image" else "file")
        for file in listed(message, "files")
    )


def _written(node: object) -> datetime | None:
    return found.moment(an_object(node).get("timestamp"))
