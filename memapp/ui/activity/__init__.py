"""The parts of Activity: how often and how well, the log of what was done to memories, and what can
be taken back.
"""
