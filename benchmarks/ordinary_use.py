"""Is a lesson promoted by the ordinary use of one person, if it helps, and only then?

A simulated person makes 20 slips over 30 days, 5 of which recur every two to four days. The app's
own services record each attempt in a file, show or withhold hints, settle and promote. A slip is
one of

useful    what works has to be found: without the hint the person fails again most times; one hint
in ten is overlooked known     the person puts it right at once, whatever is shown: the lesson is
right, and not needed useless   the failure comes and goes: whatever is tried works or not, and the
lesson is what worked by accident ignored   the person does something else than the lesson says, and
gets better at that by themselves

Asked is which lessons of recurring slips are promoted by the time they were shown five times, at
the end, and at any time. The rule was found with other seeds (`--tune`). Beside it an agent, which
remembers nothing and makes five of its mistakes 60 times.

python -m benchmarks.ordinary_use [--small] [--tune] [--persons N]
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Literal

from benchmarks import MISSED
from memapp import bootstrap
from memapp.domain.lessons.feedback import Efficiency, Feedback, ToolAttempt
from memapp.domain.lessons.utility import WINDOW
from memapp.runtime import Runtime
from memapp.services import runs
from memapp.services.lessons import browse, judge
from memapp.services.runs import Client

PERSONS, SMALL_PERSONS, AGENTS, SMALL_AGENTS = 300, 40, 12, 2
DAYS, SLIPS, RECURRING = 30, 20, 5
SHOWS = 5
USEFUL_PROMOTED, USELESS_PROMOTED = 0.70, 0.08
LUCK = 3
"""Standard errors by which a share of few slips may miss its bound."""
TUNING, MEASURING = 0, 20_000
"""The first seeds of those that the rule was found with, and of those that it is measured with."""
START = datetime(2026, 1, 1, 9, tzinfo=UTC)
MOST_TRIES = 6
Kind = Literal["useful", "known", "useless", "ignored"]
KINDS: tuple[Kind, ...] = ("useful", "known", "useless", "ignored")
WEIGHTS = (5, 2, 2, 1)


@dataclass(frozen=True)
class User:
    """Who makes the slips."""

    client: Client
    heeds: float
    """Share of hints that are followed."""
    unaided: tuple[float, float]
    """Between these lies the share of useful lessons' failures that are put right at once without
    them.
    """
    learns: float
    """By how much that share grows with each time."""
    every: tuple[float, float]
    """Days between two occurrences of a recurring slip."""


PERSON = User(Client(), heeds=0.9, unaided=(0.05, 0.25), learns=0.01, every=(2.0, 4.0))
AGENT = User(Client("hook", "agent"), heeds=0.8, unaided=(0.1, 0.4), learns=0.0, every=(0.4, 0.6))


class Slip:
    """A command that a user gets wrong, with its correction; also the tool."""

    scope = "project"

    def __init__(
        self, number: int, kind: Kind, user: User, random: Random, *, recurs: bool
    ) -> None:
        self.name, self.kind, self.recurs = f"tool{number}", kind, recurs
        self._random, self._user, self._times = random, user, 0
        self._at_once = (
            random.uniform(*user.unaided) if kind == "useful" else random.uniform(0.2, 0.9)
        )
        self._fails = False

    def happen(self, do: Callable[[str], str]) -> None:
        """Make the slip, and try until something works or the user gives up; `do` returns what is
        to be done by a hint.
        """
        self._times += 1
        hint, tried = do(self._wrong()), 0
        while self._fails and tried < MOST_TRIES:
            hint, tried = (
                do(self._next(hint if self._random.random() < self._user.heeds else "", tried)),
                tried + 1,
            )

    def _next(self, hint: str, tried: int) -> str:
        """Return the next command, with or without the hint."""
        goes_right = self._random.random() < self._unaided(tried)
        match self.kind:
            case "useless":
                self._fails = not goes_right
                return hint or f"{self.name} brnch --again{self._random.randrange(3)}"
            case "ignored":
                return (
                    self._right("branch" if self._times == 1 else "brunch")
                    if goes_right
                    else self._wrong()
                )
            case _:
                return self._right("branch") if hint or goes_right else self._wrong()

    def _unaided(self, tried: int) -> float:
        """Return how likely the next try goes right without a hint."""
        match self.kind:
            case "known":
                return 1.0
            case "useful":
                return 0.5 if tried else self._at_once + self._user.learns * self._times
            case "ignored":
                return min(0.95, self._at_once + 0.02 * self._times)
            case "useless":
                return self._at_once

    def _right(self, word: str) -> str:
        self._fails = False
        return f"{self.name} {word}"

    def _wrong(self) -> str:
        self._fails = True
        return f"{self.name} brnch"

    def attempt(self, action: str) -> ToolAttempt:
        said = (
            f"{self.name}: 'brnch' is not a {self.name} command"
            if self.kind != "useless"
            else "connection reset by peer"
        )
        return ToolAttempt(action, said if self._fails else "", int(self._fails), seconds=1.0)

    def feedback(self, attempt: ToolAttempt) -> Feedback:
        return Feedback(bool(attempt.exit_code), efficiency_signal=Efficiency(attempt.seconds))


@dataclass
class Became:
    """What became of a lesson."""

    kind: Kind
    shown: int = 0
    promoted_after: int | None = None
    """Times that it was shown before it was promoted first."""
    is_promoted: bool = False


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--small", action="store_true", help=f"{SMALL_PERSONS} persons instead of {PERSONS}"
    )
    parser.add_argument(
        "--tune", action="store_true", help="with the seeds that the rule was found with"
    )
    parser.add_argument("--persons", type=int, help="so many persons")
    parser.add_argument("--data", help="not used")
    options = parser.parse_args()
    first = TUNING if options.tune else MEASURING
    persons = options.persons or (SMALL_PERSONS if options.small else PERSONS)
    misses = report(
        "person",
        [became for seed in range(first, first + persons) for became in live(PERSON, seed)],
        shows=SHOWS,
    )
    agents = SMALL_AGENTS if options.small else AGENTS
    misses += report(
        "agent",
        [became for seed in range(first, first + agents) for became in live(AGENT, seed)],
        shows=None,
    )
    for miss in misses:
        print(f"MISSED: {miss}", file=sys.stderr)
    return MISSED if misses else 0


def live(user: User, seed: int) -> list[Became]:
    """Let a user work for a month; return the fate of the lessons of recurring slips."""
    random = Random(seed)
    kinds = random.choices(KINDS, WEIGHTS, k=SLIPS)
    slips = [
        Slip(number, kind, user, random, recurs=number < RECURRING)
        for number, kind in enumerate(kinds)
    ]
    plan = sorted((at, slip.name, slip) for slip in slips for at in _moments(slip, user, random))
    became: dict[str, Became] = {}
    with TemporaryDirectory() as home, closing(bootstrap.start(home=Path(home))) as runtime:
        for at, _, slip in plan:
            _happens(runtime, user, slip, START + timedelta(days=at))
            if slip.recurs:
                _look(runtime, START + timedelta(days=at, hours=1), slip, became)
    return [value for value in became.values() if value.shown >= WINDOW]


def _moments(slip: Slip, user: User, random: Random) -> Iterator[float]:
    at = random.uniform(0, user.every[1] if slip.recurs else DAYS)
    while at < DAYS:
        yield at
        at += random.uniform(*user.every) if slip.recurs else DAYS


def _happens(runtime: Runtime, user: User, slip: Slip, at: datetime) -> None:
    """Let a slip happen at one time, in a run of its own."""
    seconds = iter(range(10_000))
    runtime.clock = lambda: at + timedelta(seconds=next(seconds))
    client = (
        user.client._replace(task=f"session {at:%d %H:%M}")
        if user.client.is_program
        else user.client
    )

    def do(action: str) -> str:
        _, reported = runs.attempt(runtime, slip, action, client)
        return reported.hints[0].lesson.correct if reported.hints else ""

    slip.happen(do)


def _look(runtime: Runtime, at: datetime, slip: Slip, became: dict[str, Became]) -> None:
    """Settle what happened, as is done in idle time, and note which lessons of a slip are promoted
    now.
    """
    runtime.clock = lambda: at
    with runtime.write() as session:
        judge.after_step(session, "")
    for lesson in browse.list_lessons(runtime):
        if lesson.tool == slip.name:
            one = became.setdefault(lesson.id, Became(slip.kind))
            one.shown, one.is_promoted = lesson.retrieved, lesson.status == "promoted"
            if one.is_promoted and one.promoted_after is None:
                one.promoted_after = lesson.retrieved


def report(name: str, slips: list[Became], *, shows: int | None) -> list[str]:
    """Print how many lessons were promoted, and return the bounds missed."""
    of_kind: dict[str, list[Became]] = defaultdict(list)
    for became in slips:
        of_kind[
            "useless and ignored" if became.kind in ("useless", "ignored") else became.kind
        ].append(became)
        of_kind[became.kind].append(became)
    print(f"{name:22}{'lessons':>9}{'in 5 shows':>12}{'at the end':>12}{'at any time':>13}")
    found: dict[str, tuple[float, float]] = {}
    for kind, some in sorted(of_kind.items(), key=lambda item: item[0]):
        early = sum(
            became.promoted_after is not None and became.promoted_after <= SHOWS for became in some
        ) / len(some)
        end, ever = (sum(map(is_so, some)) / len(some) for is_so in (_is_promoted, _was_promoted))
        found[kind] = early, end
        print(f"  {kind:20}{len(some):9}{early:12.3f}{end:12.3f}{ever:13.3f}", flush=True)
    useful, useless = of_kind["useful"], of_kind["useless and ignored"]
    early, end = found["useful"][0 if shows else 1], found["useless and ignored"][1]
    misses = [f"{name}: useful lessons promoted {early:.3f}, >= {USEFUL_PROMOTED}"] * (
        early < USEFUL_PROMOTED - _luck(early, len(useful))
    )
    return misses + [f"{name}: useless lessons promoted {end:.3f}, <= {USELESS_PROMOTED}"] * (
        end > USELESS_PROMOTED + _luck(end, len(useless))
    )


def _is_promoted(one: Became) -> bool:
    return one.is_promoted


def _was_promoted(one: Became) -> bool:
    return one.promoted_after is not None


def _luck(share: float, n: int) -> float:
    """Return by how much a share of few slips may miss its bound."""
    return 0.0 if n >= PERSONS else LUCK * (share * (1 - share) / n) ** 0.5


if __name__ == "__main__":
    sys.exit(main())
