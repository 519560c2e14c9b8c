"""The feedback of a tool on one step: four channels and the word of an evaluator, whatever the tool
is.
"""

from typing import Literal, NamedTuple

Channel = Literal["hard_failure", "constraint_failure", "no_progress"]
"""Why a step counts as failed."""


class Efficiency(NamedTuple):
    """What a step cost."""

    seconds: float = 0.0
    tokens: int | None = None
    cost: float | None = None


class Feedback(NamedTuple):
    """The four channels of one step; with the last step of a run, what an evaluator says of that."""

    hard_failure: bool | None = False
    """An exception, a non-zero exit, an error of an interface, a violation of safety; None where
    nothing tells.
    """
    constraint_failure: bool = False
    """A required condition is not met: a file is missing, the output has the wrong shape."""
    progress_signal: float | None = None
    """How near the goal is, on the tool's own scale; more is nearer. None where the tool knows no
    goal.
    """
    efficiency_signal: Efficiency = Efficiency()
    passed: bool | None = None
    """What an evaluator says of the run, which ends with this step; None where there is none, or
    where it gives a score only.
    """
    score: float | None = None
    """The evaluator's score of the run, 0 to 1."""

    @property
    def ends_run(self) -> bool:
        return self.passed is not None or self.score is not None

    @property
    def is_known(self) -> bool:
        """Say whether the tool itself tells how the step went."""
        return (
            self.hard_failure is not None
            or self.constraint_failure
            or self.progress_signal is not None
        )

    def channel(self, progress_before: float | None = None) -> Channel | None:
        """Return why the step failed; None if it did not. Without progress it failed where the tool
        knows a goal.
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
    """What was done with a tool, and what came of it."""

    action: str
    """The command or request, in one line."""
    output: str = ""
    """What the tool wrote, capped; of a failure the error text."""
    exit_code: int | None = None
    state_before: str = ""
    state_after: str = ""
    reason: str = ""
    """Why it failed, for a tool that writes no error text."""
    seconds: float = 0.0
