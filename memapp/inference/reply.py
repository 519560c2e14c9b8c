"""One reply, from ready scores to its last word: sampling, streaming and stopping."""

import codecs
import time
from collections.abc import Iterator

from memapp.domain.prompt import Piece, Reason, Sampling
from memapp.inference.native import Context, NativeModel
from memapp.inference.owner_thread import Stopped
from memapp.inference.prompt_cache import TrunkCache
from memapp.inference.reply_text import ReplyText
from memapp.inference.sampling import GrammarDeadEnd, TokenSampler
from memapp.inference.thoughts import Thoughts


class ReplyWriter:
    """Writes a reply on the cache's branch, on the owner thread.

    `reason` and the counts are valid once the text has been read.
    """

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
        self.decoded = 0
        self.first_token_at: float | None = None
        self._cancelled = False
        self._pending: list[int] = []
        """The last sampled token, until computed."""

    def write(
        self, sampling: Sampling, end_of_turn: tuple[str, ...], limit: int
    ) -> Iterator[Piece]:
        """Write up to `limit` tokens or a stop string. With a grammar, no model thinks."""
        text = ReplyText((*sampling.stop, *end_of_turn))
        # Half a character at the end is not shown.
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        thoughts, may_think = Thoughts(), sampling.grammar is None
        reason: Reason = "end"
        for count, data in enumerate(self._sampled(), start=1):
            new = decoder.decode(data)
            yield from text.take_all(thoughts.feed(new)) if may_think else text.feed(new)
            if text.done or thoughts.over:
                self.reason = "stop"
                return
            if count == limit:
                reason = "length"
                break
        yield from text.take_all(thoughts.end())
        yield from text.end()
        self.reason = "cancelled" if self._cancelled else reason

    def _sampled(self) -> Iterator[bytes]:
        """Yield the bytes of sampled tokens, until the model ends its turn or on cancel."""
        while True:
            if self._stopped() or (self._pending and not self._cache.extend(self._pending)):
                self._cancelled = True
                return
            self._pending = []
            try:
                token = self._sampler.pick(self._context.logits())
            except GrammarDeadEnd:
                return
            self.decoded += 1
            if self.first_token_at is None:
                self.first_token_at = time.perf_counter()
            if self._native.ends_turn(token):
                return
            self._pending = [token]
            yield self._native.text(token)
