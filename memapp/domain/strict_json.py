"""Strict reading of JSON from anywhere, and writing JSON that is safe on a terminal.

Python reads more than JSON: NaN, duplicate names, numbers of any length, lone surrogates.
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
"""A whole string, also an unterminated one, so that nothing is scanned twice; or a bracket outside
of strings.
"""
_BYTE_MARK = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[\]{},]', re.DOTALL)
_BEGIN = re.compile(rb"(?:\xef\xbb\xbf)?\s*")
_OPENING, _CLOSING, _COMMA = b"[{", b"]}", ord(",")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def write(
    value: Any, indent: int | None = None, default: Callable[[Any], Any] | None = None
) -> str:
    """Return a value as JSON, with invisible and terminal control characters escaped."""
    separators = None if indent else (",", ":")
    written = json.dumps(
        value, ensure_ascii=False, indent=indent, separators=separators, default=default
    )
    return UNSEEN.sub(lambda found: found[1] or _escaped(found), UNWANTED.sub(_escaped, written))


def _escaped(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]


def read(text: str) -> Any:
    """Return the value of memapp's own JSON. Raises `ValueError` in words for any other text."""
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
    """Return the value of another program's JSON text, with every number as a float.

    Most values are never looked at. Raises `ValueError` in words for invalid JSON.
    """
    return _loaded(text, parse_int=float)


def _loaded(text: str, **reading: Any) -> Any:
    _refuse_deep(text)
    try:
        return json.loads(text, **reading)
    except json.JSONDecodeError as error:
        raise ValueError(f"this is not JSON: {error.msg}") from None


def elements(data: bytes | memoryview) -> Iterator[bytes]:
    """Yield the elements of a JSON list unparsed: a long list is never in memory as a whole.

    Raises `ValueError` for anything but a list; each element is checked when it is parsed.
    """
    opening = _BEGIN.match(data)
    begin = opening.end() if opening else 0
    depth, start = 0, begin + 1
    for mark in _BYTE_MARK.finditer(data, begin):
        at, sign = mark.start(), data[mark.start()]
        if not depth and (at > begin or sign != _OPENING[0]):
            break
        if sign in _OPENING:
            depth += 1
            if depth > MAX_DEPTH + 1:  # the list itself is one
                raise ValueError(TOO_DEEP)
        elif sign in _CLOSING:
            depth -= 1
        if (sign == _COMMA and depth == 1) or not depth:
            element = bytes(data[start:at])
            if element.strip() or sign == _COMMA or bytes(data[begin:start]).strip() != b"[":
                yield element
            start = at + 1
        if not depth and not bytes(data[start:]).strip() and sign == _CLOSING[0]:
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
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return values


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
