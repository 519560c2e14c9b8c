"""Predictions of the next message of a person, and the surprises that are left to learn from."""

from dataclasses import dataclass
from typing import Literal

from memapp.domain.expectation import AS_PREDICTED

Source = Literal["predictor", "responder"]
SurpriseState = Literal["pending", "learned", "nothing", "failed"]


@dataclass(frozen=True, slots=True)
class Prediction:
    """What one of the two calls expected after a reply."""

    id: str
    thread_id: str
    message_id: str
    """The reply it came with."""
    source: Source
    text: str
    needed_info: tuple[str, ...]
    """What memapp thought it would have to look up; only the predictor says so."""
    surprised: bool | None
    """None until it was compared with what the person wrote."""
    similarity: float | None
    """Cosine of the two embeddings; None where they were not compared, or without an embedder."""
    why: str
    """How that comparison came out, in words and numbers."""

    @property
    def as_predicted(self) -> bool:
        """Say whether the person wrote about this, and not only something on the same topic."""
        return self.surprised is False and (self.similarity or 0.0) >= AS_PREDICTED


@dataclass(frozen=True, slots=True)
class Surprise:
    """A message that was not expected and has not been learned from yet."""

    id: str
    thread_id: str
    message_id: str
    expected: str
    """Empty when nothing was expected, as at the start of a chat."""


@dataclass(frozen=True, slots=True)
class Prefetched:
    """What call 1 said of a message before it came, the expected one or one that was being typed;
    it saves the call then.
    """

    message: str
    needed_info: tuple[str, ...]
