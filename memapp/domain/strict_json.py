"""Reading JSON that somebody else may have written, and writing it so that it may stand on a
terminal.

Python reads more than JSON is: NaN, names that stand twice, numbers of any length, halves of
characters.
"""

import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

from memapp.domain.text import UNSEEN, UNWANTED

MAX_DEPTH = 32
TOO_DEEP = f"nested more than {MAX_DEPTH} deep"
LARGEST_INT = 2**63 - 1
_MARK = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
"""A whole text, also one that does not end, so that nothing is looked at twice; or a bracket
outside of texts.
"""
_BYTE_MARK = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[\]{},]', re.DOTALL)
_BEGIN = re.compile(rb"(?:\xef\xbb\xbf)?\s*")
_OPENING, _CLOSING, _COMMA = b"[{", b"]}", ord(",")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def write(
    value: Any, indent: int | None = None, default: Callable[[Any], Any] | None = None
) -> str:
    """Return a value as JSON in which what acts on a terminal, or is not seen there, is escaped:
    the value stays what it is.
    """
    separators = None if indent else (",", ":")
    written = json.dumps(
        value, ensure_ascii=False, indent=indent, separators=separators, default=default
    )
    return UNSEEN.sub(lambda found: found[1] or _escaped(found), UNWANTED.sub(_escaped, written))


def _escaped(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]


def read(text: str) -> Any:
    """Return what a JSON text says that memapp itself should have written. Raises `ValueError`, in
    words, for anything else.
    """
    data = _loaded(
        text,
        parse_constant=_refuse_constant,
        parse_int=_int,
        parse_float=_float,
        object_pairs_hook=_once,
    )
    if "\\u" in text or _UNSTORABLE.search(text):
        _refuse_unstorable(data)
    return data


def read_foreign(text: str) -> Any:
    """Return what a JSON text of another program says, most of which nobody will look at: every
    number is a float.

    Raises `ValueError`, in words, for what is no JSON.
    """
    return _loaded(text, parse_int=float)


def _loaded(text: str, **reading: Any) -> Any:
    _refuse_deep(text)
    try:
        return json.loads(text, **reading)
    except json.JSONDecodeError as error:
        raise ValueError(f"this is not JSON: {error.msg}") from None


def elements(data: bytes | memoryview) -> Iterator[bytes]:
    """Yield the elements of a JSON list one by one, unread, so that a long list need not be in
    memory as a whole.

    Raises `ValueError` for what is no list; whether an element is JSON is seen when it is read.
    """
    found = _BEGIN.match(data)
    begin = found.end() if found else 0
    depth, start = 0, begin + 1
    for mark in _BYTE_MARK.finditer(data, begin):
        at, what = mark.start(), data[mark.start()]
        if not depth and (at > begin or what != _OPENING[0]):
            break
        if what in _OPENING:
            depth += 1
            if depth > MAX_DEPTH + 1:  # the list itself is one
                raise ValueError(TOO_DEEP)
        elif what in _CLOSING:
            depth -= 1
        if (what == _COMMA and depth == 1) or not depth:
            element = bytes(data[start:at])
            if element.strip() or what == _COMMA or bytes(data[begin:start]).strip() != b"[":
                yield element
            start = at + 1
        if not depth and not bytes(data[start:]).strip() and what == _CLOSING[0]:
            return
    raise ValueError("this is no list, or it does not end")


def _refuse_deep(text: str) -> None:
    depth = 0
    for mark in _MARK.finditer(text):
        if mark[0] in ("[", "{"):
            depth += 1
            if depth > MAX_DEPTH:
                raise ValueError(TOO_DEEP)
        elif mark[0] in ("]", "}"):
            depth -= 1


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _int(text: str) -> int:
    if len(text) > 20 or abs(value := int(text)) > LARGEST_INT:
        raise ValueError("a number is too large")
    return value


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("a number is too large")
    return value


def _refuse_constant(_: str) -> float:
    raise ValueError("NaN and Infinity are no numbers")


def _refuse_unstorable(data: Any) -> None:
    match data:
        case str():
            if _UNSTORABLE.search(data):
                raise ValueError("a text has characters that cannot be stored")
        case list():
            for item in data:
                _refuse_unstorable(item)
        case dict():
            for key, value in data.items():
                _refuse_unstorable(key)
                _refuse_unstorable(value)
