"""Categories of memories, and the capability to read some of them, which only the app creates."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

NOTES = "notes"
"""The category of a memory written by hand without another one."""
SUPERVISOR = "supervisor"
"""The agent that holds the conversation."""
PROCEDURAL = "procedural"
"""The category of how-tos alone."""
RECENT_ACTIVITY = "recent_activity"
RECENT = timedelta(hours=72)


class Category(BaseModel):
    """How the memories of one category are recalled."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    context: Literal["all", "rag"]
    """`all`: every memory, whenever the category is asked for. `rag`: those that fit the query."""
    rag_length: int | None = Field(default=None, ge=1, le=1000)
    """The most memories recalled of the category; None for no limit of its own."""


@dataclass(frozen=True, slots=True)
class Capability:
    """The user and the categories whose memories one caller may read."""

    agent: str
    user_id: str
    categories: frozenset[str]


class Categories(BaseModel):
    """All categories, and the allowlist of each agent."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    categories: Mapping[str, Category]
    allowlists: Mapping[str, tuple[str, ...]]

    @model_validator(mode="after")
    def _only_defined(self) -> "Categories":
        for agent, names in self.allowlists.items():
            for name in names:
                if name not in self.categories:
                    raise ValueError(
                        f"the allowlist of {agent!r} names the category {name!r}, "
                        "which is not defined"
                    )
        return self

    def readers(self, category: str) -> tuple[str, ...]:
        """Return the agents that may read the memories of a category."""
        return tuple(agent for agent, names in self.allowlists.items() if category in names)

    def capability(self, agent: str, user_id: str) -> Capability:
        """Return the capability of an agent, which is empty for an agent without an allowlist."""
        return Capability(agent, user_id, frozenset(self.allowlists.get(agent, ())))
