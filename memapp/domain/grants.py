"""The grants of other programs: the reads and proposals that the person allows."""

from pydantic import BaseModel, ConfigDict, Field

from memapp.domain.categories import Capability, Categories
from memapp.domain.changes import CLIENT

MOST_WAITING = 20
"""The most pending proposals of one agent."""
NAME = r"[a-z0-9][a-z0-9._-]{0,39}"
NOT_UNLESS_GRANTED = frozenset({"profile", "relationship_dynamic", "episode"})
"""Sensitive memories, insights, and episodes."""


class Grant(BaseModel):
    """A table of agents.toml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    categories: tuple[str, ...] | None = None
    """The categories to read and to propose into; None for the allowlist, or else all but
    `NOT_UNLESS_GRANTED`.
    """
    reads: bool = True
    proposes: bool = True
    lessons: bool = True
    """The agent may look up lessons for a command, and report how a command went."""
    chats: bool = False
    """Search includes earlier messages."""
    waiting: int = Field(default=MOST_WAITING, ge=0, le=MOST_WAITING)
    calls_a_minute: int = Field(default=120, ge=1, le=6000)

    def capability(self, agent: str, user_id: str, known: Categories) -> Capability:
        """Return the capability of an agent."""
        listed = self.categories if self.categories is not None else known.allowlists.get(agent)
        names = (
            frozenset(known.categories) - NOT_UNLESS_GRANTED
            if listed is None
            else frozenset(listed)
        )
        return Capability(agent, user_id, names)


def actor_of(agent: str) -> str:
    """Return the actor name of an agent."""
    return f"{CLIENT}{agent}"
