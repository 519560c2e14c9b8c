"""Fills `memapp demo` with sample chats, memories, trash and consent requests."""

import tomllib

from memapp import paths
from memapp.domain.chat import Origin, Role
from memapp.runtime import Runtime
from memapp.services import chats, curate
from memapp.services.consent import requests
from memapp.store import chat

ORIGINS = {Role.USER: Origin.TYPED, Role.ASSISTANT: Origin.MODEL}


def fill(runtime: Runtime) -> None:
    """Fill an empty store; the last chat, in which something waits for the person, is the one that opens."""
    samples = tomllib.loads(paths.bundled("assets", "samples.toml").read_text("utf-8"))["chat"]
    for sample in samples:
        with runtime.write() as session:
            thread = chat.create_thread(session, sample["title"], runtime.settings.persona, session.now)
            asked: str | None = None
            ids = []
            for number, text in enumerate(sample["messages"]):
                role = (Role.USER, Role.ASSISTANT)[number % 2]
                reply_to = asked if role is Role.ASSISTANT else None
                written = chat.add_message(session, thread.id, role, text, session.now, origin=ORIGINS[role], reply_to=reply_to)
                asked = written.id
                ids.append(written.id)
        for fact in sample["facts"]:
            curate.add(runtime, fact["text"], fact["tags"], pinned=fact.get("pinned", False))
        if sample.get("forgotten"):
            added = [curate.add(runtime, text).memory_id for text in sample["forgotten"]]
            curate.discard(runtime, *added)
        if waiting := sample.get("waiting"):
            message_id = ids[waiting["message"]]
            requests.propose(runtime, waiting["field"], waiting["value"], message_id=message_id, typed=True)
    chats.remember_choice(runtime, "thread", thread.id)
