"""Does a lesson from another task bring what the right query needs?

Recorded runs of agents on SQL databases (`data/intercode_sql/dev`) are read again in their order,
and shuffled. Of each failed query and the one that solved the task later, or else ran, a lesson is
made; nobody was shown any, so this says what is found and not what it would have changed. From the
51st run on a database on, each error looks for lessons, those of its own task left out: of the very
error, else of its shape, in the same database. Shown is what the app's own ranking shows, all of it
unproven.

useful: a lesson names a table or column that the right query needs and the failed one lacks.
foreign: a lesson queries a table that another database has and this one has not.

python -m benchmarks.replay [--small] [--data ../shared/data]
"""

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from random import Random

from rapidfuzz import fuzz

from benchmarks import MISSED
from benchmarks.sql_runs import EPISODES, Episode, Step, read_episodes
from memapp.domain.lessons.conflicts import Fix
from memapp.domain.lessons.ranking import MOST_ON_ERROR, LessonMatch, rank, tier

BEFORE = 50
"""Runs on a database that are only learned from."""
USEFUL = {"recorded": 0.80, "shuffled": 0.74}
USEFUL_OF_SHOWN = 0.84
FOREIGN = 0.005
SMALL_STEP = 5
"""The small form looks at every fifth error."""
START = datetime(2026, 1, 1, tzinfo=UTC)
_LANGUAGE = frozenset(
    re.findall(
        r"\w+",
        """select from where join inner left right outer cross natural on as and or not in group by
        order having limit offset distinct count sum avg min max asc desc union intersect except
        like between is null exists all any case when then else
        end show tables describe cast concat lower upper length round interval true false""",
    )
)
_TEXT = re.compile(r"'[^']*'|\"[^\"]*\"")
_NAME = re.compile(r"[a-z_][a-z_0-9]*")
_ALIAS = re.compile(r"\bas\s+([a-z_][a-z_0-9]*)|\b(t\d+|[a-z])\b")
_TABLE = re.compile(r"\b(?:from|join)\s+([a-z_][a-z_0-9]*)")


@dataclass(frozen=True)
class Learned:
    """A lesson, and where it is from."""

    match: LessonMatch
    task: str
    wrong: str
    correct: str


class Lessons:
    """The lessons of one database, by the errors that they are for."""

    def __init__(self) -> None:
        self._exact: dict[tuple[str, str], list[Learned]] = defaultdict(list)
        self._shape: dict[str, list[Learned]] = defaultdict(list)
        self._rivals: dict[tuple[str, str, frozenset[str]], list[tuple[str, frozenset[str]]]] = (
            defaultdict(list)
        )

    def add(self, failed: Step, correct: str, task: str, at: datetime) -> None:
        fix, id_ = Fix.of(failed.query, correct), f"{at:%m%d%H%M%S%f}"
        rivals = self._rivals[failed.shape, failed.subject, fix.taken_out]
        conflicts = frozenset(other for other, put_in in rivals if put_in != fix.put_in)
        rivals.append((id_, fix.put_in))
        match = LessonMatch(
            lesson_id=id_,
            status="candidate",
            tool="sql",
            fingerprint_match=1.0,
            evidence_at=at,
            conflicts=conflicts,
        )
        lesson = Learned(match, task, failed.query, correct)
        self._exact[failed.shape, failed.subject].append(lesson)
        self._shape[failed.shape].append(lesson)

    def found(self, failed: Step, task: str, now: datetime) -> tuple[list[Learned], bool]:
        """Return the lessons to show, and whether they know the very error."""
        exact = [
            learned for learned in self._exact[failed.shape, failed.subject] if learned.task != task
        ]
        fitting = exact or [
            learned for learned in self._shape[failed.shape] if learned.task != task
        ]
        fits = tier(
            same_shape=True, same_subject=bool(exact), same_scope=True, travels=False, alike=1.0
        )
        assert fits is not None
        alike = {learned.match.lesson_id: learned for learned in fitting}
        matches = [
            learned.match._replace(
                tier=fits, text_similarity=fuzz.ratio(learned.wrong, failed.query) / 100
            )
            for learned in fitting
        ]  # fmt: skip
        return [
            alike[ranked.match.lesson_id] for ranked in rank(matches, "sql", (), now, MOST_ON_ERROR)
        ], bool(exact)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", action="store_true", help="every fifth error")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args()
    if not (options.data / EPISODES).exists():
        print(f"skipped: no data at {options.data}")
        return 0
    episodes = read_episodes(options.data / EPISODES)
    shuffled = Random(1).sample(episodes, len(episodes))
    print(
        f"{'order':12}{'errors':>8}{'shown':>8}{'the very error':>16}{'useful':>8}"
        f"{'of shown':>10}{'foreign':>9}"
    )
    missed: list[str] = []
    for order, runs in (("recorded", episodes), ("shuffled", shuffled)):
        missed += report(order, replay(runs, SMALL_STEP if options.small else 1))
    for miss in missed:
        print(f"MISSED: {miss}", file=sys.stderr)
    return MISSED if missed else 0


def replay(episodes: Sequence[Episode], step: int) -> Counter[str]:
    """Learn from runs in their order, look up lessons at errors of the later ones, and count what
    was found.
    """
    learned: dict[str, Lessons] = defaultdict(Lessons)
    tables = tables_of(episodes)
    runs, count = Counter[str](), Counter[str]()
    for number, episode in enumerate(episodes):
        lessons, now = learned[episode.database], START + timedelta(minutes=number)
        runs[episode.database] += 1
        failed = [place for place, step in enumerate(episode.steps) if step.shape]
        for place in failed if runs[episode.database] > BEFORE else ():
            count["met"] += 1
            if count["met"] % step == 0:
                look_up(lessons, episode, episode.steps[place], now, tables, count)
        for place in failed:
            if correct := solved_by(episode.steps[place + 1 :]):
                lessons.add(
                    episode.steps[place], correct, episode.task, now + timedelta(seconds=place)
                )
    return count


def look_up(
    lessons: Lessons,
    episode: Episode,
    failed: Step,
    now: datetime,
    tables: dict[str, frozenset[str]],
    count: Counter[str],
) -> None:
    """Count what is shown at an error."""
    found, exact = lessons.found(failed, episode.task, now)
    brought = frozenset[str]().union(*(names(learned.correct) for learned in found))
    foreign = frozenset[str]().union(
        *(of for database, of in tables.items() if database != episode.database)
    )
    count["errors"] += 1
    count["shown"] += bool(found)
    count["exact"] += bool(found) and exact
    count["useful"] += not brought.isdisjoint(names(episode.gold) - names(failed.query))
    queried = {table for learned in found for table in _TABLE.findall(learned.correct.lower())}
    count["foreign"] += not queried.isdisjoint(foreign - tables[episode.database])


def solved_by(following: Sequence[Step]) -> str:
    """Return the query that solved the task, else the next executed one; empty without one."""
    queries = [
        step.query
        for step in following
        if not step.shape and step.query.lower().lstrip().startswith("select")
    ]
    solved = (
        [step.reward for step in following].index(1.0)
        if any(step.reward == 1.0 for step in following)
        else -1
    )
    rewarded = [step.query for step in following[: solved + 1] if step.query in queries]
    return rewarded[-1] if rewarded else next(iter(queries), "")


@cache
def names(query: str) -> frozenset[str]:
    """Return the tables and columns that a query names."""
    plain = _TEXT.sub(" ", query.lower())
    aliases = {name for pair in _ALIAS.findall(plain) for name in pair}
    return frozenset(_NAME.findall(plain)) - _LANGUAGE - aliases


def tables_of(episodes: Collection[Episode]) -> dict[str, frozenset[str]]:
    """Return the tables of each database that right queries name."""
    tables: dict[str, set[str]] = defaultdict(set)
    for episode in episodes:
        tables[episode.database].update(_TABLE.findall(episode.gold.lower()))
    return {database: frozenset(of) for database, of in tables.items()}


def report(order: str, count: Counter[str]) -> Iterator[str]:
    """Print the row of one order, and yield the bounds missed."""
    share = {
        name: count[name] / count["errors"] for name in ("shown", "exact", "useful", "foreign")
    }
    of_shown = count["useful"] / count["shown"]
    print(
        f"{order:12}{count['errors']:8,}{share['shown']:8.3f}{share['exact']:16.3f}{share['useful']:8.3f}"
        f"{of_shown:10.3f}{share['foreign']:9.4f}",
        flush=True,
    )
    if share["useful"] < USEFUL[order]:
        yield f"{order}: useful at {share['useful']:.3f} of errors is below {USEFUL[order]}"
    if order == "recorded" and of_shown < USEFUL_OF_SHOWN:
        yield f"{order}: useful in {of_shown:.3f} of those shown is below {USEFUL_OF_SHOWN}"
    if share["foreign"] > FOREIGN:
        yield (
            f"{order}: tables of other databases are named at {share['foreign']:.4f} of errors, "
            f"above {FOREIGN}"
        )


if __name__ == "__main__":
    sys.exit(main())
