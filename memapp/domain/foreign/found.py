"""What a reader finds in an export of another program, and the reading of fields that may be
missing or anything.
"""

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
"""Seconds, from 1973 to 2128: what is smaller, such as 0, is no time of a chat, and what is larger
counts parts of seconds.
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
    """None if the export does not say."""


@dataclass(frozen=True, slots=True)
class ForeignConversation:
    """A conversation with another program, or a piece of it: the pieces of one follow each other."""

    source: str
    """Its name there; the same conversation is known again by it."""
    title: str
    created_at: datetime | None
    updated_at: datetime | None
    said: tuple[ForeignMessage, ...]


@dataclass(frozen=True, slots=True)
class ForeignFact:
    """A fact that another program kept, or a passage of several sentences."""

    text: str
    tags: tuple[str, ...] = ()
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Unread:
    """What is left out of an export, by its kind: `image`, `message without an author`."""

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
    source: object, title: object, begun: object, changed: object, said: Iterable[Found]
) -> Iterator[Found]:
    """Yield a conversation after what is no message of it. Raises `ValueError` for one without an
    id, a title and a time.
    """
    messages = []
    for item in said:
        if isinstance(item, ForeignMessage):
            messages.append(item)
        else:
            yield item
    created_at, name = moment(begun), plain_text(title)
    known = plain_text(source) or f"{name} {created_at.isoformat() if created_at else ''}".strip()
    if not known:
        raise ValueError("it has no id")
    yield ForeignConversation(
        known, name[:TITLE_CHARS], created_at, moment(changed), tuple(messages)
    )


def message(author: object, text: object, at: object) -> Iterator[Found]:
    """Yield a message, or what it is instead; nothing where somebody said nothing."""
    words = written(text)
    if not words and author:
        return
    role = _ROLES.get(plain_text(author).casefold())
    if role is None:
        yield Unread(
            f"message by {name}"
            if (name := plain_text(author)[:40])
            else "message without an author"
        )
    else:
        yield ForeignMessage(role, words, moment(at))


def retries(said: Iterable[Found]) -> Iterator[Found]:
    """Yield what is known from branches that the person left behind; what was said there is left
    out.
    """
    yield from (
        Unread("retry") if isinstance(item, ForeignMessage) else item
        for item in said
        if not isinstance(item, Unread)
    )


def joined(said: Iterable[ForeignMessage]) -> Iterator[ForeignMessage]:
    """Yield messages in turn: several pieces of one side are one message, or several if that is
    longer than one can be.
    """
    for role, group in groupby(said, key=lambda one: one.role):
        pieces = list(group)
        text = "\n\n".join(piece.text for piece in pieces)
        for start in range(0, len(text), MAX_MESSAGE_CHARS):
            yield ForeignMessage(role, text[start : start + MAX_MESSAGE_CHARS], pieces[0].at)


def fact(text: object, tags: Iterable[object] = (), at: object = None) -> Iterator[Found]:
    """Yield a fact, unless nothing is said."""
    names = (
        one_line(clean(tag)).lstrip("#")[:MAX_TAG_CHARS] for tag in tags if isinstance(tag, str)
    )
    if said := one_line(written(text)):
        yield ForeignFact(
            said, tuple(dict.fromkeys(name for name in names if name))[:MAX_TAGS], moment(at)
        )


def worded(content: object, author: object, at: object, *texts: str) -> Iterator[Found]:
    """Yield the message that is said in a text or in parts of the types that are named, and the
    kinds of the other parts.
    """
    said = []
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            said.append(part)
        elif part is not None:
            part = an_object(part)
            kind, text = plain_text(part.get("type") or part.get("content_type")), part.get("text")
            if kind in (texts or ("text",)) and isinstance(text, str):
                said.append(text)
            else:
                yield Unread(named(kind))
    yield from message(author, "\n\n".join(said), at)


def each(
    read: Callable[[Mapping[str, Any]], Iterator[Found]], messages: Iterable[object]
) -> Iterator[Found]:
    """Yield what is said in each message, and count those that cannot be read."""
    for message in messages:
        try:
            yield from list(read(message)) if isinstance(message, dict) else [Unread(UNREADABLE)]
        except (ValueError, TypeError, LookupError, AttributeError):
            yield Unread(UNREADABLE)


def named(kind: str) -> str:
    """Return what people call a kind of content, which every program calls in its own way:
    `image_asset_pointer` is an image.
    """
    return next(
        (noun for part, noun in _KINDS.items() if part in kind),
        f"part of kind {kind[:40]}" if kind else "part of no kind",
    )


def an_object(value: object) -> Mapping[str, Any]:
    """Return an object, an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def inner(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return an object in another, an empty one where it is missing. Raises `ValueError` for
    anything else.
    """
    return _of_type(data.get(name), dict) or {}


def listed(data: Mapping[str, Any], name: str) -> list[Any]:
    """Return a list in an object, an empty one where it is missing. Raises `ValueError` for
    anything else.
    """
    return _of_type(data.get(name), list) or []


def written(value: object) -> str:
    """Return what is written in several lines, nothing where it is missing. Raises `ValueError` for
    anything else.
    """
    return clean(_of_type(value, str) or "").strip()


def _of_type(value: object, kind: type[T]) -> T | None:
    if isinstance(value, kind):
        return value
    if not value:  # some write an empty list for an object that is not there
        return None
    raise ValueError(f"there is something else in place of a {kind.__name__}")


def plain_text(value: object) -> str:
    """Return a name or a title on one line; a number is one that reads as it was written."""
    if isinstance(value, float) and value.is_integer():
        value = str(int(value))
    return one_line(clean(value)) if isinstance(value, str) else ""


def moment(value: object) -> datetime | None:
    """Read a time: seconds since 1970 or parts of them, also as a text, or the text of a date; None
    for anything else.
    """
    if isinstance(value, str):
        try:
            at = datetime.fromisoformat(value.strip())
            return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            value = (
                float(value)
                if re.fullmatch(r"\s*\d{9,19}(?:\.\d{1,9})?\s*", value, re.ASCII)
                else None
            )
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    seconds = next(
        (
            value / parts
            for parts in (1, 10**3, 10**6, 10**9)
            if _EARLIEST <= value / parts < _LATEST
        ),
        None,
    )
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
