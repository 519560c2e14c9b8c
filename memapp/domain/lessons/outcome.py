"""The outcome of a lesson in a run: the steps after its match, shown or not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

HORIZON = 3
"""Steps of the same run in which a lesson that was shown can help."""


@dataclass(frozen=True, slots=True)
class FollowingStep:
    """A step of the same tool after the error that a lesson fitted."""

    failed: bool
    same_error: bool
    """True if the failure has the same fingerprint."""
    progress: float | None = None


@dataclass(frozen=True, slots=True)
class Settlement:
    """The outcome of an activation within the horizon."""

    recurrences: int
    extra_failures: int
    """Failures of another kind."""
    steps_to_fix: int | None
    """Steps until the first success after the last recurrence; None without one."""
    progress_delta: float | None
    """Progress gained at the end of the horizon; None without a progress signal."""

    @property
    def fixed(self) -> bool:
        return self.steps_to_fix is not None

    @property
    def useless(self) -> bool:
        """Return True if the error recurred and was never fixed."""
        return self.recurrences > 0 and not self.fixed

    @property
    def helped(self) -> bool | None:
        """Return True if the next step worked and the error stayed away; None if undecided.

        The activation hurt if the error recurred without a fix, or the goal is farther away; other
        failures are not blamed on it.
        """
        if self.useless or (self.progress_delta or 0.0) < 0:
            return False
        return True if self.steps_to_fix == 1 else None


def settle(
    following: Sequence[FollowingStep], progress: float | None, *, run_ended: bool
) -> Settlement | None:
    """Return the outcome by the next three steps; None while they are still to come."""
    steps = following[:HORIZON]
    if not steps or (len(steps) < HORIZON and not run_ended):
        return None
    signals = [step.progress for step in steps if step.progress is not None]
    return Settlement(
        recurrences=sum(step.failed and step.same_error for step in steps),
        extra_failures=sum(step.failed and not step.same_error for step in steps),
        steps_to_fix=_steps_to_fix(steps),
        progress_delta=signals[-1] - progress if signals and progress is not None else None,
    )


def _steps_to_fix(steps: Sequence[FollowingStep]) -> int | None:
    """Return the number of the first success after the last recurrence, from 1, or None."""
    last = max(
        (place for place, step in enumerate(steps, 1) if step.failed and step.same_error), default=0
    )
    return next(
        (place for place, step in enumerate(steps, 1) if place > last and not step.failed), None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvidence:
    """The outcome of a lesson's first match in a run, where it was shown or not."""

    recurrences: int
    """Recurrences of the lesson's fingerprints."""
    errors: int
    """All failures until the fix, recurrences included."""
    steps: int
    """Steps until the fix."""
    session: str = ""
    """The day or session, by which runs are independent."""
    block: str = ""
    """The block of comparable runs: of the same executor, or the same task."""
    passed: bool | None = None
    score: float | None = None
    """The deterministic evaluator's score, 0 to 1."""
    as_said: bool = False
    """True if the error was fixed at once, by the lesson's action."""
    referee_score: float | None = None
    """The share of steps that worked, known or judged by a calibrated referee; None without one."""


def evidence(following: Sequence[FollowingStep], run: RunEvidence) -> RunEvidence:
    """Return the evidence of a run by all steps after the lesson's first match.

    `run` supplies the other fields. The whole rest of a run tells a good lesson from a useless one
    much better than three steps do (`benchmarks.promotion`).
    """
    fix = _steps_to_fix(following)
    until = following[:fix]
    return replace(
        run,
        recurrences=sum(step.failed and step.same_error for step in until),
        errors=sum(step.failed for step in until),
        steps=fix or len(following) + 1,
    )
