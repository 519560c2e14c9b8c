"""The parts of Memories and Trash: what they read, how a row looks, and what a person does there."""
