"""Fingerprints, by which a failure is recognised when it recurs under other names.

A fingerprint is a shape (the error text without its volatile parts), a subject (those parts) and a
scope (the place). The command tells which parts are volatile: each of its words that is neither the
program, nor a subcommand, nor an option is an argument, wherever it appears in the output. A new
way of making shapes is a new version; old fingerprints keep theirs and are not regrouped.
"""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from memapp.domain.lessons.feedback import ToolAttempt
from memapp.domain.text_cache import text_cache

VERSION = 1
MAX_SHAPE_CHARS, MAX_SUBJECT_CHARS = 600, 300
READ_CHARS = 16_384
"""The most characters read of an error text, from its beginning and its end."""
FEWEST_PART_CHARS = 3
"""A shorter part of an argument is not looked for in the output."""
BEFORE_PROGRAM = frozenset({"sudo", "doas", "env", "time"})
_WORD = re.compile(r"""(?:[^\s"']|"(?:\\.|[^"\\])*"|'[^']*')+""")
_SIGN = re.compile(r"\w+|\s+|.", re.DOTALL)
_PART = re.compile(r"[^\s,;()]+")
_QUOTES = re.compile(r"""(["'])(.*?)\1""", re.DOTALL)
_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-_]"
    r"|[\x00-\x08\x0b-\x1f\x7f]"
)
_REWRITTEN = re.compile(r"^[^\n]*\r(?!\n)", re.MULTILINE)
_SUBCOMMAND = re.compile(r"[a-z][a-z-]*")
PLACE = "*"
"""The placeholder in a shape for a volatile part."""
_QUOTED = r"'[^'\n]{1,200}'|\"[^\"\n]{1,200}\"|`[^`'\n]{1,200}[`']|‘[^’\n]{1,200}’|“[^”\n]{1,200}”"
_VOLATILE = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b[a-z][a-z0-9+.-]*://[^\s'\"<>)]+",
        rf"(?<!\w)(?:{_QUOTED})(?!\w)",
        r"(?<![\w.~@+*-])(?:[\w.~@+*-]*/)+[\w.~@+*-]*|(?<!\w)[a-z]:\\[^\s:]+",
        r"(?<![\w-])[\w-]+(?:\.[\w-]+)*\.[a-z]{1,4}\d?\b",  # the name of a file
        r"(?<![a-z_])(?:0x[0-9a-f]+|(?=[a-f]*\d)[0-9a-f]{7,64}|\d+(?:[.:,]\d+)*)"
        r"(?:[kmgtp]i?b?|ms|s|%)?(?![a-z_])",
        r"\d+",
    )
)
"""The parts that vary between runs of any command, in this order. A run of characters is only
matched from its beginning.
"""
_REPEATED = re.compile(r"\*(?:[\s,:/.=@-]*\*)+")


class Fingerprint(NamedTuple):
    """The key by which a failure is recognised."""

    tool: str
    shape: str
    subject: str
    """The volatile parts taken out of the shape, one a line."""
    scope: str
    version: int = VERSION


def fingerprint(tool: str, scope: str, attempt: ToolAttempt, stays: Collection[str]) -> Fingerprint:
    """Return the fingerprint of a failed attempt; words in `stays` are never taken for arguments.

    Without an error text, the states before and after, the action and the reason stand for it.
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


@text_cache(2048)  # a look-up compares one command with many, in several ways
def words(action: str) -> tuple[str, ...]:
    """Return the words of a command line without quotes; an open quote is no error."""
    return tuple(map(_unquoted, _WORD.findall(action.replace("\\\n", " "))))


def signs(query: str) -> tuple[str, ...]:
    """Return the names, gaps and signs of a query, which joined are the query."""
    return tuple(_SIGN.findall(query))


def _unquoted(word: str) -> str:
    return _QUOTES.sub(r"\2", word) if "'" in word or '"' in word else word


@text_cache(2048)
def parts(action: str) -> frozenset[str]:
    """Return the parts of a command line, with the words of a quoted query or program."""
    return frozenset(part for word in words(action) for part in _PART.findall(word))


def arguments(action: str) -> list[str]:
    """Return the words of a command but its program and options, with the values of options."""
    rest = words(action)
    while rest and (rest[0] in BEFORE_PROGRAM or re.fullmatch(r"\w+=.*", rest[0])):
        rest = rest[1:]
    values = [word.partition("=")[2] if word.startswith("-") else word for word in rest[1:]]
    return [value for value in values if value.strip("-")]


def is_subcommand(word: str) -> bool:
    """Return True for a word that may be a subcommand, and no name of the person's."""
    return _SUBCOMMAND.fullmatch(word) is not None


def _shape(text: str, action: str, stays: Collection[str]) -> tuple[str, list[str]]:
    """Return a text without its volatile parts, and these parts, each once, in order."""
    plain = _ESCAPES.sub("", _REWRITTEN.sub("", text)).lower()
    subject: dict[str, None] = {}

    def taken(match: re.Match[str]) -> str:
        subject[match[0].strip("'\"`‘’“” ")] = None
        return PLACE

    for pattern in (*_argument_patterns(action, stays), *_VOLATILE):
        plain = pattern.sub(taken, plain)
    lines = (" ".join(_REPEATED.sub(PLACE, line).split()) for line in plain.splitlines())
    shape = "\n".join(dict.fromkeys(line for line in lines if line))
    return shape, [part for part in subject if part and PLACE not in part]


def names(shape: str, subject: str, name: str) -> bool:
    """Return True if an error text named something, by its shape and subject."""
    rest, taken = _shape(name, "", ())
    is_in_shape = (
        rest == PLACE or re.search(rf"(?<![\w-]){re.escape(rest)}(?![\w-])", shape) is not None
    )
    return is_in_shape and {*taken} <= {*subject.split("\n")}


def _argument_patterns(action: str, stays: Collection[str]) -> Iterator[re.Pattern[str]]:
    """Yield patterns for a command's arguments in its output: whole ones, then their parts."""
    whole = {argument.lower() for argument in arguments(action)}
    cuts = (
        part
        for argument in whole
        for cut in (r"[^\w.-]+", r"\W+")
        for part in re.split(cut, argument)
    )
    parts = {part for part in cuts if len(part) >= FEWEST_PART_CHARS}

    def longest_first(argument: str) -> tuple[int, str]:
        return -len(argument), argument

    for argument in (
        *sorted(whole, key=longest_first),
        *sorted(parts - whole, key=longest_first),
    ):
        place = (
            r"(?<![\w-]){}(?![\w-])"
            if not _may_be_prose(argument, stays)
            else r"(?:(?<=['\"`‘“])|(?<=: )){}(?=['\"`’”]|:|\s*$)"
        )
        yield re.compile(place.format(re.escape(argument)), re.MULTILINE)


def _may_be_prose(word: str, stays: Collection[str]) -> bool:
    """Return True for an argument that may be plain language in the output, unless quoted."""
    return word in stays or len(word) == 1


def _cut(shape: str) -> str:
    """Return a shape cut to its beginning (usage) and its end (the cause)."""
    half = MAX_SHAPE_CHARS // 2
    return shape if len(shape) <= MAX_SHAPE_CHARS else f"{shape[: half - 1]}…{shape[-half:]}"
