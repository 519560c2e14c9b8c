"""The key/value cache of a context: a trunk for each slot, kept between calls, and a branch.

A call reuses the longest beginning that its prompt shares with the trunk of its slot. Models whose
state cannot be cut back (recurrent, hybrid) reuse a trunk only while the conversation grows;
otherwise the whole prompt is computed again. Where the window has no room for all trunks, those of
other slots are dropped.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from memapp.domain.prompt import CacheSlot
from memapp.errors import ModelError
from memapp.inference.native import BATCH, BRANCH, CHAT, LOOK_UP, Context
from memapp.inference.owner_thread import Stopped

IDLE_BATCH = 64
"""Tokens computed at a time in idle time: an interrupted batch is lost, and typing interrupts about
once a second.
"""
SEQUENCE: Mapping[CacheSlot, int] = {"chat": CHAT, "look-up": LOOK_UP}


@dataclass(frozen=True)
class Prefilled:
    """The cost of getting a prompt into the cache."""

    reused: int
    computed: int
    complete: bool
    """False if stopped on the way."""


class TrunkCache:
    """The cache of one context, used by its owner thread only."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._trunks: dict[int, list[int]] = {sequence: [] for sequence in SEQUENCE.values()}
        """The tokens of each trunk by sequence: a warmed trunk, or the last call's whole prompt."""
        self._branch_length = 0

    def warm(self, trunk: Sequence[int], stopped: Stopped, slot: CacheSlot = "chat") -> Prefilled:
        """Compute a trunk, unless the trunk in its slot begins with it."""
        sequence = SEQUENCE[slot]
        shared = shared_length(self._trunks[sequence], trunk)
        if shared == len(trunk):
            return Prefilled(shared, 0, complete=True)
        return self._prefill_trunk(sequence, trunk, stopped, batch=IDLE_BATCH)

    def branch(
        self, trunk: Sequence[int], rest: Sequence[int], stopped: Stopped, slot: CacheSlot = "chat"
    ) -> Prefilled:
        """Compute a trunk and a branch with `rest`, which leaves scores for the next token."""
        self.end_branch()
        if slot == "scratch":
            return self._scratch([*trunk, *rest], stopped)
        sequence = SEQUENCE[slot]
        if not self._context.model.recurrent:
            return self._grow(sequence, [*trunk, *rest], stopped)
        return (
            self._fork(sequence, trunk, rest, stopped)
            if rest
            else self._fork(sequence, trunk[:-1], trunk[-1:], stopped)
        )

    def make_room(self, tokens: int, slot: CacheSlot = "chat") -> None:
        """Drop the trunks of other slots until the tokens of a slot fit."""
        self.end_branch()
        for other in (LOOK_UP, CHAT):
            if (
                other != SEQUENCE.get(slot)
                and tokens + self._beside_slot(slot) > self._context.size
            ):
                self._context.cut(other, 0)
                self._trunks[other] = []

    def _beside_slot(self, slot: CacheSlot) -> int:
        """Return the number of tokens kept in all other sequences."""
        return sum(
            len(trunk) for sequence, trunk in self._trunks.items() if sequence != SEQUENCE.get(slot)
        )

    def _scratch(self, prompt: Sequence[int], stopped: Stopped) -> Prefilled:
        """Begin a branch with a prompt that shares nothing with a trunk."""
        computed = self._compute(prompt, [(BRANCH,)] * len(prompt), 0, stopped, logits=True)
        self._branch_length = computed
        complete = computed == len(prompt)
        if not complete:
            self.end_branch()
            if self._context.model.recurrent:
                self.forget()
        return Prefilled(0, computed, complete)

    def extend(self, tokens: Sequence[int]) -> bool:
        """Append tokens to the branch and compute their scores; return False if aborted."""
        for at in range(0, len(tokens), BATCH):
            part = tokens[at : at + BATCH]
            if not self._decode(part, [(BRANCH,)] * len(part), self._branch_length, logits=True):
                return False
            self._branch_length += len(part)
        return True

    def end_branch(self) -> None:
        self._context.cut(BRANCH, 0)
        self._branch_length = 0

    def forget(self) -> None:
        """Empty the cache."""
        self._context.clear()
        self._trunks = {sequence: [] for sequence in self._trunks}
        self._branch_length = 0

    def _prefill_trunk(
        self, sequence: int, trunk: Sequence[int], stopped: Stopped, batch: int = BATCH
    ) -> Prefilled:
        reused = self._align(sequence, trunk)
        missing = trunk[reused:]
        computed = self._compute(
            missing, [(sequence,)] * len(missing), reused, stopped, logits=False, batch=batch
        )
        return self._settled(sequence, trunk, reused, computed, len(missing))

    def _grow(self, sequence: int, prompt: Sequence[int], stopped: Stopped) -> Prefilled:
        """Compute trunk and rest in one pass and keep both, as the next rest may begin alike."""
        reused = self._align(sequence, prompt[:-1])  # scores need one computed token
        self._context.fork(sequence)
        missing = prompt[reused:]
        computed = self._compute(
            missing, [(sequence, BRANCH)] * len(missing), reused, stopped, logits=True
        )
        self._branch_length = reused + computed
        return self._settled(sequence, prompt, reused, computed, len(missing))

    def _fork(
        self, sequence: int, trunk: Sequence[int], rest: Sequence[int], stopped: Stopped
    ) -> Prefilled:
        """Compute the trunk, then the branch from a copy of its state."""
        warmed = self._prefill_trunk(sequence, trunk, stopped)
        if not warmed.complete:
            return warmed
        self._context.fork(sequence)
        computed = self._compute(rest, [(BRANCH,)] * len(rest), len(trunk), stopped, logits=True)
        self._branch_length = len(trunk) + computed
        return Prefilled(warmed.reused, warmed.computed + computed, complete=computed == len(rest))

    def _align(self, sequence: int, trunk: Sequence[int]) -> int:
        """Cut a trunk back to its common beginning with `trunk`; return the length."""
        context, cached = self._context, self._trunks[sequence]
        shared = shared_length(cached, trunk)
        if shared < len(cached) and not context.cut(sequence, shared):
            self.forget()
            return 0
        # With a sliding window, cells outside may be gone although cutting back succeeded.
        if context.model.window and context.first_position(sequence) > max(
            0, shared - context.model.window
        ):
            self.forget()
            return 0
        self._trunks[sequence] = list(trunk[:shared])
        return shared

    def _compute(
        self,
        tokens: Sequence[int],
        owners: Sequence[tuple[int, ...]],
        position: int,
        stopped: Stopped,
        *,
        logits: bool,
        batch: int = BATCH,
    ) -> int:
        """Compute tokens in batches; return how many were done before a stop."""
        for at in range(0, len(tokens), batch):
            part = slice(at, at + batch)
            last = logits and at + batch >= len(tokens)
            if stopped() or not self._decode(
                tokens[part], owners[part], position + at, logits=last
            ):
                return at
        return len(tokens)

    def _decode(
        self,
        tokens: Sequence[int],
        owners: Sequence[tuple[int, ...]],
        position: int,
        *,
        logits: bool,
    ) -> bool:
        with self._sound():
            return self._context.decode(tokens, owners, position, logits=logits)

    @contextmanager
    def _sound(self) -> Iterator[None]:
        """Drop the cache after a native failure."""
        try:
            yield
        except ModelError:
            self.forget()
            raise

    def _settled(
        self, sequence: int, trunk: Sequence[int], reused: int, computed: int, wanted: int
    ) -> Prefilled:
        """Record the tokens of a trunk after a computation.

        Tokens of an aborted batch may be in the cache with only some of their layers computed: they
        are cut off.
        """
        if computed == wanted:
            self._trunks[sequence] = list(trunk)
            return Prefilled(reused, computed, complete=True)
        self.end_branch()
        if self._context.model.recurrent:
            self.forget()
            return Prefilled(reused, computed, complete=False)
        kept = min(reused + computed, len(trunk))
        self._trunks[sequence] = list(trunk[:kept])
        self._context.cut(sequence, kept)
        return Prefilled(reused, computed, complete=False)


def shared_length(first: Sequence[object], second: Sequence[object]) -> int:
    """Return the length of the common beginning of two sequences."""
    pairs = zip(first, second, strict=False)
    return next(
        (at for at, (item, other) in enumerate(pairs) if item != other),
        min(len(first), len(second)),
    )
