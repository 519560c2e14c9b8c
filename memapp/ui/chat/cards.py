"""What opens above the conversation, or is gone to from there: a memory, a whole message, a link, something that was found."""

import asyncio

from memapp.domain.chat import Message, Role, Thread
from memapp.domain.memory import Recalled
from memapp.domain.text import shorten
from memapp.services import chats
from memapp.services.browse import Hit
from memapp.ui.chat.state import ChatState
from memapp.ui.dialogs import Question, TextCard
from memapp.ui.messages import MemoryWanted, ThreadWanted
from memapp.ui.safe import copy
from memapp.ui.widgets.labels import matched
from memapp.ui.widgets.transcript import Transcript


class Cards:
    """What is opened from one conversation."""

    def __init__(self, state: ChatState, transcript: Transcript) -> None:
        self._state = state
        self._runtime = state.runtime
        self._transcript = transcript

    async def go_to(self, hit: Hit) -> None:
        """Show what was found."""
        match hit.kind:
            case "memory":
                self._transcript.post_message(MemoryWanted(hit.id))
            case "message":
                await self.go_to_message(hit.id)
            case "thread":
                self._want(await asyncio.to_thread(chats.get_thread, self._runtime, hit.thread_id))

    async def go_to_message(self, message_id: str) -> None:
        """Show a message in its chat."""
        message = await asyncio.to_thread(chats.get_message, self._runtime, message_id)
        self._want(await asyncio.to_thread(chats.get_thread, self._runtime, message.thread_id), message)

    def _want(self, thread: Thread, at: Message | None = None) -> None:
        self._transcript.screen.post_message(ThreadWanted(thread, at))

    async def open_hit(self, hit: Recalled) -> None:
        """Show what stands behind a chip."""
        why = f"Used for this answer: it {matched(hit.why)}."
        if hit.kind == "memory":
            self._transcript.post_message(MemoryWanted(hit.id, why))
        else:
            message = await asyncio.to_thread(chats.get_message, self._runtime, hit.id)
            await self._read("You said" if hit.said_by == "user" else "An earlier answer", message, why, jump="go there")

    async def open_message(self, message: Message) -> None:
        """Show a whole message."""
        await self._read("You" if message.role is Role.USER else self._state.persona_name, message)

    async def follow(self, href: str) -> None:
        """Show where a link leads; it is opened only on a word of the person, and only if it is a web address."""
        web = href.startswith(("http://", "https://"))
        note = "This leaves memapp: your browser will open it." if web else "memapp opens only web addresses."
        question = Question("Open this link?", f"{shorten(href, 500)}\n\n{note}", "open it" if web else "close", "close")
        if await self._transcript.app.push_screen_wait(question) and web:
            self._transcript.app.open_url(href)

    async def _read(self, title: str, message: Message, note: str = "", *, jump: str = "") -> None:
        """Show a whole message, and do what the person then wants."""
        wanted = await self._transcript.app.push_screen_wait(TextCard(title, message.text, note=note, jump=jump))
        if wanted == "copy":
            copy(self._transcript, message.text)
        elif wanted == "jump":
            await self.go_to_message(message.id)
