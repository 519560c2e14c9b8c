"""What the command palette offers in Chat: every action that has a key there, and some that have none."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from textual.app import SystemCommand

from memapp.domain.text import shorten

if TYPE_CHECKING:
    from memapp.ui.screens.chat import ChatScreen

ON_MESSAGES = (
    ("Copy a message", "The chosen or the last one (y)", "copy"),
    ("Edit and send again", "The chosen or the last one (e)", "edit"),
    ("Remember a message", "The chosen or the last one (m)", "remember"),
    ("Open a message or memory", "The chosen or the last one (enter)", "open"),
    ("Go to the first message shown", "The beginning of what is on the screen (g)", "first"),
    ("Go to the end", "The last message of this chat (G)", "last"),
)


def chat_commands(screen: "ChatScreen") -> Iterable[SystemCommand]:
    """Return the commands that make sense now."""
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
