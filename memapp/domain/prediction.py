"""Predictions of the next message of a person, and the surprises that are left to learn from."""

from dataclasses import dataclass
from typing import Literal

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
    why: str
    """How that comparison came out, in words and numbers."""


@dataclass(frozen=True, slots=True)
class Surprise:
    """A message that was not expected and has not been learned from yet."""

    id: str
    thread_id: str
    message_id: str
    expected: str
    """Empty when nothing was expected, as at the start of a chat."""
