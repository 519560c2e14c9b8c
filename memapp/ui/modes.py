"""The modes that there are: their names, and what the top line calls them."""

MODES = (
    ("chat", "Chat"),
    ("memories", "Memories"),
    ("inbox", "Inbox"),
    ("trash", "Trash"),
    ("activity", "Activity"),
    ("models", "Models"),
    ("settings", "Settings"),
)
