"""Telling what describes a home, which holds no more once somebody lives elsewhere, and whether a message tells of a move."""

from typing import Literal

from memapp.language.lexicon import lexicon

EN = lexicon("correction")


def describes_home(fact: str) -> Literal["", "likely", "surely"]:
    """Say whether a fact describes where the person lives, or what may go with it: a landlord, a garden."""
    if EN.regex("{home_surely}").match(fact):
        return "surely"
    return "likely" if EN.regex("{home_likely}").match(fact) else ""


def is_plan(fact: str) -> bool:
    """Say whether a fact tells of a move that is to come: over with the move, also where it names the new home."""
    return fact.startswith("User is moving ")


def tells_move(text: str) -> bool:
    """Say whether a message tells that the person lives elsewhere than before."""
    return EN.regex("{moves}").search(text) is not None
