"""Agents, the rubric and the rounds of councils: their rows, and the person's changes of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memapp.domain.changes import AgentChanged, CouncilDecided, Event, RubricChanged
from memapp.domain.council import Dissent, Round
from memapp.domain.history import AGENT, ROUND, RUBRIC, Entry
from memapp.domain.trust import Agent, Role
from memapp.errors import UsageError
from memapp.store import chat
from memapp.store.history import Touched
from memapp.store.records import stored
from memapp.store.session import Session


def get_agent(session: Session, name: str) -> Agent | None:
    """Return the row of an agent, without its record of trust."""
    sql = "SELECT * FROM agents WHERE user_id = :user AND name = :name"
    return session.record(Agent, sql, name=name)


def set_agent(session: Session, name: str, **columns: Any) -> None:
    """Set columns of an agent, which gets a row if it has none."""
    session.insert_new("agents", name=name)
    named = ", ".join(f"{column} = :{column}" for column in columns)
    sql = f"UPDATE agents SET {named} WHERE user_id = :user AND name = :name"  # noqa: S608
    session.run(sql, name=name, **columns)


def change_agent(session: Session, change: AgentChanged) -> list[Touched]:
    """Block or unblock an agent, or import its file."""
    before = get_agent(session, change.agent) or Agent(change.agent)
    if change.blocked is not None and change.blocked == before.blocked:
        raise UsageError(f"This agent is {'blocked' if before.blocked else 'not blocked'} already.")
    named = ("blocked", "imported", "model", "primary_role", "rounds", "probation_until")
    given = {name: getattr(change, name) for name in named if getattr(change, name) is not None}
    set_agent(session, change.agent, **given)
    # never the contents of an imported file
    was = {name: "" if name == "imported" else stored(getattr(before, name)) for name in given}
    reason = (
        "imported" if change.imported is not None else "blocked" if change.blocked else "unblocked"
    )
    return [
        Touched(Event.UPDATE, f"{AGENT}{change.agent}", None, None, {"reason": reason, "was": was})
    ]


def read_rubric(session: Session) -> dict[str, float]:
    """Return the weights set by the person."""
    rows = session.run(
        "SELECT criterion, weight FROM rubric WHERE user_id = :user ORDER BY criterion"
    )
    return {row["criterion"]: row["weight"] for row in rows}


def change_rubric(session: Session, change: RubricChanged) -> list[Touched]:
    """Set the weight of a criterion; None returns to the default weight."""
    meta = {"reason": "weighed", "was": read_rubric(session).get(change.criterion)}
    _weigh(session, change.criterion, change.weight)
    return [Touched(Event.UPDATE, f"{RUBRIC}{change.criterion}", None, None, meta)]


def revert(session: Session, entry: Entry) -> Touched:
    """Revert an entry of an agent, a criterion or a council's answer."""
    name = entry.subject_id.partition(":")[2]
    if entry.subject_id.startswith(AGENT):
        set_agent(session, name, **entry.meta["was"])
    elif entry.subject_id.startswith(ROUND):
        _take_choice_back(session, name, entry)
    else:
        _weigh(session, name, entry.meta["was"])
    return Touched(Event.UNDO, entry.subject_id, None, None)


def _weigh(session: Session, criterion: str, weight: float | None) -> None:
    if weight is None:
        sql = "DELETE FROM rubric WHERE user_id = :user AND criterion = :criterion"
        session.run(sql, criterion=criterion)
    else:
        session.put("rubric", criterion=criterion, weight=weight)


# Rounds -------------------------------------------------------------------------------------------


def add_round(session: Session, run_id: str, task: str, author: str, **columns: Any) -> str:
    """Begin the next round of a run; return its id."""
    sql = "SELECT coalesce(max(seq), 0) + 1 FROM rounds WHERE user_id = :user AND run_id = :run"
    seq, round_id = session.value(sql, run=run_id), session.new_id()
    row = {"run_id": run_id, "seq": seq, "task": task, "author": author}
    session.insert("rounds", id=round_id, **row, created_at=session.now, **columns)
    return round_id


def count_round(session: Session, agent: str, role: Role, model: str = "") -> None:
    """Count a round for an agent."""
    set_agent(session, agent, primary_role=role, model=model)
    session.run(
        "UPDATE agents SET rounds = rounds + 1 WHERE user_id = :user AND name = :name", name=agent
    )


def revise(session: Session, round_id: str, revision: str) -> None:
    session.alter("rounds", round_id, revision=revision)


def decide_round(session: Session, change: CouncilDecided) -> list[Touched]:
    """Record the person's choice in a round, and show the chosen answer in the chat.

    The dissents of the round are judged by the choice (`judge_dissent`).
    """
    round_ = get_round(session, change.round_id)
    if round_.choice is not None:
        raise UsageError("You have decided this already.", "Undo it; then ask for another council.")
    shown = [answer for answer in chat.variants(session, round_.message_id) if answer.active]
    session.alter(
        "rounds", round_.id, choice=change.choice, final=change.final, decided_at=session.now
    )
    new = None
    if change.choice != "draft" and shown:
        chat.set_active(session, [message.id for message in shown], active=False)
        if change.choice != "none":
            last = shown[-1]
            add = partial(
                chat.add_message, session, last.thread_id, last.role, change.final, session.now
            )
            new = add(reply_to=last.reply_to, model=last.model).id
    meta = {"reason": change.choice, "was": [message.id for message in shown], "new": new}
    return [Touched(Event.UPDATE, f"{ROUND}{round_.id}", None, None, meta)]


def _take_choice_back(session: Session, round_id: str, entry: Entry) -> None:
    session.alter("rounds", round_id, reverted_at=session.now)
    if entry.meta["new"]:
        chat.set_active(session, [entry.meta["new"]], active=False)
    chat.set_active(session, chat.still_there(session, entry.meta["was"]), active=True)


def get_round(session: Session, round_id: str) -> Round:
    sql = "SELECT * FROM rounds WHERE user_id = :user AND id = :id"
    round_ = session.existing(Round, "council", sql, id=round_id)
    return replace(round_, dissents=tuple(_dissents(session, "d.round_id = :id", id=round_id)))


def latest_rounds(session: Session, message_ids: Sequence[str]) -> dict[str, Round]:
    """Return the last round of each message that had one."""
    sql = """SELECT message_id, max(id) FROM rounds WHERE user_id = :user
             AND message_id IN (SELECT value FROM json_each(:ids)) GROUP BY message_id"""
    return {
        message: get_round(session, round_id)
        for message, round_id in session.run(sql, ids=message_ids)
    }


def add_dissent(
    session: Session,
    round_id: str,
    agent: str,
    text: str,
    citations: Sequence[str],
    depth: float,
    **more: Any,
) -> int:
    """Add a dissent, perhaps with its `quote` and `vector`; return its number."""
    row = {"round_id": round_id, "agent": agent, "text": text, "depth": depth}
    session.insert("dissents", **row, citations=citations, **more, created_at=session.now)
    return int(session.value("SELECT last_insert_rowid()"))


def judge_dissent(session: Session, number: int, **judgement: bool) -> None:
    """Record whether the revision (`incorporated`) or the decision (`impact`) took up a dissent."""
    named = ", ".join(f"{column} = :{column}" for column in judgement)
    sql = f"UPDATE dissents SET {named} WHERE user_id = :user AND number = :number"  # noqa: S608
    session.run(sql, number=number, **judgement)


def past_vectors(session: Session, agent: str, model_id: str) -> list[NDArray[np.float32]]:
    """Return the vectors of an agent's dissents by a model, for the novelty of the next one."""
    sql = """SELECT vector FROM dissents
             WHERE user_id = :user AND agent = :agent AND model_id = :model AND vector IS NOT NULL
             ORDER BY number"""
    return [
        np.frombuffer(vector, np.float32)
        for vector in session.column(sql, agent=agent, model=model_id)
    ]


def list_dissents(session: Session, agent: str) -> list[Dissent]:
    """Return the dissents of an agent that are still kept, oldest first."""
    return _dissents(session, "d.agent = :agent", agent=agent)


def find_dissents(session: Session, text: str, limit: int) -> list[Dissent]:
    """Return the newest dissents in chats that contain a text."""
    where = "r.message_id IS NOT NULL AND instr(lower(d.text || ' ' || d.quote), lower(:text))"
    return _dissents(session, where, text=text)[: -limit - 1 : -1]


def _dissents(session: Session, where: str, **values: str) -> list[Dissent]:
    sql = f"""SELECT d.*, r.run_id, r.seq, r.task, r.artifact_type,
                     coalesce(r.message_id, '') AS message_id
              FROM dissents d JOIN rounds r ON r.id = d.round_id
              WHERE d.user_id = :user AND {where}
              ORDER BY d.number"""  # noqa: S608
    return session.records(Dissent, sql, **values)


OPERATIONS: Mapping[type, Callable[..., list[Touched]]] = {
    AgentChanged: change_agent,
    RubricChanged: change_rubric,
    CouncilDecided: decide_round,
}
"""The changes that are carried out here, for `store.changes`."""
