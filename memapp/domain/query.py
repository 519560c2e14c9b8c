"""`memory.query`, the one interface through which agents read the memory: request and response."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memapp.errors import UsageError


class QueryFilters(BaseModel):
    """Conditions that narrow a query, all applied in SQL; None does not count."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    user_id: str | None = None
    """The owner of the memory, which must be the caller."""
    agent_id: str | None = None
    """The persona of the chat."""
    run_id: str | None = None
    """The thread in which the memory was learned."""
    actor_id: str | None = Field(default=None, max_length=200)
    """The author: `person`, `rules`, `model` for any model, `model:smollm2` for one."""
    role: Literal["user", "assistant"] | None = None
    """The author of the source message."""
    category: str | None = None
    """One of the agent's categories, to narrow the request further."""
    pinned: bool | None = None
    importance_min: int | None = Field(default=None, ge=1, le=5)
    importance_max: int | None = Field(default=None, ge=1, le=5)
    updated_after: datetime | None = None
    updated_before: datetime | None = None


class QueryRequest(BaseModel):
    """The request of an agent."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    agent: str = Field(min_length=1, max_length=40)
    query: str = Field(max_length=2000)
    categories: tuple[str, ...] = ()
    """Empty for all categories of the agent."""
    filters: QueryFilters = QueryFilters()
    threshold: float = Field(default=0.0, ge=0.0, le=2.0)
    """Hits with a lower score are dropped; above 0, so are hits that come with any question.

    The score is no likeness of 0 to 1 but the sum that `search --explain` prints: about 1 for a
    fact in the words of the question, about 0.3 for one on the same subject only; 0.65 needs both
    words and meaning to match.
    """
    top_k: int = Field(default=3, ge=1, le=50)
    returned: Literal["bullets", "full"] = Field(default="bullets", alias="return")
    budget_tokens: int = Field(default=512, ge=1, le=100_000)
    """The most tokens of all texts, counted with the model's tokenizer."""


def read_request(given: str | Mapping[str, Any]) -> QueryRequest:
    """Return a request given as JSON or as parts. Raises `UsageError` for an invalid one."""
    try:
        if isinstance(given, str):
            return QueryRequest.model_validate_json(given)
        return QueryRequest.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "JSON"
        raise UsageError(f"This is no request: {place}: {first['msg']}.") from None


class Bullet(BaseModel):
    """A memory on one line."""

    id: str
    category: str
    text: str
    """`[tasks] ...`"""


class Full(Bullet):
    """A memory with all its details."""

    tags: tuple[str, ...]
    steps: tuple[str, ...]
    """The steps of a how-to."""
    importance: int
    pinned: bool
    score: float
    why: str
    agent_id: str
    run_id: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """The answer to an agent."""

    header: tuple[str, ...]
    """The delta header since the agent last asked."""
    memories: Sequence[Bullet]
    """Best first, in the requested form."""
    left_out: int = 0
    """The number of hits without room."""


def most_tokens(text: str) -> int:
    """Return an upper estimate of a text's tokens, for any tokenizer."""
    pieces = re.findall(r"[a-zA-Z]+|\S", text)
    return sum(-(-len(piece) // 3) if piece.isascii() else len(piece.encode()) for piece in pieces)
