"""Fills `memapp demo`: chats of some weeks with their outcome, and something for each screen."""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from memapp import paths
from memapp.domain.categories import NOTES
from memapp.domain.changes import Actor, Created
from memapp.domain.chat import Message, Origin, Role
from memapp.domain.judgement import RULES
from memapp.domain.memory import Kind
from memapp.runtime import Runtime
from memapp.services import chats, council, curate, howtos, runs
from memapp.services.consent import requests
from memapp.services.learning import memory_from_message
from memapp.services.lessons import curate as lessons
from memapp.store import changes, chat
from memapp.tools.scripted import ScriptedTool

ORIGINS = {Role.USER: Origin.TYPED, Role.ASSISTANT: Origin.MODEL}


def fill(runtime: Runtime) -> None:
    """Fill an empty store; the last chat, with a pending request, is the one opened."""
    samples = tomllib.loads(paths.bundled("assets", "samples.toml").read_text("utf-8"))
    for command in samples["command"]:
        tool = ScriptedTool(command["tool"], "demo", {command["wrong"]: command["said"]})
        for action in (command["wrong"], command["correct"]):
            _, reported = runs.attempt(runtime, tool, action)
        if command.get("promoted"):
            lessons.promote(runtime, *reported.learned)
    howtos.add(runtime, samples["howto"])
    now = runtime.clock()
    clock, messages = runtime.clock, list[Message]()
    for sample in samples["chat"]:
        runtime.clock = partial(_days_before, now, sample["days"])
        messages = _write_chat(runtime, sample)
        _correct(runtime, sample, messages)
    runtime.clock = clock
    chats.remember_choice(runtime, "thread", messages[0].thread_id)


def _days_before(now: datetime, days: int) -> datetime:
    return now - timedelta(days=days)


def _write_chat(runtime: Runtime, sample: Mapping[str, Any]) -> list[Message]:
    """Write a chat with its memories; return its messages."""
    with runtime.write() as session:
        thread = chat.create_thread(session, sample["title"], runtime.settings.persona, session.now)
        messages: list[Message] = []
        for number, text in enumerate(sample["messages"]):
            role = (Role.USER, Role.ASSISTANT)[number % 2]
            reply_to = messages[-1].id if role is Role.ASSISTANT else None
            at = session.now - timedelta(minutes=len(sample["messages"]) - number)
            messages.append(
                chat.add_message(
                    session, thread.id, role, text, at, origin=ORIGINS[role], reply_to=reply_to
                )
            )
        for entry in sample.get("kept", ()):
            memory = memory_from_message(session, messages[entry["message"]], entry["text"], NOTES)
            if kind := entry.get("kind"):
                sources = tuple(message.id for message in messages if message.role is Role.USER)
                memory = replace(
                    memory,
                    kind=Kind(kind),
                    category=entry["category"],
                    origin="reflected",
                    sources=sources,
                )
            memory = replace(memory, pinned=entry.get("pinned", False))
            changes.apply(session, Created(memory), Actor(entry.get("by", RULES), thread.id))
    return messages


def _correct(runtime: Runtime, sample: Mapping[str, Any], messages: list[Message]) -> None:
    """Trash a wrong memory, decide a council and propose a value, as far as in the sample."""
    for text in sample.get("forgotten", ()):
        with runtime.write() as session:
            memory = replace(memory_from_message(session, messages[0], text, NOTES), sources=())
            changes.apply(session, Created(memory), Actor(RULES))
        curate.discard(runtime, memory.id)
    if held := sample.get("council"):
        list(council.hold(runtime, messages[0].id))
        for choice in held["takes"]:
            council.decide(
                runtime, council.of_messages(runtime, [messages[0].id])[messages[0].id].id, choice
            )
    if proposal := sample.get("waiting"):
        message = messages[proposal["message"]]
        memory = memory_from_message(runtime.read(), message, proposal["text"], NOTES)
        requests.propose(
            runtime,
            proposal["field"],
            proposal["value"],
            message_id=message.id,
            typed=True,
            memory=memory,
        )
