"""Facts in the exports of mem0 and the reference memory server of MCP, and in plain lists."""

from collections.abc import Iterator, Mapping
from typing import Any

from memapp.domain.foreign import items
from memapp.domain.foreign.items import Found, Unread, listed

TEXTS = ("memory", "text", "fact", "content")
"""The fields that may hold the text of a fact."""


def read_fact(data: Mapping[str, Any]) -> Iterator[Found]:
    text = next((data[name] for name in TEXTS if isinstance(data.get(name), str)), None)
    facts = list(
        items.fact(text, listed(data, "tags") or listed(data, "categories"), data.get("created_at"))
    )
    yield from facts or [Unread("fact without words")]


def read_entity(data: Mapping[str, Any]) -> Iterator[Found]:
    """Yield the observations about an entity in the memory server of MCP."""
    for observation in data["observations"]:
        about = f"{data['name']}: {observation}" if isinstance(observation, str) else ""
        yield from (
            items.fact(about, [data.get("entityType")]) if about else [Unread("fact without words")]
        )


def read_relation(data: Mapping[str, Any]) -> Iterator[Found]:
    yield from items.fact(f"{data['from']} {data['relationType'].replace('_', ' ')} {data['to']}")
