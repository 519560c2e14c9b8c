"""The Protocol of a tool: something outside memapp that is used step by step.

`shell` runs commands, `sql` queries a database, and `scripted` serves tests and benchmarks. Another
tool needs these four members.
"""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # a command is started before any of memapp is loaded
    from memapp.domain.lessons.feedback import Feedback, ToolAttempt


class Tool(Protocol):
    """Something that acts in steps and reports the result of each."""

    @property
    def name(self) -> str:
        """The name under which lessons about the tool are kept."""

    @property
    def scope(self) -> str:
        """The place of use, such as a repository or a database; its lessons come first there."""

    def attempt(self, action: str) -> "ToolAttempt":
        """Carry out one action and return the result; a failure is a value too."""

    def feedback(self, attempt: "ToolAttempt") -> "Feedback":
        """Return the result of a step in the four channels; with the last step, that of the run."""
