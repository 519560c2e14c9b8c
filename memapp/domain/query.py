"""`memory.query`: the request and the response of the one interface through which agents read the
memory.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memapp.errors import UsageError


class QueryFilters(BaseModel):
    """Conditions that narrow a query; what is not given does not count. All are applied inside the
    SQL.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    user_id: str | None = None
    """Whose memory; it must be the caller's own."""
    agent_id: str | None = None
    """The persona that was talked to."""
    run_id: str | None = None
    """The thread it was learned in."""
    actor_id: str | None = Field(default=None, max_length=200)
    """Who wrote it: `person`, `rules`, `model` for any of them, `model:smollm2` for one."""
    role: Literal["user", "assistant"] | None = None
    """Who said the message it came from."""
    category: str | None = None
    """One of the agent's own; it narrows the categories of the request further."""
    pinned: bool | None = None
    importance_min: int | None = Field(default=None, ge=1, le=5)
    importance_max: int | None = Field(default=None, ge=1, le=5)
    updated_after: datetime | None = None
    updated_before: datetime | None = None


class QueryRequest(BaseModel):
    """What an agent asks for."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    agent: str = Field(min_length=1, max_length=40)
    query: str = Field(max_length=2000)
    categories: tuple[str, ...] = ()
    """Empty for all that the agent may read."""
    filters: QueryFilters = QueryFilters()
    threshold: float = Field(default=0.0, ge=0.0, le=2.0)
    """Hits with a lower score are dropped; above 0, nothing comes that is recalled whatever the
    question.

    A score is no likeness of 0 to 1 but the sum that `search --explain` prints: about 1 for a fact
    that says what is asked in the same words, about 0.3 for one that is only of the same matter;
    0.65 wants words and meaning both to agree.
    """
    top_k: int = Field(default=3, ge=1, le=50)
    returned: Literal["bullets", "full"] = Field(default="bullets", alias="return")
    budget_tokens: int = Field(default=512, ge=1, le=100_000)
    """For the texts together, counted with the model's own tokenizer."""


def read_request(given: str | Mapping[str, Any]) -> QueryRequest:
    """Check a request that came as JSON, or as its parts. Raises `UsageError` with what is wrong in
    it.
    """
    try:
        if isinstance(given, str):
            return QueryRequest.model_validate_json(given)
        return QueryRequest.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "JSON"
        raise UsageError(f"This is no request: {place}: {first['msg']}.") from None


class Bullet(BaseModel):
    """A memory in one line."""

    id: str
    category: str
    text: str
    """`[tasks] ...`"""


class Full(Bullet):
    """A memory with all that is known about it."""

    tags: tuple[str, ...]
    steps: tuple[str, ...]
    """Of a how-to."""
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
    """What an agent gets."""

    header: tuple[str, ...]
    """The delta header: what changed since the agent last asked."""
    memories: Sequence[Bullet]
    """Best first, in the form that was asked for."""
    left_out: int = 0
    """How many more there were no room for."""


def most_tokens(text: str) -> int:
    """Return how many tokens a text has at most, about, whatever the tokenizer: one for three
    letters of a word, else a byte.
    """
    pieces = re.findall(r"[a-zA-Z]+|\S", text)
    return sum(-(-len(piece) // 3) if piece.isascii() else len(piece.encode()) for piece in pieces)
