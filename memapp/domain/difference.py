"""The difference between two texts, word by word."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal


@dataclass(frozen=True, slots=True)
class DifferencePiece:
    """Some words that were kept, removed or added."""

    kind: Literal["same", "out", "in"]
    text: str


def words_changed(before: str, after: str) -> tuple[DifferencePiece, ...]:
    """Return both texts as one sequence of pieces, removed words before added ones."""
    return tuple(_pieces(before.split(), after.split()))


def _pieces(old: list[str], new: list[str]) -> Iterator[DifferencePiece]:
    for operation, old_from, old_to, new_from, new_to in SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if operation == "equal":
            yield DifferencePiece("same", " ".join(old[old_from:old_to]))
            continue
        if old_from < old_to:
            yield DifferencePiece("out", " ".join(old[old_from:old_to]))
        if new_from < new_to:
            yield DifferencePiece("in", " ".join(new[new_from:new_to]))
