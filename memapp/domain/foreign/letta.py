"""Letta's agent files `.af`: messages, and memory blocks but those about the agent itself."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from memapp.domain.foreign import items
from memapp.domain.foreign.items import Found, Unread, an_object, inner, listed, plain_text
from memapp.domain.foreign.notes import passages

_OWN = "persona"


def read_agents(data: Mapping[str, Any]) -> Iterator[Found]:
    """Yield the contents of a file in the current format."""
    yield from _blocks(listed(data, "blocks"))
    for number, agent in enumerate(map(an_object, data["agents"]), start=1):
        messages = listed(agent, "messages")
        first = next((plain_text(an_object(message).get("created_at")) for message in messages), "")
        contents, name = items.each(_said, messages), plain_text(agent.get("name"))
        yield from items.conversation(f"letta {name} {number} {first}", name, first, None, contents)


def read_agent(data: Mapping[str, Any]) -> Iterator[Found]:
    """Yield the contents of a file in the first format, which holds one agent."""
    yield from read_agents({"blocks": data["core_memory"], "agents": [data]})


def _blocks(blocks: list[Any]) -> Iterator[Found]:
    for block in map(an_object, blocks):
        label, value = plain_text(block.get("label")), block.get("value")
        if not isinstance(value, str):
            yield Unread("block without words")
        elif label == _OWN:
            yield Unread("block that tells of the agent")
        else:
            # Each line is a fact.
            yield from passages(value.replace("\n", "\n\n"), ["letta", label])


def _said(data: Mapping[str, Any]) -> Iterator[Found]:
    role, at = data.get("role"), data.get("created_at")
    content = data.get("content", data.get("text"))
    for call in map(an_object, listed(data, "tool_calls")):  # earlier agents spoke by a tool
        function = inner(call, "function")
        sent = (
            _json(function.get("arguments")).get("message")
            if function.get("name") == "send_message"
            else None
        )
        yield from items.message("assistant", sent, at) if sent else [Unread("tool call")]
    for item in items.worded(content, role, at):
        wrapped = (
            _json(item.text)
            if isinstance(item, items.ForeignMessage) and item.role == "user"
            else {}
        )
        if not wrapped:
            yield item
        elif wrapped.get("type") == "user_message":
            yield from items.message("user", wrapped.get("message"), at)
        else:
            yield Unread("message by letta")


def _json(text: object) -> Mapping[str, Any]:
    try:
        return an_object(json.loads(text)) if isinstance(text, str) else {}
    except (ValueError, RecursionError):
        return {}
