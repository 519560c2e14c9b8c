"""The modes that there are: their names, what the top line and the palette call them, and their screens.

Each is a line here and a module of `screens` with its name; keys, top line and palette follow from the line.
"""

from typing import NamedTuple


class Mode(NamedTuple):
    """A part of memapp that a function key opens."""

    name: str
    label: str
    key: str
    about: str
    screen: str
    """The class in its module."""


MODES = (
    Mode("chat", "Chat", "F2", "Talk", "ChatScreen"),
    Mode("memories", "Memories", "F3", "All that is remembered", "MemoriesScreen"),
    Mode("inbox", "Inbox", "F4", "What waits for your word, and your profile", "InboxScreen"),
    Mode("trash", "Trash", "F5", "What is in the trash, and the way back", "TrashScreen"),
    Mode("learned", "Learned", "F6", "Insights, episodes, how-tos and lessons", "LearnedScreen"),
    Mode("activity", "Activity", "F7", "What was done, taking it back, and whom to believe: agents", "ActivityScreen"),
    Mode("models", "Models", "F8", "Choose the model that answers", "ModelsScreen"),
    Mode("settings", "Settings", "F9", "Every knob", "SettingsScreen"),
)
