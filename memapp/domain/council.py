"""A council over an answer: what its reviewers object to, the revision, and what the person takes
of it all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from memapp.domain.trust import Choice


class Objection(NamedTuple):
    """What a reviewer has against an answer."""

    criterion: str
    text: str
    """In one sentence."""
    quote: str = ""
    """The words of the answer, or of the question, that it is about."""
    instead: str = ""
    """What a revision without a model says in the place of the quote."""


class Dissent(NamedTuple):
    """An objection in a round, as the record of its agent has it."""

    number: int
    round_id: str
    run_id: str
    seq: int
    task: str
    artifact_type: str
    message_id: str
    """The message whose answer it is about; empty where it was in no chat."""
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
    """Empty while the council sits, and where nobody objected."""
    final: str
    choice: Choice | None
    decided_at: datetime | None
    reverted_at: datetime | None
    created_at: datetime
    dissents: tuple[Dissent, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenCouncil:
    """A council that sits: what is left of it, in the checkpoint of its chat."""

    round_id: str
    left: tuple[str, ...]
    """The criteria whose reviewers have not spoken, in their order."""
    of: int = 0
    """So many reviewers there are in all."""
    advocate: str = ""
    """The agent that speaks against the answer whatever it thinks of it."""
    model: str = ""
    """That reviews beside the rules; empty where none is admitted."""
    calls: int = 0
    """Of a model, that the council makes at most; known before the first."""


def is_taken_over(one: Dissent, text: str, objections: Sequence[Objection]) -> bool:
    """Return True for a text that does what a dissent asks: what it quotes is gone, and no reviewer
    has that against it again.
    """
    again = any(other.criterion in one.citations and other.text == one.text for other in objections)
    return not again and (one.quote not in text or one.quote in one.task)


def corrected(text: str, objections: Sequence[Objection]) -> str:
    """Return an answer with what the objections put in the place of what they quote."""
    for objection in objections:
        if objection.quote and objection.quote in text:
            text = text.replace(objection.quote, objection.instead, 1)
    return "\n".join(" ".join(line.split()) for line in text.strip().splitlines())
