"""The larger parts of screens beside the conversation."""
