"""The chunks of a model server's reply, parsed leniently: server-sent events, or one JSON body.

Servers differ in how they frame a chunk and in which fields they leave empty. Odd fields are
ignored; unreadable data that may hold text is an error, so that no part of a reply is lost
silently.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from memapp.domain.text import clean, one_line, shorten
from memapp.errors import ModelError

LINE_BYTES = 1 << 20
REPLY_BYTES = 32 << 20
"""The largest reply, however verbose its chunks are."""
MOST_TOKENS = 1_000_000_000
"""The largest plausible token count."""
LINE_END = re.compile(rb"\r\n|\n|\r")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
DONE = "[DONE]"
CHECK_ADDRESS = "Check that `server` is the address of an OpenAI-compatible server, ending in /v1."

Redact = Callable[[str], str]
"""Removes a secret from a text before the text is shown."""


@dataclass(frozen=True)
class ServerEvent:
    """A server-sent event; `name` is its type, `body` for JSON without framing."""

    name: str
    data: str


@dataclass(frozen=True)
class Chunk:
    """The content of an event; fields are empty for missing, null or unexpected values."""

    text: str = ""
    thought: str = ""
    finish_reason: str = ""
    counts: tuple[int, int, int] | None = None
    """Prompt tokens computed, prompt tokens cached, and tokens written."""
    done: bool = False
    """True if the server marks the stream as complete."""


def read_chunks(data: Iterable[bytes], redact: Redact = str) -> Iterator[Chunk]:
    """Yield the chunks of a reply. Raises `ModelError` for other data and for reported errors."""
    begun = False
    for event in read_events(data):
        if event.data.strip() == DONE:
            yield Chunk(done=True)
            return
        value = _json(event.data)
        if event.name == "error" or (isinstance(value, dict) and _is_error(value, event)):
            report = error_text(event.data, redact)
            raise ModelError(
                f"The model server reports: {report}.",
                "Look at the server's own output, then try again.",
            )
        if isinstance(value, dict) and isinstance(value.get("choices") or [], list):
            yield _chunk(value, event)
        # A body behind a reply is the text of a proxy that cut the reply.
        elif value is not None and not (begun and event.name == "body"):
            text = shown(event.data, redact, 80)
            raise ModelError(
                f"The model server sent something that is no answer ({text}).", CHECK_ADDRESS
            )
        begun = True


def read_events(data: Iterable[bytes]) -> Iterator[ServerEvent]:
    """Yield server-sent events by the HTML standard, and the substitutes of some servers.

    An event is complete as soon as its first line is a whole value, since some servers leave out
    the empty line behind it. Errors may come as a field, and lines of no field are one JSON body.
    """
    name, held, body = "", list[str](), list[str]()
    for line in _lines(data):
        field, _, value = line.partition(":")
        match field:
            case "data":
                held.append(value.removeprefix(" "))
            case "event":
                name = value.strip()
            case "error":
                yield ServerEvent("error", value)
            case "" | "id" | "retry":  # an empty field name makes a comment, sent to keep alive
                pass
            case _:
                body.append(line)
        if body and (held or (len(body) == 1 and _is_whole(body[0]))):
            yield ServerEvent("body", "\n".join(body))
            body = []
        if held and (not line or (len(held) == 1 and _is_whole(held[0]))):
            yield ServerEvent(name, "\n".join(held))
            held = []
        if not line:
            name = ""
    if body:
        yield ServerEvent("body", "\n".join(body))


def _lines(data: Iterable[bytes]) -> Iterator[str]:
    """Yield lines without their ends, the last one also if unterminated."""
    held, total, after_return, is_first = bytearray(), 0, False, True
    for part in data:
        total += len(part)
        rest = part[1:] if after_return and part.startswith(b"\n") else part
        after_return = part.endswith(b"\r") if part else after_return
        first, *others = LINE_END.split(rest)
        held += first
        for following in others:
            yield _decoded(held, is_first)
            held, is_first = bytearray(following), False
        if len(held) > LINE_BYTES or total > REPLY_BYTES:
            raise ModelError(
                "The model server sent something that is no answer (it does not end).",
                CHECK_ADDRESS,
            )
    if held:
        yield _decoded(held, is_first)


def _decoded(line: bytearray, is_first: bool) -> str:
    return (line.removeprefix(BYTE_ORDER_MARK) if is_first else line).decode("utf-8", "replace")


def _is_whole(text: str) -> bool:
    return text.strip() == DONE or isinstance(_json(text), dict)


def _json(text: str) -> Any:
    """Return a JSON value; None for an empty text, and the text itself if not JSON."""
    try:
        return json.loads(text) if text.strip() else None
    except (ValueError, RecursionError):
        return text


def _is_error(value: dict[str, Any], event: ServerEvent) -> bool:
    """Return True for an error object, and for a body without a reply."""
    return (
        bool(value.get("error"))
        or value.get("object") == "error"
        or (event.name == "body" and "choices" not in value)
    )


def _chunk(value: dict[str, Any], event: ServerEvent) -> Chunk:
    choice = _at(value, "choices", 0)
    delta = _at(choice, "delta") or _at(choice, "message")
    content = _at(delta, "content")
    finish_reason = _at(choice, "finish_reason")
    return Chunk(
        text=_text(content) or _text(_at(choice, "text")),
        # llama-server, LM Studio and others separate thoughts in this field, Ollama in `reasoning`,
        # Mistral in parts.
        thought=_text(_at(delta, "reasoning_content"))
        or _text(_at(delta, "reasoning"))
        or _thinking(content),
        finish_reason=finish_reason if isinstance(finish_reason, str) else "",
        counts=_counts(value),
        done=event.name == "body" and bool(_at(choice, "message")),  # such a body is a whole reply
    )


def _text(value: Any) -> str:
    """Return a text, or the joined texts of a list of parts."""
    texts = [_at(part, "text") for part in value] if isinstance(value, list) else [value]
    return "".join(text for text in texts if isinstance(text, str))


def _thinking(content: Any) -> str:
    """Return the joined thoughts of a list of parts."""
    return (
        "".join(_text(_at(part, "thinking")) for part in content)
        if isinstance(content, list)
        else ""
    )


def _counts(value: dict[str, Any]) -> tuple[int, int, int] | None:
    """Return the counts of a chunk, if any: llama-server's `timings`, or `usage` in the last."""
    usage, timings = _at(value, "usage"), _at(value, "timings")
    prompt, computed = _count(_at(usage, "prompt_tokens")), _count(_at(timings, "prompt_n"))
    if prompt is None and computed is None:
        return None
    cached = (
        _count(_at(timings, "cache_n"))
        or _count(_at(usage, "prompt_tokens_details", "cached_tokens"))
        or 0
    )
    written = _count(_at(timings, "predicted_n")) or _count(_at(usage, "completion_tokens")) or 0
    return (max((prompt or 0) - cached, 0) if computed is None else computed), cached, written


def _count(value: Any) -> int | None:
    is_number = (
        isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    )
    return int(min(max(value, 0), MOST_TOKENS)) if is_number else None


def _at(value: Any, *path: str | int) -> Any:
    """Return the value at a path of keys and indexes, or None."""
    for step in path:
        try:
            value = value[step]
        except (LookupError, TypeError):
            return None
    return value


def error_text(body: str, redact: Redact = str) -> str:
    """Return the text of an error body (OpenAI's form, Ollama's, or plain), safe to show."""
    error = _json(body)
    for key in ("error", "message", "detail"):
        error = error.get(key) or error if isinstance(error, dict) else error
    return shown(str(error), redact, 200).rstrip(".") or "nothing"


def shown(text: str, redact: Redact, length: int) -> str:
    """Return a server's text on one line, cut, without secrets and terminal control characters."""
    return shorten(one_line(clean(redact(text))), length)
