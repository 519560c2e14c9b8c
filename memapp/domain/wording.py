"""The wording of texts: when two say the same, as the language they are read in has it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wording:
    """How a memory file tells that it has a text already. What it holds was written with it, so it
    stays what it is.
    """

    normalise: Callable[[str], str]
    """Returns what counts as the same text."""
    gist: Callable[[str], str]
    """Returns what a text says in whatever words: coarser, for asking once too often."""
