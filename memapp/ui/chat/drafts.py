"""What is being typed, kept at each pause: it survives a crash, another chat, and leaving."""

import asyncio

from memapp.domain.chat import MAX_MESSAGE_CHARS
from memapp.errors import MemappError
from memapp.runtime import Runtime
from memapp.services import chats
from memapp.ui.chat.state import ChatState
from memapp.ui.widgets.composer import Composer

Spans = tuple[tuple[int, int], ...]


class Drafts:
    """The drafts of one composer, one for each chat."""

    def __init__(self, state: ChatState, composer: Composer) -> None:
        self._state = state
        self._composer = composer
        self._one_at_a_time = asyncio.Lock()
        self.put_aside: tuple[str, Spans] | None = None
        """What was being typed before an earlier message was taken into the composer."""

    async def save(self) -> None:
        """Keep what stands in the composer."""
        if self._state.held or self.put_aside is not None:
            return
        composer = self._composer
        async with self._one_at_a_time:
            await asyncio.to_thread(_save, self._state.runtime, self._state.thread_id, composer.text, composer.pasted)

    async def leave(self) -> None:
        """Keep what stands in the composer, with what is written meanwhile, and empty it."""
        composer, kept = self._composer, None
        while composer.text != kept:
            kept = composer.text
            await self.save()
        composer.clear_text()

    async def load(self) -> None:
        """Put the draft of the shown chat into the composer, unless something stands there already."""
        composer = self._composer
        if composer.text:
            return
        draft = await asyncio.to_thread(_load, self._state.runtime, self._state.thread_id)
        if not composer.text:
            composer.fill(*draft)

    def save_now(self) -> None:
        """Keep what is being typed before the app ends; a message on its way stays the draft until its turn has saved it."""
        if self._state.held:
            return
        composer = self._composer
        text, pasted = self.put_aside or (composer.text, composer.pasted)
        try:
            _save(self._state.runtime, self._state.thread_id, text, pasted)
        except MemappError:
            return  # leaving must not fail; the last pause was saved


def _save(runtime: Runtime, thread_id: str, text: str, pasted: Spans) -> None:
    if text == chats.get_draft(runtime, thread_id):
        return
    if pasted or chats.choice(runtime, f"pasted:{thread_id}"):
        chats.remember_choice(runtime, f"pasted:{thread_id}", pasted)
    chats.save_draft(runtime, thread_id, text[:MAX_MESSAGE_CHARS])


def _load(runtime: Runtime, thread_id: str) -> tuple[str, Spans]:
    spans = chats.choice(runtime, f"pasted:{thread_id}", [])
    pasted = tuple((int(start), int(end)) for start, end in spans) if isinstance(spans, list) else ()
    return chats.get_draft(runtime, thread_id), pasted
