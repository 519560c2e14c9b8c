"""The grants of agents: what the person lets another program read of their memory, and propose for
it.
"""

from pydantic import BaseModel, ConfigDict, Field

from memapp.domain.categories import Capability, Categories
from memapp.domain.changes import CLIENT

MOST_WAITING = 20
"""Proposals of one agent that wait for the person."""
NAME = r"[a-z0-9][a-z0-9._-]{0,39}"
NOT_UNLESS_GRANTED = frozenset({"profile", "relationship_dynamic", "episode"})
"""What is sensitive, what memapp noticed by itself, and what chats were about."""


class Grant(BaseModel):
    """A table of agents.toml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    categories: tuple[str, ...] | None = None
    """The categories that it may read and propose into; None for its allowlist, or else all but
    `NOT_UNLESS_GRANTED`.
    """
    reads: bool = True
    proposes: bool = True
    lessons: bool = True
    """It may ask what is known of a command, and report how one went."""
    chats: bool = False
    """It finds earlier messages, too."""
    waiting: int = Field(default=MOST_WAITING, ge=0, le=MOST_WAITING)
    calls_a_minute: int = Field(default=120, ge=1, le=6000)

    def capability(self, agent: str, user_id: str, known: Categories) -> Capability:
        """Return what an agent may read."""
        listed = self.categories if self.categories is not None else known.allowlists.get(agent)
        names = (
            frozenset(known.categories) - NOT_UNLESS_GRANTED
            if listed is None
            else frozenset(listed)
        )
        return Capability(agent, user_id, names)


def actor_of(agent: str) -> str:
    """Return the name of an agent as an actor."""
    return f"{CLIENT}{agent}"
