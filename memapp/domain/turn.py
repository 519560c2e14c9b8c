"""The events of a turn, which `services.turn` streams to whoever watches."""

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
    """The message is saved. From here on nothing of it can be lost."""

    message: Message | None
    """None for an unprompted remark."""
    reply: Message
    decided_after: int | None = None
    """The number of the history's last entry before the message: whatever it decides comes later,
    which times do not tell.

    None for a remark and for a message that is answered again.
    """


@dataclass(frozen=True, slots=True)
class Checked:
    """The message was compared with what had been expected."""

    expected: Prediction | None
    """None when nothing was."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The model is not loaded yet; the turn goes on as soon as it is."""

    note: str


@dataclass(frozen=True, slots=True)
class Predicted:
    """Call 1 is done: what has to be looked up."""

    needed_info: tuple[str, ...]
    source: Literal["model", "prefetched", "kept", "keywords"]
    """`prefetched`: guessed right in idle time. `kept`: said before memapp was killed in the middle
    of this turn. `keywords`: the model gave nothing usable, the message's own words serve.
    """
    usage: Usage


@dataclass(frozen=True, slots=True)
class Found:
    """What stands in the prompt of call 2."""

    hits: tuple[Recalled, ...]


@dataclass(frozen=True, slots=True)
class Thinking:
    """The model thinks before it speaks. Its thoughts may be unfolded while they are on the screen,
    and are kept nowhere.
    """

    text: str = ""
    retracts: bool = False
    """What was streamed so far was thought, as `text` says once more: forget it as a reply."""


@dataclass(frozen=True, slots=True)
class Streamed:
    """More of the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class Restarted:
    """The reply said again what was said, or what the person did not say, and is written otherwise;
    forget what was streamed.
    """

    repeated: str


@dataclass(frozen=True, slots=True)
class Completed:
    """The reply is saved."""

    reply: Message


@dataclass(frozen=True, slots=True)
class Failed:
    """No reply, or only a part of one; what there is, is saved, and `retry_turn` tries again."""

    reply: Message
    error: MemappError


@dataclass(frozen=True, slots=True)
class Asked:
    """memapp itself asks, below the reply, whether it may remember what was said; the next message
    may answer.
    """

    question: Message


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory was made of what the person said."""

    memory: Memory
    step: str
    """What to name to take it back."""
    before: Memory | None = None
    """What it takes the place of."""


@dataclass(frozen=True, slots=True)
class Retracted:
    """What replaced words had taught, or what the person ended, is in the trash."""

    texts: tuple[str, ...]
    step: str
    """What to name to take it back."""
    again: tuple[str, ...] = ()
    """What holds again without it."""


@dataclass(frozen=True, slots=True)
class AnswersLeft:
    """Answers to questions of memapp itself left the chat with the words that were replaced."""

    taken_back: tuple[str, ...]
    """What they had decided, in words."""
    kept: tuple[str, ...]
    """What stays decided, since it was changed later or words of it were erased."""


@dataclass(frozen=True, slots=True)
class CarriedOut:
    """What a message asked of the memory itself was done, in whole or beside what the model
    answered.
    """

    text: str
    """What memapp says of it."""
    step: str
    """What to name to take it back; empty where nothing changed."""
    is_reply: bool
    """That is the whole reply, and stands in it."""


@dataclass(frozen=True, slots=True)
class CouncilSat:
    """A council over an answer has come so far."""

    round: Round
    spoken: int
    """So many of its reviewers have spoken, of `of`; then it revises."""
    of: int
    calls: int
    """Of a model, that it makes at most."""


TurnEvent = (
    Accepted | Checked | Waiting | Predicted | Found | Thinking | Streamed | Restarted
    | Completed | Failed | Asked | Retracted | AnswersLeft | CarriedOut | CouncilSat
)  # fmt: skip
