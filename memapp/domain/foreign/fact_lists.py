"""Facts that memories of other programs hold: mem0, the reference memory server of MCP, and plain
lists of them.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from memapp.domain.foreign import found
from memapp.domain.foreign.found import Found, Unread, listed

TEXTS = ("memory", "text", "fact", "content")
"""Where lists of facts have the fact."""


def read_fact(data: Mapping[str, Any]) -> Iterator[Found]:
    text = next((data[name] for name in TEXTS if isinstance(data.get(name), str)), None)
    facts = list(
        found.fact(text, listed(data, "tags") or listed(data, "categories"), data.get("created_at"))
    )
    yield from facts or [Unread("fact without words")]


def read_entity(data: Mapping[str, Any]) -> Iterator[Found]:
    """Yield what the memory server of MCP observed of somebody or something."""
    for said in data["observations"]:
        about = f"{data['name']}: {said}" if isinstance(said, str) else ""
        yield from (
            found.fact(about, [data.get("entityType")]) if about else [Unread("fact without words")]
        )


def read_relation(data: Mapping[str, Any]) -> Iterator[Found]:
    yield from found.fact(f"{data['from']} {data['relationType'].replace('_', ' ')} {data['to']}")
