"""The state of Chat, which its parts share: the chat on the screen, the message on its way, the
running turn.
"""

import asyncio
from dataclasses import dataclass

from memapp.domain.chat import Message, Thread
from memapp.services import chats
from memapp.services.chats import Trace
from memapp.ui.session import AppSession

MOST_THOUGHTS = 50
"""Replies whose thoughts stay in memory."""
MOST_THOUGHT_CHARS = 40_000
"""Of the thoughts of one reply."""


@dataclass
class RunningTurn:
    """What is known of the turn that runs, or ran last; it goes on while another chat is shown."""

    thread_id: str = ""
    reply: Message | None = None
    text: str = ""
    phase: str = ""
    """What it is doing, in words; empty when none runs."""
    stopped: bool = False
    """The person stopped it."""
    replaces: str = ""
    """The message that the coming turn replaces: an answer that is retried, or a message that is
    edited.
    """
    loop: Trace | None = None
    """What the loop did in it; None before the first turn of a chat."""

    @property
    def doing(self) -> str:
        """What is said of it; empty when none runs."""
        return "Stopping…" if self.phase and self.stopped else self.phase

    def writes(self, message: Message) -> bool:
        """Say whether this is the answer that is being written."""
        return bool(self.phase) and self.reply is not None and self.reply.id == message.id


class ThoughtStore:
    """The thoughts behind the last replies of this session, by reply id. They are kept in memory
    alone.
    """

    def __init__(self) -> None:
        self._of_reply: dict[str, str] = {}

    def add(self, reply_id: str, text: str) -> str:
        """Add to the thoughts of a reply, as far as there is room; return what was added."""
        before = self._of_reply.pop(reply_id, "")
        added = text[: MOST_THOUGHT_CHARS - len(before)]
        self._of_reply[reply_id] = before + added
        if len(self._of_reply) > MOST_THOUGHTS:
            del self._of_reply[next(iter(self._of_reply))]
        return added

    def of(self, reply_id: str) -> str:
        return self._of_reply.get(reply_id, "")

    def clear(self) -> None:
        """Drop all thoughts: they may repeat erased words."""
        self._of_reply.clear()


class ChatState:
    """What the parts of Chat have in common."""

    def __init__(self, session: AppSession) -> None:
        self.session = session
        self.runtime = session.runtime
        self.talk = session.talk
        self.thread: Thread | None = None
        """The chat on the screen; None until a new one has its first message."""
        self.persona_id = session.runtime.settings.persona
        """Who answers in the chat on the screen."""
        self.editing: Message | None = None
        """An earlier message that the composer holds, to be sent in other words."""
        self.held_in: str | None = None
        """Where a message was written that is on its way, empty for a new chat; its turn settles
        the draft itself.
        """
        self.begun_by = 0
        """The turn that begins the chat on the screen; 0 where that is there, or was opened since.
        """
        self.turn = RunningTurn()
        self.thoughts = ThoughtStore()

    @property
    def thread_id(self) -> str:
        return self.thread.id if self.thread else ""

    @property
    def persona_name(self) -> str:
        return self.runtime.persona(self.persona_id).name

    @property
    def held(self) -> bool:
        """A message is on its way to a turn."""
        return self.held_in is not None

    @property
    def busy(self) -> bool:
        """A turn is running, or a message is on its way to one."""
        return self.talk.busy or self.held

    @property
    def can_answer(self) -> bool:
        """There is a model, or one is on its way."""
        return self.runtime.chat.state in ("ready", "loading")

    async def begin(self, thread: Thread) -> None:
        """Let a thread be the chat on the screen, which was a new one without messages."""
        self.thread, self.begun_by = thread, 0
        await asyncio.to_thread(chats.remember_choice, self.runtime, "thread", thread.id)
        await asyncio.to_thread(chats.save_draft, self.runtime, "", "")
