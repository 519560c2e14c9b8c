"""More general forms of a lesson: its two commands with gaps for names that vary.

Whoever proposes a form, nothing is added to the commands, and the correction stays. The gaps are
visible, so that nobody takes the rest for a whole command.
"""

import re
from collections import Counter

from memapp.domain.lessons.fingerprint import arguments, is_subcommand, words
from memapp.domain.lessons.lesson import GAP

_WRITTEN = (GAP, "...")
"""The forms of a gap."""
_PART = re.compile(r"""(?:"(?:\\.|[^"\\])*"|'[^']*'|\S)+""")


def reword(wrong: str, correct: str, said_wrong: str, said_correct: str) -> tuple[str, str] | None:
    """Return the commands with the proposed gaps; None if more than shared names is missing."""
    new_wrong, new_correct = _only(wrong, said_wrong), _only(correct, said_correct)
    removed = _removed(wrong, new_wrong) | _removed(correct, new_correct)
    if (
        not removed
        or not removed.keys() <= may_go(wrong, correct)
        or _change(wrong, correct) != _change(new_wrong, new_correct)
    ):
        return None
    return new_wrong, new_correct


def may_go(wrong: str, correct: str) -> set[str]:
    """Return the names in both commands of a lesson, which may be left out."""
    return set() if GAP in wrong + correct else _names(wrong) & _names(correct)


def covers(general: str, command: str) -> bool:
    """Return True if a command is a general one with its gaps filled."""
    pattern = "\n".join(".+" if part == GAP else re.escape(part) for part in _PART.findall(general))
    return re.fullmatch(pattern, "\n".join(_PART.findall(command)), re.DOTALL) is not None


def _only(command: str, said: str) -> str:
    """Return a command with gaps for the words a proposal omits; empty for any other proposal."""
    wanted = [part for part in _PART.findall(said) if part not in _WRITTEN]
    parts: list[str] = []
    for part in _PART.findall(command):
        if wanted and part == wanted[0]:
            parts.append(wanted.pop(0))
        elif parts[-1:] != [GAP]:
            parts.append(GAP)
    return "" if wanted else " ".join(parts)


def _removed(command: str, rest: str) -> Counter[str]:
    return Counter(_PART.findall(command)) - Counter(_PART.findall(rest))


def _names(command: str) -> set[str]:
    """Return the arguments of a command that are no subcommand."""
    words_of_command = arguments(command)
    names = set(
        words_of_command[1:]
        if words_of_command and is_subcommand(words_of_command[0])
        else words_of_command
    )
    return {
        part
        for part in _PART.findall(command)
        if names.issuperset(words(part)) and re.search(r"\w", part) and part[0] != "-"
    }


def _change(wrong: str, correct: str) -> tuple[Counter[str], Counter[str]]:
    """Return the removed and the added parts of a lesson, without gaps."""
    before, after = (
        Counter(part for part in _PART.findall(command) if part != GAP)
        for command in (wrong, correct)
    )
    return before - after, after - before
