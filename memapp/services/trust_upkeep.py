"""The job `trust`: it notes each change of trust with its reason, sums up what is old, and proposes weights for the rubric."""

from collections.abc import Iterator, Sequence
from functools import partial

from memapp.domain import trust as rules
from memapp.domain.consent import RUBRIC
from memapp.domain.jobs import Pace, has_leapt
from memapp.domain.trust import Agent, Override
from memapp.domain.utterance import RULES
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
    """Note each change of trust with its reason, sum up what is old, and propose weights; yield 1 for each agent.

    After a leap of the clock nothing is noted: it would be of a time that never was.
    """
    if last is not None and has_leapt(last, runtime.clock()):
        return
    for agent in list_agents(runtime):
        if cancel.is_set():
            return
        with runtime.write() as session:
            is_new = _note(session, agent)
            _sum_up(session, agent)
        if is_new:
            yield 1
    propose_weights(runtime, list_overrides(runtime))


def waiting(runtime: Runtime) -> int:
    """Count the agents in which the trust changed since it was noted last."""
    session = runtime.read()
    return sum(bool(_news(session, one)) for one in list_agents(runtime))


def _news(session: Session, agent: Agent) -> list[int]:
    """Return the places of the events whose trust is not noted yet."""
    known = store.list_scores(session, agent.name)
    return [at for at, event in enumerate(agent.events) if not known or event.at > known[-1][0]]


def _note(session: Session, agent: Agent) -> bool:
    """Write the trust after each event that came since the last time, and put an agent of very little on probation."""
    news, add = _news(session, agent), partial(store.add_score, session, agent.name)
    if news and not store.list_scores(session, agent.name):
        add(min(session.now, agent.events[0].at), rules.PRIOR, rules.formula(rules.NOTHING), "initial")
    for place in news:
        event = agent.events[place]
        sums = rules.total(agent.events[: place + 1], agent.months or {}, event.at)
        add(event.at, rules.shown(sums), rules.formula(sums), event.reason)
    if agent.trust <= rules.EXCLUDED and (agent.probation_until is None or agent.probation_until < session.now):
        rows.set_agent(session, agent.name, probation_until=session.now + rules.PROBATION)
    return bool(news)


def _sum_up(session: Session, agent: Agent) -> None:
    """Keep the sums of events before the last hundred, of those that can change no more."""
    settled = sorted((one for one in agent.events if one.number), key=lambda one: one.number)
    first_open = min((one.number for one in agent.undecided), default=settled[-1].number + 1 if settled else 0)
    old = [one for one in settled[: -rules.RAW] if one.number < first_open and session.now - one.at > rules.DEADLINE]
    for event in old:
        store.add_to_month(session, agent.name, event)
    if old:
        rows.set_agent(session, agent.name, summed_to=old[-1].number)
    judged = store.list_judged(session, agent.name)[: -rules.RAW]
    for one in judged:
        store.add_to_month(session, agent.name, rules.dissent_event(one))
    store.drop_dissents(session, agent.name, len(judged))


def propose_weights(runtime: Runtime, overrides: Sequence[Override]) -> None:
    """Propose a higher weight for each criterion that three overrides name which stood, within 90 days.

    Those from before the last proposal for it count no more, whatever became of that.
    """
    now, session = runtime.clock(), runtime.read()
    asked = {one.new_value.rpartition(" ")[0]: one.created_at for one in reversed(consents.list_requests(session, field=RUBRIC))}
    late = [one for one in overrides if one.outcome(now) == "stood" and one.at > now - rules.WINDOW]
    for criterion in rubric.criteria(session):
        words = {criterion.name, *criterion.denied_as}
        named = [one for one in late if one.at > asked.get(criterion.name, now - rules.WINDOW) and words & set(one.criteria)]
        weight = round(min(criterion.weight + rules.STEP, 1.0), 2)
        if len(named) >= rules.NAMED_BY and weight > criterion.weight:
            old, new = (f"{criterion.name} {each:.2f}" for each in (criterion.weight, weight))
            requests.propose(runtime, RUBRIC, new, proposer=RULES, old=old)
