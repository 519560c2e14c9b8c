"""The name of the program that a command runs; apart, since it is asked before anything else of memapp is loaded."""

import os

ONLY_BEFORE = ("sudo", "doas", "env", "time")


def program(argv: list[str]) -> str:
    """Return the program that a command runs, without what only stands before it."""
    return os.path.basename(next((one for one in argv if one not in ONLY_BEFORE and "=" not in one), argv[0]))
