"""A council over an answer: its objections, the revision, and the person's choice."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from memapp.domain.trust import Choice


class Objection(NamedTuple):
    """An objection of a reviewer to an answer."""

    criterion: str
    text: str
    """One sentence."""
    quote: str = ""
    """The words of the answer or the question that the objection is about."""
    instead: str = ""
    """The replacement for the quote in a revision without a model."""


class Dissent(NamedTuple):
    """An objection in a round, as the record of its agent has it."""

    number: int
    round_id: str
    run_id: str
    seq: int
    task: str
    artifact_type: str
    message_id: str
    """The message whose answer is objected to; empty outside a chat."""
    agent: str
    text: str
    citations: tuple[str, ...]
    quote: str
    depth: float
    impact: bool | None
    incorporated: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Round:
    """One review of an answer."""

    id: str
    thread_id: str
    message_id: str
    """The message whose answer is reviewed."""
    task: str
    draft: str
    revision: str
    """Empty while the council is in progress, and where nobody objected."""
    final: str
    choice: Choice | None
    decided_at: datetime | None
    reverted_at: datetime | None
    created_at: datetime
    dissents: tuple[Dissent, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenCouncil:
    """A council in progress: its remaining reviewers, in the checkpoint of its chat."""

    round_id: str
    left: tuple[str, ...]
    """The criteria whose reviewers are still to come, in order."""
    of: int = 0
    """The number of all reviewers."""
    advocate: str = ""
    """The devil's advocate."""
    model: str = ""
    """The model that reviews beside the rules; empty where none is admitted."""
    calls: int = 0
    """The most model calls of the council, known in advance."""


def is_taken_over(dissent: Dissent, text: str, objections: Sequence[Objection]) -> bool:
    """Return True if a text does what a dissent asks: the quote is gone and no objection is new."""
    again = any(
        objection.criterion in dissent.citations and objection.text == dissent.text
        for objection in objections
    )
    return not again and (dissent.quote not in text or dissent.quote in dissent.task)


def corrected(text: str, objections: Sequence[Objection]) -> str:
    """Return an answer with the quotes of all objections replaced."""
    for objection in objections:
        if objection.quote and objection.quote in text:
            text = text.replace(objection.quote, objection.instead, 1)
    return "\n".join(" ".join(line.split()) for line in text.strip().splitlines())
