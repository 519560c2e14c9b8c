"""The parts of the Chat screen."""
