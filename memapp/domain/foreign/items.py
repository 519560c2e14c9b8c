"""The contents of a foreign export, and safe access to fields that may be missing or malformed."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, Literal, TypeVar

from memapp.domain.chat import MAX_MESSAGE_CHARS
from memapp.domain.memory import MAX_TAG_CHARS, MAX_TAGS
from memapp.domain.text import clean, counted, one_line

TITLE_CHARS = 200
_EARLIEST, _LATEST = 10**8, 5 * 10**9
"""Seconds from 1973 to 2128. Smaller numbers, such as 0, are no time of a chat; larger ones count
fractions of a second.
"""
UNREADABLE = "message that cannot be read"
_ROLES: Mapping[str, Literal["user", "assistant"]] = {
    **dict.fromkeys(("user", "human", "me"), "user"),
    **dict.fromkeys(("assistant", "ai", "model", "ollama"), "assistant"),
}
_KINDS = {
    **{
        "image": "image",
        "audio": "recording",
        "video": "recording",
        "file": "file",
        "tool": "tool call",
        "code": "tool call",
    },
    **{
        "execution": "tool call",
        "tether": "tool call",
        "think": "thought",
        "thought": "thought",
        "reasoning": "thought",
    },
}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ForeignMessage:
    role: Literal["user", "assistant"]
    text: str
    at: datetime | None
    """None if the export gives no time."""


@dataclass(frozen=True, slots=True)
class ForeignConversation:
    """A conversation with another program, or a piece of one; pieces of one are consecutive."""

    source: str
    """The id in the export, by which a second import recognises the conversation."""
    title: str
    created_at: datetime | None
    updated_at: datetime | None
    said: tuple[ForeignMessage, ...]


@dataclass(frozen=True, slots=True)
class ForeignFact:
    """A fact that another program stored, or a passage of several sentences."""

    text: str
    tags: tuple[str, ...] = ()
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Unread:
    """Parts of an export that are left out, by kind: `image`, `message without an author`."""

    kind: str
    count: int = 1

    def __str__(self) -> str:
        noun, *more = re.split(
            r" (?=(?:of|by|in|to|about|without|longer|that) )", self.kind, maxsplit=1
        )
        return " ".join(
            [counted(self.count, noun, f"{noun[:-1]}ies" if noun.endswith("ry") else ""), *more]
        )


Found = ForeignConversation | ForeignMessage | ForeignFact | Unread


def conversation(
    source: object, title: object, begun: object, changed: object, contents: Iterable[Found]
) -> Iterator[Found]:
    """Yield a conversation, after the other contents found in its messages.

    Raises `ValueError` for a conversation without an id, a title and a time.
    """
    messages = []
    for item in contents:
        if isinstance(item, ForeignMessage):
            messages.append(item)
        else:
            yield item
    created_at, name = moment(begun), plain_text(title)
    identity = (
        plain_text(source) or f"{name} {created_at.isoformat() if created_at else ''}".strip()
    )
    if not identity:
        raise ValueError("it has no id")
    yield ForeignConversation(
        identity, name[:TITLE_CHARS], created_at, moment(changed), tuple(messages)
    )


def message(author: object, text: object, at: object) -> Iterator[Found]:
    """Yield a message, or the reason why there is none; nothing for an empty message."""
    words = written(text)
    if not words and author:
        return
    role = _ROLES.get(plain_text(author).casefold())
    if role is None:
        name = plain_text(author)[:40]
        yield Unread(f"message by {name}" if name else "message without an author")
    else:
        yield ForeignMessage(role, words, moment(at))


def retries(contents: Iterable[Found]) -> Iterator[Found]:
    """Yield the contents of abandoned branches, with their messages only counted."""
    yield from (
        Unread("retry") if isinstance(item, ForeignMessage) else item
        for item in contents
        if not isinstance(item, Unread)
    )


def joined(messages: Iterable[ForeignMessage]) -> Iterator[ForeignMessage]:
    """Yield messages with consecutive ones of one role joined, up to the longest message."""
    for role, group in groupby(messages, key=lambda message: message.role):
        pieces = list(group)
        text = "\n\n".join(piece.text for piece in pieces)
        for start in range(0, len(text), MAX_MESSAGE_CHARS):
            yield ForeignMessage(role, text[start : start + MAX_MESSAGE_CHARS], pieces[0].at)


def fact(text: object, tags: Iterable[object] = (), at: object = None) -> Iterator[Found]:
    """Yield a fact, unless the text is empty."""
    names = (
        one_line(clean(tag)).lstrip("#")[:MAX_TAG_CHARS] for tag in tags if isinstance(tag, str)
    )
    if statement := one_line(written(text)):
        yield ForeignFact(
            statement, tuple(dict.fromkeys(name for name in names if name))[:MAX_TAGS], moment(at)
        )


def worded(content: object, author: object, at: object, *texts: str) -> Iterator[Found]:
    """Yield one message of all text parts of the types in `texts`, and the kinds of other parts."""
    pieces = []
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            pieces.append(part)
        elif part is not None:
            part = an_object(part)
            kind, text = plain_text(part.get("type") or part.get("content_type")), part.get("text")
            if kind in (texts or ("text",)) and isinstance(text, str):
                pieces.append(text)
            else:
                yield Unread(named(kind))
    yield from message(author, "\n\n".join(pieces), at)


def each(
    read: Callable[[Mapping[str, Any]], Iterator[Found]], messages: Iterable[object]
) -> Iterator[Found]:
    """Yield the contents of each message, and count unreadable messages."""
    for message in messages:
        try:
            yield from list(read(message)) if isinstance(message, dict) else [Unread(UNREADABLE)]
        except (ValueError, TypeError, LookupError, AttributeError):
            yield Unread(UNREADABLE)


def named(kind: str) -> str:
    """Return a common name for a program's kind of content: `image_asset_pointer` is an image."""
    return next(
        (noun for part, noun in _KINDS.items() if part in kind),
        f"part of kind {kind[:40]}" if kind else "part of no kind",
    )


def an_object(value: object) -> Mapping[str, Any]:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def inner(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return an object inside another, empty if missing. Raises `ValueError` for other types."""
    return _of_type(data.get(name), dict) or {}


def listed(data: Mapping[str, Any], name: str) -> list[Any]:
    """Return a list inside an object, empty if missing. Raises `ValueError` for other types."""
    return _of_type(data.get(name), list) or []


def written(value: object) -> str:
    """Return a text of several lines, empty if missing. Raises `ValueError` for other types."""
    return clean(_of_type(value, str) or "").strip()


def _of_type(value: object, kind: type[T]) -> T | None:
    if isinstance(value, kind):
        return value
    if not value:  # some write an empty list for an object that is not there
        return None
    raise ValueError(f"there is something else in place of a {kind.__name__}")


def plain_text(value: object) -> str:
    """Return a name or title on one line; an integer is read as text too."""
    if isinstance(value, float) and value.is_integer():
        value = str(int(value))
    return one_line(clean(value)) if isinstance(value, str) else ""


def moment(value: object) -> datetime | None:
    """Return the time given as seconds, as fractions of seconds, or as an ISO date; else None."""
    if isinstance(value, str):
        try:
            at = datetime.fromisoformat(value.strip())
            return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            is_number = re.fullmatch(r"\s*\d{9,19}(?:\.\d{1,9})?\s*", value, re.ASCII)
            value = float(value) if is_number else None
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    scaled = (value / parts for parts in (1, 10**3, 10**6, 10**9))
    seconds = next((number for number in scaled if _EARLIEST <= number < _LATEST), None)
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
