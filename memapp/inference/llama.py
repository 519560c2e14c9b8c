"""A GGUF chat model in this process, on llama.cpp's low-level interface.

The trunks of the chat and of its look-ups stay in the key/value cache; each call branches off the
trunk of its slot, so a call computes only what is new since the last one there. Contents are
tokenised as plain text: control text that somebody wrote stays text. All computing happens on one
owner thread; a call stops within milliseconds, even within a batch.
"""

import atexit
import logging
import re
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

from memapp.domain.engine import RepackRule
from memapp.domain.prompt import CacheSlot, Finished, Piece, Prompt, Sampling, Usage
from memapp.domain.text import shorten
from memapp.errors import ModelError
from memapp.inference import NAME_CHARS, Cancel, closed, gguf_file
from memapp.inference.native import Context, Grammar, NativeModel, model_parameters, usable_cores
from memapp.inference.owner_thread import ModelJob, OwnerThread, Stopped
from memapp.inference.prompt_cache import TrunkCache
from memapp.inference.reply import ReplyWriter
from memapp.inference.sampling import TokenSampler
from memapp.inference.templates import ChatTemplate, Span

log = logging.getLogger(__name__)

UNSETTLED_TOKENS = 2
"""The last tokens of a half-typed message, which the next letters are likely to change."""


class LlamaModel:
    """A chat model from a GGUF file."""

    def __init__(
        self,
        path: Path,
        *,
        key: str = "",
        context_tokens: int = 4096,
        gpu_layers: int = -1,
        repack: RepackRule = RepackRule.AUTO,
        threads: int | None = None,
    ) -> None:
        """Load the file. Raises `ModelError` in plain words.

        `threads` defaults to the usable cores; `gpu_layers` below 0 are all.
        """
        header = gguf_file.read(path)
        _check_memory(header, context_tokens)
        window = min(context_tokens, header.number("context_length") or context_tokens)
        cores = threads or usable_cores()
        self.name = shorten(header.name, NAME_CHARS)
        self.key = key
        self._native = NativeModel(path, model_parameters(repack, gpu_layers))
        try:
            # One core is left to the screen during decoding; a thread that waits stalls all others.
            self._context = Context(self._native, window, max(1, cores - 1), cores)
        except ModelError:
            self._native.close()
            raise
        self.context_tokens = self._context.size
        self._cache = TrunkCache(self._context)
        self._template = ChatTemplate(
            self._native.chat_template(), bos=self._native.bos_text, eos=self._native.eos_text
        )
        self._markers = re.compile("|".join(map(re.escape, self._template.markers)) or "(?!)")
        self._end_of_turn = self._written_end_of_turn()
        self._owner = OwnerThread(f"model {self.name}", self._context.abort, self._release)
        atexit.register(self.close)

    def count_tokens(self, text: str) -> int:
        return len(self._data_tokens(text))

    def prompt_tokens(self, prompt: Prompt) -> int:
        trunk, rest = self._tokens(prompt)
        return len(trunk) + len(rest)

    def generate(
        self, prompt: Prompt, sampling: Sampling, cancel: Cancel
    ) -> Generator[Piece | Finished, None, None]:
        if self._owner.closed:
            raise closed()
        return self._stream(prompt, sampling, cancel)

    def _stream(
        self, prompt: Prompt, sampling: Sampling, cancel: Cancel
    ) -> Generator[Piece | Finished, None, None]:
        started = time.perf_counter()
        trunk, rest = self._tokens(prompt)
        dropped: Piece | Finished = Finished("cancelled", Usage())

        def reply(stopped: Stopped) -> Iterator[Piece | Finished]:
            with self._sound_cache():
                yield from self._reply(trunk, rest, prompt.slot, sampling, started, stopped)

        yield from self._owner.results(reply, cancel, urgent=True, dropped=dropped)

    def warm(self, prompt: Prompt, cancel: Cancel, *, open_end: bool = False) -> int:
        """Prefill a prompt's trunk in idle time; return the tokens computed.

        With turns that end with a reply, the trunk reaches to the beginning of the next message.
        `open_end` also computes what follows the message, since it may be sent unchanged; a model
        that cannot cut its state back leaves out the last tokens instead. `generate` interrupts the
        call at once. A trunk that is too long is left alone.
        """
        rendered = self._template.render(prompt)
        spans, trunk = rendered.trunk, self._trunk_tokens(rendered.trunk)
        if open_end and not self._native.recurrent:
            trunk += self._span_tokens(rendered.rest)
        elif open_end and spans[-1].data:
            trunk = trunk[: len(trunk) - min(UNSETTLED_TOKENS, len(self._span_tokens(spans[-1:])))]
        if len(trunk) >= self.context_tokens:
            return 0

        def prefill(stopped: Stopped) -> Iterator[int]:
            with self._sound_cache():
                self._cache.make_room(len(trunk), prompt.slot)
                yield self._cache.warm(trunk, stopped, prompt.slot).computed

        return sum(self._owner.results(prefill, cancel, urgent=False, dropped=0))

    def forget(self) -> None:
        self._owner.submit(ModelJob(run=self._cache.forget, drop=lambda: None, urgent=True))

    def close(self) -> None:
        atexit.unregister(self.close)
        self._owner.close()

    @contextmanager
    def _sound_cache(self) -> Iterator[None]:
        """Drop the cache after an unexpected failure."""
        try:
            yield
        except ModelError:
            raise
        except Exception as error:
            log.exception("a model call failed")
            self._cache.forget()
            raise ModelError(
                f"The model failed in an unexpected way ({type(error).__name__}).", "Try again."
            ) from error

    def _reply(
        self,
        trunk: list[int],
        rest: list[int],
        slot: CacheSlot,
        sampling: Sampling,
        started: float,
        stopped: Stopped,
    ) -> Iterator[Piece | Finished]:
        """Compute a call from its prompt to its last token, on the owner thread."""
        prompt_tokens = len(trunk) + len(rest)
        room = self.context_tokens - prompt_tokens
        if room < 1:
            raise ModelError(
                "The conversation is too long for this model: "
                f"{prompt_tokens:,} of {self.context_tokens:,} tokens.",
                "Start a new chat, or set a larger `context_tokens`.",
            )
        with (
            closing(Grammar(self._native, sampling.grammar))
            if sampling.grammar is not None
            else nullcontext() as grammar
        ):
            earlier = [self._data_tokens(reply) for reply in sampling.said]
            sampler = TokenSampler(sampling, grammar, self._native.ends_turn, earlier)
            writer = ReplyWriter(self._native, self._context, self._cache, sampler, stopped)
            limit = min(sampling.max_tokens, room)
            self._cache.make_room(prompt_tokens + limit, slot)
            prefilled = self._cache.branch(trunk, rest, stopped, slot)
            if prefilled.complete:
                yield from writer.write(sampling, self._end_of_turn, limit)
                self._cache.end_branch()
        now = time.perf_counter()
        yield Finished(
            writer.reason,
            Usage(
                prefill_tokens=prefilled.computed,
                reused_tokens=prefilled.reused,
                decode_tokens=writer.decoded,
                first_token_seconds=(writer.first_token_at or now) - started,
                seconds=now - started,
            ),
        )

    def _tokens(self, prompt: Prompt) -> tuple[list[int], list[int]]:
        """Return the tokens of a prompt's trunk, and of the rest."""
        rendered = self._template.render(prompt)
        return self._trunk_tokens(rendered.trunk), self._span_tokens(rendered.rest)

    def _trunk_tokens(self, spans: Sequence[Span]) -> list[int]:
        tokens = self._span_tokens(spans)
        if self._native.adds_bos and tokens[:1] != [self._native.bos]:
            tokens.insert(0, self._native.bos)
        return tokens

    def _span_tokens(self, spans: Sequence[Span]) -> list[int]:
        tokens: list[int] = []
        for span in spans:
            tokens += (
                self._data_tokens(span.text)
                if span.data
                else self._native.tokens(span.text, special=True)
            )
        return tokens

    def _data_tokens(self, text: str) -> list[int]:
        """Return the tokens of somebody's text, with any control text of the template split."""
        tokens: list[int] = []
        start = 0
        for marker in self._markers.finditer(text):
            middle = (marker.start() + marker.end()) // 2
            tokens += self._native.tokens(text[start:middle], special=False)
            start = middle
        return tokens + self._native.tokens(text[start:], special=False)

    def _written_end_of_turn(self) -> tuple[str, ...]:
        """Return the text that ends a reply, for templates whose end of turn is no token."""
        tokens = self._native.tokens(self._template.reply_end, special=True)
        return (
            () if not tokens or self._native.ends_turn(tokens[0]) else (self._template.reply_end,)
        )

    def _release(self) -> None:
        self._context.close()
        self._native.close()


def _check_memory(header: gguf_file.GgufFile, context_tokens: int) -> None:
    """Raise `ModelError` for a model that would make the machine swap."""
    needed = header.needed_bytes(context_tokens)
    free = gguf_file.free_memory()
    if needed > free:
        raise ModelError(
            f"{header.path.name} needs about {needed / 1e9:.1f} GB of memory, "
            f"and {free / 1e9:.1f} GB are free.",
            "Close other programs, set a smaller `context_tokens`, or choose a smaller model.",
        )
