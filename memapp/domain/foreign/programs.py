"""The table of programs whose exports can be read, each recognised by an object's fields."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memapp.domain.foreign import (
    chatgpt,
    claude,
    database_rows,
    fact_lists,
    gemini,
    jan,
    letta,
    lm_studio,
    open_webui,
)
from memapp.domain.foreign.items import Found

KNOWN = (
    "ChatGPT, Claude, Gemini (Takeout, as JSON), Open WebUI, LM Studio, Jan, oterm, elia, mem0, "
    "the memory server of MCP, Letta, notes in Markdown (basic-memory, Obsidian), "
    "and facts as JSON Lines"
)
_OF_A_CHAT = frozenset({"role", "sender", "author", "conversation_id", "chat_id", "thread_id"})
"""An object with one of these fields belongs to a chat, and is no fact."""
MAX_WRAPPERS = 3


@dataclass(frozen=True, slots=True)
class Program:
    """A program, a kind of object in its exports, and the reader for that kind."""

    name: str
    marks: Mapping[str, object]
    """The fields of the object, each with a type or an exact value."""
    read: Callable[[Mapping[str, Any]], Iterator[Found]]

    def knows(self, data: Mapping[str, Any]) -> bool:
        return all(
            isinstance(data.get(name), mark) if isinstance(mark, type) else data.get(name) == mark
            for name, mark in self.marks.items()
        )


PROGRAMS = (
    Program("ChatGPT", {"mapping": dict}, chatgpt.read_chatgpt),
    Program("Claude", {"chat_messages": list}, claude.read_conversation),
    *(
        Program("Claude", {name: kind}, claude.read_memories)
        for name, kind in {
            "conversations_memory": str,
            "memory_files": list,
            "project_memories": dict,
        }.items()
    ),
    Program("Claude", {"docs": list}, claude.read_project),
    Program("Gemini", {"header": str, "title": str, "time": str}, gemini.read_activity),
    Program("Open WebUI", {"chat": dict}, open_webui.read_open_webui),
    Program("Letta", {"agents": list}, letta.read_agents),
    Program("Letta", {"core_memory": list, "messages": list}, letta.read_agent),
    Program("LM Studio", {"messages": list}, lm_studio.read_messages),
    Program("Jan", {"thread_id": str, "role": str}, jan.read_message),
    Program("Jan", {"object": "thread", "id": str}, jan.read_thread),
    Program("oterm or elia", {"program": str, "chat": str}, database_rows.read_row),
    Program("MCP", {"name": str, "observations": list}, fact_lists.read_entity),
    Program("MCP", {"from": str, "to": str, "relationType": str}, fact_lists.read_relation),
    *(Program("facts", {name: str}, fact_lists.read_fact) for name in fact_lists.TEXTS),
)
"""The first match reads the object."""


def program_of(data: object) -> Program | None:
    if not isinstance(data, dict):
        return None
    program = next((each for each in PROGRAMS if each.knows(data)), None)
    is_of_chat = not _OF_A_CHAT.isdisjoint(data)
    return None if program and program.name == "facts" and is_of_chat else program


def unwrapped(data: object, depth: int = MAX_WRAPPERS) -> Iterator[object]:
    """Yield the objects of an export, taken out of enclosing lists and objects."""
    values = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    inside = (
        []
        if program_of(data) or not depth
        else [value for value in values if value and isinstance(value, dict | list)]
    )
    for value in data if inside and isinstance(data, list) else inside:
        yield from unwrapped(value, depth - 1)
    if not inside and data != []:
        yield data
