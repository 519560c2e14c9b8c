"""The events by which agents are judged, read from the history, requests and rounds.

Corrections by the person are the view `overrides`. Only the sums of old events are written here.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from memapp.domain.trust import (
    Act,
    Agent,
    Override,
    TrustEvent,
    TrustSums,
    approval_event,
    dissent_event,
)
from memapp.store.agents import get_agent
from memapp.store.session import Session

_IS_AGENT = "NOT IN ('person', 'undo')"


def list_names(session: Session) -> list[str]:
    """Return the names of all agents with an entry, a request or a round."""
    sql = f"""SELECT actor FROM history
              WHERE user_id = :user AND actor {_IS_AGENT}
              UNION
              SELECT proposer FROM consent_requests
              WHERE user_id = :user AND proposer {_IS_AGENT}
              UNION
              SELECT agent FROM dissents
              WHERE user_id = :user
              UNION
              SELECT author FROM rounds
              WHERE user_id = :user
              UNION
              SELECT name FROM agents
              WHERE user_id = :user
              ORDER BY 1"""  # noqa: S608
    return session.column(sql)


def list_agents(session: Session, names: Sequence[str]) -> list[Agent]:
    """Return agents in the order of their names; an unknown agent is described by its name."""
    agents = (get_agent(session, name) or _new(*name.partition(":")) for name in names)
    return [replace(agent, months=list_months(session, agent.name)) for agent in agents]


def _new(kind: str, colon: str, model: str) -> Agent:
    return Agent(
        kind + colon + model, model, "curator" if kind in ("merge", "lifecycle") else "creator"
    )


def list_overrides(session: Session, agent: str = "", after: int = 0) -> list[Override]:
    """Return the person's corrections of an agent, or of all, since an entry of the history."""
    sql = """SELECT *,
                    CASE WHEN undone THEN 'regretted'
                         WHEN last IS NULL OR normalise(last) = normalise(decision) THEN 'open'
                         WHEN normalise(last) = normalise(output) THEN 'regretted'
                         ELSE 'revised' END AS became
             FROM overrides
             WHERE user_id = :user AND (number > :after OR number = 0) AND (:agent IN (agent, ''))
             ORDER BY at"""
    return session.records(Override, sql, agent=agent, after=after)


def list_acts(session: Session, agent: str, after: int) -> list[Act]:
    """Return an agent's changes of memories and lessons since an entry of the history."""
    sql = """SELECT number, ts FROM history
             WHERE user_id = :user AND actor = :agent AND number > :after AND undoes IS NULL
             AND event IN ('ADD', 'UPDATE', 'DELETE', 'TTL', 'MERGE') AND meta ->> 'took_in' IS NULL
             AND (instr(memory_id, ':') = 0 OR memory_id GLOB 'lesson:*')
             ORDER BY number"""
    return [
        Act(number, datetime.fromisoformat(at))
        for number, at in session.run(sql, agent=agent, after=after)
    ]


def list_approvals(
    session: Session, agent: str = "", after: int = 0
) -> list[tuple[str, TrustEvent]]:
    """Return the approved proposals and revisions, each with its agent."""
    sql = f"""SELECT r.proposer, p.ts, p.number,
                     EXISTS (SELECT 1 FROM history u WHERE u.undoes = p.step)
              FROM history p CROSS JOIN consent_requests r ON r.id = p.meta ->> 'request_id'
              WHERE p.user_id = :user AND p.actor = 'person' AND p.number > :after
              AND p.event = 'PROFILE' AND p.undoes IS NULL
              AND coalesce(p.meta ->> 'decision', 'changed') IN ('changed', 'approved')
              AND :agent IN (r.proposer, '') AND r.proposer {_IS_AGENT} AND r.field <> 'rubric'
              UNION ALL
              SELECT author, decided_at, 0, reverted_at IS NOT NULL FROM rounds
              WHERE user_id = :user AND :agent IN (author, '')
              AND choice = 'revision'"""  # noqa: S608
    rows = session.run(sql, agent=agent, after=after)
    return [
        (name, approval_event(datetime.fromisoformat(at), number, reversed=back))
        for name, at, number, back in rows
    ]


def subjects(session: Session, numbers: Sequence[int]) -> dict[int, str]:
    """Return the texts of history entries, by number; empty for erased ones."""
    sql = """SELECT h.number,
                    coalesce(nullif((SELECT text FROM version_texts WHERE id = h.old_ref), ''),
                             (SELECT text FROM version_texts WHERE id = h.new_ref),
                             (SELECT text FROM lesson_texts
                              WHERE id = coalesce(h.meta ->> 'old', h.meta ->> 'new')),
                             (SELECT new_value FROM consent_requests
                              WHERE id = h.meta ->> 'request_id'), '')
             FROM history h
             WHERE h.user_id = :user AND h.number IN (SELECT value FROM json_each(:numbers))"""
    return dict(session.run(sql, numbers=numbers).fetchall())


def list_judged(session: Session, agent: str) -> list[TrustEvent]:
    """Return the judged dissents of an agent."""
    sql = """SELECT created_at, depth, impact FROM dissents
             WHERE user_id = :user AND agent = :agent AND impact IS NOT NULL ORDER BY number"""
    rows = session.run(sql, agent=agent)
    return [
        dissent_event(datetime.fromisoformat(at), depth, impact=bool(impact))
        for at, depth, impact in rows
    ]


def last_but_one_day(session: Session) -> datetime | None:
    """Return the start of the last day but one before today on which the person wrote something."""
    sql = """SELECT substr(created_at, 1, 10) FROM messages
             WHERE user_id = :user AND origin = 'typed' AND created_at < :before
             ORDER BY key DESC LIMIT 1"""
    before = session.now.date()
    for _ in range(2):
        day = session.value(sql, before=f"{before}")
        if day is None:
            return None
        before = datetime.fromisoformat(day).date()
    return datetime.fromisoformat(f"{before}T00:00:00+00:00")


# Kept for longer ----------------------------------------------------------------------------------


def list_months(session: Session, agent: str) -> dict[str, TrustSums]:
    sql = f"""SELECT month, {", ".join(TrustSums._fields)} FROM agent_months
              WHERE user_id = :user AND agent = :agent ORDER BY month"""  # noqa: S608
    return {month: TrustSums(*sums) for month, *sums in session.run(sql, agent=agent)}


def add_to_month(session: Session, agent: str, event: TrustEvent) -> None:
    month = f"{event.at:%Y-%m}"
    before = list_months(session, agent).get(month, TrustSums())
    session.put("agent_months", agent=agent, month=month, **before.plus(event.sums)._asdict())


def drop_dissents(session: Session, agent: str, count: int) -> None:
    """Delete an agent's oldest judged dissents, whose sums are kept."""
    sql = """DELETE FROM dissents
             WHERE number IN (SELECT number FROM dissents
                              WHERE user_id = :user AND agent = :agent AND impact IS NOT NULL
                              ORDER BY number LIMIT :count)"""
    session.run(sql, agent=agent, count=count)


def escalated(session: Session, since: datetime) -> tuple[int, int]:
    """Return the number of decisions by the person since a time, and of those against the default.

    The default is to deny a request, and to take the revision of a round.
    """
    sql = """SELECT count(*), coalesce(sum(differs), 0)
             FROM (SELECT state IN ('approved', 'applied') AS differs FROM consent_requests
                   WHERE user_id = :user AND decided_by IN ('person', 'chat')
                   AND proposer NOT IN ('person', 'undo') AND decided_at > :since
                   UNION ALL
                   SELECT choice <> 'revision' FROM rounds
                   WHERE user_id = :user AND decided_at > :since)"""
    row = session.run(sql, since=since).fetchone()
    return int(row[0]), int(row[1])
