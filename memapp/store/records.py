"""Records of rows: a column is read into the field of its name as the type of the field says, and a value is written likewise.

NULL is no word in a field that holds text. JSON stands where a field holds several values.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from memapp.store.encoding import to_json, to_text, to_time
from memapp.store.failures import Row, from_row

T = TypeVar("T")


def record(kind: type[T], row: Row, **more: Any) -> T:
    """Return the record that a row holds, with more that no column holds; other fields take their default. Raises `Damaged`."""
    return kind(**_read_row(row, kind), **more)


def read(kept: Row | Mapping[str, Any], kind: type) -> dict[str, Any]:
    """Return the fields of a record out of what is kept; what is no field is passed over. Raises `ValueError`."""
    readers = _readers(kind)
    return {name: readers[name](kept[name]) for name in kept.keys() if name in readers}  # noqa: SIM118  # a row has no items


_read_row = from_row(read)


def stored(value: Any) -> Any:
    """Return a value as it stands in the file."""
    match value:
        case None | str() | int() | float() | bytes():
            return value
        case datetime():
            return to_text(value)
        case Mapping():
            return to_json(dict(value))
        case _:
            return to_json(list(value))


@cache
def _readers(kind: type) -> Mapping[str, Callable[[Any], Any]]:
    types = get_type_hints(kind)
    return {one.name: _reader(types[one.name]) for one in fields(kind)}


def _reader(of: Any) -> Callable[[Any], Any]:
    """Return what reads a value of a type."""
    if get_origin(of) is UnionType:  # of one type and None
        read_it = _reader(get_args(of)[0])
        return lambda value: None if value is None else read_it(value)
    if of is str:
        return lambda value: value or ""
    if of is datetime:
        return to_time
    if of is bool or (isinstance(of, type) and issubclass(of, StrEnum)):
        return of
    if get_origin(of) is tuple:
        first, *rest = map(_reader, (one for one in get_args(of) if one is not ...))
        if rest:  # of a certain length
            return lambda value: tuple(one(part) for one, part in zip((first, *rest), _parsed(value), strict=True))
        return lambda value: tuple(map(first, _parsed(value)))
    if get_origin(of) is Mapping:
        return _parsed
    if isinstance(of, type) and is_dataclass(of):
        return lambda value: of(**_parsed(value))
    return lambda value: value


def _parsed(value: Any) -> Any:
    """Return what JSON says; what stands inside of other JSON is parsed already."""
    return json.loads(value) if isinstance(value, str) else value
