"""Fingerprints: by what a failure is recognised when it happens again under other names.

A fingerprint is a shape (the error text without what changes from one time to the next), a subject
(what was taken out of it) and a scope (where it happened). What changes is known from the command:
each of its words that is neither the program, nor a subcommand, nor an option is an argument,
wherever it appears in the output. A new way of making shapes is a new version; old fingerprints
keep theirs and are not regrouped.
"""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from memapp.domain.lessons.feedback import ToolAttempt

VERSION = 1
MAX_SHAPE_CHARS, MAX_SUBJECT_CHARS = 600, 300
READ_CHARS = 16_384
"""Of an error text, its beginning and its end: what a tool or a file says may be as long as it
likes.
"""
FEWEST_PART_CHARS = 3
"""A shorter part of an argument is no name of its own."""
BEFORE_PROGRAM = frozenset({"sudo", "doas", "env", "time"})
_WORD = re.compile(r"""(?:[^\s"']|"(?:\\.|[^"\\])*"|'[^']*')+""")
_SIGN = re.compile(r"\w+|\s+|.", re.DOTALL)
_PART = re.compile(r"[^\s,;()]+")
_QUOTES = re.compile(r"""(["'])(.*?)\1""", re.DOTALL)
_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-_]|[\x00-\x08\x0b-\x1f\x7f]"
)
_REWRITTEN = re.compile(r"^[^\n]*\r(?!\n)", re.MULTILINE)
_SUBCOMMAND = re.compile(r"[a-z][a-z-]*")
PLACE = "*"
"""Stands in a shape for what was taken out."""
_QUOTED = r"'[^'\n]{1,200}'|\"[^\"\n]{1,200}\"|`[^`'\n]{1,200}[`']|‘[^’\n]{1,200}’|“[^”\n]{1,200}”"
_VOLATILE = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b[a-z][a-z0-9+.-]*://[^\s'\"<>)]+",
        rf"(?<!\w)(?:{_QUOTED})(?!\w)",
        r"(?<![\w.~@+*-])(?:[\w.~@+*-]*/)+[\w.~@+*-]*|(?<!\w)[a-z]:\\[^\s:]+",
        r"(?<![\w-])[\w-]+(?:\.[\w-]+)*\.[a-z]{1,4}\d?\b",  # the name of a file
        r"(?<![a-z_])(?:0x[0-9a-f]+|(?=[a-f]*\d)[0-9a-f]{7,64}|\d+(?:[.:,]\d+)*)(?:[kmgtp]i?b?|ms|s|%)?(?![a-z_])",
        r"\d+",
    )
)
"""What changes from one time to the next, whatever the command; in this order. A run is tried from
its beginning only.
"""
_REPEATED = re.compile(r"\*(?:[\s,:/.=@-]*\*)+")


class Fingerprint(NamedTuple):
    """By what a failure is recognised."""

    tool: str
    shape: str
    subject: str
    """What was taken out of the shape; one line each."""
    scope: str
    version: int = VERSION


def fingerprint(tool: str, scope: str, attempt: ToolAttempt, stays: Collection[str]) -> Fingerprint:
    """Return the fingerprint of a failed attempt; `stays` are the plain words that are never taken
    for an argument.

    Without an error text it is made of the states before and after, the action and the reason.
    """
    text = attempt.output if attempt.output.strip() else _transition(attempt)
    text = (
        text if len(text) <= READ_CHARS else text[: READ_CHARS // 4] + text[-READ_CHARS * 3 // 4 :]
    )
    shape, subject = _shape(text, attempt.action, stays)
    return Fingerprint(tool, _cut(shape), "\n".join(subject)[:MAX_SUBJECT_CHARS], scope)


def _transition(attempt: ToolAttempt) -> str:
    """Return a failed change of state as a text."""
    options = " ".join(word for word in words(attempt.action)[1:] if word.startswith("-"))
    parts = (
        attempt.state_before,
        options or attempt.action.partition(" ")[0],
        attempt.state_after,
        attempt.reason,
    )
    return " | ".join(parts)


@lru_cache(maxsize=2048)  # a look-up compares one command with many, in several ways
def words(action: str) -> tuple[str, ...]:
    """Return the words of a command line, quotes taken off; unlike a shell's, an open quote is no
    error.
    """
    return tuple(map(_unquoted, _WORD.findall(action.replace("\\\n", " "))))


def signs(query: str) -> tuple[str, ...]:
    """Return the names, gaps and signs of a query, which together are the query."""
    return tuple(_SIGN.findall(query))


def _unquoted(word: str) -> str:
    return _QUOTES.sub(r"\2", word) if "'" in word or '"' in word else word


@lru_cache(maxsize=2048)
def parts(action: str) -> frozenset[str]:
    """Return what a command line is made of, the words of a quoted query or program too."""
    return frozenset(part for word in words(action) for part in _PART.findall(word))


def arguments(action: str) -> list[str]:
    """Return the words of a command that are neither its program nor options, and the values of
    options.
    """
    found = words(action)
    while found and (found[0] in BEFORE_PROGRAM or re.fullmatch(r"\w+=.*", found[0])):
        found = found[1:]
    values = [text.partition("=")[2] if text.startswith("-") else text for text in found[1:]]
    return [value for value in values if value.strip("-")]


def is_subcommand(word: str) -> bool:
    """Say whether a word could be a part of the language of a program, and not a name of the
    person's.
    """
    return _SUBCOMMAND.fullmatch(word) is not None


def _shape(text: str, action: str, stays: Collection[str]) -> tuple[str, list[str]]:
    """Return a text without what changes, and what that was, each once, in its order."""
    plain = _ESCAPES.sub("", _REWRITTEN.sub("", text)).lower()
    subject: dict[str, None] = {}

    def taken(match: re.Match[str]) -> str:
        subject[match[0].strip("'\"`‘’“” ")] = None
        return PLACE

    for pattern in (*_argument_patterns(action, stays), *_VOLATILE):
        plain = pattern.sub(taken, plain)
    lines = (" ".join(_REPEATED.sub(PLACE, line).split()) for line in plain.splitlines())
    return "\n".join(dict.fromkeys(line for line in lines if line)), [
        text for text in subject if text and PLACE not in text
    ]


def names(shape: str, subject: str, name: str) -> bool:
    """Say whether an error text named something, by its shape and by what was taken out of that."""
    rest, taken = _shape(name, "", ())
    is_in_shape = (
        rest == PLACE or re.search(rf"(?<![\w-]){re.escape(rest)}(?![\w-])", shape) is not None
    )
    return is_in_shape and {*taken} <= {*subject.split("\n")}


def _argument_patterns(action: str, stays: Collection[str]) -> Iterator[re.Pattern[str]]:
    """Yield what finds the arguments of a command in its output: whole ones first, the longest
    first, then their parts.
    """
    whole = {argument.lower() for argument in arguments(action)}
    cuts = (part for text in whole for cut in (r"[^\w.-]+", r"\W+") for part in re.split(cut, text))
    parts = {part for part in cuts if len(part) >= FEWEST_PART_CHARS}
    for text in (
        *sorted(whole, key=lambda one: (-len(one), one)),
        *sorted(parts - whole, key=lambda one: (-len(one), one)),
    ):
        place = (
            r"(?<![\w-]){}(?![\w-])"
            if not _may_be_prose(text, stays)
            else r"(?:(?<=['\"`‘“])|(?<=: )){}(?=['\"`’”]|:|\s*$)"
        )
        yield re.compile(place.format(re.escape(text)), re.MULTILINE)


def _may_be_prose(word: str, stays: Collection[str]) -> bool:
    """Say whether a word like an argument may be plain language in the output, where it is neither
    quoted nor named.
    """
    return word in stays or len(word) == 1


def _cut(shape: str) -> str:
    """Return as much of a shape as is kept: the beginning, where usage stands, and the end, where
    the cause does.
    """
    half = MAX_SHAPE_CHARS // 2
    return shape if len(shape) <= MAX_SHAPE_CHARS else f"{shape[: half - 1]}…{shape[-half:]}"
