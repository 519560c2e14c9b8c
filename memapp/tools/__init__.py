"""The Protocol of a tool: something outside memapp that is acted on step by step, and that says how
each step went.

`shell` runs commands, `sql` asks a database, `scripted` plays a role in tests and benchmarks; a
tool of anybody else needs nothing but these four names.
"""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # a command is started before any of memapp is loaded
    from memapp.domain.lessons.feedback import Feedback, ToolAttempt


class Tool(Protocol):
    """Something that is acted on."""

    @property
    def name(self) -> str:
        """The name under which lessons about it are kept."""

    @property
    def scope(self) -> str:
        """The place it is used in, such as a repository or a database; what was learned there
        counts there first.
        """

    def attempt(self, action: str) -> "ToolAttempt":
        """Carry out one action and return what came of it; a failure is a value too."""

    def feedback(self, attempt: "ToolAttempt") -> "Feedback":
        """Return how a step went, in the four channels; with the last step of a run, also whether
        that passed, and its score.
        """
