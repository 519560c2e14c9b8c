"""Jan's folder of threads: `messages.jsonl` with a message a line, `thread.json` with the title."""

from collections.abc import Iterator, Mapping
from typing import Any

from memapp.domain.foreign import items
from memapp.domain.foreign.items import Found, Unread, an_object, inner, listed, plain_text


def read_message(data: Mapping[str, Any]) -> Iterator[Found]:
    at, pieces = data.get("created_at"), [an_object(part) for part in listed(data, "content")]
    contents = items.message(
        data["role"], "\n\n".join(plain for part in pieces if (plain := _text(part))), at
    )
    yield from (
        Unread(items.named(plain_text(part.get("type")))) for part in pieces if not _text(part)
    )
    yield from items.conversation(f"jan {data['thread_id']}", "", None, None, contents)


def _text(part: Mapping[str, Any]) -> str:
    text = part["text"] if isinstance(part.get("text"), str) else inner(part, "text").get("value")
    return text if isinstance(text, str) else ""


def read_thread(data: Mapping[str, Any]) -> Iterator[Found]:
    yield from items.conversation(
        f"jan {data['id']}", data.get("title"), data.get("created"), data.get("updated"), ()
    )
