"""The modes that there are: their names, and what the top line calls them."""

MODES = (("chat", "Chat"), ("memories", "Memories"), ("trash", "Trash"), ("models", "Models"), ("settings", "Settings"))
