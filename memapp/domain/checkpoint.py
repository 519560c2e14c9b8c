"""The checkpoint of a thread, from which an open turn is resumed after a restart.

The stage is the state of the graph; `hits` at a `revision` are the memory context; a position
stands for the conversation history. The two agents keep only their last output: the predictor its
`needed_info`, the responder its `last_prediction`. No other text is stored; messages and memories
are referred to by id.
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
    """The consent answer or memory request in the message was found and carried out."""
    PREDICTED = "predicted"
    """`needed_info` is known."""
    RECALLED = "recalled"
    """The hits for the reply's prompt are known."""
    REPLYING = "replying"
    """Part of the reply is saved."""


@dataclass(frozen=True, slots=True)
class PrefetchedCall:
    """Call 1, made in idle time for the message that a prediction expects."""

    prediction_id: str
    needed_info: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The one checkpoint of a thread; each stage of a turn derives the next from it."""

    stage: Stage = Stage.IDLE
    open_turn: str | None = None
    """Id of the reply being written."""
    position: int = 0
    """Sequence number of the last message in the prompt."""
    hits: tuple[str, ...] = ()
    """Ids of the memories and messages recalled into the prompt, best first."""
    revision: int = 0
    """The person's revision at the time of recall."""
    needed_info: tuple[str, ...] = ()
    """The result of call 1 of the open turn."""
    last_prediction: str = ""
    """The message that the last reply expects next."""
    prefetch: PrefetchedCall | None = None
    council: OpenCouncil | None = None
    """The council in progress, which may be resumed after later turns."""

    def accepted(
        self,
        reply_id: str,
        position: int,
        needed_info: Sequence[str] = (),
        *,
        is_read: bool = False,
    ) -> "Checkpoint":
        """Return the checkpoint of a new turn; a retry starts with some stages done."""
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
        """Return the checkpoint after a turn has ended, with nothing to resume."""
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
        """Return the `needed_info` of a reply if its turn is the open one, else nothing."""
        return self.needed_info if self.open_turn == reply_id else ()


_READER = TypeAdapter(Checkpoint)


def read_checkpoint(text: str) -> Checkpoint:
    """Return the checkpoint in a JSON text; an empty one if another version's is not readable."""
    try:
        return _READER.validate_json(text)
    except ValidationError:
        return Checkpoint()  # at worst call 1 runs again: no reason not to open the chat
