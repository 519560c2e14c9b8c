"""What a model server sends back, and the way from there to the reply that was asked for.

A server streams chunks as server-sent events. Some continue a reply that was begun for them (`Prompt.head`), some write all of
it again, some wrap it; `AfterHead` evens that out. `ReplySplitter` parts the words for the reader from the line after the tail.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from memapp.domain.prompt import Piece
from memapp.domain.text import clean, one_line, shorten
from memapp.errors import ModelError
from memapp.inference.sampling import ReplyText

LINE_BYTES = 1 << 20
REPLY_BYTES = 32 << 20
"""No honest reply is larger, however talkative its chunks are."""

_FENCE = re.compile(r"\s*(?:```\w*\s*)?")
_OPEN_VALUE = re.compile(r'"(\w+)"\s*:\s*(\[\s*)?"$')
_KEY = re.compile(r'\\?"(\w+)\\?"\s*:\s*(\[)?')


class _Delta(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    delta: _Delta | None = None
    finish_reason: str | None = None


class _CachedTokens(BaseModel):
    cached_tokens: int | None = None


class _Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: _CachedTokens | None = None


class _Timings(BaseModel):
    prompt_n: int = 0
    cache_n: int = 0
    predicted_n: int = 0


class Chunk(BaseModel):
    """One event of a streamed reply; what else a server puts in is ignored."""

    choices: list[_Choice] = []
    usage: _Usage | None = None
    timings: _Timings | None = None
    """llama-server's own count, in every chunk when asked for."""
    error: Any = None
    done: bool = False
    """The server says that the stream is complete."""

    @property
    def text(self) -> str:
        delta = self.choices[0].delta if self.choices else None
        return (delta.content or "") if delta else ""

    @property
    def finish_reason(self) -> str | None:
        return self.choices[0].finish_reason if self.choices else None

    def counts(self) -> tuple[int, int, int] | None:
        """Prompt tokens computed, prompt tokens found in the cache, and tokens written, if this chunk tells."""
        if self.timings:
            return self.timings.prompt_n, self.timings.cache_n, self.timings.predicted_n
        if self.usage:
            details = self.usage.prompt_tokens_details
            cached = min(details.cached_tokens or 0 if details else 0, self.usage.prompt_tokens)
            return self.usage.prompt_tokens - cached, cached, self.usage.completion_tokens
        return None


def read_chunks(data: Iterable[bytes]) -> Iterator[Chunk]:
    """Parse a stream of server-sent events. Raises `ModelError` when it is none, or when the server reports an error."""
    held = bytearray()
    total = 0
    for part in data:
        total += len(part)
        held += part
        *lines, rest = held.split(b"\n")
        held = bytearray(rest)
        if len(held) > LINE_BYTES or total > REPLY_BYTES:
            raise _garbled("it does not end")
        for line in lines:
            if chunk := _parse(line):
                yield chunk
                if chunk.done:
                    return
    if chunk := _parse(held):
        yield chunk


def _parse(line: bytes | bytearray) -> Chunk | None:
    text = line.decode("utf-8", "replace").strip()
    field, _, value = text.partition(":")
    if not text or field in ("", "event", "id", "retry"):  # an empty field name makes a comment, sent to keep alive
        return None
    if value.strip() == "[DONE]":
        return Chunk(done=True)
    payload = value.strip() if field in ("data", "error") else text  # errors may come without a field, or as a field
    try:
        chunk = Chunk.model_validate_json(payload)
    except ValidationError:
        raise _garbled(payload) from None
    if chunk.error is not None or field == "error":
        raise ModelError(f"The model server reports: {error_text(payload)}.", "Look at the server's own output, then try again.")
    return chunk


def error_text(body: str) -> str:
    """Return the words of an error body: OpenAI's form, Ollama's, or plain text; safe to show, and short."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = body
    for key in ("error", "message"):
        found = found.get(key, found) if isinstance(found, dict) else found
    return shorten(one_line(clean(str(found))), 200).rstrip(".") or "nothing"


def _garbled(what: str) -> ModelError:
    return ModelError(
        f"The model server sent something that is no reply ({shorten(one_line(clean(what)), 80)}).",
        "Check that `server` is the address of an OpenAI-compatible server, ending in /v1.",
    )


class AfterHead:
    """Passes on what follows the head of a reply, whether the server continues the head or writes it again.

    White space does not count in telling whether it was written again. A server that cannot continue may also write other
    JSON than was begun: that is held until its end and turned into the continuation that says the same.
    """

    def __init__(self, head: str, *, continues: bool) -> None:
        self._head = head
        self._continues = continues
        self._held = ""
        self._settled = not head
        self._collecting = False

    def feed(self, text: str) -> str:
        """Take a part of the reply; return what of it follows the head, as far as that is clear."""
        if self._settled:
            return text
        self._held += text
        if self._collecting:
            return ""
        repeated = self._repeated()
        if repeated is None:
            return ""
        if repeated == 0 and not self._continues and self._head.lstrip().startswith("{"):
            self._collecting = True
            return ""
        return self._settle(self._held[repeated:])

    def rest(self) -> str:
        """What is still held back when the reply has ended."""
        return "" if self._settled else self._settle(_continuation(self._head, self._held))

    def _settle(self, text: str) -> str:
        self._settled, self._held = True, ""
        return text

    def _repeated(self) -> int | None:
        """Where the repeated head ends in the reply; 0 if the reply begins otherwise, None if it is too short to tell."""
        at = fence.end() if not self._continues and (fence := _FENCE.match(self._held)) else 0
        for wanted in self._head:
            if wanted.isspace():
                continue
            while at < len(self._held) and self._held[at].isspace():
                at += 1
            if at == len(self._held):
                return None
            if self._held[at] != wanted:
                # "``" may yet become a fence
                return None if self._held.strip() in ("`", "``") and not self._continues else 0
            at += 1
        return at


def _continuation(head: str, reply: str) -> str:
    """Return a JSON object as the text that follows `head`; a reply that is none is returned as it is."""
    begin, opened = reply.find("{"), _OPEN_VALUE.search(head)
    if begin < 0 or not opened:
        return reply
    try:
        found, _ = json.JSONDecoder(strict=False).raw_decode(reply, begin)
    except (ValueError, RecursionError):
        return reply
    key, value = opened[1], found.get(opened[1])
    if opened[2]:
        items = value if isinstance(value, list) else [value] if value else []
        text = _json([str(item) for item in items] or [""])[2:]
    else:
        text = _json("" if value is None else str(value))[1:]
    rest = {name: value for name, value in found.items() if name != key and f'"{name}"' not in head}
    return text + "".join(f", {_json(name)}: {_json(value)}" for name, value in rest.items()) + "}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def schema_of(head: str, grammar: str) -> dict[str, Any] | None:
    """Return a JSON schema with the keys that a head and a grammar spell out: lists of strings, and strings.

    None if they describe no flat JSON object. Servers that take no grammar take this.
    """
    if not head.lstrip().startswith("{") and '"{' not in grammar:
        return None
    properties: dict[str, Any] = {}
    for key, is_list in _KEY.findall(head + "\n" + grammar):
        string = {"type": "string"}
        properties.setdefault(key, {"type": "array", "items": string} if is_list else string)
    if not properties:
        return None
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


class ReplySplitter:
    """Parts a reply into the reader's words and the one line after the tail; ends it at a stop string."""

    def __init__(self, stop: tuple[str, ...], tail: str) -> None:
        self._mark = tail.strip()
        self._stop = stop
        self._body = ReplyText((*stop, self._mark))
        self._line: ReplyText | None = None
        self._line_begun = False
        self.reason: Literal["end", "stop"] = "end"
        self.done = False
        """Nothing that comes now belongs to the reply."""

    @property
    def in_tail(self) -> bool:
        """The reader's words are over."""
        return self._line is not None

    def feed(self, text: str) -> Iterator[Piece]:
        """Take a part of the reply; yield what may be shown now."""
        if self.done:
            return
        if self._line is None:
            if shown := self._body.feed(text.encode("utf-8", "replace")):
                yield Piece(shown)
            if not self._body.stopped_at:
                return
            if self._body.stopped_at != self._mark:
                self.reason, self.done = "stop", True
                return
            self._line, text = ReplyText(("\n", *self._stop)), self._body.rest()
        if not self._line_begun:
            text = text.lstrip()
            self._line_begun = bool(text)
        if shown := self._line.feed(text.encode("utf-8", "replace")):
            yield Piece(shown, tail=True)
        self.done = bool(self._line.stopped_at)

    def end(self) -> Iterator[Piece]:
        """Yield what was held back, when the server has said all."""
        if not self.done and (rest := (self._line or self._body).rest()):
            yield Piece(rest, tail=self._line is not None)
