"""The stream of a model server, and the reply in it.

A server streams chunks as server-sent events. `Reply` takes from them what belongs to the reply, and what it cost. Some servers
continue the head of a reply (`Prompt.head`), some write all of it again, some wrap it: `AfterHead` evens that out.
"""

import json
import re
import time
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from pydantic import AfterValidator, AliasChoices, AliasPath, BaseModel, Field, ValidationError

from memapp.domain.prompt import Piece, Prompt, Reason, Sampling, Usage
from memapp.domain.text import clean, one_line, shorten
from memapp.errors import ModelError
from memapp.inference.reply_text import Aloud, ReplyText
from memapp.inference.server_request import estimated_tokens, messages

LINE_BYTES = 1 << 20
REPLY_BYTES = 32 << 20
"""No honest reply is larger, however talkative its chunks are."""
MOST_TOKENS = 1_000_000_000
_Count = Annotated[int, AfterValidator(lambda count: min(max(count, 0), MOST_TOKENS))] | None
"""Tokens as a server counts them: what no model has is not kept."""
_FENCE = r"\s*(?:```\w*\s*)?"
_FENCE_CHARS = 8
_OPEN_VALUE = re.compile(r'"(\w+)"\s*:\s*(\[\s*)?("?)$')
"""The value that a head leaves open: a list, with or without its first quotation mark, or a string."""


def _at(*places: str) -> Any:
    """Take a field from the first of some places in a chunk, each written like `choices.0.finish_reason`."""
    return Field(None, validation_alias=AliasChoices(*map(_path, places)))


def _path(place: str) -> AliasPath:
    first, *rest = place.split(".")
    return AliasPath(first, *(int(part) if part.isdigit() else part for part in rest))


class Chunk(BaseModel):
    """One event of a streamed reply; what else a server puts in is ignored."""

    choices: list[Any] = []
    text: str | None = _at("choices.0.delta.content")
    thought: str | None = _at("choices.0.delta.reasoning_content", "choices.0.delta.reasoning")
    """What llama-server, LM Studio and others take out of the reply; `reasoning` is Ollama's name for it."""
    finish_reason: str | None = _at("choices.0.finish_reason")
    error: Any = None
    done: bool = False
    """The server says that the stream is complete."""

    prompt: _Count = _at("usage.prompt_tokens")
    computed: _Count = _at("timings.prompt_n")
    """llama-server's own count, in every chunk when asked for."""
    cached: _Count = _at("timings.cache_n", "usage.prompt_tokens_details.cached_tokens")
    written: _Count = _at("timings.predicted_n", "usage.completion_tokens")

    def counts(self) -> tuple[int, int, int] | None:
        """Prompt tokens computed, prompt tokens found in the cache, and tokens written, if this chunk tells."""
        if self.prompt is None and self.computed is None:
            return None
        cached = self.cached or 0
        computed = max((self.prompt or 0) - cached, 0) if self.computed is None else self.computed
        return computed, cached, self.written or 0


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


def _stopped_short(*, begun: bool) -> ModelError:
    if begun:
        return ModelError("The model server stopped in the middle of a reply.", "Try again.")
    return ModelError(
        "The model server ended its reply before its first word.",
        "The conversation may be too long for it: start a new chat, or set `context_tokens` to the server's context.",
    )


class AfterHead:
    """Passes on what follows the head of a reply, whether the server continues the head or writes it again.

    White space does not count in telling whether it was written again. A server that cannot continue may also write other
    JSON than was begun: that is held until its end and turned into the continuation that says the same.
    """

    def __init__(self, head: str, *, continues: bool) -> None:
        self._head = head
        letters = "".join(head.split())
        quotation = r'|\s*"' if head.endswith(': "') else ""  # of such a head some write only the quotation mark again
        self._again = re.compile(_FENCE + r"\s*".join(map(re.escape, letters)) + quotation)
        self._clear_at = len(letters) + _FENCE_CHARS
        self._becomes_json = letters.startswith("{") and not continues
        self._held = ""
        self._settled = not head

    def feed(self, text: str) -> str:
        """Take a part of the reply; return what of it follows the head, as far as that is clear."""
        if self._settled:
            return text
        self._held += text
        if again := self._again.match(self._held):
            return self._settle(self._held[again.end() :])
        if self._becomes_json or len("".join(self._held.split())) < self._clear_at:
            return ""
        return self._settle(self._held)

    def rest(self) -> str:
        """What is still held back when the reply has ended."""
        return "" if self._settled else self._settle(_continuation(self._head, self._held))

    def _settle(self, text: str) -> str:
        self._settled, self._held = True, ""
        return text


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
        text = _json([str(item) for item in items] or ([""] if opened[3] else []))[len(opened[3]) + 1 :]
    else:
        text = _json("" if value is None else str(value))[len(opened[3]) :]
    rest = {name: value for name, value in found.items() if name != key and f'"{name}"' not in head}
    return text + "".join(f", {_json(name)}: {_json(value)}" for name, value in rest.items()) + "}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


class Reply:
    """One reply while it streams. `reason` and `usage` hold for what has been read."""

    def __init__(self, prompt: Prompt, sampling: Sampling) -> None:
        self.reason: Reason = "end"
        self.written = ""
        """The reader's words."""
        self._prompt = prompt
        self._sampling = sampling
        self._text = ReplyText(sampling.stop, sampling.tail, sampling.sentences)
        self._pieces = 0
        self._counts: tuple[int, int, int] | None = None
        self._tail_counts = (0, 0, 0)
        self._started = time.perf_counter()
        self._first_at: float | None = None

    @property
    def has_tail(self) -> bool:
        """Whether the model wrote the tail by itself."""
        return self._text.in_tail

    def read(self, data: Iterator[bytes], continues: bool) -> Iterator[Piece]:
        """Yield the reply's pieces. Raises `ModelError` when the server stops in the middle or sends something else."""
        for piece in self._pieces_of(data, AfterHead(self._prompt.head, continues=continues)):
            self.written += "" if piece.tail else piece.text
            yield piece
        if self._text.done or self._text.in_tail:
            self.reason = "end" if self._text.in_tail else "stop"

    def read_tail(self, data: Iterator[bytes]) -> Iterator[Piece]:
        """Yield the line after the tail, which the server was asked to go on with; some begin it again."""
        after_mark = AfterHead(self._sampling.tail.strip(), continues=False)
        self._text.begin_tail()
        for chunk in read_chunks(data):
            self._tail_counts = chunk.counts() or self._tail_counts
            yield from self._text.feed(after_mark.feed(chunk.text or ""))
            if self._text.done:
                return
        yield from self._text.feed(after_mark.rest())
        yield from self._text.end()

    def _pieces_of(self, data: Iterator[bytes], after_head: AfterHead) -> Iterator[Piece]:
        aloud = Aloud()
        complete = False
        for chunk in read_chunks(data):
            if chunk.text and self._pieces == self._sampling.max_tokens:  # a server that knows no max_tokens
                self.reason, complete = "length", True
                break
            self._note(chunk)
            yield from self._text.feed(after_head.feed(aloud.feed(chunk.text or "")))
            if self._text.done:
                return
            if chunk.thought or aloud.thinks:
                yield Piece("")
            if chunk.finish_reason:
                self.reason = "length" if chunk.finish_reason == "length" else "end"
            complete = complete or chunk.done or chunk.finish_reason is not None
        if not complete:
            raise _stopped_short(begun=self._pieces > 0)
        yield from self._text.feed(after_head.feed(aloud.rest()) + after_head.rest())
        yield from self._text.end()

    def usage(self) -> Usage:
        """What the call cost, in the server's numbers, or in estimates if it gave none."""
        sent = "".join(one["content"] for one in messages(self._prompt, self._prompt.suffix))
        computed, cached, written = self._counts or (estimated_tokens(sent), 0, self._pieces)
        now = time.perf_counter()
        return Usage(
            prefill_tokens=computed + self._tail_counts[0],
            reused_tokens=cached,
            decode_tokens=written + self._tail_counts[2],
            first_token_seconds=(self._first_at or now) - self._started,
            seconds=now - self._started,
        )

    def _note(self, chunk: Chunk) -> None:
        self._counts = chunk.counts() or self._counts
        if chunk.text:
            self._pieces += 1
            self._first_at = self._first_at or time.perf_counter()
