"""Lessons, and what they are made of: runs with their steps, failures, and activations.

They are named tuples, as all that a hint is made of: somebody waits for it, and `dataclasses` alone
take as long to load as Python itself.
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
"""Where a lesson counts: where it was learned; wherever the tool is used; everywhere."""
ActivationPoint = Literal["pre_run", "on_error"]
BY_PERSON, RESTORED, MERGED, UNDONE = "person", "restored", "merged", "undone"
"""Reasons of a status that the person gave."""
LESSON = "lesson:"
"""What the history names a lesson by; its id follows."""
MAX_RULE_CHARS, MAX_ACTION_CHARS, MAX_EXCERPT_CHARS, MAX_TASK_CHARS = 420, 4000, 600, 400
PAUSE = timedelta(minutes=30)
"""After a longer one another run begins; and what works then is no answer to what failed before."""
RECURS, WAITS_LONGER = 2, 3
"""Times that a failure came which nothing solved: from which it is listed, and from which it waits
longer for what works.
"""
UNSOLVED_DAYS = timedelta(days=30)
"""As long it waits, and is listed."""
GAP = "…"
"""Stands in a lesson for a name that will be another the next time."""
ALIKE = 70.0
"""Likeness, 0 to 100, from which a word may be put right by another."""
AKIN = 40.0
"""The same for a word in the place of one that names something which is not there: `main` is akin
to `master`.
"""
FEWEST_LETTERS = 2
"""Of the name of a program that others may begin with."""


Cut = Callable[[str], tuple[str, ...]]
"""How an action is cut to pieces: into the words of a command, or the signs of a query."""
_IS_PATH = re.compile(r"/|\w\.[a-z]")
ErrorText = tuple[str, str]
"""The shape of an error text, and its subject."""


class Lesson(NamedTuple):
    """What failed, and what then worked."""

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
    """Why it has that status."""
    task: str = ""
    triggers: tuple[str, ...] = ()
    """Ids of the fingerprints that it is for."""
    tags: tuple[str, ...] = ()
    purge_at: datetime | None = None
    """When it leaves the trash for good; None while it is not there."""
    worked: int = 1
    """How often its correct part followed on its wrong one."""
    helped: int = 0
    hurt: int = 0
    withheld: int = 0
    retrieved: int = 0
    utility: float | None = None
    p: float | None = None
    evidence_runs: int = 0


class ErrorEvent(NamedTuple):
    """A failed step, with the fingerprint by which it is recognised when it happens again."""

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
    """Return what a lesson says, cut to what a rule may be long."""
    half = (MAX_RULE_CHARS - 4) // 2
    return " -> ".join(
        item if len(item) <= half else f"{item[: half - 1]}…" for item in (wrong, correct)
    )


def level_of(correct: str) -> LessonLevel:
    """Return where a lesson counts: one without a name of the person's in it counts wherever the
    tool is used.
    """
    return (
        "domain"
        if all(map(is_subcommand, arguments(correct)[:1])) and len(arguments(correct)) <= 1
        else "task"
    )


def corrects(right: str, wrong: str, *, is_unknown: bool = False, is_missing: bool = False) -> bool:
    """Say whether what worked is what the failed command was meant to be, and not just the next
    thing that was done.

    It is the same program, or one whose name the other is a slip of. What it does not take over of
    the failed command is put right by a word like it; or a slip is put right; or half of the words
    that are no options stay, and others stand for the rest, akin to it where that is not there.
    What the program is used for is swapped by itself, where it is no slip. All stays where it is
    another program of the family, or any other, since the command is unknown.
    """
    (failed_tool, *failed), (tool, *done) = _bare(wrong), _bare(right)
    if words(wrong) == words(right):
        return False
    lost, new = (
        [text for text in failed if text not in done],
        [text for text in done if text not in failed],
    )
    named = [text for text in failed if not text.startswith("-")]
    if tool != failed_tool and not is_slip(failed_tool, tool):
        return (
            bool(named)
            and all(name in done for name in named)
            and (is_unknown or is_family(failed_tool, tool))
        )
    if not lost:
        return bool(failed) or all(text.startswith("-") or "=" in text for text in new)
    liked, slips = (
        {text for text in lost if any(puts_right(text, other) for other in new)}
        for puts_right in (_is_like, is_slip)
    )
    is_same_use = not named or named[0] not in lost or named[0] in liked | slips
    if is_same_use and (liked == {*lost} or slips):
        return True
    return (is_same_use or not lost[1:]) and _stand_in(
        lost, new, named, AKIN if is_missing else 0.0
    )


def _stand_in(lost: Sequence[str], new: Sequence[str], named: Sequence[str], least: float) -> bool:
    """Say whether what came may stand for what went, one for one and as alike as it has to be, and
    half of the names stay.

    The same done with another file puts nothing right.
    """
    gone, came = (
        [name for name in named if name in lost],
        [text for text in new if not text.startswith("-")],
    )
    if not new:
        return not gone or 2 * len(gone) < len(named)
    are_alike = all(
        any(_is_like(text, other, ALIKE if _IS_PATH.search(text) else least) for other in came)
        for text in gone
    )
    return len(came) == len(gone) and 2 * len(gone) <= len(named) and are_alike


def _is_like(word: str, other: str, least: float = ALIKE) -> bool:
    """Say whether two words are alike; that two files are in one folder, or of one kind, makes
    their names no more so.
    """
    from rapidfuzz.fuzz import ratio  # the first picture of the app waits for none of it

    (*folders, one), (*others, two) = (word.lower().split("/"), other.lower().split("/"))
    while folders and folders[:1] == others[:1]:
        folders, others = folders[1:], others[1:]
    (stem, dot, kind), (other_stem, _, other_kind) = one.rpartition("."), two.rpartition(".")
    if dot and stem and kind == other_kind:
        one, two = stem, other_stem
    return ratio("/".join((*folders, one)), "/".join((*others, two))) >= least


def is_family(program: str, other: str) -> bool:
    """Say whether the name of one program goes on where that of the other ends: `rm` and `rmdir`,
    `python` and `python3`.
    """
    short, long = sorted((program, other), key=len)
    return len(short) >= FEWEST_LETTERS and long.startswith(short)


def _bare(action: str) -> tuple[str, ...]:
    """Return the words of a command from its program on."""
    found = words(action)
    while len(found) > 1 and (
        found[0] in BEFORE_PROGRAM or ("=" in found[0] and not found[0].startswith("-"))
    ):
        found = found[1:]
    return found or ("",)


def applies(wrong: str, correct: str, action: str, said: str = "", tool: str = "") -> bool:
    """Say whether a lesson can be for a command: what it takes out of its wrong one stands in this
    one too.
    """
    stands = taken_out(wrong, correct, said, tool) <= set(map(_without_value, parts(action)))
    return stands and words(correct) != words(action)


def taken_out(wrong: str, correct: str, said: str = "", tool: str = "") -> set[str]:
    """Return what a lesson takes out of its wrong command.

    Of several things only the options count that the error itself named, in what was said of it;
    and of a tool that was not the right program only that.
    """
    if swaps_program(wrong, correct, tool):
        return {tool}
    taken = {_without_value(part) for part in parts(wrong) - parts(correct)}
    return {text for text in taken if text.startswith("--") and text.lower() in said} or taken


def swaps_program(wrong: str, correct: str, tool: str) -> bool:
    """Say whether a lesson puts another program in the place of a tool, whatever that is used for."""
    return _bare(wrong)[0] == tool != _bare(correct)[0]


def _without_value(part: str) -> str:
    return part.partition("=")[0] if part.startswith("--") else part


def carried_over(wrong: str, correct: str, action: str, cut: Cut = words) -> tuple[str, ...]:
    """Return the words of a command with the change of a lesson made in it; none where it is not
    plain what that would be.

    They are words of the command and of the lesson. No name of the lesson is added, but in place of
    another; a name in a query is the same wherever it stands.
    """
    before, after, now = cut(wrong), cut(correct), cut(action)
    begin = _shared(before, after)
    end = _shared(before[begin:][::-1], after[begin:][::-1])
    taken, put = before[begin : len(before) - end], after[begin : len(after) - end]
    places: list[int] = []
    if cut is signs and len(taken) == 1 and taken[0].isidentifier():
        return (
            tuple(new for text in now for new in (put if text in taken else (text,)))
            if taken[0] in now
            else ()
        )
    if taken:
        places = [place for place in range(len(now)) if now[place : place + len(taken)] == taken]
    elif all(text.startswith("-") for text in put) and (not end or now[:begin] == before[:begin]):
        places = [begin if end else len(now)]
    return (*now[: places[0]], *put, *now[places[0] + len(taken) :]) if len(places) == 1 else ()


def put_right(wrong: str, correct: str, action: str, cut: Cut = words) -> tuple[str, ...]:
    """Return the words of a command with the slip put right that a lesson puts right; none where it
    has no such slip.

    It has no name of the place where the lesson was learned, only a word of the command as it is
    written right.
    """
    typed, meant, now = (
        [_without_value(text) for text in cut(line)] for line in (wrong, correct, action)
    )
    slips = {
        text: other
        for text in typed
        if text not in meant
        for other in meant
        if other not in typed and is_slip(text, other)
    }
    if not any(text in slips for text in now):
        return ()
    return tuple(
        slips.get(name, name) + word[len(name) :]
        for name, word in zip(now, cut(action), strict=True)
    )


def names_left_open(wrong: str, correct: str, then: ErrorText, now: ErrorText) -> str:
    """Return what worked, with a gap for each name put in that the error text of then named and the
    one of now does not.

    Such a name is that of another branch, or of another host: it is not what is wanted now.
    """
    if parts(wrong) - parts(correct):
        return correct
    put_in = {part for part in parts(correct) - parts(wrong) if not part.startswith("-")}
    gone = {text for text in put_in if names(*then, text) and not names(*now, text)}
    return " ".join(GAP if text in gone else text for text in correct.split(" "))


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Return with how many of the same words two begin."""
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
