"""One reply, from ready scores to its last word: sampling, streaming, stopping, and the forced last line."""

import time
from collections.abc import Callable, Iterator

from memapp.domain.prompt import Piece, Reason, Sampling
from memapp.inference.native import Context, Grammar, NativeModel
from memapp.inference.sampling import TAIL_LINE, GrammarDeadEnd, ReplyText, TokenSampler
from memapp.inference.trunk import TrunkCache


class ReplyWriter:
    """Writes on the cache's branch, on the owner thread. `reason` and the counts hold once the text has been read."""

    def __init__(
        self,
        native: NativeModel,
        context: Context,
        cache: TrunkCache,
        sampler: TokenSampler,
        stopped: Callable[[], bool],
    ) -> None:
        self._native = native
        self._context = context
        self._cache = cache
        self._sampler = sampler
        self._stopped = stopped
        self.reason: Reason = "cancelled"
        self.decoded = 0
        self.first_token_at: float | None = None
        self._wrote_tag = False
        """Whether the model began the tail by itself."""
        self._after_stop = ""
        self._pending: list[int] = []
        """The last sampled token, until it is computed."""

    def write(self, sampling: Sampling, end_of_turn: tuple[str, ...], limit: int) -> Iterator[Piece]:
        """Write up to `limit` tokens, up to a stop string, or as far as the model wants."""
        tag = sampling.tail.strip()
        text = ReplyText((*sampling.stop, *end_of_turn, tag))
        for count, data in enumerate(self._sampled(), start=1):
            if (shown := text.feed(data)) or text.thinks:
                yield Piece(shown)
            if text.stopped_at:
                self._wrote_tag = text.stopped_at == tag
                self.reason = "end" if self._wrote_tag else "stop"
                self._after_stop = text.rest()
                return
            if count == limit:
                self.reason = "length"
                break
        if rest := text.rest():
            yield Piece(rest)

    def write_tail(self, tail_tokens: list[int], end_of_turn: tuple[str, ...], limit: int) -> Iterator[Piece]:
        """Feed the tail, unless the model wrote it by itself, and write on to the end of that line."""
        text = ReplyText(("\n", *end_of_turn))
        if not self._wrote_tag:
            self._pending += tail_tokens
        elif begun := text.feed(self._after_stop.encode()):
            yield Piece(begun, tail=True)
        if text.stopped_at:
            return
        reason = self.reason
        line = Grammar(self._native, TAIL_LINE)
        try:
            self._sampler.follow(line)
            for count, data in enumerate(self._sampled(), start=1):
                if shown := text.feed(data):
                    yield Piece(shown, tail=True)
                if text.stopped_at or count == limit:
                    break
        finally:
            line.close()
            self.reason = reason
        if not text.stopped_at and (rest := text.rest()):
            yield Piece(rest, tail=True)

    def _sampled(self) -> Iterator[bytes]:
        """Sample token by token; ends with `reason` set to "end", or "cancelled"."""
        while True:
            if self._stopped() or (self._pending and not self._cache.extend(self._pending)):
                self.reason = "cancelled"
                return
            self._pending = []
            try:
                token = self._sampler.pick(self._context.logits())
            except GrammarDeadEnd:
                self.reason = "end"
                return
            self.decoded += 1
            if self.first_token_at is None:
                self.first_token_at = time.perf_counter()
            if self._native.ends_turn(token):
                self.reason = "end"
                return
            self._pending = [token]
            yield self._native.text(token)
