"""The modes that there are: their names, and what the top line and the palette call them."""

from typing import NamedTuple


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
