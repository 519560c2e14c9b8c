"""How the engine loads a model, and what it is."""

from dataclasses import dataclass
from enum import StrEnum


class RepackRule(StrEnum):
    """Whether a model's weights are rearranged for the processor while it is loaded."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class EngineCheck:
    """What came of computing one token with a model."""

    features: tuple[str, ...]
    """The processor features that the build of llama.cpp computes with, such as AVX512; none if it
    died before it could tell.
    """
    problem: str = ""
    """Why no token was computed; empty if one was."""
