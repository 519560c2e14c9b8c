"""The sample conversations of `memapp demo`."""

import tomllib

from memapp import paths
from memapp.domain.chat import Origin, Role
from memapp.runtime import Runtime
from memapp.services import curate
from memapp.store import chat


def fill(runtime: Runtime) -> None:
    """Write the sample chats and facts into an empty store."""
    samples = tomllib.loads(paths.bundled("assets", "samples.toml").read_text("utf-8"))["chat"]
    for sample in samples:
        with runtime.database.write() as conn:
            now = runtime.clock()
            thread = chat.create_thread(conn, runtime.user_id, sample["title"], runtime.settings.persona, now)
            asked: str | None = None
            for number, text in enumerate(sample["messages"]):
                role = (Role.USER, Role.ASSISTANT)[number % 2]
                reply_to = asked if role is Role.ASSISTANT else None
                written = chat.add_message(
                    conn, runtime.user_id, thread.id, role, text, now, origin=Origin.IMPORT, reply_to=reply_to
                )
                asked = written.id
        for fact in sample["facts"]:
            curate.add(runtime, fact["text"], fact["tags"], pinned=fact.get("pinned", False))
