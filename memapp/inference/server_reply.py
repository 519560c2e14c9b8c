"""What a model server sends back, and the way from there to the reply that was asked for.

A server streams chunks as server-sent events. `Reply` takes from them what belongs to the reply, and what it cost;
`ReplySplitter` parts the words for the reader from the line after the tail.
"""

import json
import time
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ValidationError

from memapp.domain.prompt import Piece, Prompt, Reason, Sampling, Usage
from memapp.domain.text import clean, one_line, shorten
from memapp.errors import ModelError
from memapp.inference.sampling import Aloud, ReplyText
from memapp.inference.server_head import AfterHead
from memapp.inference.server_request import estimated_tokens, messages

LINE_BYTES = 1 << 20
REPLY_BYTES = 32 << 20
"""No honest reply is larger, however talkative its chunks are."""
MOST_TOKENS = 1_000_000_000
_Count = Annotated[int, AfterValidator(lambda count: min(max(count, 0), MOST_TOKENS))]
"""Tokens as a server counts them: what no model has is not kept."""


class _Delta(BaseModel):
    content: str | None = None
    reasoning_content: str | None = None
    """Thoughts, where llama-server, LM Studio and others take them out of the reply."""
    reasoning: str | None = None
    """The same from Ollama."""


class _Choice(BaseModel):
    delta: _Delta | None = None
    finish_reason: str | None = None


class _CachedTokens(BaseModel):
    cached_tokens: _Count | None = None


class _Usage(BaseModel):
    prompt_tokens: _Count = 0
    completion_tokens: _Count = 0
    prompt_tokens_details: _CachedTokens | None = None


class _Timings(BaseModel):
    prompt_n: _Count = 0
    cache_n: _Count = 0
    predicted_n: _Count = 0


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
    def thinks(self) -> bool:
        delta = self.choices[0].delta if self.choices else None
        return delta is not None and bool(delta.reasoning_content or delta.reasoning)

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


def _stopped_short(*, begun: bool) -> ModelError:
    if begun:
        return ModelError("The model server stopped in the middle of a reply.", "Try again.")
    return ModelError(
        "The model server ended its reply before its first word.",
        "The conversation may be too long for it: start a new chat, or set `context_tokens` to the server's context.",
    )


class Reply:
    """One reply while it streams. `reason` and `usage` hold for what has been read."""

    def __init__(self, prompt: Prompt, sampling: Sampling) -> None:
        self.reason: Reason = "end"
        self.written = ""
        """The reader's words."""
        self.has_tail = False
        self._prompt = prompt
        self._sampling = sampling
        self._pieces = 0
        self._counts: tuple[int, int, int] | None = None
        self._tail_counts = (0, 0, 0)
        self._started = time.perf_counter()
        self._first_at: float | None = None

    def read(self, data: Iterator[bytes], continues: bool) -> Iterator[Piece]:
        """Yield the reply's pieces. Raises `ModelError` when the server stops in the middle or sends something else."""
        words = ReplySplitter(self._sampling.stop, self._sampling.tail)
        for piece in self._pieces_of(data, continues, words):
            self.written += "" if piece.tail else piece.text
            yield piece
        self.has_tail = words.in_tail
        if words.done or words.in_tail:
            self.reason = words.reason

    def read_tail(self, data: Iterator[bytes]) -> Iterator[Piece]:
        """Yield the line after the tail, which the server was asked to go on with; some begin it again."""
        after_mark = AfterHead(self._sampling.tail.strip(), continues=False)
        words = ReplySplitter((), self._sampling.tail)
        list(words.feed(self._sampling.tail))  # the white space before its mark is for nobody
        for chunk in read_chunks(data):
            self._tail_counts = chunk.counts() or self._tail_counts
            yield from words.feed(after_mark.feed(chunk.text))
            if words.done:
                return
        yield from words.feed(after_mark.rest())
        yield from words.end()

    def _pieces_of(self, data: Iterator[bytes], continues: bool, words: "ReplySplitter") -> Iterator[Piece]:
        after_head = AfterHead(self._prompt.head, continues=continues)
        aloud = Aloud()
        complete = False
        for chunk in read_chunks(data):
            if chunk.text and self._pieces == self._sampling.max_tokens:  # a server that knows no max_tokens
                self.reason, complete = "length", True
                break
            self._note(chunk)
            yield from words.feed(after_head.feed(aloud.feed(chunk.text)))
            if words.done:
                break
            if chunk.thinks or aloud.thinks:
                yield Piece("")
            if chunk.finish_reason:
                self.reason = "length" if chunk.finish_reason == "length" else "end"
            complete = complete or chunk.done or chunk.finish_reason is not None
        if not complete and not words.done:
            raise _stopped_short(begun=self._pieces > 0)
        yield from words.feed(after_head.feed(aloud.rest()) + after_head.rest())
        yield from words.end()

    def usage(self) -> Usage:
        """What the call cost, in the server's numbers, or in estimates if it gave none."""
        computed, cached, written = self._counts or (_estimate(self._prompt), 0, self._pieces)
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


def _estimate(prompt: Prompt) -> int:
    return estimated_tokens("".join(one["content"] for one in messages(prompt, prompt.suffix)))
