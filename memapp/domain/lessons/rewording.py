"""A lesson in more general words: its two commands without the names that will be others the next
time.

Whoever proposes the words, nothing is added to what was carried out, and what was put right stays.
What is left out is seen to be, so that nobody takes the rest for a whole command.
"""

import re
from collections import Counter

from memapp.domain.lessons.fingerprint import arguments, is_subcommand, words
from memapp.domain.lessons.lesson import GAP

_WRITTEN = (GAP, "...")
"""A gap as others write it."""
_PART = re.compile(r"""(?:"(?:\\.|[^"\\])*"|'[^']*'|\S)+""")


def reword(wrong: str, correct: str, said_wrong: str, said_correct: str) -> tuple[str, str] | None:
    """Return the commands of a lesson as they are said, with gaps; None if that is not them without
    some names that both have.
    """
    new_wrong, new_correct = _only(wrong, said_wrong), _only(correct, said_correct)
    gone = _gone(wrong, new_wrong) | _gone(correct, new_correct)
    if (
        not gone
        or not gone.keys() <= may_go(wrong, correct)
        or _change(wrong, correct) != _change(new_wrong, new_correct)
    ):
        return None
    return new_wrong, new_correct


def may_go(wrong: str, correct: str) -> set[str]:
    """Return what may be left out of the commands of a lesson: names that both have."""
    return set() if GAP in wrong + correct else _names(wrong) & _names(correct)


def covers(general: str, command: str) -> bool:
    """Say whether a command is a general one with something in its gaps."""
    pattern = "\n".join(".+" if item == GAP else re.escape(item) for item in _PART.findall(general))
    return re.fullmatch(pattern, "\n".join(_PART.findall(command)), re.DOTALL) is not None


def _only(command: str, said: str) -> str:
    """Return a command with gaps for what is not said of it; an empty one if something else is
    said, or in another order.
    """
    wanted = [item for item in _PART.findall(said) if item not in _WRITTEN]
    kept: list[str] = []
    for item in _PART.findall(command):
        if wanted and item == wanted[0]:
            kept.append(wanted.pop(0))
        elif kept[-1:] != [GAP]:
            kept.append(GAP)
    return "" if wanted else " ".join(kept)


def _gone(command: str, rest: str) -> Counter[str]:
    return Counter(_PART.findall(command)) - Counter(_PART.findall(rest))


def _names(command: str) -> set[str]:
    """Return the arguments of a command that are no part of the language of its program."""
    found = arguments(command)
    names = set(found[1:] if found and is_subcommand(found[0]) else found)
    return {
        item
        for item in _PART.findall(command)
        if names.issuperset(words(item)) and re.search(r"\w", item) and item[0] != "-"
    }


def _change(wrong: str, correct: str) -> tuple[Counter[str], Counter[str]]:
    """Return what is taken out of the wrong command, and what is put in, gaps aside."""
    before, after = (
        Counter(item for item in _PART.findall(command) if item != GAP)
        for command in (wrong, correct)
    )
    return before - after, after - before
