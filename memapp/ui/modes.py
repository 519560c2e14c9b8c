"""The modes: their names, labels and screens.

Each mode is a line here and a module of `screens` with the same name; keys, top line and palette
follow.
"""

from typing import NamedTuple


class Mode(NamedTuple):
    """A part of memapp that a function key opens."""

    name: str
    label: str
    key: str
    about: str
    screen: str
    """The class of the screen in that module."""


MODES = (
    Mode("chat", "Chat", "F2", "Chat with your model", "ChatScreen"),
    Mode("memories", "Memories", "F3", "Everything memapp remembers", "MemoriesScreen"),
    Mode(
        "inbox", "Inbox", "F4", "Requests that wait for your yes, and your profile", "InboxScreen"
    ),
    Mode("trash", "Trash", "F5", "Memories you can restore, or erase for good", "TrashScreen"),
    Mode("learned", "Learned", "F6", "Insights, episodes, how-tos and lessons", "LearnedScreen"),
    Mode(
        "activity",
        "Activity",
        "F7",
        "What was done, undo, and the agents behind it",
        "ActivityScreen",
    ),
    Mode("models", "Models", "F8", "Choose the model that answers", "ModelsScreen"),
    Mode("settings", "Settings", "F9", "Every setting", "SettingsScreen"),
)
