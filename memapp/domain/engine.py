"""Options for loading a model, and the result of checking the engine."""

from dataclasses import dataclass
from enum import StrEnum


class RepackRule(StrEnum):
    """Whether a model's weights are rearranged for the processor while it is loaded."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class EngineCheck:
    """The result of computing one token with a model."""

    features: tuple[str, ...]
    """The processor features used by this build of llama.cpp, such as AVX512; empty if the process
    died first.
    """
    problem: str = ""
    """Why no token was computed; empty on success."""
