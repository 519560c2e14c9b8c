"""A model server's reply: its text and its cost, taken from streaming chunks.

Some servers continue the head of a reply (`Prompt.head`), some repeat it, some wrap it: `AfterHead`
removes these differences.
"""

import json
import re
import time
from collections.abc import Iterator, Mapping

from memapp.domain.prompt import Piece, Prompt, Reason, Sampling, Usage
from memapp.errors import ModelError
from memapp.inference.reply_text import ReplyText
from memapp.inference.server_chunks import Chunk
from memapp.inference.server_request import estimated_tokens, messages
from memapp.inference.thoughts import Thoughts

REASONS: Mapping[str, Reason] = {"length": "length", "max_tokens": "length"}
"""Finish reasons other than the model's own end."""
BROKEN_OFF = frozenset({"abort", "content_filter", "error"})
"""Finish reasons of a reply that was cut off."""
_FENCE = r"\s*(?:```\w*\s*)?"
_FENCE_CHARS = 8
_OPEN_VALUE = re.compile(r'"(\w+)"\s*:\s*(\[\s*)?("?)$')
"""The value that a head leaves open: a list, with or without its first quotation mark, a string, or
any value.
"""


def _stopped_short(reason: str, *, begun: bool) -> ModelError:
    why = f" ({reason})" if reason else ""
    if begun:
        return ModelError(
            f"The model server stopped in the middle of an answer{why}.", "Try again."
        )
    return ModelError(
        f"The model server ended its answer before its first word{why}.",
        "The conversation may be too long for it: start a new chat, "
        "or set `context_tokens` to the server's context.",
    )


class AfterHead:
    """Passes on the text behind the head of a reply, whether the server repeats the head or not.

    White space does not count in recognising the head. A server that cannot continue may also write
    other JSON: such a reply is held until its end and turned into the equivalent continuation.
    """

    def __init__(self, head: str, *, continues: bool) -> None:
        self._head = head
        letters = "".join(head.split())
        # Some servers repeat only the quotation mark of such a head.
        quotation = r'|\s*"' if head.endswith(': "') else ""
        self._again = re.compile(_FENCE + r"\s*".join(map(re.escape, letters)) + quotation)
        self._clear_at = len(letters) + _FENCE_CHARS
        self._becomes_json = letters.startswith("{") and not continues
        self._held = ""
        self._settled = not head

    def feed(self, text: str) -> str:
        """Take a part of the reply; return the text behind the head, as far as it is clear."""
        if self._settled:
            return text
        self._held += text
        if again := self._again.match(self._held):
            return self._settle(self._held[again.end() :])
        if self._becomes_json or len("".join(self._held.split())) < self._clear_at:
            return ""
        return self._settle(self._held)

    def rest(self) -> str:
        """Return the held back text after the end of the reply."""
        return "" if self._settled else self._settle(_continuation(self._head, self._held))

    def _settle(self, text: str) -> str:
        self._settled, self._held = True, ""
        return text


def _continuation(head: str, reply: str) -> str:
    """Return a reply's JSON object as the text that follows `head`; other replies unchanged."""
    begin, opened = reply.find("{"), _OPEN_VALUE.search(head)
    if begin < 0 or not opened:
        return reply
    try:
        answer, _ = json.JSONDecoder(strict=False).raw_decode(reply, begin)
    except (ValueError, RecursionError):
        return reply
    key, value = opened[1], answer.get(opened[1])
    if opened[2]:
        items = value if isinstance(value, list) else [value] if value else []
        listed = _json([str(item) for item in items] or ([""] if opened[3] else []))
        text = listed[len(opened[3]) + 1 :]
    elif opened[3]:
        text = _json("" if value is None else str(value))[1:]
    else:
        text = f" {_json(value)}"
    others = (name for name in answer if name != key and f'"{name}"' not in head)
    return text + "".join(f", {_json(name)}: {_json(answer[name])}" for name in others) + "}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


class Reply:
    """A streaming reply. `reason` and `usage` cover the part read so far."""

    def __init__(
        self, prompt: Prompt, sampling: Sampling, *, begins_in_thought: bool = False
    ) -> None:
        self.reason: Reason = "end"
        self._prompt = prompt
        self._sampling = sampling
        self.thoughts = Thoughts(begun=begins_in_thought)
        self._text = ReplyText(sampling.stop)
        self._pieces = 0
        self._counts: tuple[int, int, int] | None = None
        self._started = time.perf_counter()
        self._first_at: float | None = None

    @property
    def begins_in_thought(self) -> bool | None:
        """Return True for a first thought without an opening tag; None if unclear."""
        if self.thoughts.unopened:
            return True
        return None if self._sampling.grammar or self.reason == "length" else False

    def read(self, chunks: Iterator[Chunk], continues: bool) -> Iterator[Piece]:
        """Yield the reply's pieces. Raises `ModelError` if the server stops in the middle."""
        yield from self._pieces_of(chunks, continues)
        if self._text.done or self.thoughts.over:
            self.reason = "stop"

    def _pieces_of(self, chunks: Iterator[Chunk], continues: bool) -> Iterator[Piece]:
        self._after_head = AfterHead(self._prompt.head, continues=continues)
        complete, finish_reason = False, ""
        for chunk in chunks:
            # For servers that ignore max_tokens.
            if chunk.text and self._pieces == self._sampling.max_tokens:
                self.reason, complete = "length", True
                break
            self._note(chunk)
            if chunk.thought:
                yield Piece("", thought=chunk.thought)
            yield from self._told(self.thoughts.feed(chunk.text), continues)
            if self._text.done or self.thoughts.over:
                return
            finish_reason = chunk.finish_reason or finish_reason
            complete = complete or chunk.done or bool(finish_reason)
        if not complete or finish_reason in BROKEN_OFF:
            raise _stopped_short(finish_reason, begun=self._pieces > 0)
        self.reason = REASONS.get(finish_reason, self.reason)
        yield from self._told(self.thoughts.end(is_whole=self.reason != "length"), continues)
        yield from self._text.feed(self._after_head.rest())
        yield from self._text.end()

    def _told(self, pieces: Iterator[Piece], continues: bool) -> Iterator[Piece]:
        """Yield thoughts unchanged, and text without the head."""
        for piece in pieces:
            if piece.retracts:
                self._after_head = AfterHead(self._prompt.head, continues=continues)
            if piece.text:
                yield from self._text.feed(self._after_head.feed(piece.text))
            else:
                yield from self._text.take(piece)

    def usage(self) -> Usage:
        """Return the cost of the call by the server's numbers, or else estimates."""
        sent = "".join(
            message["content"] for message in messages(self._prompt, self._prompt.suffix)
        )
        computed, cached, written = self._counts or (estimated_tokens(sent), 0, self._pieces)
        now = time.perf_counter()
        return Usage(
            prefill_tokens=computed,
            reused_tokens=cached,
            decode_tokens=written,
            first_token_seconds=(self._first_at or now) - self._started,
            seconds=now - self._started,
        )

    def _note(self, chunk: Chunk) -> None:
        self._counts = chunk.counts or self._counts
        if chunk.text:
            self._pieces += 1
            self._first_at = self._first_at or time.perf_counter()
