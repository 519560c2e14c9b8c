"""Fills `memapp demo` with sample chats, memories, trash, consent requests and lessons."""

import tomllib
from dataclasses import replace

from memapp import paths
from memapp.domain.categories import NOTES
from memapp.domain.changes import Actor, Created
from memapp.domain.chat import Message, Origin, Role
from memapp.domain.utterance import RULES
from memapp.runtime import Runtime
from memapp.services import chats, curate, runs
from memapp.services.consent import requests
from memapp.services.lessons import curate as lessons
from memapp.services.reader import memory_of
from memapp.store import changes, chat
from memapp.tools.scripted import ScriptedTool

ORIGINS = {Role.USER: Origin.TYPED, Role.ASSISTANT: Origin.MODEL}


def fill(runtime: Runtime) -> None:
    """Fill an empty store; the last chat, in which something waits for the person, is the one that opens."""
    samples = tomllib.loads(paths.bundled("assets", "samples.toml").read_text("utf-8"))
    for command in samples["command"]:
        tool = ScriptedTool(command["tool"], "demo", {command["wrong"]: command["said"]})
        for action in (command["wrong"], command["correct"]):
            _, reported = runs.attempt(runtime, tool, action)
        if command.get("promoted"):
            lessons.promote(runtime, *reported.learned)
    for sample in samples["chat"]:
        with runtime.write() as session:
            thread = chat.create_thread(session, sample["title"], runtime.settings.persona, session.now)
            asked: str | None = None
            said: list[Message] = []
            for number, text in enumerate(sample["messages"]):
                role = (Role.USER, Role.ASSISTANT)[number % 2]
                reply_to = asked if role is Role.ASSISTANT else None
                written = chat.add_message(session, thread.id, role, text, session.now, origin=ORIGINS[role], reply_to=reply_to)
                asked = written.id
                said.append(written)
            for one in sample["kept"]:
                memory = memory_of(session, said[one["message"]], one["text"], NOTES)
                changes.apply(session, Created(replace(memory, pinned=one.get("pinned", False))), Actor(RULES, thread.id))
        for text in sample.get("forgotten", ()):  # remembered once, and trashed by the person: so there is an agent to judge
            with runtime.write() as session:
                memory = replace(memory_of(session, said[0], text, NOTES), sources=())
                changes.apply(session, Created(memory), Actor(RULES))
            curate.discard(runtime, memory.id)
        if waiting := sample.get("waiting"):
            message = said[waiting["message"]]
            memory = memory_of(runtime.read(), message, waiting["text"], NOTES)
            requests.propose(runtime, waiting["field"], waiting["value"], message_id=message.id, typed=True, memory=memory)
    chats.remember_choice(runtime, "thread", thread.id)
