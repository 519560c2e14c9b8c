"""The parts of the Chat screen: each owns one thing that happens there, and has the screen at hand."""
