"""A model server's reply: its words and what it cost, taken from chunks while they stream.

Some servers continue the head of a reply (`Prompt.head`), some write all of it again, some wrap it:
`AfterHead` evens that out.
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
"""Finish reasons of servers that mean another end than the model's own."""
BROKEN_OFF = frozenset({"abort", "content_filter", "error"})
"""Finish reasons of a reply that is not whole."""
_FENCE = r"\s*(?:```\w*\s*)?"
_FENCE_CHARS = 8
_OPEN_VALUE = re.compile(r'"(\w+)"\s*:\s*(\[\s*)?("?)$')
"""The value that a head leaves open: a list, with or without its first quotation mark, a string, or
any value.
"""


def _stopped_short(reason: str, *, begun: bool) -> ModelError:
    told = f" ({reason})" if reason else ""
    if begun:
        return ModelError(f"The model server stopped in the middle of a reply{told}.", "Try again.")
    return ModelError(
        f"The model server ended its reply before its first word{told}.",
        "The conversation may be too long for it: start a new chat, or set `context_tokens` to the server's context.",
    )


class AfterHead:
    """Passes on what follows the head of a reply, whether the server continues the head or writes
    it again.

    White space does not count in telling whether it was written again. A server that cannot
    continue may also write other JSON than was begun: that is held until its end and turned into
    the continuation that says the same.
    """

    def __init__(self, head: str, *, continues: bool) -> None:
        self._head = head
        letters = "".join(head.split())
        quotation = (
            r'|\s*"' if head.endswith(': "') else ""
        )  # of such a head some write only the quotation mark again
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
    """Return a JSON object as the text that follows `head`; a reply that is none is returned as it
    is.
    """
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
        text = _json([str(item) for item in items] or ([""] if opened[3] else []))[
            len(opened[3]) + 1 :
        ]
    elif opened[3]:
        text = _json("" if value is None else str(value))[1:]
    else:
        text = f" {_json(value)}"
    rest = {name: value for name, value in found.items() if name != key and f'"{name}"' not in head}
    return text + "".join(f", {_json(name)}: {_json(value)}" for name, value in rest.items()) + "}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


class Reply:
    """One reply while it streams. `reason` and `usage` hold for what has been read."""

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
        """Whether a thought came first without an opening tag; None where the reply tells nothing
        of that.
        """
        if self.thoughts.unopened:
            return True
        return None if self._sampling.grammar or self.reason == "length" else False

    def read(self, chunks: Iterator[Chunk], continues: bool) -> Iterator[Piece]:
        """Yield the reply's pieces. Raises `ModelError` when the server stops in the middle."""
        yield from self._pieces_of(chunks, continues)
        if self._text.done or self.thoughts.over:
            self.reason = "stop"

    def _pieces_of(self, chunks: Iterator[Chunk], continues: bool) -> Iterator[Piece]:
        self._after_head = AfterHead(self._prompt.head, continues=continues)
        complete, finish_reason = False, ""
        for chunk in chunks:
            if (
                chunk.text and self._pieces == self._sampling.max_tokens
            ):  # a server that knows no max_tokens
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
        """Yield thoughts as they are, and what is said without the head."""
        for piece in pieces:
            if piece.retracts:
                self._after_head = AfterHead(self._prompt.head, continues=continues)
            if piece.text:
                yield from self._text.feed(self._after_head.feed(piece.text))
            else:
                yield from self._text.take(piece)

    def usage(self) -> Usage:
        """What the call cost, in the server's numbers, or in estimates if it gave none."""
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
