"""The trust that an agent has earned, by the person's corrections of its work: arithmetic only.

An agent is whoever acts or proposes for memapp; its name is that of an actor in the history. Each
event is a sum of its own, so that those of a period are their sum.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import log2
from random import Random
from typing import Literal, NamedTuple

from memapp.domain.text import counted

Role = Literal["creator", "reviewer", "curator"]
Choice = Literal["draft", "revision", "edit", "none"]
"""The person's choice in a round of a council."""
OverrideKind = Literal["edit", "delete", "restore", "undo", "deny", "choose"]
Outcome = Literal["open", "stood", "revised", "regretted"]
Leave = Literal["write", "ask", "nothing"]
"""The actions that an agent may take by itself."""

PRIOR, PRIOR_EVENTS = 0.6, 5
"""The trust in a new agent, and the number of events it weighs as much as."""
DEEPEST = 2.0
WINDOW = timedelta(days=90)
FEWEST = 5
"""With fewer events in the window, all of them count."""
RAW = 100
"""The most single events kept of an agent; older ones are monthly sums."""
DEADLINE = timedelta(hours=24)
KEPT_AFTER = timedelta(days=7)
"""How long an act goes uncorrected until it counts as kept."""
ASKS, WRITES = 0.35, 0.45
"""The kept share at which an agent has to ask first, and above which it may write again."""
EXCLUDED, PROBATION_ROUNDS = 0.2, 5
PROBATION = timedelta(days=14)
NAMED_BY, STEP = 3, 0.1
"""The overrides naming one criterion that propose a higher weight for it, and the difference."""
HIGH, FALLS, FEWEST_CITING = 0.7, 0.75, 10
"""The trust and citations from which an agent is flagged if the diversity of its citations falls
below the share in the middle.
"""


class TrustSums(NamedTuple):
    """Sums over events."""

    events: int = 0
    judged: int = 0
    """Events that tell whether the agent was right."""
    impactful: int = 0
    """Judged events in which the agent was right: a dissent that changed the outcome, an act kept,
    approved, or restored.
    """
    dissents: int = 0
    depth: float = 0.0
    favours: int = 0
    """Decisions in the agent's favour."""
    reversed: int = 0
    """Favourable decisions that the person reverted later."""
    overrides: int = 0
    regretted: int = 0

    def plus(self, *others: "TrustSums") -> "TrustSums":
        return TrustSums(*map(sum, zip(self, *others, strict=True))) if others else self


NOTHING = TrustSums()


class TrustEvent(NamedTuple):
    """Evidence of how good an agent is."""

    at: datetime
    reason: str
    """The reason in the history of trust: `kept`, `override_edit`, `dissent_impact_true`."""
    sums: TrustSums
    number: int = 0
    """Number of the history entry; 0 for a dissent."""


@dataclass(frozen=True, slots=True)
class Override:
    """A correction by the person of an agent's act."""

    agent: str
    number: int
    act: int
    """The corrected entry of the history; 0 for a council's revision."""
    act_at: datetime
    at: datetime
    kind: OverrideKind
    memory_id: str
    step: str = ""
    output: str = ""
    """The agent's text; empty for a deletion, and after an erasure."""
    decision: str = ""
    """The person's text."""
    became: Outcome = "open"
    """`revised` by another text since, `regretted` if the agent's text holds again; else `open`."""
    last_by: str = ""
    """The actor of the last change."""
    last_at: datetime | None = None
    criteria: tuple[str, ...] = ()
    """The criteria of the rubric, or the reason of a denial."""

    @property
    def deadline(self) -> datetime:
        return (self.at + DEADLINE).astimezone(UTC)

    def outcome(self, now: datetime) -> Outcome:
        """Return the outcome of the correction; an open one stands after the deadline."""
        return "stood" if self.became == "open" and now >= self.deadline else self.became


# Depth --------------------------------------------------------------------------------------------


def novelty(likeness: Iterable[float]) -> float:
    """Return the novelty of a dissent, by cosines with earlier ones; 0 for the first."""
    highest = max(likeness, default=1.0)
    return min(max(1.0 - highest, 0.0), 1.0)


def dissent_depth(text: str, citations: Sequence[str], new: float = 0.0) -> float:
    """Return the depth of a dissent, 0 to 2: length, cited criteria and novelty."""
    return min(min(len(text.split()) / 50, 1.0) + min(len(citations) * 0.2, 0.5) + new, DEEPEST)


# Trust --------------------------------------------------------------------------------------------


def formula(of: TrustSums) -> float:
    """Return the trust score, a weighted sum of impact, depth and lack of regret; 0 of 0 is 0."""
    impact = of.impactful / of.judged if of.judged else 0.0
    depth = of.depth / of.dissents / DEEPEST if of.dissents else 0.0
    regret = of.reversed / of.favours if of.favours else 0.0
    return min(max(0.4 * impact + 0.3 * min(depth, 1.0) + 0.3 * (1 - regret), 0.0), 1.0)


def shown(of: TrustSums) -> float:
    """Return the trust as displayed: the fewer events, the nearer to that of a new agent."""
    return (of.events * formula(of) + PRIOR_EVENTS * PRIOR) / (of.events + PRIOR_EVENTS)


def kept_share(of: TrustSums) -> float:
    return (of.impactful + PRIOR * PRIOR_EVENTS) / (of.judged + PRIOR_EVENTS)


def recent(
    events: Sequence[TrustEvent], months: Mapping[str, TrustSums], now: datetime
) -> tuple[TrustSums, list[TrustEvent]]:
    """Return the sums and the events of the last 90 days, or of all time if these are few."""
    since = now - WINDOW
    late = [event for event in events if event.at > since]
    whole = NOTHING.plus(*(sums for month, sums in months.items() if month > f"{since:%Y-%m}"))
    if whole.events + sum(event.sums.events for event in late) < FEWEST:
        return NOTHING.plus(*months.values()), list(events)
    return whole, late


def total(
    events: Sequence[TrustEvent], months: Mapping[str, TrustSums], now: datetime
) -> TrustSums:
    """Return the sums by which an agent is judged now."""
    before, late = recent(events, months, now)
    return before.plus(*(event.sums for event in late))


def asks_first(
    events: Sequence[TrustEvent], months: Mapping[str, TrustSums], now: datetime
) -> bool:
    """Return True for an agent that must ask for now, after many corrections."""
    so_far, late = recent(events, months, now)
    asks = kept_share(so_far) <= ASKS
    for event in late:
        so_far = so_far.plus(event.sums)
        asks = kept_share(so_far) <= (WRITES if asks else ASKS)
    return asks


# Diversity ----------------------------------------------------------------------------------------


def entropy(citations: Iterable[str]) -> float:
    """Return the diversity of citations in bits."""
    counts = Counter(citations)
    return -sum(n / counts.total() * log2(n / counts.total()) for n in counts.values())


def narrows(cited: Sequence[Sequence[str]], trust: float) -> bool:
    """Return True for a trusted agent whose later dissents cite less diverse criteria."""
    half = len(cited) // 2
    before, since = (
        entropy(criterion for criteria in part for criterion in criteria)
        for part in (cited[:half], cited[half:])
    )
    return trust >= HIGH and len(cited) >= FEWEST_CITING and since < FALLS * before


# Events -------------------------------------------------------------------------------------------


class Act(NamedTuple):
    """An agent's entry in the history."""

    number: int
    at: datetime


def dissent_event(at: datetime, depth: float, *, impact: bool, favour: bool = True) -> TrustEvent:
    """Return the event of a dissent, in the agent's favour if it changed the outcome."""
    sums = TrustSums(1, 1, impact, 1, depth, impact and favour)
    return TrustEvent(at, f"dissent_impact_{str(impact).lower()}", sums)


def literal_event(at: datetime, *, regret: bool) -> TrustEvent:
    """Return the event of an imported override, which counts by its ratio alone."""
    return TrustEvent(
        at,
        "override_imported",
        TrustSums(events=1, favours=1, reversed=regret, overrides=1, regretted=regret),
    )


def approval_event(at: datetime, number: int, *, reversed: bool) -> TrustEvent:
    """Return the event of an approved proposal."""
    sums = TrustSums(1, 1, not reversed, favours=1, reversed=reversed)
    return TrustEvent(at, "approval_reversed" if reversed else "approved", sums, number)


def override_event(overrides: Sequence[Override]) -> TrustEvent:
    """Return the event of all corrections of an act: wrong, unless all were reverted.

    A reverted correction counts for the agent. An act kept for a week before was a decision in its
    favour.
    """
    first, last = overrides[0], overrides[-1]
    regretted = sum(override.became == "regretted" for override in overrides)
    stands = regretted < len(overrides)
    had_been_kept = first.kind not in ("deny", "choose") and first.at - first.act_at >= KEPT_AFTER
    sums = TrustSums(
        1, 1, not stands, 0, 0.0, had_been_kept, had_been_kept and stands, len(overrides), regretted
    )
    if stands:
        return TrustEvent(last.at, f"override_{last.kind}", sums, last.number)
    return TrustEvent(last.last_at or last.at, "override_regretted", sums, last.number)


def act_events(
    acts: Sequence[Act], overrides: Sequence[Override], now: datetime, used: datetime | None
) -> tuple[list[TrustEvent], list[Act]]:
    """Return the events of an agent's acts, and the undecided acts.

    `used` is the start of the last day but one on which the person used memapp: the clock of today
    alone is not believed.
    """
    corrected: dict[int | str, list[Override]] = {}
    for override in sorted(overrides, key=lambda override: override.number):
        corrected.setdefault(override.act or override.step, []).append(override)
    events, undecided = [override_event(group) for group in corrected.values()], []
    until = min(now, used) - KEPT_AFTER if used else None
    for act in acts:
        if act.number not in corrected and until and act.at < until:
            events.append(
                TrustEvent(act.at + KEPT_AFTER, "kept", TrustSums(1, 1, 1, favours=1), act.number)
            )
        elif act.number not in corrected:
            undecided.append(act)
    return events, undecided


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent with its record."""

    name: str
    model: str = ""
    primary_role: Role = "creator"
    rounds: int = 0
    probation_until: datetime | None = None
    blocked: bool = False
    summed_to: int = 0
    imported: str = ""
    """The imported file `memory/<agent>.json`, if any."""
    program: str = ""
    """The name that the agent's program last gave for itself, unverified."""
    events: tuple[TrustEvent, ...] = ()
    """Ordered by time."""
    months: Mapping[str, TrustSums] = field(default_factory=dict)
    undecided: tuple[Act, ...] = ()
    """Acts neither corrected nor kept for long enough."""
    total: TrustSums = NOTHING
    trust: float = PRIOR
    """The trust as displayed."""
    asks: bool = False

    @property
    def leave(self) -> Leave:
        return "nothing" if self.blocked else "ask" if self.asks else "write"

    @property
    def last_at(self) -> datetime | None:
        times = [event.at for event in self.events[-1:]] + [act.at for act in self.undecided[-1:]]
        return max(times, default=None)

    @property
    def counted(self) -> str:
        """Return the trust with its counts: `trust 0.52 (kept 1 of 8)`."""
        kept = (
            f"kept {self.total.impactful:,} of {self.total.judged:,}"
            if self.total.judged
            else "not judged yet"
        )
        return f"trust {self.trust:.2f} ({kept})"

    @property
    def corrected(self) -> str:
        """Return the number of corrections, as the reason for asking first."""
        wrong = self.total.judged - self.total.impactful
        return f"you undid {wrong:,} of its last {self.total.judged:,}"

    @property
    def remarks(self) -> list[str]:
        """Return further remarks on the agent; empty ones stand for none."""
        asks = f"It asks first: {self.corrected}. Above a kept share of {WRITES} it writes again."
        more = (
            f"Not counted yet: {counted(len(self.undecided), 'thing')}. "
            "What you leave for a week is kept, two days of use later."
        )
        return [
            asks if self.leave == "ask" else "You blocked it." if self.blocked else "",
            more if self.undecided else "",
            "Its record was imported from a file, whose overrides count as the file says."
            if self.imported
            else "",
            f"Its program calls itself “{self.program}”, which nobody checked."
            if self.program
            else "",
        ]

    def history(self, last: int = RAW) -> list[tuple[TrustEvent, float]]:
        """Return the last events with the trust after each, oldest first."""
        events, first = self.events, max(len(self.events) - last, 0)
        scores = [
            (event, shown(total(events[: place + 1], self.months, event.at)))
            for place, event in enumerate(events[first:], first)
        ]
        if not scores or first or self.months:
            return scores
        return [(TrustEvent(events[0].at, "initial", NOTHING), PRIOR), *scores]


# Roles --------------------------------------------------------------------------------------------


def may_be_critical(agent: Agent, now: datetime) -> bool:
    is_free = agent.probation_until is None or agent.probation_until <= now
    return agent.trust > EXCLUDED and agent.rounds >= PROBATION_ROUNDS and is_free


def devils_advocate(candidates: Sequence[Agent], now: datetime, random: Random) -> Agent:
    """Draw the devil's advocate by trust, from the agents with enough, or from all."""
    viable = [agent for agent in candidates if may_be_critical(agent, now)] or list(candidates)
    weights = [agent.trust for agent in viable]
    return random.choices(viable, weights if any(weights) else None)[0]
