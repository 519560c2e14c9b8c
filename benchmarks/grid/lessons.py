"""Lessons kept in memory and not in a store: made, retrieved, settled and judged by the rules of
the domain alone.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import combinations
from random import Random

from rapidfuzz import fuzz

from benchmarks.grid.executor import Hint, Tried, Went
from memapp.domain.lessons.conflicts import Fix, always_loses, are_in_conflict
from memapp.domain.lessons.feedback import ToolAttempt
from memapp.domain.lessons.fingerprint import Fingerprint, fingerprint, parts
from memapp.domain.lessons.outcome import FollowingStep, RunEvidence, evidence, settle
from memapp.domain.lessons.ranking import (
    MOST_BEFORE_RUN,
    MOST_ON_ERROR,
    LessonMatch,
    RankedLesson,
    Tier,
    is_withheld,
    rank,
    tier,
)
from memapp.domain.lessons.utility import LessonRecord, judge, verdict


@dataclass
class Kept:
    """A lesson with its record."""

    match: LessonMatch
    wrong: str
    correct: str
    triggers: list[Fingerprint]
    shown: list[RunEvidence] = field(default_factory=list)
    baseline: list[RunEvidence] = field(default_factory=list)
    useless: int = 0

    @property
    def hint(self) -> Hint:
        return self.wrong, self.correct

    @property
    def fix(self) -> Fix:
        return Fix.of(self.wrong, self.correct)


@dataclass
class Activation:
    """A lesson that fitted a step, and whether it was shown."""

    lesson: Kept
    place: int
    """Steps taken before it."""
    trigger: Fingerprint | None
    """None before the run."""
    shown: bool


@dataclass
class Counted:
    """What lessons did in one run."""

    activations: int = 0
    helped: int = 0
    hurt: int = 0
    recurrences: int = 0
    promoted: int = 0
    suppressed: int = 0


class Lessons:
    """All lessons, and those fitting in the current run."""

    def __init__(self, seed: int) -> None:
        self.kept: dict[str, Kept] = {}
        self.conflicts: dict[tuple[str, str], Counter[str]] = {}
        """Of two lessons, how often each was the better one."""
        self._random = Random(f"lot {seed}")
        self.learns = True
        self._activations: list[Activation] = []

    def pass_off_as(self, tool: str) -> None:
        """Take all lessons for some of this tool."""
        for kept in self.kept.values():
            kept.match = kept.match._replace(tool=tool)
            kept.triggers = [trigger._replace(tool=tool, scope=tool) for trigger in kept.triggers]

    def before(self, tool: str, now: datetime) -> list[Hint]:
        """Return what is shown before a run."""
        matches = [kept.match for kept in self.kept.values()]
        return self._show(rank(matches, tool, (), now, MOST_BEFORE_RUN), 0, None)

    def on_error(self, tool: str, attempt: ToolAttempt, place: int, now: datetime) -> list[Hint]:
        """Return what is shown after an error, the step after which so many were taken."""
        event = fingerprint(tool, tool, attempt, ())
        matches = [
            match for kept in self.kept.values() if (match := fitting(kept, event, attempt.action))
        ]
        return self._show(rank(matches, tool, (), now, MOST_ON_ERROR), place, event)

    def _show(
        self, ranked: Sequence[RankedLesson], place: int, event: Fingerprint | None
    ) -> list[Hint]:
        hints: list[Hint] = []
        for other in ranked:
            lesson = self.kept[other.match.lesson_id]
            shown = not (other.match.unproven and is_withheld(f"{self._random.random()}"))
            self._activations.append(Activation(lesson, place, event, shown))
            hints += [lesson.hint] if shown else []
        return hints

    def end(self, tool: str, went: Went, now: datetime) -> Counted:
        """Settle the activations of a run, judge what they were of, and learn from the run's
        failures.
        """
        counted = Counted()
        events = [
            fingerprint(tool, tool, step.attempt, ()) if step.channel else None
            for step in went.steps
        ]
        for activation in self._activations:
            self._settle(activation, went.steps, events, now, counted)
        self._activations.clear()
        for lesson in self.kept.values():
            self._judge(lesson, counted)
        if self.learns:
            self._learn(tool, went, events, now)
        return counted

    def _settle(
        self,
        one: Activation,
        steps: Sequence[Tried],
        events: Sequence[Fingerprint | None],
        now: datetime,
        counted: Counted,
    ) -> None:
        triggers = [one.trigger] if one.trigger else one.lesson.triggers
        follows = following(steps, events, one.place, triggers)
        settled = settle(
            follows, steps[one.place - 1].progress if one.place else 0.0, run_ended=True
        )
        if settled is None:
            return
        arm = one.lesson.shown if one.shown else one.lesson.baseline
        if not arm or arm[-1].session != f"{now}":  # a run counts once
            after = steps[one.place : one.place + 1]
            is_as_said = any(
                step.channel is None and one.lesson.fix.put_in <= parts(step.attempt.action)
                for step in after
            )
            arm.append(replace(evidence(follows, of_run(now)), as_said=is_as_said))
        if not one.shown:
            return
        helped, hurt = settled.helped is True, settled.helped is False
        match = one.lesson.match
        one.lesson.match = match._replace(
            helped=match.helped + helped, hurt=match.hurt + hurt, evidence_at=now
        )
        one.lesson.useless += settled.useless
        counted.activations += 1
        counted.helped += helped
        counted.hurt += hurt
        counted.recurrences += settled.recurrences
        for pair, wins in self.conflicts.items():
            if match.lesson_id in pair and settled.helped is not None:
                wins[pair[(pair[0] == match.lesson_id) is not settled.helped]] += 1

    def _loses(self, lesson_id: str) -> bool:
        wins = [wins for pair, wins in self.conflicts.items() if lesson_id in pair]
        return any(
            always_loses(counter[lesson_id], counter.total() - counter[lesson_id])
            for counter in wins
        )

    def _judge(self, lesson: Kept, counted: Counted) -> None:
        record = LessonRecord(
            status=lesson.match.status,
            by_person=False,
            helped=lesson.match.helped,
            hurt=lesson.match.hurt,
            useless=lesson.useless,
            loses_conflicts=self._loses(lesson.match.lesson_id),
            effect=judge(lesson.shown, lesson.baseline),
        )
        if move := verdict(record):
            lesson.match = lesson.match._replace(status=move.to)
            counted.promoted += move.to == "promoted"
            counted.suppressed += move.to == "suppressed"

    def _learn(
        self, tool: str, went: Went, events: Sequence[Fingerprint | None], now: datetime
    ) -> None:
        solved = {step.line: step.attempt.action for step in went.steps if step.channel is None}
        places: dict[Fingerprint, list[int]] = defaultdict(list)
        for place, event in enumerate(events):
            if event and went.steps[place].line in solved:
                places[event].append(place)
        for event, at in sorted(
            places.items(), key=lambda item: -len(item[1])
        ):  # recurring ones first
            step = went.steps[at[0]]
            lesson = self._add(tool, step.attempt.action, solved[step.line], event, now)
            if not lesson.shown:
                follows = following(went.steps, events, at[0] + 1, [event])
                lesson.baseline.append(evidence(follows, of_run(now)))

    def _add(self, tool: str, wrong: str, correct: str, event: Fingerprint, now: datetime) -> Kept:
        """Return the lesson that says this, a new one if none does; the same fix for the same error
        is the same lesson.
        """
        fix = Fix.of(wrong, correct)
        for kept in self.kept.values():
            if kept.match.tool == tool and kept.fix == fix:
                kept.triggers += [event] if event not in kept.triggers else []
                return kept
        name = f"{len(self.kept):04}"
        match = LessonMatch(
            lesson_id=name, status="candidate", tool=tool, session=f"{now}", evidence_at=now
        )
        self.kept[name] = Kept(match, wrong, correct, [event])
        self._link()
        return self.kept[name]

    def _link(self) -> None:
        for kept, other in combinations(self.kept.values(), 2):
            pair = kept.match.lesson_id, other.match.lesson_id
            if pair not in self.conflicts and are_in_conflict(
                kept.triggers, kept.fix, other.triggers, other.fix
            ):
                self.conflicts[pair] = Counter()
                kept.match = kept.match._replace(conflicts=kept.match.conflicts | {pair[1]})
                other.match = other.match._replace(conflicts=other.match.conflicts | {pair[0]})


def fitting(lesson: Kept, event: Fingerprint, action: str) -> LessonMatch | None:
    """Return the match of a lesson with an error; None if the action lacks its words."""
    if not lesson.fix.taken_out <= set(action.split()):
        return None
    fits: list[tuple[Tier, float]] = []
    for trigger in lesson.triggers:
        alike = fuzz.ratio(trigger.shape, event.shape) / 100
        found = tier(
            same_shape=trigger.shape == event.shape,
            same_subject=trigger.subject == event.subject,
            same_scope=trigger.scope == event.scope,
            travels=False,
            alike=alike,
        )
        fits += [(found, alike)] if found is not None else []
    if not fits:
        return None
    best, alike = max(fits)
    text = fuzz.ratio(lesson.wrong, action) / 100
    return lesson.match._replace(tier=best, fingerprint_match=alike, text_similarity=text)


def following(
    steps: Sequence[Tried],
    events: Sequence[Fingerprint | None],
    place: int,
    triggers: Sequence[Fingerprint],
) -> list[FollowingStep]:
    """Return the events after so many steps, as seen by a lesson with these triggers."""
    return [
        FollowingStep(step.channel is not None, event in triggers, step.progress)
        for step, event in zip(steps[place:], events[place:], strict=True)
    ]


def of_run(now: datetime) -> RunEvidence:
    return RunEvidence(recurrences=0, errors=0, steps=0, session=f"{now}")
