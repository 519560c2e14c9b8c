"""Exports of other programs: the conversations of ChatGPT and Claude, and lists of facts.

Only what was said is read: tools, files, pictures and hidden instructions are not part of a conversation between two.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, Literal

from memapp.domain.chat import MAX_MESSAGE_CHARS
from memapp.domain.memory import MAX_MEMORY_CHARS, MAX_TAG_CHARS, MAX_TAGS
from memapp.domain.text import clean, one_line

TITLE_CHARS = 200
_TEXTS = ("text", "memory", "fact", "content")
"""Where lists of facts have the fact."""


@dataclass(frozen=True, slots=True)
class ForeignMessage:
    role: Literal["user", "assistant"]
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ForeignConversation:
    """A conversation with another program."""

    source: str
    """Its name there; the same conversation is known again by it."""
    title: str
    created_at: datetime
    updated_at: datetime
    said: tuple[ForeignMessage, ...]
    """In turn: what one side wrote in several pieces is one message, or several if it is longer than one can be."""


@dataclass(frozen=True, slots=True)
class ForeignFact:
    """A fact that another program kept."""

    text: str
    tags: tuple[str, ...]
    created_at: datetime | None


def read_chatgpt(data: Any) -> ForeignConversation:
    """Read one conversation of `conversations.json`. Raises `ValueError` for what is none."""
    mapping = _dict(data, "mapping")
    begun = _seconds(data.get("create_time")) or datetime(1970, 1, 1, tzinfo=UTC)
    said = [one for node in _branch(mapping, _last(mapping, data.get("current_node"))) if (one := _chatgpt_said(node, begun))]
    source = _text(data, "conversation_id") or _text(data, "id") or f"{_text(data, 'title')} {begun.isoformat()}"
    return _conversation(source, _text(data, "title"), begun, _seconds(data.get("update_time")), said)


def read_claude(data: Any) -> ForeignConversation:
    """Read one conversation of Claude's `conversations.json`. Raises `ValueError` for what is none."""
    messages = data.get("chat_messages") if isinstance(data, dict) else None
    if not isinstance(messages, list):
        raise ValueError("its chat_messages are no list")
    begun = _iso(data.get("created_at")) or datetime(1970, 1, 1, tzinfo=UTC)
    said = [one for message in messages if (one := _claude_said(message, begun))]
    return _conversation(_text(data, "uuid"), _text(data, "name"), begun, _iso(data.get("updated_at")), said)


def read_note(data: Any) -> ForeignFact:
    """Read one fact. Raises `ValueError` for what is none."""
    if not isinstance(data, dict):
        raise ValueError("this is no object")
    text = next((one_line(clean(data[name])) for name in _TEXTS if isinstance(data.get(name), str)), "")
    if not text:
        raise ValueError(f"there is no fact: none of {', '.join(_TEXTS)}")
    if len(text) > MAX_MEMORY_CHARS:
        raise ValueError(f"a fact has at most {MAX_MEMORY_CHARS} characters, this has {len(text)}")
    given = data.get("tags")
    tags = [one_line(clean(tag))[:MAX_TAG_CHARS] for tag in given if isinstance(tag, str)] if isinstance(given, list) else []
    return ForeignFact(text, tuple(dict.fromkeys(tag for tag in tags if tag))[:MAX_TAGS], _iso(data.get("created_at")))


def _conversation(
    source: str, title: str, begun: datetime, changed: datetime | None, said: list[ForeignMessage]
) -> ForeignConversation:
    if not (source := clean(source)):
        raise ValueError("it has no id")
    title = one_line(clean(title))[:TITLE_CHARS] or "Imported chat"
    return ForeignConversation(source, title, begun, max(begun, changed or begun), tuple(_merged(said)))


def _merged(said: list[ForeignMessage]) -> Iterator[ForeignMessage]:
    for role, group in groupby(said, key=lambda one: one.role):
        pieces = list(group)
        text = "\n\n".join(piece.text for piece in pieces)
        for start in range(0, len(text), MAX_MESSAGE_CHARS):
            yield ForeignMessage(role, text[start : start + MAX_MESSAGE_CHARS], pieces[0].at)


def _last(mapping: Mapping[str, Any], current: Any) -> Any:
    """Return the node that the conversation ended at; if it does not say, the newest one that nothing follows."""
    if isinstance(current, str) and current in mapping:
        return current
    followed = {_text(node, "parent") for node in mapping.values() if isinstance(node, dict)}
    return max((name for name in mapping if name not in followed), key=lambda name: _written(mapping[name]), default=None)


def _written(node: Any) -> float:
    """Return when a node was written, in seconds since 1970; 0 if it does not say."""
    at = _seconds(_inner(node, "message").get("create_time")) if isinstance(node, dict) else None
    return at.timestamp() if at else 0.0


def _branch(mapping: Mapping[str, Any], current: Any) -> list[Any]:
    """Return the nodes from the first to the current one; other branches are retries that the person left behind."""
    nodes: list[Any] = []
    seen: set[str] = set()
    while isinstance(current, str) and current in mapping:
        if current in seen:
            raise ValueError("its messages go round in a circle")
        seen.add(current)
        node = mapping[current]
        if not isinstance(node, dict):
            raise ValueError("a message of it is no object")
        nodes.append(node)
        current = node.get("parent")
    return nodes[::-1]


def _chatgpt_said(node: Mapping[str, Any], begun: datetime) -> ForeignMessage | None:
    message = node.get("message")
    if not isinstance(message, dict) or _hidden(message):
        return None
    role = _text(_inner(message, "author"), "role")
    content = _inner(message, "content")
    parts = content.get("parts")
    if not isinstance(parts, list) or content.get("content_type") not in ("text", "multimodal_text"):
        return None
    text = clean("\n".join(map(_written_or_spoken, parts))).strip()
    return _said(role, text, _seconds(message.get("create_time")) or begun)


def _written_or_spoken(part: Any) -> str:
    if isinstance(part, dict) and part.get("content_type") == "audio_transcription":
        return _text(part, "text")
    return part if isinstance(part, str) else ""


def _hidden(message: Mapping[str, Any]) -> bool:
    hidden = _inner(message, "metadata").get("is_visually_hidden_from_conversation")
    return bool(hidden) or message.get("recipient", "all") != "all"


def _claude_said(message: Any, begun: datetime) -> ForeignMessage | None:
    if not isinstance(message, dict):
        raise ValueError("a message of it is no object")
    content = message.get("content")
    pieces = content if isinstance(content, list) else []
    texts = [piece["text"] for piece in pieces if isinstance(piece, dict) and isinstance(piece.get("text"), str)]
    text = clean("\n\n".join(texts) or _text(message, "text")).strip()
    role = {"human": "user", "assistant": "assistant"}.get(_text(message, "sender"), "")
    return _said(role, text, _iso(message.get("created_at")) or begun)


def _said(role: str, text: str, at: datetime) -> ForeignMessage | None:
    if not text:
        return None
    if role == "user":
        return ForeignMessage("user", text, at)
    return ForeignMessage("assistant", text, at) if role == "assistant" else None


def _dict(data: Any, name: str) -> Mapping[str, Any]:
    value = data.get(name) if isinstance(data, dict) else None
    if not isinstance(value, dict):
        raise ValueError(f"its {name} is no object")
    return value


def _inner(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = data.get(name)
    return value if isinstance(value, dict) else {}


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""


def _seconds(value: Any) -> datetime | None:
    """Read seconds since 1970; None for what is no such time."""
    if not isinstance(value, int | float) or not 0 <= value < 253_402_300_800:
        return None
    return datetime.fromtimestamp(value, UTC)


def _iso(value: Any) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


CONVERSATIONS = {"chatgpt": ("mapping", read_chatgpt), "claude": ("chat_messages", read_claude)}
"""By the program: the key that a conversation of it is known by, and what reads it."""
