"""ChatGPT's `conversations.json`, and its parts `conversations-000.json`.

Three kinds of messages are about the person, and become facts: entries that ChatGPT wrote to its
memory (`bio`), the memory's contents when a chat began, and the person's own description in the
settings.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import chain
from typing import Any

from memapp.domain.foreign import items
from memapp.domain.foreign.branches import branch
from memapp.domain.foreign.items import Found, Unread, an_object, inner, listed
from memapp.domain.foreign.notes import passages

TAGS = ("chatgpt",)
_REMEMBERED = re.compile(
    r"^\d+\. (?:\[(\d{4}-\d\d-\d\d)\]\.? )?(.+?)(?=^\d+\. |\Z)", re.DOTALL | re.MULTILINE
)
"""An entry of ChatGPT's memory: number, day, text."""
_MARKED = re.compile("\ue200(\\w+)\ue202([^\ue201]*)\ue201")
"""A mark in an answer: the source of a sentence, or a name that can be clicked."""


def read_chatgpt(data: Mapping[str, Any]) -> Iterator[Found]:
    active, abandoned = branch(
        data["mapping"], data.get("current_node"), "parent", "children", _written
    )
    yield from items.retries(items.each(_said, abandoned))
    source, messages = data.get("conversation_id") or data.get("id"), items.each(_said, active)
    yield from items.conversation(
        source, data.get("title"), data.get("create_time"), data.get("update_time"), messages
    )


def _said(node: Mapping[str, Any]) -> Iterator[Found]:
    message = inner(node, "message")
    content, about = inner(message, "content"), inner(message, "metadata")
    at, recipient = message.get("create_time"), message.get("recipient")
    kind, parts = items.plain_text(content.get("content_type")), listed(content, "parts")
    if recipient == "bio":
        yield from list(chain.from_iterable(items.fact(part, TAGS, at) for part in parts)) or [
            Unread("fact without words")
        ]
    elif kind == "model_editable_context":
        remembered = items.written(content.get("model_set_context"))
        entries = _REMEMBERED.findall(remembered)
        yield from chain.from_iterable(items.fact(entry, TAGS, day or at) for day, entry in entries)
        if remembered and not entries:
            yield Unread("memory in another form")
    elif kind == "user_editable_context":
        described = items.written(
            inner(about, "user_context_message_data").get("about_user_message")
        )
        yield from passages(described.replace("\n", "\n\n"), TAGS)
        if items.written(content.get("user_profile")) and not described:
            yield Unread("text about you in another form")
        if items.written(content.get("user_instructions")):
            yield Unread("instruction to ChatGPT")
    elif about.get("is_visually_hidden_from_conversation"):
        yield from (
            Unread("hidden message")
            for part in (parts if "parts" in content else [content])
            if part
        )
    elif recipient not in (None, "all"):
        yield Unread("tool call")
    elif kind in ("text", "multimodal_text"):
        shown = [_MARKED.sub(_shown, part) if isinstance(part, str) else part for part in parts]
        yield from items.worded(
            shown, inner(message, "author").get("role"), at, "audio_transcription"
        )
    elif message:
        yield Unread(items.named(kind))


def _shown(mark: re.Match[str]) -> str:
    """Return the visible name of a mark; empty for a source."""
    try:
        return str(json.loads(mark[2])[1]) if mark[1] == "entity" else ""
    except (ValueError, LookupError, TypeError):
        return ""


def _written(node: object) -> datetime | None:
    return items.moment(an_object(an_object(node).get("message")).get("create_time"))
