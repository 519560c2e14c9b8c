"""The state that the parts of Chat share: the open thread and the running turn."""

import asyncio
from dataclasses import dataclass

from memapp.domain.chat import Message, Thread
from memapp.services import chats
from memapp.services.chats import Trace
from memapp.ui.session import AppSession

MOST_THOUGHTS = 50
"""The number of replies whose thoughts stay in memory."""
MOST_THOUGHT_CHARS = 40_000
"""The length at which the thoughts of a reply are truncated."""


@dataclass
class RunningTurn:
    """The turn that is running or ran last; it continues while another chat is shown."""

    thread_id: str = ""
    reply: Message | None = None
    text: str = ""
    phase: str = ""
    """The current phase in words; empty if no turn is running."""
    stopped: bool = False
    """The person stopped the turn."""
    replaces: str = ""
    """The message that the next turn replaces: a retried answer or an edited message."""
    loop: Trace | None = None
    """The trace of the loop; None before the first turn of a chat."""

    @property
    def doing(self) -> str:
        """The current phase in words, or that the turn is stopping; empty if no turn is running."""
        return "Stopping…" if self.phase and self.stopped else self.phase

    def writes(self, message: Message) -> bool:
        """Return True if a message is the answer being written."""
        return bool(self.phase) and self.reply is not None and self.reply.id == message.id


class ThoughtStore:
    """The thoughts behind the last replies of this session, by reply id. Never saved."""

    def __init__(self) -> None:
        self._of_reply: dict[str, str] = {}

    def add(self, reply_id: str, text: str) -> str:
        """Add to the thoughts of a reply up to the limit; return the added part."""
        before = self._of_reply.pop(reply_id, "")
        added = text[: MOST_THOUGHT_CHARS - len(before)]
        self._of_reply[reply_id] = before + added
        if len(self._of_reply) > MOST_THOUGHTS:
            del self._of_reply[next(iter(self._of_reply))]
        return added

    def of(self, reply_id: str) -> str:
        return self._of_reply.get(reply_id, "")

    def clear(self) -> None:
        """Discard all thoughts: they may repeat erased words."""
        self._of_reply.clear()


class ChatState:
    """The state shared by the parts of Chat."""

    def __init__(self, session: AppSession) -> None:
        self.session = session
        self.runtime = session.runtime
        self.talk = session.talk
        self.thread: Thread | None = None
        """The open thread; None until a new chat has its first message."""
        self.persona_id = session.runtime.settings.persona
        """The persona of the open chat."""
        self.editing: Message | None = None
        """The earlier message in the composer that is being edited."""
        self.held_in: str | None = None
        """The chat of the message on its way, empty for a new chat; its turn settles the draft."""
        self.begun_by = 0
        """The turn that creates the open thread; 0 if the thread exists or was opened since."""
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
        """True while a message is on its way to a turn."""
        return self.held_in is not None

    @property
    def busy(self) -> bool:
        """True while a turn is running or a message is on its way."""
        return self.talk.busy or self.held

    @property
    def can_answer(self) -> bool:
        """True if a model is ready or loading."""
        return self.runtime.chat.state in ("ready", "loading")

    async def begin(self, thread: Thread) -> None:
        """Make a new thread the open one."""
        self.thread, self.begun_by = thread, 0
        await asyncio.to_thread(chats.remember_choice, self.runtime, "thread", thread.id)
        await asyncio.to_thread(chats.save_draft, self.runtime, "", "")
