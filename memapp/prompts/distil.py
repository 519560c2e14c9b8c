"""What was learned from a surprise, as one sentence with tags."""

from memapp.domain.distil import Draft
from memapp.domain.prompt import Prompt, Sampling


def request(expected: str, actual: str) -> tuple[Prompt, Sampling]:
    """Ask for one sentence on what the difference between the expected and the actual message says about the person."""
    raise NotImplementedError


def parse(text: str) -> Draft | None:
    """Read the reply; None when there is no usable sentence in it."""
    raise NotImplementedError
