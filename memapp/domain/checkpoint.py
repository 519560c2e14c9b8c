"""The checkpoint of a thread, from which a restart goes on: the stage of the open turn, and what it
has so far.

The state of the graph is the stage; the memory context is `hits` at a `revision`; the conversation
history is a position in it; the states of the two agents are what each said last: `needed_info` of
the predictor and `last_prediction` of the responder, who keep nothing else between calls. Of words
it holds only these; of messages and memories, ids and numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pydantic import TypeAdapter, ValidationError

from memapp.domain.council import OpenCouncil


class Stage(StrEnum):
    """How far the open turn of a thread has come."""

    IDLE = "idle"
    """No turn is open."""
    ACCEPTED = "accepted"
    """The message and the empty row of its reply are saved."""
    READ = "read"
    """It is known what the message answers, and asks of the memory; that is carried out."""
    PREDICTED = "predicted"
    """It is known what the reply needs."""
    RECALLED = "recalled"
    """It is known what goes into the prompt of the reply."""
    REPLYING = "replying"
    """A part of the reply is saved."""


@dataclass(frozen=True, slots=True)
class PrefetchedCall:
    """Call 1, done in idle time for the message that one prediction expects."""

    prediction_id: str
    needed_info: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The one checkpoint of a thread; each stage of a turn makes the next one of it."""

    stage: Stage = Stage.IDLE
    open_turn: str | None = None
    """Id of the reply that is being written."""
    position: int = 0
    """Sequence number of the last message in the prompt."""
    hits: tuple[str, ...] = ()
    """Ids of the memories and messages that were recalled into the prompt, best first."""
    revision: int = 0
    """The person's revision when they were recalled."""
    needed_info: tuple[str, ...] = ()
    """What call 1 of the open turn said."""
    last_prediction: str = ""
    """What the last reply expects to be told next."""
    prefetch: PrefetchedCall | None = None
    council: OpenCouncil | None = None
    """It may stop, and go on behind later turns."""

    def accepted(
        self,
        reply_id: str,
        position: int,
        needed_info: Sequence[str] = (),
        *,
        is_read: bool = False,
    ) -> "Checkpoint":
        """A turn begins; of a message that is answered again more is known already."""
        stage = Stage.PREDICTED if needed_info else Stage.READ if is_read else Stage.ACCEPTED
        begun = Checkpoint(
            stage,
            reply_id,
            position,
            needed_info=tuple(needed_info),
            last_prediction=self.last_prediction,
        )
        return replace(
            begun, prefetch=self.prefetch if stage is Stage.ACCEPTED else None, council=self.council
        )

    def read(self) -> "Checkpoint":
        return replace(self, stage=Stage.READ, prefetch=None)

    def predicted(self, needed_info: Sequence[str]) -> "Checkpoint":
        return replace(self, stage=Stage.PREDICTED, needed_info=tuple(needed_info))

    def recalled(self, hits: Sequence[str], revision: int) -> "Checkpoint":
        return replace(self, stage=Stage.RECALLED, hits=tuple(hits), revision=revision)

    def replying(self) -> "Checkpoint":
        return replace(self, stage=Stage.REPLYING)

    def settled(self) -> "Checkpoint":
        """The turn has ended, whichever way: nothing of it is to be resumed."""
        return replace(
            self,
            stage=Stage.IDLE,
            open_turn=None,
            needed_info=(),
            last_prediction="",
            prefetch=None,
        )

    def with_prediction(self, expects: str) -> "Checkpoint":
        return replace(self, last_prediction=expects)

    def with_prefetch(self, prediction_id: str, needed_info: Sequence[str]) -> "Checkpoint":
        return replace(self, prefetch=PrefetchedCall(prediction_id, tuple(needed_info)))

    def with_council(self, council: OpenCouncil | None) -> "Checkpoint":
        return replace(self, council=council)

    def is_unread(self, reply_id: str) -> bool:
        """Return True if the turn of a reply ended before its message was read."""
        return self.open_turn == reply_id and self.stage is Stage.ACCEPTED

    def kept_for(self, reply_id: str) -> tuple[str, ...]:
        """Return what call 1 said for a reply that was being written; nothing if another turn was
        open, or none.
        """
        return self.needed_info if self.open_turn == reply_id else ()


_READER = TypeAdapter(Checkpoint)


def read_checkpoint(text: str) -> Checkpoint:
    """Read a checkpoint; what an older or newer memapp wrote otherwise is left out, or counts as
    none.
    """
    try:
        return _READER.validate_json(text)
    except ValidationError:
        return Checkpoint()  # at worst call 1 runs again: no reason not to open the chat
