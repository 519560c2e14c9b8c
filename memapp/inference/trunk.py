"""The cache of a context: a prompt, kept between calls, and the branch of the call that runs.

A call reuses the longest beginning it shares with what was kept. Models whose state cannot be cut back (recurrent, hybrid)
reuse it only while the conversation grows; otherwise everything is computed again.

Beside it may stand a neutral prompt, kept between calls too, behind which the same reply is computed step by step.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memapp.errors import ModelError
from memapp.inference.native import BATCH, BRANCH, NEUTRAL, TRUNK, Context
from memapp.inference.owner import Stopped


@dataclass(frozen=True)
class Prefilled:
    """What it took to have a prompt in the cache."""

    reused: int
    computed: int
    complete: bool
    """False when it was stopped on the way."""


class TrunkCache:
    """The cache of one context, used by its owner thread only."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._trunk: list[int] = []
        """The tokens in the trunk's sequence: what was warmed, or the last call's whole prompt."""
        self._branch_length = 0
        self._neutral: list[int] = []
        """The tokens of the neutral prompt that is kept; none for none."""
        self._neutral_scores: NDArray[np.float32] | None = None
        """Those of the next token behind it."""
        self._neutral_length = 0
        """What of its sequence is computed: with the reply, while one is contrasted; else 0."""

    def warm(self, trunk: Sequence[int], stopped: Stopped) -> Prefilled:
        """Bring the trunk in; one that is in already, perhaps with more after it, stays as it is."""
        shared = shared_length(self._trunk, trunk)
        if shared == len(trunk):
            return Prefilled(shared, 0, complete=True)
        return self._prefill_trunk(trunk, stopped)

    def branch(self, trunk: Sequence[int], rest: Sequence[int], stopped: Stopped) -> Prefilled:
        """Bring the trunk in and begin a branch from it with `rest`; scores for the next token are ready afterwards."""
        self.end_branch()
        if not self._context.model.recurrent:
            return self._grow([*trunk, *rest], stopped)
        return self._fork(trunk, rest, stopped) if rest else self._fork(trunk[:-1], trunk[-1:], stopped)

    def beside(self, trunk: Sequence[int], neutral: Sequence[int], stopped: Stopped) -> int:
        """Keep a neutral prompt beside a trunk that begins like it; return the tokens computed for that."""
        if neutral == self._neutral or self._context.model.recurrent:
            return 0
        kept, shared = (shared_length(one, neutral[:-1]) for one in (self._neutral, trunk))  # one token is computed for scores
        if kept >= shared:
            self._context.cut(NEUTRAL, kept)
        else:
            self._drop_neutral()
            if not self.warm(trunk[:shared], stopped).complete:
                return 0
            self._context.share(NEUTRAL, shared)
        missing = neutral[max(kept, shared) :]
        computed = self._compute(missing, [(NEUTRAL,)] * len(missing), max(kept, shared), stopped, logits=True)
        if computed < len(missing):
            self._drop_neutral()
        else:
            self._neutral, self._neutral_scores = list(neutral), self._context.logits().copy()
        return computed

    def make_room(self, tokens: int) -> None:
        """Drop the neutral prompt unless so many tokens have room beside it."""
        if self._neutral and len(self._neutral) + tokens > self._context.size:
            self._drop_neutral()

    def contrast(self, neutral: Sequence[int]) -> None:
        """Compute the reply that begins now behind its neutral prompt as well, if that is kept."""
        self._neutral_length = len(neutral) if neutral == self._neutral else 0

    def neutral_scores(self) -> NDArray[np.float32] | None:
        """Return the scores of the next token of the reply behind the neutral prompt; None if it is not contrasted."""
        if not self._neutral_length:
            return None
        return self._neutral_scores if self._neutral_length == len(self._neutral) else self._context.logits(-2)

    def end_contrast(self) -> int:
        """Compute what comes now of the reply behind its own prompt alone; return the tokens computed behind the neutral one."""
        if not self._neutral_length:
            return 0
        computed = self._neutral_length - len(self._neutral)
        self._context.cut(NEUTRAL, len(self._neutral))
        self._neutral_length = 0
        return computed

    def _drop_neutral(self) -> None:
        self._context.cut(NEUTRAL, 0)
        self._neutral, self._neutral_scores, self._neutral_length = [], None, 0

    def aside(self, prompt: Sequence[int], reply_tokens: int, stopped: Stopped) -> Prefilled:
        """Begin a branch with a prompt that has nothing to do with the trunk; that goes only if there is no room for both."""
        self.end_branch()
        if len(self._trunk) + len(self._neutral) + len(prompt) + reply_tokens > self._context.size:
            self.forget()
        computed = self._compute(prompt, [(BRANCH,)] * len(prompt), 0, stopped, logits=True)
        self._branch_length = computed
        complete = computed == len(prompt)
        if not complete:
            self.end_branch()
            if self._context.model.recurrent:
                self.forget()
        return Prefilled(0, computed, complete)

    def extend(self, tokens: Sequence[int]) -> bool:
        """Append tokens to the branch and compute the scores after them; False when it was aborted."""
        if self._neutral_length:
            return all(self._extend_both(token) for token in tokens)
        for at in range(0, len(tokens), BATCH):
            part = tokens[at : at + BATCH]
            if not self._decode(part, [(BRANCH,)] * len(part), self._branch_length, logits=True):
                return False
            self._branch_length += len(part)
        return True

    def _extend_both(self, token: int) -> bool:
        with self._sound():
            is_done = self._context.decode_in_each(token, {NEUTRAL: self._neutral_length, BRANCH: self._branch_length})
        self._neutral_length += is_done
        self._branch_length += is_done
        return is_done

    def end_branch(self) -> None:
        self.end_contrast()
        self._context.cut(BRANCH, 0)
        self._branch_length = 0

    def forget(self) -> None:
        """Empty the cache."""
        self._context.clear()
        self._trunk = self._neutral = []
        self._neutral_scores = None
        self._branch_length = self._neutral_length = 0

    def _prefill_trunk(self, trunk: Sequence[int], stopped: Stopped) -> Prefilled:
        reused = self._align(trunk)
        computed = self._compute(trunk[reused:], [(TRUNK,)] * (len(trunk) - reused), reused, stopped, logits=False)
        return self._settled(trunk, reused, computed, len(trunk) - reused)

    def _grow(self, prompt: Sequence[int], stopped: Stopped) -> Prefilled:
        """Compute trunk and rest in one pass and keep both: the next call's rest may begin like this one's."""
        reused = self._align(prompt[:-1])  # one token has to be computed to have scores
        self._context.fork()
        missing = prompt[reused:]
        computed = self._compute(missing, [(TRUNK, BRANCH)] * len(missing), reused, stopped, logits=True)
        self._branch_length = reused + computed
        return self._settled(prompt, reused, computed, len(missing))

    def _fork(self, trunk: Sequence[int], rest: Sequence[int], stopped: Stopped) -> Prefilled:
        """Compute the trunk, then the branch from a copy of its state."""
        warmed = self._prefill_trunk(trunk, stopped)
        if not warmed.complete:
            return warmed
        self._context.fork()
        computed = self._compute(rest, [(BRANCH,)] * len(rest), len(trunk), stopped, logits=True)
        self._branch_length = len(trunk) + computed
        return Prefilled(warmed.reused, warmed.computed + computed, complete=computed == len(rest))

    def _align(self, trunk: Sequence[int]) -> int:
        """Cut the cache back to what it shares with `trunk`; return how many tokens that is."""
        context = self._context
        shared = shared_length(self._trunk, trunk)
        if shared < len(self._trunk) and not context.cut(TRUNK, shared):
            self.forget()
            return 0
        # With a sliding window, cells that left the window may be gone although cutting back succeeded.
        if context.model.window and context.first_position(TRUNK) > max(0, shared - context.model.window):
            self.forget()
            return 0
        self._trunk = list(trunk[:shared])
        return shared

    def _compute(
        self, tokens: Sequence[int], owners: Sequence[tuple[int, ...]], position: int, stopped: Stopped, *, logits: bool
    ) -> int:
        """Compute tokens in batches; return how many were done before somebody stopped it."""
        for at in range(0, len(tokens), BATCH):
            part = slice(at, at + BATCH)
            last = logits and at + BATCH >= len(tokens)
            if stopped() or not self._decode(tokens[part], owners[part], position + at, logits=last):
                return at
        return len(tokens)

    def _decode(self, tokens: Sequence[int], owners: Sequence[tuple[int, ...]], position: int, *, logits: bool) -> bool:
        with self._sound():
            return self._context.decode(tokens, owners, position, logits=logits)

    @contextmanager
    def _sound(self) -> Iterator[None]:
        """Rely on nothing that is in the cache after a native failure."""
        try:
            yield
        except ModelError:
            self.forget()
            raise

    def _settled(self, trunk: Sequence[int], reused: int, computed: int, wanted: int) -> Prefilled:
        """Take stock of what is in the trunk now.

        Tokens of an aborted batch may stand in the cache with only some of their layers computed: they are cut off.
        """
        if computed == wanted:
            self._trunk = list(trunk)
            return Prefilled(reused, computed, complete=True)
        self.end_branch()
        if self._context.model.recurrent:
            self.forget()
            return Prefilled(reused, computed, complete=False)
        kept = min(reused + computed, len(trunk))
        self._trunk = list(trunk[:kept])
        self._context.cut(TRUNK, kept)
        return Prefilled(reused, computed, complete=False)


def shared_length(first: Sequence[object], second: Sequence[object]) -> int:
    """Length of the beginning that both have."""
    pairs = zip(first, second, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(first), len(second)))
