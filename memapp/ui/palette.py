"""The command palette: chats by title, what can be done here, going elsewhere, and what works everywhere.

All of it may hold the person's own words.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from textual.app import SystemCommand
from textual.command import DiscoveryHit, Hit, Provider
from textual.screen import Screen

from memapp.domain.text import shorten
from memapp.services import chats, preferences
from memapp.ui.modes import MODES
from memapp.ui.safe import marked, plain, row

if TYPE_CHECKING:
    from memapp.ui.app import MemappApp
    from memapp.ui.screens.chat import ChatScreen

MOST = 12
BY_HELP = 0.2
"""How good a hit is of which only the explanation holds the words."""
ON_MESSAGES = (
    ("Copy a message", "The chosen or the last one (y)", "copy"),
    ("Edit and send again", "The chosen or the last one (e)", "edit"),
    ("Remember a message", "The chosen or the last one (m)", "remember"),
    ("Open a message or memory", "The chosen or the last one (enter)", "open"),
    ("Go to the first message shown", "The beginning of what is on the screen (g)", "first"),
    ("Go to the end", "The last message of this chat (G)", "last"),
)


class Offered(Provider):
    """Actions, then chats."""

    async def discover(self) -> AsyncIterator[DiscoveryHit]:
        """Offer every action."""
        for name, help_text, callback, *_ in self.app.get_system_commands(self.screen):
            yield DiscoveryHit(plain(name), callback, text=plain(name).plain, help=cast(Any, plain(help_text)))

    async def search(self, query: str) -> AsyncIterator[Hit]:
        """Offer what fits what is typed."""
        matcher = self.matcher(query)
        for name, help_text, callback, *_ in self.app.get_system_commands(self.screen):
            shown = plain(name).plain
            helps = all(word in help_text.lower() for word in query.lower().split())
            if (score := matcher.match(shown) or BY_HELP * helps) > 0:
                found = marked(shown, query.split(), "bold underline")
                yield Hit(score, found, callback, text=shown, help=cast(Any, plain(help_text)))
        app = cast("MemappApp", self.app)
        if app.is_open:
            threads = await asyncio.to_thread(chats.list_threads, app.runtime, query, limit=MOST)
            for thread in threads:
                title = row(thread.title, 100).plain
                found = marked(title, query.split(), "bold underline")
                open_it = partial(app.open_thread, thread)
                yield Hit(0.3, found, open_it, text=title, help=cast(Any, plain("Open this chat")))


def commands_now(app: "MemappApp", screen: Screen[Any]) -> Iterable[SystemCommand]:
    """Return the commands that make sense on this screen."""
    if app.is_open:
        if app.current_mode == "chat":
            yield from _chat_commands(app.chat)
        yield _undo(app)
        yield SystemCommand("Find anything", "Chats, messages and memories (ctrl+f)", app.action_find)
        for mode in MODES:
            yield SystemCommand(mode.label, f"{mode.about} ({mode.key})", partial(app.call_later, app.action_mode, mode.name))
        if app.current_mode != "chat":
            yield from _key_commands(screen)
        for key in preferences.choices(app.runtime, "theme"):
            yield SystemCommand(f"Theme: {key}", "Use these colours", partial(app.use_theme, key))
    yield SystemCommand("Help", "Keys that work here (F1)", app.action_toggle_help)
    yield SystemCommand("Quit", "Leave memapp (ctrl+q)", partial(app.call_later, app.action_quit))


def _undo(app: "MemappApp") -> SystemCommand:
    last = app.session.undone.last
    label = f"Undo: {shorten(last.label, 60)}" if last else "Undo the last change of a memory"
    return SystemCommand(label, "Take back what was done last (ctrl+z)", app.action_undo)


def _key_commands(screen: Screen[Any]) -> Iterable[SystemCommand]:
    """What the keys of a screen do, each action once; those that Textual gives every screen have no id."""
    own = [one.binding for one in screen.active_bindings.values() if one.node is screen and one.enabled and one.binding.id]
    for binding in {one.action: one for one in reversed(own)}.values():
        about = f"Here, with the key {screen.app.get_key_display(binding)}"
        yield SystemCommand(binding.description, about, partial(screen.run_action, binding.action))


def _chat_commands(screen: "ChatScreen") -> Iterable[SystemCommand]:
    """Offer in Chat every action that has a key there, and some that have none."""
    yield SystemCommand("New chat", "ctrl+n", screen.action_new)
    yield SystemCommand("Show or hide the chats", "ctrl+b", screen.action_threads)
    yield SystemCommand("Show or hide the loop", "What memapp expected, needed and found (ctrl+t)", screen.action_drawer)
    for key, persona in screen.runtime.personas.items():
        name = shorten(persona.name, 40)
        yield SystemCommand(f"New chat with {name}", f"/persona {key}", partial(screen.new_chat_with, key))
    yield SystemCommand("Remember something", "Write a memory by hand (/remember)", partial(screen.write_memory, ""))
    yield SystemCommand("Write in your editor", "The one that EDITOR names (ctrl+g)", screen.composer.action_editor)
    if screen.busy:
        yield SystemCommand("Stop the answer", "Keeps what there is (esc)", screen.action_stop)
    elif screen.transcript.last_answer is not None:
        if not screen.transcript.in_own_words:
            yield SystemCommand("Answer again", "Keeps the old answer as a variant (ctrl+r)", screen.action_retry)
        if screen.transcript.replied is not None and screen.transcript.replied.cut:
            yield SystemCommand("Go on with the last answer", "It ended at its length limit (o)", screen.sending.go_on)
    if screen.transcript.bubbles:
        for label, about, action in ON_MESSAGES:
            deed = getattr(screen.transcript, f"action_{action}")
            yield SystemCommand(label, about, deed)
    if screen.thread is not None:
        yield SystemCommand("Rename this chat", "e in the list of chats", partial(screen.threads.rename, screen.thread))
        yield SystemCommand("Delete this chat", "ctrl+z brings it back", partial(screen.threads.delete, screen.thread))
        if not screen.busy:
            yield SystemCommand("Erase this chat for good", "Asks for a typed word", partial(screen.threads.erase, screen.thread))
    yield SystemCommand("Deleted chats", "Bring one back", screen.threads.bring_back)
