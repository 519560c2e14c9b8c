"""The program that a command runs, and the project it is run in; apart, since before anything else
of memapp is loaded.
"""

import os

ONLY_BEFORE = ("sudo", "doas", "env", "time")
OF_SHELL = (
    ".",
    "alias",
    "bg",
    "cd",
    "eval",
    "exit",
    "export",
    "fg",
    "jobs",
    "popd",
    "pushd",
    "set",
    "source",
    "unset",
)
"""What a shell does itself, to itself: another program cannot do it for it."""
PROJECT_SIGNS = (".git", ".hg", ".svn")


def program(argv: list[str]) -> str:
    """Return the program that a command runs, without what only stands before it."""
    return os.path.basename(
        next((text for text in argv if text not in ONLY_BEFORE and "=" not in text), argv[0])
    )


def project(folder: str) -> str:
    """Return the project that a folder belongs to: the nearest one with a repository, else the
    folder itself.
    """
    place = folder
    while not any(os.path.exists(os.path.join(place, sign)) for sign in PROJECT_SIGNS):
        place, below = os.path.dirname(place), place
        if place == below:
            return folder
    return place
