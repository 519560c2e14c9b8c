"""Lessons and failures, and when a lesson corrects a command.

The records are named tuples: a hint needs them, somebody waits for the hint, and `dataclasses`
alone take as long to load as Python itself.
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from memapp.domain.lessons.fingerprint import (
    BEFORE_PROGRAM,
    arguments,
    is_subcommand,
    names,
    parts,
    signs,
    words,
)
from memapp.domain.text import is_slip

RunClient = Literal["person", "chat", "hook", "mcp", "import", "benchmark"]
RefereeKind = Literal["deterministic", "model", "none"]
LessonStatus = Literal["candidate", "promoted", "suppressed", "archived"]
LessonOrigin = Literal["executed", "model", "person", "import"]
LessonLevel = Literal["task", "domain", "global"]
"""The scope of a lesson: the place where it was learned, any place with the tool, everywhere."""
ActivationPoint = Literal["pre_run", "on_error"]
BY_PERSON, RESTORED, MERGED, UNDONE = "person", "restored", "merged", "undone"
"""Reasons for a status set by the person."""
LESSON = "lesson:"
"""The prefix for a lesson in the history; its id follows."""
MAX_RULE_CHARS, MAX_ACTION_CHARS, MAX_EXCERPT_CHARS, MAX_TASK_CHARS = 420, 4000, 600, 400
PAUSE = timedelta(minutes=30)
"""After a longer pause a new run begins, and a success no longer answers an earlier failure."""
RECURS, WAITS_LONGER = 2, 3
"""Occurrences of an unsolved failure: from the first number on the failure is listed, from the
second memapp waits longer for a solution.
"""
UNSOLVED_DAYS = timedelta(days=30)
"""How long an unsolved failure waits and is listed."""
GAP = "…"
"""The placeholder in a lesson for a name that varies."""
ALIKE = 70.0
"""Likeness, 0 to 100, from which one word may correct another."""
AKIN = 40.0
"""The same for a replacement of a missing name: `main` for `master`."""
FEWEST_LETTERS = 2
"""The fewest letters of a program name shared by a family."""


Cut = Callable[[str], tuple[str, ...]]
"""How an action is split: into the words of a command, or the signs of a query."""
_IS_PATH = re.compile(r"/|\w\.[a-z]")
ErrorText = tuple[str, str]
"""The shape and the subject of an error text."""


class Lesson(NamedTuple):
    """An action that failed, and the one that worked."""

    id: str
    rule_text: str
    """For people: `git psuh -> git push`."""
    wrong: str
    correct: str
    level: LessonLevel
    tool: str
    scope: str
    origin: LessonOrigin
    created_at: datetime
    updated_at: datetime
    evidence_at: datetime
    status: LessonStatus = "candidate"
    reason: str = ""
    """The reason for the status."""
    task: str = ""
    triggers: tuple[str, ...] = ()
    """Ids of the fingerprints that trigger the lesson."""
    tags: tuple[str, ...] = ()
    purge_at: datetime | None = None
    """When the lesson is purged from the trash; None outside of it."""
    worked: int = 1
    """How often the correct action followed the wrong one."""
    helped: int = 0
    hurt: int = 0
    withheld: int = 0
    retrieved: int = 0
    utility: float | None = None
    p: float | None = None
    evidence_runs: int = 0


class ErrorEvent(NamedTuple):
    """A failed step, with its fingerprint."""

    id: str
    step_id: str
    run_id: str
    action: str
    fingerprint_id: str
    tool: str
    scope: str
    tags: tuple[str, ...]
    task: str
    created_at: datetime


def rule(wrong: str, correct: str) -> str:
    """Return the text of a lesson, cut to the longest allowed rule."""
    half = (MAX_RULE_CHARS - 4) // 2
    return " -> ".join(
        action if len(action) <= half else f"{action[: half - 1]}…" for action in (wrong, correct)
    )


def level_of(correct: str) -> LessonLevel:
    """Return the level of a lesson: domain, unless the correct command names something local."""
    return (
        "domain"
        if all(map(is_subcommand, arguments(correct)[:1])) and len(arguments(correct)) <= 1
        else "task"
    )


def corrects(right: str, wrong: str, *, is_unknown: bool = False, is_missing: bool = False) -> bool:
    """Return True if the command that worked is a correction of the failed one.

    Not every next command is. The program is the same, or its name a slip of the other. Words that
    changed are corrected by similar words; or a slip is corrected; or half of the words that are no
    options stay, and others replace the rest, similar to them where the named thing is missing. A
    subcommand is only replaced by itself, unless by a slip. All arguments stay if the program
    changes to another of its family, or to any other after an unknown command.
    """
    (failed_tool, *failed), (tool, *done) = _bare(wrong), _bare(right)
    if words(wrong) == words(right):
        return False
    lost = [word for word in failed if word not in done]
    new = [word for word in done if word not in failed]
    named = [word for word in failed if not word.startswith("-")]
    if tool != failed_tool and not is_slip(failed_tool, tool):
        return (
            bool(named)
            and all(name in done for name in named)
            and (is_unknown or is_family(failed_tool, tool))
        )
    if not lost:
        return bool(failed) or all(word.startswith("-") or "=" in word for word in new)
    liked, slips = (
        {word for word in lost if any(is_corrected(word, other) for other in new)}
        for is_corrected in (_is_like, is_slip)
    )
    is_same_use = not named or named[0] not in lost or named[0] in liked | slips
    if is_same_use and (liked == {*lost} or slips):
        return True
    return (is_same_use or not lost[1:]) and _stand_in(
        lost, new, named, AKIN if is_missing else 0.0
    )


def _stand_in(lost: Sequence[str], new: Sequence[str], named: Sequence[str], least: float) -> bool:
    """Return True if new words may replace the lost ones one for one, and half of the names stay.

    The same command with another file is no correction.
    """
    dropped = [name for name in named if name in lost]
    added = [word for word in new if not word.startswith("-")]
    if not new:
        return not dropped or 2 * len(dropped) < len(named)
    are_alike = all(
        any(_is_like(name, other, ALIKE if _IS_PATH.search(name) else least) for other in added)
        for name in dropped
    )
    return len(added) == len(dropped) and 2 * len(dropped) <= len(named) and are_alike


def _is_like(word: str, other: str, least: float = ALIKE) -> bool:
    """Return True for similar words, not counting a shared folder or file extension."""
    from rapidfuzz.fuzz import ratio  # the app's first paint does not wait for the import

    (*folders, last), (*others, other_last) = (word.lower().split("/"), other.lower().split("/"))
    while folders and folders[:1] == others[:1]:
        folders, others = folders[1:], others[1:]
    (stem, dot, kind), (other_stem, _, other_kind) = (
        last.rpartition("."),
        other_last.rpartition("."),
    )
    if dot and stem and kind == other_kind:
        last, other_last = stem, other_stem
    return ratio("/".join((*folders, last)), "/".join((*others, other_last))) >= least


def is_family(program: str, other: str) -> bool:
    """Return True if one program's name continues the other's: `python` and `python3`."""
    short, long = sorted((program, other), key=len)
    return len(short) >= FEWEST_LETTERS and long.startswith(short)


def _bare(action: str) -> tuple[str, ...]:
    """Return the words of a command from its program on."""
    bare = words(action)
    while len(bare) > 1 and (
        bare[0] in BEFORE_PROGRAM or ("=" in bare[0] and not bare[0].startswith("-"))
    ):
        bare = bare[1:]
    return bare or ("",)


def applies(wrong: str, correct: str, action: str, said: str = "", tool: str = "") -> bool:
    """Return True if a lesson may fit a command: its removed parts are in the command too."""
    is_there = taken_out(wrong, correct, said, tool) <= set(map(_without_value, parts(action)))
    return is_there and words(correct) != words(action)


def taken_out(wrong: str, correct: str, said: str = "", tool: str = "") -> set[str]:
    """Return the parts that a lesson removes from its wrong command.

    Of several, only the options that the error text named count; if the program was the wrong one,
    only the program.
    """
    if swaps_program(wrong, correct, tool):
        return {tool}
    removed = {_without_value(part) for part in parts(wrong) - parts(correct)}
    return {part for part in removed if part.startswith("--") and part.lower() in said} or removed


def swaps_program(wrong: str, correct: str, tool: str) -> bool:
    """Return True if a lesson replaces the program of a tool."""
    return _bare(wrong)[0] == tool != _bare(correct)[0]


def _without_value(part: str) -> str:
    return part.partition("=")[0] if part.startswith("--") else part


def carried_over(wrong: str, correct: str, action: str, cut: Cut = words) -> tuple[str, ...]:
    """Return the words of a command with a lesson's change applied; empty if ambiguous.

    All words are of the command or the lesson. A name of the lesson is only added in place of
    another; a name in a query is replaced wherever it stands.
    """
    before, after, now = cut(wrong), cut(correct), cut(action)
    begin = _shared(before, after)
    end = _shared(before[begin:][::-1], after[begin:][::-1])
    taken, put = before[begin : len(before) - end], after[begin : len(after) - end]
    places: list[int] = []
    if cut is signs and len(taken) == 1 and taken[0].isidentifier():
        replaced = (new for sign in now for new in (put if sign in taken else (sign,)))
        return tuple(replaced) if taken[0] in now else ()
    if taken:
        places = [place for place in range(len(now)) if now[place : place + len(taken)] == taken]
    elif all(word.startswith("-") for word in put) and (not end or now[:begin] == before[:begin]):
        places = [begin if end else len(now)]
    return (*now[: places[0]], *put, *now[places[0] + len(taken) :]) if len(places) == 1 else ()


def put_right(wrong: str, correct: str, action: str, cut: Cut = words) -> tuple[str, ...]:
    """Return the words of a command with the slip of a lesson corrected; empty without such a slip.

    No name of the lesson's place is added, only the correct spelling of a word.
    """
    typed, meant, now = (
        [_without_value(text) for text in cut(line)] for line in (wrong, correct, action)
    )
    slips = {
        word: other
        for word in typed
        if word not in meant
        for other in meant
        if other not in typed and is_slip(word, other)
    }
    if not any(word in slips for word in now):
        return ()
    return tuple(
        slips.get(name, name) + word[len(name) :]
        for name, word in zip(now, cut(action), strict=True)
    )


def names_left_open(wrong: str, correct: str, then: ErrorText, now: ErrorText) -> str:
    """Return the correct command with a gap for each added name of the earlier error only.

    Such a name belongs to another branch or host, and is not wanted now.
    """
    if parts(wrong) - parts(correct):
        return correct
    put_in = {part for part in parts(correct) - parts(wrong) if not part.startswith("-")}
    outdated = {part for part in put_in if names(*then, part) and not names(*now, part)}
    return " ".join(GAP if word in outdated else word for word in correct.split(" "))


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the common beginning of two sequences."""
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
