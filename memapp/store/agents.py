"""Agents and the rubric: their rows, the changes that the person makes of them, and the rounds that agents take part in."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memapp.domain.changes import AgentChanged, Event, RubricChanged
from memapp.domain.history import AGENT, RUBRIC, Entry
from memapp.domain.trust import Agent, Choice, Role
from memapp.errors import UsageError
from memapp.store.history import Touched
from memapp.store.records import stored
from memapp.store.session import Session


def get_agent(session: Session, name: str) -> Agent | None:
    """Return what is noted of an agent, without its record."""
    return session.record(Agent, "SELECT * FROM agents WHERE user_id = :user AND name = :name", name=name)


def set_agent(session: Session, name: str, **columns: Any) -> None:
    """Note something of an agent; it gets a row where it had none."""
    session.insert_new("agents", name=name)
    named = ", ".join(f"{column} = :{column}" for column in columns)
    session.run(f"UPDATE agents SET {named} WHERE user_id = :user AND name = :name", name=name, **columns)  # noqa: S608


def change_agent(session: Session, change: AgentChanged) -> list[Touched]:
    """Block or unblock an agent, or bring in its file."""
    before = get_agent(session, change.agent) or Agent(change.agent)
    if change.blocked is not None and change.blocked == before.blocked:
        raise UsageError(f"This agent is {'blocked' if before.blocked else 'not blocked'} already.")
    named = ("blocked", "imported", "model", "primary_role", "rounds", "probation_until")
    given = {name: getattr(change, name) for name in named if getattr(change, name) is not None}
    set_agent(session, change.agent, **given)
    was = {name: "" if name == "imported" else stored(getattr(before, name)) for name in given}  # never what a file says
    reason = "imported" if change.imported is not None else "blocked" if change.blocked else "unblocked"
    return [Touched(Event.UPDATE, f"{AGENT}{change.agent}", None, None, {"reason": reason, "was": was})]


def read_rubric(session: Session) -> dict[str, float]:
    """Return the weights that the person set."""
    rows = session.run("SELECT criterion, weight FROM rubric WHERE user_id = :user ORDER BY criterion")
    return {row["criterion"]: row["weight"] for row in rows}


def change_rubric(session: Session, change: RubricChanged) -> list[Touched]:
    """Give a criterion another weight; None is that of the file that comes with memapp."""
    was = read_rubric(session).get(change.criterion)
    if was == change.weight:
        raise UsageError("This criterion has that weight already.")
    _weigh(session, change.criterion, change.weight)
    meta = {"reason": "weighed", "was": was}
    return [Touched(Event.UPDATE, f"{RUBRIC}{change.criterion}", None, None, meta)]


def take_back(session: Session, entry: Entry) -> Touched:
    """Make an agent or a criterion what it was before an entry."""
    kind, _, name = entry.memory_id.partition(":")
    if kind == AGENT.rstrip(":"):
        set_agent(session, name, **entry.meta["was"])
    else:
        _weigh(session, name, entry.meta["was"])
    return Touched(Event.UNDO, entry.memory_id, None, None)


def _weigh(session: Session, criterion: str, weight: float | None) -> None:
    if weight is None:
        session.run("DELETE FROM rubric WHERE user_id = :user AND criterion = :criterion", criterion=criterion)
    else:
        session.put("rubric", criterion=criterion, weight=weight)


# Rounds -------------------------------------------------------------------------------------------------------------------


class Dissent(NamedTuple):
    """An objection of an agent in a round, as the record has it."""

    number: int
    round_id: str
    run_id: str
    seq: int
    task: str
    artifact_type: str
    text: str
    citations: tuple[str, ...]
    depth: float
    impact: bool | None
    incorporated: bool
    created_at: datetime


def add_round(session: Session, run_id: str, seq: int, task: str, author: str, **columns: Any) -> str:
    """Begin a round; return its id."""
    row = {"id": session.new_id(), "run_id": run_id, "seq": seq, "task": task, "author": author, "created_at": session.now}
    session.insert("rounds", **row, **columns)
    return str(row["id"])


def count_round(session: Session, agent: str, role: Role, model: str = "") -> None:
    """Note that an agent took part in a round."""
    set_agent(session, agent, primary_role=role, model=model)
    session.run("UPDATE agents SET rounds = rounds + 1 WHERE user_id = :user AND name = :name", name=agent)


def decide_round(session: Session, round_id: str, choice: Choice, final: str) -> None:
    """Note what the person took; the dissents of the round are judged by it (`judge_dissent`)."""
    session.alter("rounds", round_id, choice=choice, final=final, decided_at=session.now)


def add_dissent(
    session: Session,
    round_id: str,
    agent: str,
    text: str,
    citations: Sequence[str],
    depth: float,
    *,
    vector: NDArray[np.float32] | None = None,
    model_id: str = "",
) -> int:
    """Note an objection; return its number."""
    sql = """INSERT INTO dissents (user_id, round_id, agent, text, citations, depth, model_id, vector, created_at)
             VALUES (:user, :round, :agent, :text, :citations, :depth, :model, :vector, :now) RETURNING number"""
    given = {"round": round_id, "agent": agent, "text": text, "citations": citations, "depth": depth, "model": model_id}
    return int(session.value(sql, **given, vector=None if vector is None else vector.astype(np.float32).tobytes()))


def judge_dissent(session: Session, number: int, *, impact: bool, incorporated: bool) -> None:
    sql = "UPDATE dissents SET impact = :impact, incorporated = :incorporated WHERE user_id = :user AND number = :number"
    session.run(sql, number=number, impact=impact, incorporated=incorporated)


def past_vectors(session: Session, agent: str, model_id: str) -> list[NDArray[np.float32]]:
    """Return the vectors of an agent's dissents by a model, of which a new one's novelty is taken."""
    sql = """SELECT vector FROM dissents WHERE user_id = :user AND agent = :agent AND model_id = :model AND vector IS NOT NULL
             ORDER BY number"""
    return [np.frombuffer(one, np.float32) for one in session.column(sql, agent=agent, model=model_id)]


def list_dissents(session: Session, agent: str) -> list[Dissent]:
    """Return the dissents of an agent that are kept as they are, oldest first."""
    sql = """SELECT d.*, r.run_id, r.seq, r.task, r.artifact_type FROM dissents d JOIN rounds r ON r.id = d.round_id
             WHERE d.user_id = :user AND d.agent = :agent ORDER BY d.number"""
    return session.records(Dissent, sql, agent=agent)
