"""Slash commands, as they are written in place of a message."""

import re
from dataclasses import dataclass

from memapp.domain.text import nearest
from memapp.errors import UsageError

COMMANDS = {
    "remember": ("/remember TEXT", "remembers a fact"),
    "howto": ("/howto TITLE", "writes down how something is done, step by step"),
    "forget": ("/forget WHAT", "moves memories of something to the trash"),
    "know": ("/know WHAT", "tells what memapp knows of you, or of something"),
    "undo": ("/undo", "undoes the last change"),
    "run": ("/run COMMAND", "runs a command; if it fails, shows what worked"),
    "sql": ("/sql FILE QUERY", "queries a SQLite database, read-only"),
    "evidence": ("/evidence TEXT", "adds a context card to this chat"),
    "import": ("/import PATH", "imports from ChatGPT, Claude or another program"),
    "council": ("/council QUESTION", "has an answer reviewed, or the last one"),
    "remark": ("/remark", "lets the persona say something unasked"),
    "persona": ("/persona NAME", "starts a new chat with another persona"),
    "new": ("/new", "starts a new chat"),
    "help": ("/help", "lists the commands"),
    "quit": ("/quit", "leaves memapp"),
}
RUNS = ("run", "sql")
"""Commands that act outside memapp. With a space before them, nothing of them is kept."""
TAKES_TEXT = ("remember", "forget", "evidence", "import", *RUNS)


@dataclass(frozen=True)
class Command:
    """A command and its argument."""

    name: str
    text: str = ""

    @property
    def is_private(self) -> bool:
        """Return True if nothing of the command is to be kept."""
        return self.text[:1].isspace()


def parse(written: str) -> Command | None:
    """Return the command in a text, None for an ordinary message.

    Raises `UsageError` for a command that does not exist.
    """
    bare = written.strip()
    if not bare.startswith("/") or bare.startswith("//"):
        return None
    name, _, rest = bare[1:].partition(" ")
    name, text = name.strip(), rest.strip()
    if "/" in name or "\n" in name:
        return None  # a path, or something pasted
    if name not in COMMANDS:
        near = nearest(name, COMMANDS)
        advice = f"Did you mean /{near}?" if near else "/help lists the commands."
        raise UsageError(f"There is no command /{name}.", f"{advice} // sends a slash.")
    if name in TAKES_TEXT and not text:
        raise UsageError(f"Write {COMMANDS[name][0]}.")
    is_private = name in RUNS and (rest[:1].isspace() or written[:1].isspace())
    return Command(name, f" {text}" if is_private else text)


def runs_something(written: str) -> bool:
    """Return True for the beginning of a command that acts outside memapp."""
    return re.match(rf"\s*/(?:{'|'.join(RUNS)})\b", written) is not None


def beginning(written: str) -> tuple[str, ...]:
    """Return the commands that complete a partial name; none for a whole name or more."""
    name = re.fullmatch("/([a-z]*)", written)
    return tuple(
        command
        for command in COMMANDS
        if name and command.startswith(name[1]) and command != name[1]
    )


def completed(name: str) -> str:
    """Return a command ready to type, with a space if an argument follows."""
    return f"/{name} " if " " in COMMANDS[name][0] else f"/{name}"


def unescaped(written: str) -> str:
    """Return a message without the slash that escaped its first one."""
    return written[1:] if written.startswith("//") else written
