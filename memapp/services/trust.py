"""Trust in agents: their records, their permissions, and the rates of all corrections."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from operator import attrgetter

from memapp.domain import strict_json
from memapp.domain import trust as rules
from memapp.domain.activity import Rate
from memapp.domain.changes import CLIENT, AgentChanged, Revision
from memapp.domain.trust import Agent, Leave, Override, TrustEvent
from memapp.errors import NotFound, UsageError
from memapp.language.history import called_agent
from memapp.language.labels import called
from memapp.runtime import Runtime
from memapp.services.store_reads import reading
from memapp.store import agents as rows
from memapp.store import changes
from memapp.store import trust as store
from memapp.store.session import Session

_RECORD = attrgetter("events", "undecided", "months", "rounds", "blocked", "imported")
BY_THE_PERSON = ("import", "lessons")
"""Agents that cannot be blocked: imports are the person's, and lessons have a setting."""


def list_agents(runtime: Runtime) -> list[Agent]:
    """Return all agents with a record, those with the most evidence first."""
    session = runtime.read()
    noted = store.list_agents(session, store.list_names(session))
    after = min((agent.summed_to for agent in noted), default=0)
    overrides = store.list_overrides(session, after=after)
    approvals = store.list_approvals(session, after=after)
    judged = [_judged(session, agent, overrides, approvals) for agent in noted]
    with_record = [
        agent for agent in judged if agent.name.startswith(CLIENT) or any(_RECORD(agent))
    ]
    return sorted(with_record, key=lambda agent: (-agent.total.judged, agent.name))


def get_agent(runtime: Runtime, name: str) -> Agent:
    """Return the agent of a name or label; raise `NotFound` if there is none."""
    word = name.casefold()
    for agent in list_agents(runtime):
        if word in (agent.name.casefold(), called_agent(agent.name).casefold()):
            return agent
    raise NotFound(f"There is no agent {name!r}.", "`memapp agents` lists them.")


list_overrides = reading(store.list_overrides)


def history(runtime: Runtime, agent: Agent) -> list[tuple[datetime, float, str]]:
    """Return the changes of the trust in an agent, with reasons and texts, latest first."""
    events = agent.history()
    texts = store.subjects(runtime.read(), [event.number for event, _ in events])
    reasons = (
        f"{called('trust_reasons', event.reason)}: {texts.get(event.number, '')}"
        for event, _ in events
    )
    return [
        (event.at, score, why.removesuffix(": "))
        for (event, score), why in zip(events, reasons, strict=True)
    ][::-1]


def record(session: Session, name: str) -> Agent:
    """Return one agent with its record, also without any acts."""
    noted = store.list_agents(session, [name])[0]
    of_it = (name, noted.summed_to)
    return _judged(
        session, noted, store.list_overrides(session, *of_it), store.list_approvals(session, *of_it)
    )


def _judged(
    session: Session,
    agent: Agent,
    overrides: Iterable[Override],
    approvals: Iterable[tuple[str, TrustEvent]],
) -> Agent:
    """Return an agent with the events of its record, and the trust they give."""
    name, now, months = agent.name, session.now, agent.months
    acts, used = store.list_acts(session, name, agent.summed_to), store.last_but_one_day(session)
    corrected = [
        override
        for override in overrides
        if override.agent == name and _is_raw(agent, override.number)
    ]
    events, undecided = rules.act_events(acts, corrected, now, used)
    events += [
        event for proposer, event in approvals if proposer == name and _is_raw(agent, event.number)
    ]
    events += [*store.list_judged(session, name), *_imported(agent)]
    events.sort(key=lambda event: event.at)
    sums = rules.total(events, months, now)
    asks, trust = rules.asks_first(events, months, now), rules.shown(sums)
    return replace(
        agent, events=tuple(events), undecided=tuple(undecided), total=sums, trust=trust, asks=asks
    )


def _is_raw(agent: Agent, number: int) -> bool:
    """Return True for an event, or a round, that is not in the sums of months."""
    return number > agent.summed_to or not number


def _imported(agent: Agent) -> Iterator[TrustEvent]:
    """Yield the events in the file of an agent."""
    file = strict_json.read(agent.imported) if agent.imported else {}
    for dissent in file.get("dissent_history", ()):
        at, impact = datetime.fromisoformat(dissent["timestamp"]), bool(dissent["impact"])
        yield rules.dissent_event(at, dissent["depth_score"], impact=impact, favour=False)
    for override in file.get("override_history", ()):
        yield rules.literal_event(
            datetime.fromisoformat(override["timestamp"]), regret=bool(override["regret"])
        )


# What an agent may do -----------------------------------------------------------------------------


def leave(session: Session, agent: str) -> Leave:
    """Return the permission of an agent: write, ask first, or nothing if blocked."""
    return record(session, agent).leave


def is_blocked(session: Session, name: str) -> bool:
    noted = rows.get_agent(session, name)
    return noted is not None and noted.blocked


def set_blocked(runtime: Runtime, name: str, *, blocked: bool) -> Revision:
    """Block an agent, or let it act again."""
    if blocked and name in BY_THE_PERSON:
        raise UsageError(
            f"{called_agent(name).capitalize()} cannot be blocked.",
            "memapp config set lessons off turns lessons off.",
        )
    agent_name = get_agent(runtime, name).name
    with runtime.write() as session:
        return changes.apply(session, AgentChanged(agent_name, blocked=blocked), runtime.actor())


def metrics(runtime: Runtime) -> dict[str, Rate]:
    """Return the rates of overrides, dissents and decisions in the last 90 days."""
    since, agents = runtime.clock() - rules.WINDOW, list_agents(runtime)
    sums = rules.NOTHING.plus(*(agent.total for agent in agents))
    overrides = [override for override in list_overrides(runtime) if override.at > since]
    changed_again = sum(override.became != "open" for override in overrides)
    put_before, differs = store.escalated(runtime.read(), since)
    dissents = [event.sums for agent in agents for event in agent.events if event.sums.dissents]
    return {
        "dissents that changed the outcome": Rate(
            sum(trust_sums.impactful for trust_sums in dissents), len(dissents)
        ),
        "corrections undone": Rate(sums.regretted, sums.overrides),
        "corrections changed again": Rate(changed_again, len(overrides)),
        "decisions other than the default": Rate(differs, put_before),
    }


def diversity(runtime: Runtime, agent: Agent) -> tuple[float, bool]:
    """Return the entropy of an agent's citations in bits, and True if trust narrows them."""
    cited = [dissent.citations for dissent in rows.list_dissents(runtime.read(), agent.name)]
    return rules.entropy(text for citations in cited for text in citations), rules.narrows(
        cited, agent.trust
    )
