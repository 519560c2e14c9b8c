"""The trust that an agent has earned, by what the person corrected of what it did. Everything here is arithmetic.

An agent is whoever acts or proposes for memapp; its name is that of an actor in the history. Each of its events is a sum of
its own, so that those of a time, of a month or of all times are their sum.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import log2
from random import Random
from typing import Literal, NamedTuple

Role = Literal["creator", "reviewer", "curator"]
Choice = Literal["draft", "revision", "edit", "none"]
"""What the person took in a round of a council."""
OverrideKind = Literal["edit", "delete", "restore", "undo", "deny", "choose"]
Outcome = Literal["open", "stood", "revised", "regretted"]
Leave = Literal["write", "ask", "nothing"]
"""What an agent may do by itself."""

PRIOR, PRIOR_EVENTS = 0.6, 5
"""The trust in a new agent, and how many events it weighs as much as."""
DEEPEST = 2.0
WINDOW = timedelta(days=90)
FEWEST = 5
"""With fewer events in the window, all of them count."""
RAW = 100
"""Of an agent's events so many are kept as they are; older ones as sums of a month."""
DEADLINE = timedelta(hours=24)
KEPT_AFTER = timedelta(days=7)
"""What an agent did and nobody corrected for so long counts as kept."""
ASKS, WRITES = 0.35, 0.45
"""The kept share at which an agent has to ask first, and above which it writes by itself again."""
EXCLUDED, PROBATION_ROUNDS = 0.2, 5
PROBATION = timedelta(days=14)
NAMED_BY, STEP = 3, 0.1
"""So many overrides that stood and name one criterion propose a weight for it that is higher by that."""
HIGH, FALLS, FEWEST_CITING = 0.7, 0.75, 10
"""Of an agent with so much trust it is flagged that the diversity of its citations fell to less than this share."""


class TrustSums(NamedTuple):
    """Sums over events."""

    events: int = 0
    judged: int = 0
    """Events that say whether the agent was right."""
    impactful: int = 0
    """Of those, how often: a dissent that changed the outcome, an act that was kept, approved, or right after all."""
    dissents: int = 0
    depth: float = 0.0
    favours: int = 0
    """Decisions in the agent's favour."""
    reversed: int = 0
    """Of those, how many the person took back later."""
    overrides: int = 0
    regretted: int = 0

    def plus(self, *others: "TrustSums") -> "TrustSums":
        return TrustSums(*map(sum, zip(self, *others, strict=True))) if others else self


NOTHING = TrustSums()


class TrustEvent(NamedTuple):
    """Something that says how good an agent is."""

    at: datetime
    reason: str
    """As the history of its trust names it: `kept`, `override_edit`, `dissent_impact_true`."""
    sums: TrustSums
    number: int = 0
    """Of its entry in the history; 0 for a dissent."""


@dataclass(frozen=True, slots=True)
class Override:
    """A correction by the person of what an agent did."""

    agent: str
    number: int
    act: int
    """The entry of the history that was corrected; 0 for a council's revision."""
    act_at: datetime
    at: datetime
    kind: OverrideKind
    memory_id: str
    thread_id: str = ""
    step: str = ""
    output: str = ""
    """What the agent said; empty for what it put into the trash, and for what was erased since."""
    decision: str = ""
    """What the person made of it."""
    changed: bool = False
    """It says something else by now."""
    back: bool = False
    """It says what the agent said."""
    undone: bool = False
    last_by: str = ""
    """Who changed it last."""
    last_at: datetime | None = None
    criteria: tuple[str, ...] = ()
    """Of the rubric, that it names; a denial names its reason."""

    @property
    def deadline(self) -> datetime:
        return (self.at + DEADLINE).astimezone(UTC)

    def outcome(self, now: datetime) -> Outcome:
        """Return what became of it; back to what the agent said is a regret at once, another text is none."""
        if self.undone or self.back:
            return "regretted"
        if self.changed:
            return "revised"
        return "stood" if now >= self.deadline else "open"


# Depth --------------------------------------------------------------------------------------------------------------------


def novelty(likeness: Iterable[float]) -> float:
    """Return how new a dissent is, by its cosines with the agent's own past ones; 0 for the first."""
    highest = max(likeness, default=1.0)
    return min(max(1.0 - highest, 0.0), 1.0)


def dissent_depth(text: str, citations: Sequence[str], new: float = 0.0) -> float:
    """Return the depth of a dissent, 0 to 2: its length, the criteria it cites, and its novelty."""
    return min(min(len(text.split()) / 50, 1.0) + min(len(citations) * 0.2, 0.5) + new, DEEPEST)


# Trust --------------------------------------------------------------------------------------------------------------------


def formula(of: TrustSums) -> float:
    """Return the specification's trust score, with the depth over its maximum; nothing out of nothing is 0."""
    impact = of.impactful / of.judged if of.judged else 0.0
    depth = of.depth / of.dissents / DEEPEST if of.dissents else 0.0
    regret = of.reversed / of.favours if of.favours else 0.0
    return min(max(0.4 * impact + 0.3 * min(depth, 1.0) + 0.3 * (1 - regret), 0.0), 1.0)


def shown(of: TrustSums) -> float:
    """Return the trust that the person is shown: drawn towards that in a new agent, the more so the fewer events there are."""
    return (of.events * formula(of) + PRIOR_EVENTS * PRIOR) / (of.events + PRIOR_EVENTS)


def kept_share(of: TrustSums) -> float:
    return _share(of.impactful, of.judged)


def _share(impactful: int, judged: int) -> float:
    return (impactful + PRIOR * PRIOR_EVENTS) / (judged + PRIOR_EVENTS)


def recent(events: Sequence[TrustEvent], months: Mapping[str, TrustSums], now: datetime) -> tuple[TrustSums, list[TrustEvent]]:
    """Return the sums and the events of the last 90 days, the latter in their order; all there are where these are few."""
    since = now - WINDOW
    late = [one for one in events if one.at > since]
    whole = TrustSums().plus(*(sums for month, sums in months.items() if month > f"{since:%Y-%m}"))
    if whole.events + sum(one.sums.events for one in late) < FEWEST:
        return TrustSums().plus(*months.values()), list(events)
    return whole, late


def total(events: Sequence[TrustEvent], months: Mapping[str, TrustSums], now: datetime) -> TrustSums:
    """Return the sums by which an agent is judged now."""
    before, late = recent(events, months, now)
    return before.plus(*(one.sums for one in late))


def asks_first(events: Sequence[TrustEvent], months: Mapping[str, TrustSums], now: datetime) -> bool:
    """Return True for an agent that was corrected so often that it has to ask, until it is kept often enough again."""
    before, late = recent(events, months, now)
    judged, impactful = before.judged, before.impactful
    asks = kept_share(before) <= ASKS
    for one in late:
        judged, impactful = judged + one.sums.judged, impactful + one.sums.impactful
        asks = _share(impactful, judged) <= (WRITES if asks else ASKS)
    return asks


# Roles --------------------------------------------------------------------------------------------------------------------


class RoleCandidate(NamedTuple):
    name: str
    trust: float = PRIOR
    rounds: int = 0
    probation_until: datetime | None = None


def may_be_critical(one: RoleCandidate, now: datetime) -> bool:
    is_free = one.probation_until is None or one.probation_until <= now
    return one.trust > EXCLUDED and one.rounds >= PROBATION_ROUNDS and is_free


def devils_advocate(candidates: Sequence[RoleCandidate], now: datetime, random: Random) -> RoleCandidate:
    """Draw who speaks against, each with a chance by its trust, of those in whom there is enough; if there are none, of all."""
    viable = [one for one in candidates if may_be_critical(one, now)] or list(candidates)
    weights = [one.trust for one in viable]
    return random.choices(viable, weights if any(weights) else None)[0]


# Diversity ----------------------------------------------------------------------------------------------------------------


def entropy(citations: Iterable[str]) -> float:
    """Return how diverse citations are, in bits."""
    counts = Counter(citations)
    return -sum(n / counts.total() * log2(n / counts.total()) for n in counts.values())


def narrows(cited: Sequence[Sequence[str]], trust: float) -> bool:
    """Return True for an agent of high trust that cites fewer criteria in the later half of its dissents than before."""
    half = len(cited) // 2
    before, since = (entropy(one for each in part for one in each) for part in (cited[:half], cited[half:]))
    return trust >= HIGH and len(cited) >= FEWEST_CITING and since < FALLS * before


def role_of(name: str) -> Role:
    """Return the role in which an agent begins."""
    return "curator" if name.partition(":")[0] in ("merge", "lifecycle") else "creator"


# Events -------------------------------------------------------------------------------------------------------------------


class Act(NamedTuple):
    """An entry of the history that is an agent's."""

    number: int
    at: datetime


class Approval(NamedTuple):
    """A yes of the person to what an agent proposed."""

    agent: str
    number: int
    at: datetime
    reversed: bool


class Judged(NamedTuple):
    """A dissent with what became of it."""

    at: datetime
    depth: float
    impact: bool


def dissent_event(one: Judged, *, favour: bool = True) -> TrustEvent:
    sums = TrustSums(1, 1, one.impact, 1, one.depth, one.impact and favour)
    return TrustEvent(one.at, f"dissent_impact_{str(one.impact).lower()}", sums)


def literal_event(at: datetime, *, regret: bool) -> TrustEvent:
    """Return an override of an imported file, in which the specification's own ratio counts: regretted of all overrides."""
    return TrustEvent(at, "override_imported", TrustSums(events=1, favours=1, reversed=regret, overrides=1, regretted=regret))


def approval_event(one: Approval) -> TrustEvent:
    sums = TrustSums(1, 1, not one.reversed, favours=1, reversed=one.reversed)
    return TrustEvent(one.at, "approval_reversed" if one.reversed else "approved", sums, one.number)


def override_event(overrides: Sequence[Override], now: datetime) -> TrustEvent:
    """Return what the corrections of one act say together: it was wrong unless the person took all of them back.

    One that is taken back counts for the agent. What was kept for a week before was a decision in its favour.
    """
    first, last = overrides[0], overrides[-1]
    regretted = sum(one.outcome(now) == "regretted" for one in overrides)
    stands = regretted < len(overrides)
    kept = first.kind not in ("deny", "choose") and first.at - first.act_at >= KEPT_AFTER
    sums = TrustSums(1, 1, not stands, 0, 0.0, kept, kept and stands, len(overrides), regretted)
    if stands:
        return TrustEvent(last.at, f"override_{last.kind}", sums, last.number)
    return TrustEvent(last.last_at or last.at, "override_regretted", sums, last.number)


def act_events(
    acts: Sequence[Act], overrides: Sequence[Override], now: datetime, used: datetime | None
) -> tuple[list[TrustEvent], list[Act]]:
    """Return what an agent's acts say, and those that say nothing yet.

    `used` is the start of the last day but one on which the person used memapp: the clock of today alone is not believed.
    """
    corrected: dict[object, list[Override]] = {}
    for one in sorted(overrides, key=lambda one: one.number):
        corrected.setdefault(one.act or one.step, []).append(one)
    events = [override_event(group, now) for group in corrected.values()]
    fresh = [one for one in acts if one.number not in corrected]
    until = min(now, used) - KEPT_AFTER if used else None
    kept = [one for one in fresh if until and one.at < until]
    events += [TrustEvent(one.at + KEPT_AFTER, "kept", TrustSums(1, 1, 1, favours=1), one.number) for one in kept]
    return events, [one for one in fresh if not (until and one.at < until)]


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
    """The file `memory/<agent>.json` that was brought in of it."""
    events: tuple[TrustEvent, ...] = ()
    """In the order of their time."""
    months: Mapping[str, TrustSums] | None = None
    undecided: tuple[Act, ...] = ()
    """Acts that were neither corrected nor kept for long enough."""
    total: TrustSums = NOTHING
    asks: bool = False

    @property
    def trust(self) -> float:
        return shown(self.total)

    @property
    def candidate(self) -> RoleCandidate:
        return RoleCandidate(self.name, self.trust, self.rounds, self.probation_until)

    @property
    def leave(self) -> Leave:
        return "nothing" if self.blocked else "ask" if self.asks else "write"

    @property
    def last_at(self) -> datetime | None:
        return max((*(one.at for one in self.events[-1:]), *(one.at for one in self.undecided[-1:])), default=None)

    @property
    def counted(self) -> str:
        """Return its trust with its count, as it is told everywhere: `trust 0.52 (kept 1 of 8)`."""
        kept = f"kept {self.total.impactful:,} of {self.total.judged:,}" if self.total.judged else "nothing to go by yet"
        return f"trust {self.trust:.2f} ({kept})"

    @property
    def corrected(self) -> str:
        """Return how often it was corrected, as the reason why it asks first."""
        wrong = self.total.judged - self.total.impactful
        return f"you took back {wrong:,} of its last {self.total.judged:,}"
