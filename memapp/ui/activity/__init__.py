"""The parts of Activity: numbers, charts, the log of changes, and the steps that can be undone."""
