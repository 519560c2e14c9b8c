"""One reply, from ready scores to its last word: sampling, streaming, stopping, and the forced last line."""

import codecs
import time
from collections.abc import Generator, Iterator
from contextlib import closing

from memapp.domain.prompt import Piece, Reason, Sampling
from memapp.inference.native import Context, Grammar, NativeModel
from memapp.inference.owner import Stopped
from memapp.inference.reply_text import TAIL_LINE, ReplyText
from memapp.inference.sampling import GrammarDeadEnd, TokenSampler
from memapp.inference.trunk import TrunkCache


class ReplyWriter:
    """Writes on the cache's branch, on the owner thread. `reason` and the counts hold once the text has been read."""

    def __init__(
        self,
        native: NativeModel,
        context: Context,
        cache: TrunkCache,
        sampler: TokenSampler,
        stopped: Stopped,
    ) -> None:
        self._native = native
        self._context = context
        self._cache = cache
        self._sampler = sampler
        self._stopped = stopped
        self.reason: Reason = "cancelled"
        self.decoded = self.neutral_tokens = 0
        self.first_token_at: float | None = None
        self._cancelled = False
        self._pending: list[int] = []
        """The last sampled token, until it is computed."""

    def write(self, sampling: Sampling, end_of_turn: tuple[str, ...], limit: int, tail: list[int]) -> Iterator[Piece]:
        """Write up to `limit` tokens, up to a stop string, or as far as the model wants; then the line after the tail."""
        text = ReplyText((*sampling.stop, *end_of_turn), sampling.tail, sampling.sentences)
        self.reason = yield from self._write_part(text, limit)
        self.neutral_tokens = self._cache.end_contrast()
        if not tail or self.reason == "cancelled" or (text.in_tail and text.done):
            return
        if not text.in_tail:  # else the model began the tail by itself
            self._pending += tail
            text.begin_tail()
        with closing(Grammar(self._native, TAIL_LINE)) as line:
            self._sampler.follow(line)
            yield from self._write_part(text, sampling.tail_tokens)

    def _write_part(self, text: ReplyText, limit: int) -> Generator[Piece, None, Reason]:
        """Write the reader's words, or the line after the tail; return how that part ended."""
        in_tail = text.in_tail
        decoder = codecs.getincrementaldecoder("utf-8")("replace")  # of half a character at the end nothing is shown
        for count, data in enumerate(self._sampled(), start=1):
            yield from text.feed(decoder.decode(data))
            if text.in_tail != in_tail:
                return "end"
            if text.done:
                return "stop"
            if count == limit:
                yield from text.end()
                return "length"
        yield from text.end()
        return "cancelled" if self._cancelled else "end"

    def _sampled(self) -> Iterator[bytes]:
        """Sample token by token, until the model ends its turn or somebody cancels."""
        while True:
            if self._stopped() or (self._pending and not self._cache.extend(self._pending)):
                self._cancelled = True
                return
            self._pending = []
            try:
                token = self._sampler.pick(self._context.logits(), self._cache.neutral_scores())
            except GrammarDeadEnd:
                return
            self.decoded += 1
            if self.first_token_at is None:
                self.first_token_at = time.perf_counter()
            if self._native.ends_turn(token):
                return
            self._pending = [token]
            yield self._native.text(token)
