"""Fills `memapp demo`: chats of some weeks, what became of them, and something for each screen."""

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
from memapp.domain.memory import Kind
from memapp.domain.utterance import RULES
from memapp.runtime import Runtime
from memapp.services import chats, council, curate, howtos, runs
from memapp.services.consent import requests
from memapp.services.lessons import curate as lessons
from memapp.services.reader import memory_of
from memapp.store import changes, chat
from memapp.tools.scripted import ScriptedTool

ORIGINS = {Role.USER: Origin.TYPED, Role.ASSISTANT: Origin.MODEL}


def fill(runtime: Runtime) -> None:
    """Fill an empty store; the last chat, in which something waits for the person, is the one that
    opens.
    """
    samples = tomllib.loads(paths.bundled("assets", "samples.toml").read_text("utf-8"))
    for command in samples["command"]:
        tool = ScriptedTool(command["tool"], "demo", {command["wrong"]: command["said"]})
        for action in (command["wrong"], command["correct"]):
            _, reported = runs.attempt(runtime, tool, action)
        if command.get("promoted"):
            lessons.promote(runtime, *reported.learned)
    howtos.add(runtime, samples["howto"])
    now = runtime.clock()
    clock, said = runtime.clock, list[Message]()
    for sample in samples["chat"]:
        runtime.clock = partial(_then, now, sample["days"])
        said = _say(runtime, sample)
        _correct(runtime, sample, said)
    runtime.clock = clock
    chats.remember_choice(runtime, "thread", said[0].thread_id)


def _then(now: datetime, days: int) -> datetime:
    return now - timedelta(days=days)


def _say(runtime: Runtime, sample: Mapping[str, Any]) -> list[Message]:
    """Write a chat down with what is kept of it; return its messages."""
    with runtime.write() as session:
        thread = chat.create_thread(session, sample["title"], runtime.settings.persona, session.now)
        said: list[Message] = []
        for number, text in enumerate(sample["messages"]):
            role = (Role.USER, Role.ASSISTANT)[number % 2]
            reply_to = said[-1].id if role is Role.ASSISTANT else None
            at = session.now - timedelta(minutes=len(sample["messages"]) - number)
            said.append(
                chat.add_message(
                    session, thread.id, role, text, at, origin=ORIGINS[role], reply_to=reply_to
                )
            )
        for kept in sample.get("kept", ()):
            memory = memory_of(session, said[kept["message"]], kept["text"], NOTES)
            if kind := kept.get("kind"):
                sources = tuple(message.id for message in said if message.role is Role.USER)
                memory = replace(
                    memory,
                    kind=Kind(kind),
                    category=kept["category"],
                    origin="reflected",
                    sources=sources,
                )
            memory = replace(memory, pinned=kept.get("pinned", False))
            changes.apply(session, Created(memory), Actor(kept.get("by", RULES), thread.id))
    return said


def _correct(runtime: Runtime, sample: Mapping[str, Any], said: list[Message]) -> None:
    """Let the person trash what was remembered wrongly and take what a council found, and ask them
    something.
    """
    for text in sample.get("forgotten", ()):
        with runtime.write() as session:
            memory = replace(memory_of(session, said[0], text, NOTES), sources=())
            changes.apply(session, Created(memory), Actor(RULES))
        curate.discard(runtime, memory.id)
    if held := sample.get("council"):
        list(council.hold(runtime, said[0].id))
        for choice in held["takes"]:
            council.decide(
                runtime, council.of_messages(runtime, [said[0].id])[said[0].id].id, choice
            )
    if waiting := sample.get("waiting"):
        message = said[waiting["message"]]
        memory = memory_of(runtime.read(), message, waiting["text"], NOTES)
        requests.propose(
            runtime,
            waiting["field"],
            waiting["value"],
            message_id=message.id,
            typed=True,
            memory=memory,
        )
