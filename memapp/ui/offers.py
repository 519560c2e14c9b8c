"""What the command palette offers now: what can be done here, going elsewhere, and what works everywhere."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import SystemCommand
from textual.screen import Screen

from memapp.domain.text import shorten
from memapp.services import preferences
from memapp.ui.chat.palette import chat_commands
from memapp.ui.modes import MODES

if TYPE_CHECKING:
    from memapp.ui.app import MemappApp


def commands_now(app: "MemappApp", screen: Screen[Any]) -> Iterable[SystemCommand]:
    """Return the commands that make sense on this screen."""
    if app.is_open:
        if app.current_mode == "chat":
            yield from chat_commands(app.chat)
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
    last = app.chat.undone.last
    label = f"Undo: {shorten(last.label, 60)}" if last else "Undo the last change of a memory"
    return SystemCommand(label, "Take back what was done last (ctrl+z)", app.action_undo)


def _key_commands(screen: Screen[Any]) -> Iterable[SystemCommand]:
    """What the keys of a screen do, each action once; those that Textual gives every screen have no id."""
    own = [one.binding for one in screen.active_bindings.values() if one.node is screen and one.enabled and one.binding.id]
    for binding in {one.action: one for one in reversed(own)}.values():
        about = f"Here, with the key {screen.app.get_key_display(binding)}"
        yield SystemCommand(binding.description, about, partial(screen.run_action, binding.action))
