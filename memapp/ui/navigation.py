"""Navigation: from any screen to a mode, a chat, a message or a memory."""

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING

from memapp.ui.background import background
from memapp.ui.messages import MemoryWanted, MessageWanted, ModeWanted, ThreadWanted
from memapp.ui.modes import MODES
from memapp.ui.safe_text import notify
from memapp.ui.terminal_app import TerminalApp

if TYPE_CHECKING:
    from memapp.runtime import Runtime
    from memapp.ui.screens.chat import ChatScreen
    from memapp.ui.screens.mode import ModeScreen
    from memapp.ui.session import AppSession


def mode_screens() -> "dict[str, type[ModeScreen]]":
    """Return the screen of each mode except the chat, which exists from the start."""
    modules = {
        mode: import_module(f"memapp.ui.screens.{mode.name}")
        for mode in MODES
        if mode.name != "chat"
    }
    return {mode.name: getattr(module, mode.screen) for mode, module in modules.items()}


class NavigatedApp(TerminalApp):
    """The part of the app that changes the screen."""

    runtime: "Runtime"
    session: "AppSession"
    chat: "ChatScreen"

    async def action_mode(self, mode: str) -> None:
        """Go to a mode; in the chat, focus the composer."""
        await self._go_to(mode)
        if self.screen is self.chat:
            self.chat.composer.focus()

    async def _go_to(self, mode: str) -> None:
        leave = getattr(self.screen, "action_leave", None)
        if len(self.screen_stack) == 1:
            if mode != self.current_mode and self.is_running:
                await self.switch_mode(mode)
        elif leave is None or self.screen.query("Input, TextArea"):
            notify(self, "esc closes this first.")
        else:
            leave()
            self.call_later(self.action_mode, mode)

    async def on_mode_wanted(self, event: ModeWanted) -> None:
        from memapp.ui.screens.mode import ModeScreen

        await self._go_to(event.mode)
        if event.at and isinstance(self.screen, ModeScreen) and event.mode == self.screen.MODE:
            self.screen.show_at(event.at)

    async def on_thread_wanted(self, event: ThreadWanted) -> None:
        self.chat.open_thread(event.thread)
        await self.action_mode("chat")

    @background("open", exclusive=True)
    async def on_message_wanted(self, event: MessageWanted) -> None:
        from memapp.services import chats

        # The chat comes first: messages have a place only in a visible screen.
        await self.action_mode("chat")
        message = await asyncio.to_thread(chats.get_message, self.runtime, event.message_id)
        thread = await asyncio.to_thread(chats.get_thread, self.runtime, message.thread_id)
        self.chat.open_thread(thread, message)

    @background("open", exclusive=True)
    async def on_memory_wanted(self, event: MemoryWanted) -> None:
        from memapp.services import curate
        from memapp.ui.memories.card import MemoryCard

        memory = await asyncio.to_thread(curate.get, self.runtime, event.memory_id)
        await self.push_screen(MemoryCard(self.session, memory, event.why))

    def action_find(self) -> None:
        if not self.screen.query("#find"):
            self.chat.find()
