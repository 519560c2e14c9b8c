"""The episodes of a chat, which the job `episodes` made, as far as they may be shown."""

from collections.abc import Sequence

from memapp.domain.chat import Message, Role
from memapp.domain.memory import Memory
from memapp.runtime import Runtime
from memapp.services.recall.ordinary_sentences import is_tellable
from memapp.store import chat, memories

EPISODE = "episode"
"""The category of an episode; an event of the person's life has the category `event`."""
SHOWN = 6
"""The number of last episodes that a prompt shows."""


def episodes_of(runtime: Runtime, said: Sequence[Message]) -> list[Memory]:
    """Return the episodes made of any of the messages that may be shown, oldest first."""
    session = runtime.read()
    episodes = [
        memory
        for memory in memories.list_learned_from(session, [message.id for message in said])
        if memory.category == EPISODE
    ]
    shown = [memory for memory in episodes if is_tellable(runtime, memory)]
    return sorted(shown, key=lambda memory: memory.created_at)


def latest_episodes(runtime: Runtime, thread_id: str, before: int) -> tuple[str, ...]:
    """Return the last episodes of messages before `before`, which have left the prompt."""
    earlier = chat.list_messages(runtime.read(), thread_id, before=before)
    typed = [message for message in earlier if message.role is Role.USER]
    return tuple(memory.text for memory in episodes_of(runtime, typed)[-SHOWN:])
