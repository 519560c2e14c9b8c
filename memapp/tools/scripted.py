"""A tool that answers from a script, for tests and benchmarks."""

from collections.abc import Mapping
from dataclasses import dataclass

from memapp.domain.lessons.feedback import Efficiency, Feedback, ToolAttempt


@dataclass(frozen=True)
class ScriptedTool:
    """Actions outside the script succeed without output."""

    name: str = "scripted"
    scope: str = ""
    answers: Mapping[str, str] | None = None
    """The output of a failing action."""

    def attempt(self, action: str) -> ToolAttempt:
        output = (self.answers or {}).get(action)
        return ToolAttempt(action, output or "", 0 if output is None else 1, seconds=1.0)

    def feedback(self, attempt: ToolAttempt) -> Feedback:
        return Feedback(
            hard_failure=bool(attempt.exit_code), efficiency_signal=Efficiency(attempt.seconds)
        )
