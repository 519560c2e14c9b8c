"""The program of a command and the project it runs in; loaded before the rest of memapp."""

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
"""Commands of the shell itself, which no other program can run for it."""
PROJECT_SIGNS = (".git", ".hg", ".svn")


def program(argv: list[str]) -> str:
    """Return the program of a command, without prefixes such as `sudo` and `env`."""
    return os.path.basename(
        next((word for word in argv if word not in ONLY_BEFORE and "=" not in word), argv[0])
    )


def project(folder: str) -> str:
    """Return the project of a folder: the nearest one with a repository, else the folder."""
    place = folder
    while not any(os.path.exists(os.path.join(place, sign)) for sign in PROJECT_SIGNS):
        place, below = os.path.dirname(place), place
        if place == below:
            return folder
    return place


def here() -> str:
    """Return the folder that commands run in; its name if the folder is gone."""
    try:
        return os.getcwd()
    except OSError:
        return os.environ.get("PWD") or "/"
