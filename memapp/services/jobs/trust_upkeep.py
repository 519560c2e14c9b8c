"""The job `trust`: sums up old events, sets probation, and proposes weights for the rubric."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from math import inf

from memapp.domain import trust as rules
from memapp.domain.consent import RUBRIC
from memapp.domain.jobs import Pace, has_leapt
from memapp.domain.judgement import RULES
from memapp.domain.trust import Agent, Override, TrustEvent
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services import rubric
from memapp.services.consent import requests
from memapp.services.trust import list_agents, list_overrides
from memapp.store import agents as rows
from memapp.store import consents
from memapp.store import trust as store
from memapp.store.session import Session


def run_job(runtime: Runtime, cancel: Cancel, last: Pace | None) -> Iterator[int]:
    """Sum up old events and propose weights; yield 1 for each agent with old events.

    Does nothing after a leap of the clock.
    """
    if last is not None and has_leapt(last, runtime.clock()):
        return
    for agent in list_agents(runtime):
        if cancel.is_set():
            return
        with runtime.write() as session:
            is_changed = _sum_up(session, agent)
            if (
                agent.trust <= rules.EXCLUDED
                and (agent.probation_until or session.now) <= session.now
            ):
                rows.set_agent(session, agent.name, probation_until=session.now + rules.PROBATION)
        if is_changed:
            yield 1
    propose_weights(runtime, list_overrides(runtime))


def waiting(runtime: Runtime) -> int:
    """Count the agents with events to sum up."""
    return sum(bool(_settled_events(agent, runtime.clock())) for agent in list_agents(runtime))


def _settled_events(agent: Agent, now: datetime) -> list[TrustEvent]:
    """Return the final events of an agent before the last hundred."""
    settled = sorted(
        (event for event in agent.events if event.number), key=lambda event: event.number
    )
    first_open = min((act.number for act in agent.undecided), default=inf)
    return [
        event
        for event in settled[: -rules.RAW]
        if event.number < first_open and now - event.at > rules.DEADLINE
    ]


def _sum_up(session: Session, agent: Agent) -> bool:
    """Add the events before the last hundred to the sums; return True if there are any."""
    old = _settled_events(agent, session.now)
    judged = store.list_judged(session, agent.name)[: -rules.RAW]
    for event in (*old, *judged):
        store.add_to_month(session, agent.name, event)
    if old:
        rows.set_agent(session, agent.name, summed_to=old[-1].number)
    store.drop_dissents(session, agent.name, len(judged))
    return bool(old or judged)


def propose_weights(runtime: Runtime, overrides: Sequence[Override]) -> None:
    """Propose a higher weight for each criterion that three recent overrides name.

    The overrides stood, within 90 days. Those before the last proposal for the criterion do not
    count, whatever its outcome.
    """
    now, session = runtime.clock(), runtime.read()
    proposed_at = {
        request.new_value.rpartition(" ")[0]: request.created_at
        for request in reversed(consents.list_requests(session, field=RUBRIC))
    }
    late = [
        override
        for override in overrides
        if override.outcome(now) == "stood" and override.at > now - rules.WINDOW
    ]
    for criterion in rubric.criteria(session):
        words = {criterion.name, *criterion.denied_as}
        named = [
            override
            for override in late
            if override.at > proposed_at.get(criterion.name, now - rules.WINDOW)
            and words & set(override.criteria)
        ]
        weight = round(min(criterion.weight + rules.STEP, 1.0), 2)
        if len(named) >= rules.NAMED_BY and weight > criterion.weight:
            old, new = (
                f"{criterion.name} {each_weight:.2f}" for each_weight in (criterion.weight, weight)
            )
            requests.propose(runtime, RUBRIC, new, proposer=RULES, old=old)
