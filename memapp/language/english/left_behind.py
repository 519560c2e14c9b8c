"""Telling what describes a home, a job or a partner, and holds no more with another, and whether a message tells of another."""

from collections.abc import Mapping
from typing import Literal

from memapp.language.lexicon import lexicon

Domain = Literal["home", "work", "partner"]
EN = lexicon("left_behind")
_LIKELY: Mapping[Domain, str] = {"home": "{home_likely}", "work": "{work_likely}", "partner": "{partner_likely}"}
_CHANGES: Mapping[Domain, str] = {"home": "{home_changes}", "work": "{work_changes}", "partner": "{partner_changes}"}


def describes(domain: Domain, fact: str) -> Literal["", "likely", "surely"]:
    """Say whether a fact describes what somebody has of a domain, or what may go with it: a landlord, a boss."""
    if domain == "home" and EN.regex("{home_surely}").match(fact):
        return "surely"
    return "likely" if EN.regex(_LIKELY[domain]).match(fact) else ""


def is_plan(fact: str) -> bool:
    """Say whether a fact tells of a move that is to come: over with the move, also where it names the new home."""
    return fact.startswith("User is moving ")


def tells_change(domain: Domain, text: str) -> bool:
    """Say whether a message tells that the person has another one than before, or none."""
    return EN.regex(_CHANGES[domain]).search(text) is not None


def tells_of_new_work(fact: str) -> bool:
    """Say whether a fact of such a message is the one that tells it."""
    return EN.regex("{work_told}").match(fact) is not None
