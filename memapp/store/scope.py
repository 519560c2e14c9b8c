"""The scope of a query: the visible memories, limited in SQL before anything is ranked or cut."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memapp.domain.query import QueryFilters
from memapp.store.encoding import to_json, to_text

_CONDITIONS = {
    "agent_id": "o.agent_id = :agent_id",
    "run_id": "o.run_id = :run_id",
    "actor_id": """EXISTS (SELECT 1 FROM history h
                           WHERE h.memory_id = o.id AND h.event = 'ADD'
                           AND :actor_id IN (h.actor,
                                             substr(h.actor, 1, instr(h.actor, ':') - 1)))""",
    "role": """EXISTS (SELECT 1 FROM memory_sources s JOIN messages m ON m.id = s.message_id
                       WHERE s.memory_id = o.id AND m.role = :role)""",
    "pinned": "o.pinned = :pinned",
    "importance_min": "o.importance >= :importance_min",
    "importance_max": "o.importance <= :importance_max",
    "updated_after": "o.updated_at >= :updated_after",
    "updated_before": "o.updated_at < :updated_before",
}


@dataclass(frozen=True, slots=True)
class Scope:
    """The memories that one query may see."""

    user_id: str
    categories: frozenset[str] | None = None
    """None for the person, who may see all."""
    recent_activity_since: datetime | None = None
    """The time from which memories of the category `activity` are visible."""
    filters: QueryFilters = field(default_factory=QueryFilters)

    @property
    def where(self) -> str:
        """Return the conditions, as SQL over `memories o` with named values."""
        conditions = ["o.user_id = :user", "o.state = 'live'"]
        if self.categories is not None:
            conditions.append(
                """(o.category IN (SELECT value FROM json_each(:categories))
                    OR o.category = 'activity' AND o.created_at >= :recent_since)"""
            )
        conditions += [_CONDITIONS[name] for name in self._given()]
        return " AND ".join(conditions)

    @property
    def values(self) -> dict[str, Any]:
        values: dict[str, Any] = {"user": self.user_id}
        if self.categories is not None:
            values["categories"] = to_json(sorted(self.categories))
            values["recent_since"] = (
                to_text(self.recent_activity_since) if self.recent_activity_since else "9"
            )
        for name, value in self._given().items():
            values[name] = (
                to_text(value)
                if isinstance(value, datetime)
                else int(value)
                if isinstance(value, bool)
                else value
            )
        return values

    def _given(self) -> dict[str, Any]:
        return {
            name: value
            for name in _CONDITIONS
            if (value := getattr(self.filters, name)) is not None
        }
