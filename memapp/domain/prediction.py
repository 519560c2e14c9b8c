"""Predictions of a person's next message."""

from dataclasses import dataclass
from typing import Literal

from memapp.domain.expectation import AS_PREDICTED

Source = Literal["predictor", "responder"]


@dataclass(frozen=True, slots=True)
class Prediction:
    """The message that one of the two calls expects after a reply."""

    id: str
    thread_id: str
    message_id: str
    """The reply that the prediction came with."""
    source: Source
    text: str
    needed_info: tuple[str, ...]
    """The information that memapp expects to look up; only from the predictor."""
    surprised: bool | None
    """None until compared with the next message."""
    similarity: float | None
    """Cosine of the two embeddings; None where they were not compared, or without an embedder."""
    why: str
    """The result of the comparison, in words and numbers."""

    @property
    def as_predicted(self) -> bool:
        """Return True if the person wrote the predicted thing, not only something on the topic."""
        return self.surprised is False and (self.similarity or 0.0) >= AS_PREDICTED


@dataclass(frozen=True, slots=True)
class Prefetched:
    """The result of call 1 for a message that was predicted or still being typed."""

    message: str
    needed_info: tuple[str, ...]
