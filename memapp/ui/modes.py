"""The modes that there are: their names, what the top line and the palette call them, and the screens that show them."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from textual.screen import Screen

from memapp.runtime import Runtime

if TYPE_CHECKING:
    from memapp.ui.app import MemappApp
    from memapp.ui.screens.mode import ModeScreen


class Mode(NamedTuple):
    """A part of memapp that a function key opens."""

    name: str
    label: str
    key: str
    about: str


MODES = (
    Mode("chat", "Chat", "F2", "Talk"),
    Mode("memories", "Memories", "F3", "All that is remembered"),
    Mode("inbox", "Inbox", "F4", "What waits for your word, and your profile"),
    Mode("trash", "Trash", "F5", "What is in the trash, and the way back"),
    Mode("activity", "Activity", "F7", "What was done, and taking it back"),
    Mode("models", "Models", "F8", "Choose the model that answers"),
    Mode("settings", "Settings", "F9", "Every knob"),
)


def screens() -> "dict[str, type[ModeScreen]]":
    """Return the screen of each mode but the chat, which is there from the beginning."""
    from memapp.ui.screens import activity, inbox, memories, models, settings, trash

    kinds: tuple[type[ModeScreen], ...] = (
        memories.MemoriesScreen,
        inbox.InboxScreen,
        trash.TrashScreen,
        activity.ActivityScreen,
        models.ModelsScreen,
        settings.SettingsScreen,
    )
    return {kind.MODE: kind for kind in kinds}


def add_to(app: "MemappApp", runtime: Runtime) -> None:
    """Let the app build the screen of a mode when it is opened for the first time."""
    app.add_mode("chat", partial(_styled, app, lambda: app.chat))
    for mode, kind in screens().items():
        app.add_mode(mode, partial(_styled, app, partial(kind, runtime)))


def _styled(app: "MemappApp", build: Callable[[], Screen[Any]]) -> Screen[Any]:
    """Return a screen that Textual need not style again.

    All style was read at the start, and a widget gets its own when it is mounted: without this everything would be parsed
    anew, twice, and each widget styled once more for the width of the window. That takes most of the time that the event
    loop stands still when a screen is opened.
    """
    screen = build()
    screen._css_update_count = app._css_update_count
    for name in screen._get_breakpoint_classes(app.size.width, app.HORIZONTAL_BREAKPOINTS):
        screen.add_class(name)
    return screen
