"""ChatGPT's `conversations.json`, and its parts `conversations-000.json`.

What ChatGPT wrote into its own memory stands among the messages, to `bio`: these are facts of the person.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import chain
from typing import Any

from memapp.domain.foreign import found
from memapp.domain.foreign.found import Found, Unread, an_object, inner, listed
from memapp.domain.foreign.tree import branch


def read_chatgpt(data: Mapping[str, Any]) -> Iterator[Found]:
    kept, left = branch(data["mapping"], data.get("current_node"), "parent", "children", _written)
    yield from found.retries(found.each(_said, left))
    source, said = data.get("conversation_id") or data.get("id"), found.each(_said, kept)
    yield from found.conversation(source, data.get("title"), data.get("create_time"), data.get("update_time"), said)


def _said(node: Mapping[str, Any]) -> Iterator[Found]:
    message = inner(node, "message")
    content, at, recipient = inner(message, "content"), message.get("create_time"), message.get("recipient")
    kind, parts = found.plain_text(content.get("content_type")), listed(content, "parts")
    if recipient == "bio":
        yield from list(chain.from_iterable(found.fact(part, ["chatgpt"], at) for part in parts)) or [
            Unread("fact without words")
        ]
    elif inner(message, "metadata").get("is_visually_hidden_from_conversation"):
        yield from (Unread("hidden message") for part in parts if part)
    elif recipient not in (None, "all"):
        yield Unread("tool call")
    elif kind in ("text", "multimodal_text"):
        yield from found.worded(content.get("parts"), inner(message, "author").get("role"), at, "audio_transcription")
    elif message:
        yield Unread(found.named(kind))


def _written(node: object) -> datetime | None:
    return found.moment(an_object(an_object(node).get("message")).get("create_time"))
