"""The wording of texts: when two texts count as the same."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wording:
    """The functions by which a memory file recognises texts. Stored forms depend on them."""

    normalise: Callable[[str], str]
    """Returns the normal form, equal for equal texts."""
    gist: Callable[[str], str]
    """Returns a coarser form, equal for texts of one meaning, for asking rather once too often."""
