"""The parts of Memories and Trash: rows, forms and actions."""
