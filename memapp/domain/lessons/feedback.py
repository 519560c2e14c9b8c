"""The feedback on a step of any tool: four channels and the verdict of an evaluator."""

from typing import Literal, NamedTuple

Channel = Literal["hard_failure", "constraint_failure", "no_progress"]
"""Why a step counts as failed."""


class Efficiency(NamedTuple):
    """The cost of a step."""

    seconds: float = 0.0
    tokens: int | None = None
    cost: float | None = None


class Feedback(NamedTuple):
    """The four channels of a step; for the last step of a run, also the evaluator's verdict."""

    hard_failure: bool | None = False
    """An exception, a non-zero exit, an interface error, a safety violation; None if unknown."""
    constraint_failure: bool = False
    """A required condition is not met: a file is missing, the output has the wrong shape."""
    progress_signal: float | None = None
    """Nearness to the goal on the tool's own scale, more is nearer; None without a goal."""
    efficiency_signal: Efficiency = Efficiency()
    passed: bool | None = None
    """The evaluator's verdict on the run, which ends with this step; None without one."""
    score: float | None = None
    """The evaluator's score of the run, 0 to 1."""

    @property
    def ends_run(self) -> bool:
        return self.passed is not None or self.score is not None

    @property
    def is_known(self) -> bool:
        """Return True if the tool itself reports the outcome of the step."""
        return (
            self.hard_failure is not None
            or self.constraint_failure
            or self.progress_signal is not None
        )

    def channel(self, progress_before: float | None = None) -> Channel | None:
        """Return why the step failed, or None.

        A step without progress failed, if the tool knows a goal.
        """
        if self.hard_failure:
            return "hard_failure"
        if self.constraint_failure:
            return "constraint_failure"
        if (
            self.progress_signal is None
            or progress_before is None
            or self.progress_signal > progress_before
        ):
            return None
        return "no_progress"


class ToolAttempt(NamedTuple):
    """An action with a tool, and its result."""

    action: str
    """The command or request, in one line."""
    output: str = ""
    """The output of the tool, capped; the error text of a failure."""
    exit_code: int | None = None
    state_before: str = ""
    state_after: str = ""
    reason: str = ""
    """The reason of a failure, for a tool without error texts."""
    seconds: float = 0.0
