"""Larger pieces of a screen beside the conversation."""
