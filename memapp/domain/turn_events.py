"""The events of a turn, streamed by `services.turn`."""

from dataclasses import dataclass
from typing import Literal

from memapp.domain.chat import Message
from memapp.domain.council import Round
from memapp.domain.memory import Memory, Recalled
from memapp.domain.prediction import Prediction
from memapp.domain.prompt import Usage
from memapp.errors import MemappError


@dataclass(frozen=True, slots=True)
class Accepted:
    """The message is saved: nothing of it can be lost from here on."""

    message: Message | None
    """None for an unprompted remark."""
    reply: Message
    decided_after: int | None = None
    """Number of the last history entry before the message: its decisions come later.

    Times do not tell that. None for a remark and for a message that is answered again.
    """


@dataclass(frozen=True, slots=True)
class Compared:
    """The message was compared with the prediction, if there was one."""

    expected: Prediction | None
    """None without a prediction."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The model is not loaded yet; the turn goes on as soon as it is."""

    note: str


@dataclass(frozen=True, slots=True)
class Predicted:
    """Call 1 is done, with the information to look up."""

    needed_info: tuple[str, ...]
    source: Literal["model", "prefetched", "kept", "keywords"]
    """`prefetched`: predicted in idle time. `kept`: left by an interrupted turn. `keywords`: taken
    from the message, as the model gave nothing usable.
    """
    usage: Usage


@dataclass(frozen=True, slots=True)
class Found:
    """The hits in the prompt of call 2."""

    hits: tuple[Recalled, ...]


@dataclass(frozen=True, slots=True)
class Thinking:
    """The model thinks before it speaks. Thoughts can be unfolded on the screen; none is stored."""

    text: str = ""
    retracts: bool = False
    """True if the text streamed so far was a thought, repeated in `text`: discard it."""


@dataclass(frozen=True, slots=True)
class Streamed:
    """More of the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class Restarted:
    """The streamed reply is discarded and rewritten: it repeated a text or misquoted the person."""

    repeated: str


@dataclass(frozen=True, slots=True)
class Completed:
    """The reply is saved."""

    reply: Message


@dataclass(frozen=True, slots=True)
class Failed:
    """No reply, or only a part, which is saved; `retry_turn` tries again."""

    reply: Message
    error: MemappError


@dataclass(frozen=True, slots=True)
class Asked:
    """memapp asks a consent question below the reply; the next message may answer it."""

    question: Message


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory was created from the person's statement."""

    memory: Memory
    step: str
    """Names the change for undo."""
    before: Memory | None = None
    """The memory that it supersedes."""


@dataclass(frozen=True, slots=True)
class Retracted:
    """Memories of a replaced message, or ended by the person, are in the trash."""

    texts: tuple[str, ...]
    step: str
    """Names the change for undo."""
    again: tuple[str, ...] = ()
    """The texts that hold again."""


@dataclass(frozen=True, slots=True)
class RevertedAnswers:
    """The answers to memapp's own questions left the chat, with the replaced messages."""

    undone: tuple[str, ...]
    """The reverted decisions, in words."""
    kept: tuple[str, ...]
    """Decisions that stay, as they were changed later or partly erased."""


@dataclass(frozen=True, slots=True)
class CarriedOut:
    """A memory request in the message was carried out."""

    text: str
    """The outcome, in words."""
    step: str
    """Names the change for undo; empty without a change."""
    is_reply: bool
    """True if the outcome is the whole reply."""


@dataclass(frozen=True, slots=True)
class CouncilSat:
    """A council over an answer made progress."""

    round: Round
    spoken: int
    """The number of reviewers, of `of`, that have spoken; the revision follows."""
    of: int
    calls: int
    """The most model calls of the council."""


TurnEvent = (
    Accepted | Compared | Waiting | Predicted | Found | Thinking | Streamed | Restarted
    | Completed | Failed | Asked | Retracted | RevertedAnswers | CarriedOut | CouncilSat
)  # fmt: skip
