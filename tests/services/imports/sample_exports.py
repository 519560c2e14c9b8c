"""Exports of other programs in the shape that those programs write, with contents made up; and the
harm that comes to each.

The shapes were compared with: ChatGPT, conversations that people made public (2024 to 2026) and
their parsers; Claude, what others wrote down of its archives of September 2026 and their fixtures;
Open WebUI, the code that folds thoughts into an answer; basic-memory, its parser of observations
and relations; mem0, what `get_all` returns; MCP's memory server, programs that write its file.
Nobody's own export was opened.
"""

import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

AT = 1769847300.0
"""2026-01-31, 08:15 UTC."""
ISO = "2026-01-31T08:15:00.000000Z"


def as_json(data: Any) -> Callable[[Path], None]:
    return lambda path: path.write_text(json.dumps(data), "utf-8") and None


def as_lines(*rows: Any) -> Callable[[Path], None]:
    return lambda path: path.write_text("\n".join(map(json.dumps, rows)), "utf-8") and None


def as_folder(**files: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for name, text in files.items():
            path = folder / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    return write


def as_zip(**files: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files.items():
                archive.writestr(name.replace("__", "/"), text)

    return write


def as_database(*statements: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            for statement in statements:
                connection.execute(statement)

    return write


def chatgpt_node(
    name: str, parent: str | None, role: str, *parts: Any, **more: Any
) -> dict[str, Any]:
    kind = "text" if all(isinstance(part, str) for part in parts) else "multimodal_text"
    content = {"content_type": kind, "parts": list(parts)}
    message = {
        "id": name,
        "author": {"role": role},
        "content": content,
        "create_time": AT,
        "recipient": "all",
        **more,
    }
    return {"id": name, "parent": parent, "children": [], "message": message}


CHATGPT = {
    "title": "Bees",
    "create_time": AT,
    "update_time": AT + 600,
    "conversation_id": "c-1",
    "current_node": "d",
    "mapping": {
        "root": {"id": "root", "parent": None, "children": ["a"], "message": None},
        "self": {
            "id": "self",
            "parent": "root",
            "message": {
                "author": {"role": "user"},
                "content": {
                    "content_type": "user_editable_context",
                    "user_profile": "...",
                    "user_instructions": "Be brief.",
                },
                "metadata": {
                    "is_visually_hidden_from_conversation": True,
                    "user_context_message_data": {
                        "about_user_message": "Preferred name: Ann\nRole: Baker\n"
                    },
                },
            },
        },
        "memory": {
            "id": "memory",
            "parent": "self",
            "message": {
                "author": {"role": "assistant"},
                "content": {
                    "content_type": "model_editable_context",
                    "model_set_context": (
                        "1. [2025-04-05]. User has two hives.\n\n2. User sells honey\n"
                        "in 2024. 3 jars a week."
                    ),
                },
            },
        },
        "a": chatgpt_node(
            "a", "memory", "user", {"content_type": "image_asset_pointer"}, "How many hives?"
        ),
        "old": chatgpt_node("old", "a", "assistant", "Ten."),
        "b": chatgpt_node("b", "a", "assistant", "User keeps bees.", recipient="bio"),
        "c": chatgpt_node("c", "b", "tool", "Model set context updated."),
        "thought": {
            "id": "t",
            "parent": "c",
            "message": {"author": {"role": "assistant"}, "content": {"content_type": "thoughts"}},
        },
        "d": chatgpt_node(
            "d",
            "thought",
            "assistant",
            (
                'Two\ue200cite\ue202turn0search1\ue201, in \ue200entity\ue202["city","Ghent","a '
                'city"]\ue201.'
            ),
        ),
    },
}
CLAUDE = {
    **{"uuid": "u-1", "name": "Tea", "summary": "", "created_at": ISO, "updated_at": ISO,
        "account": {"uuid": "x"}},
    "chat_messages": [
        {"uuid": "1", "sender": "human", "text": "Hello", "content": [{"type": "text",
            "text": "Hello"}], "created_at": ISO,
         "attachments": [{"file_name": "a.txt"}], "files": []},
        {"uuid": "2", "sender": "assistant", "text": "Hi.", "created_at": ISO, "attachments": [],
            "files": [],
         "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Hi."}]},
    ],
}  # fmt: skip
MEMORIES = [{
    "conversations_memory": "**Work context**\n\nUser keeps bees. They sell honey.\n\n"
        "- Prefers short answers",
    "project_memories": {"p-1": "The hive log is written in Rust."},
    "account_uuid": "x",
}, {
    "memory_files": [{"path": "/people/noor.md", "content": "# Noor\n\n- Plays the cello\n",
        "updated_at": ISO}],
    "project_memories": [],
}]  # fmt: skip
PROJECT = {
    **{
        "uuid": "p-1",
        "name": "Hive log",
        "description": "A log of two hives.",
        "is_private": True,
        "created_at": ISO,
    },
    **{
        "prompt_template": "You are terse.",
        "docs": [{"uuid": "d", "filename": "a.md", "content": "Notes."}],
    },
}
GEMINI = [
    {"header": "Gemini Apps", "title": "Prompted And wasps?", "time": "2026-01-31T09:00:00Z",
        "products": ["Gemini Apps"],
     "safeHtmlItem": [{"html": "<p>They <b>hunt</b> &amp; eat.</p><ul><li>Flies</li></ul>"}]},
    {"header": "Gemini Apps", "title": "Prompted What do bees eat?", "time": "2026-01-31T08:00:00Z",
        "products": ["Gemini Apps"],
     "safeHtmlItem": [{"html": "<p>Nectar.</p>"}], "attachedFiles": ["a.png"]},
    {"header": "Gemini Apps", "title": "Gave feedback: good", "time": "2026-01-31T07:00:00Z",
        "products": ["Gemini Apps"]},
    {"header": "Search", "title": "Searched for bees", "time": "2026-01-31T07:00:00Z",
        "products": ["Search"]},
]  # fmt: skip
OPEN_WEBUI = {
    **{"id": "w-1", "user_id": "x", "title": "Bees", "updated_at": AT, "created_at": AT,
        "archived": False},
    "chat": {
        "title": "Bees",
        "history": {
            "currentId": "b",
            "messages": {
                "a": {"id": "a", "parentId": None, "childrenIds": ["old", "b"], "role": "user",
                    "content": "Hi", "timestamp": AT,
                      "files": [{"type": "image"}]},
                "old": {"id": "old", "parentId": "a", "childrenIds": [], "role": "assistant",
                    "content": "No.", "timestamp": AT},
                "b": {"id": "b", "parentId": "a", "childrenIds": [], "role": "assistant",
                    "timestamp": AT,
                      "content": ('<details type="reasoning" done="true">\n'
                      '<summary>Thought</summary>\n'
                      '> Hm.\n</details>\nYes.')},
            },
        },
    },
}  # fmt: skip
LM_STUDIO = {
    **{"name": "Bees", "pinned": False, "createdAt": AT * 1000, "preset": "", "tokenCount": 9,
        "systemPrompt": ""},
    "messages": [
        {"currentlySelected": 0, "versions": [
            {"type": "singleStep", "role": "user", "content": [{"type": "text", "text": "Hi"}]}]},
        {"currentlySelected": 1, "versions": [
            {"type": "multiStep", "role": "assistant", "steps": []},
            {"type": "multiStep", "role": "assistant", "steps": [
                {"type": "contentBlock", "stepIdentifier": "1769847360000-0.5",
                    "content": [{"type": "text", "text": "Yes."}]},
                {"type": "debugInfoBlock", "debugInfo": "x"},
                {"type": "toolStatus"}]}]},
    ],
}  # fmt: skip


def jan_message(role: str, text: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": {"value": text, "annotations": []}}]
    return {
        "id": text,
        "object": "thread.message",
        "thread_id": "j-1",
        "role": role,
        "content": content,
        **more,
    }


JAN = {
    "j-1__messages.jsonl": "\n".join(json.dumps(jan_message(role, text,
        created_at=AT * 1000)) for role, text in
                                     (("user", "Hi"), ("assistant", "Yes."),
                                         ("system", "Be nice."))),
    "j-1__thread.json": json.dumps({"id": "j-1", "object": "thread", "title": "Bees", "created": AT,
        "updated": AT,
                                    "assistants": [{"id": "jan"}]}),
}  # fmt: skip
OTERM = (
    (
        'CREATE TABLE "chat" ("id" INTEGER PRIMARY KEY, "name" TEXT, "model" TEXT NOT NULL, '
        '"system" TEXT)'
    ),
    (
        'CREATE TABLE "message" ("id" INTEGER PRIMARY KEY, "chat_id" INTEGER, "author" TEXT, '
        '"text" TEXT, "images" TEXT)'
    ),
    "INSERT INTO chat VALUES (1, 'Bees', 'm', '')",
    """INSERT INTO message
       VALUES (1, 1, 'user', 'Hi', '["aGk="]'), (2, 1, 'assistant', 'Yes.', '[]')""",
)
ELIA = (
    (
        "CREATE TABLE chat (id INTEGER PRIMARY KEY, model VARCHAR, title VARCHAR, "
        "started_at DATETIME, archived BOOLEAN)"
    ),
    """CREATE TABLE message (
       id INTEGER PRIMARY KEY, chat_id INTEGER, role VARCHAR, content VARCHAR, timestamp DATETIME,
       meta JSON, parent_id INTEGER, model VARCHAR)""",
    "INSERT INTO chat VALUES (1, 'm', 'Bees', '2026-01-31 08:15:00.5', 0)",
    """INSERT INTO message (chat_id, role, content, timestamp) VALUES
       (1, 'system', 'Be nice.', '2026-01-31 08:15:00'),
       (1, 'user', 'Hi', '2026-01-31 08:15:01'), (1, 'assistant', 'Yes.', NULL)""",
)
OPEN_WEBUI_TABLES = (
    (
        "CREATE TABLE chat (id TEXT PRIMARY KEY, user_id TEXT, title TEXT, chat JSON, "
        "created_at INTEGER, updated_at INTEGER)"
    ),
    (
        "CREATE TABLE memory (id TEXT, user_id TEXT, content TEXT, updated_at INTEGER, "
        "created_at INTEGER)"
    ),
    (
        f"INSERT INTO chat VALUES ('w-1', 'x', 'Bees', '{json.dumps(OPEN_WEBUI['chat'])}', "
        f"{AT:.0f}, {AT:.0f})"
    ),
    f"INSERT INTO memory VALUES ('1', 'x', 'User keeps bees.', {AT:.0f}, {AT:.0f})",
)
MEM0 = {"results": [
    {"id": "1", "memory": "Keeps bees", "hash": "x", "metadata": None, "created_at": ISO,
        "user_id": "x", "categories": ["pets"]},
    {"id": "2", "memory": "", "created_at": ISO},
]}  # fmt: skip
MCP = (
    {
        "type": "entity",
        "name": "default_user",
        "entityType": "person",
        "observations": ["Keeps bees", "Speaks Dutch"],
    },
    {"type": "relation", "from": "default_user", "to": "Bee club", "relationType": "member_of"},
)
LETTA = {
    "agents": [{"name": "Sam", "id": "agent-0", "block_ids": ["block-0"], "messages": [
        {"role": "system", "content": [{"type": "text", "text": "Base instructions."}],
            "created_at": ISO},
        {"role": "user", "content": [{"type": "text", "text": json.dumps({"type": "user_message",
            "message": "Hi"})}],
         "created_at": ISO},
        {"role": "user", "content": [{"type": "text", "text": json.dumps({"type": "login"})}],
            "created_at": ISO},
        {"role": "assistant", "content": [], "created_at": ISO, "tool_calls": [
            {"function": {"name": "send_message", "arguments": json.dumps({"message": "Yes."})}}]},
        {"role": "tool", "content": [{"type": "text", "text": "None"}], "created_at": ISO},
    ]}],
    "blocks": [{"label": "human", "value": "Name: Ann\nKeeps: bees\n"},
        {"label": "persona", "value": "I am Sam."}],
    **{"groups": [], "files": [], "sources": [], "tools": [], "mcp_servers": []},
}  # fmt: skip
BASIC_MEMORY = """---
title: Coffee
type: note
permalink: coffee-notes
tags:
- drinks
- '#morning'
---

# Coffee

## Observations
- [method] Pour over is clearer #brewing (tried it)
- [fact] Caffeine keeps me awake

## Relations
- pairs_well_with [[Chocolate|dark chocolate]]
- "is made by" [[Anna]] (weekdays)
- Ask [[Tom]] about [[beans]]
"""
OBSIDIAN = """I keep **bees** with [[Anna Berg|Anna]].
They are on the roof.

- [ ] buy sugar
- likes ==heather== ![[hive.png]]

| a | b |
|---|---|

```python
secret = 1
```
"""
