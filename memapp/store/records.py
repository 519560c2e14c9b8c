"""Records of rows: each column is read into the field of its name, by the field's type.

NULL is an empty string in a text field. Fields with several values are stored as JSON.
"""

import json
from collections.abc import Callable, Mapping
from datetime import date, datetime
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Any, ClassVar, TypeVar, get_args, get_origin, get_type_hints

from memapp.store.encoding import to_json, to_text
from memapp.store.sqlite_errors import Row, from_row

T = TypeVar("T")


def record(kind: type[T], row: Row, **more: Any) -> T:
    """Return the record of a row, with more fields that no column has. Raises `Damaged`."""
    return kind(**_read_row(row, kind), **more)


def read(kept: Row | Mapping[str, Any], kind: type) -> dict[str, Any]:
    """Return the fields of a record from stored values; ignore other names. Raises `ValueError`."""
    readers, values = _readers(kind), {}
    for name in kept.keys():  # noqa: SIM118  # a row gives its values
        if name in readers:
            read_it = readers[name]
            values[name] = read_it(kept[name]) if read_it else kept[name]
    return values


_read_row = from_row(read)


def stored(value: Any) -> Any:
    """Return a value as it is stored in the file."""
    # a tuple is three times as fast as a union
    if value is None or isinstance(value, (str, int, float, bytes)):
        return value
    if isinstance(value, datetime):
        return to_text(value)
    if isinstance(value, date):
        return value.isoformat()
    return to_json(dict(value) if isinstance(value, Mapping) else list(value))


@cache
def _readers(kind: type) -> Mapping[str, Callable[[Any], Any] | None]:
    return {
        name: _reader(of)
        for name, of in get_type_hints(kind).items()
        if get_origin(of) is not ClassVar
    }


def _reader(of: Any) -> Callable[[Any], Any] | None:
    """Return the function that reads a value of a type; None for values stored as they are."""
    if get_origin(of) is UnionType:  # a type or None
        read_it = _reader(get_args(of)[0])
        return read_it and (lambda value: None if value is None else read_it(value))
    if of is str:
        return lambda value: value or ""
    if of is datetime:
        return datetime.fromisoformat
    if of is date:
        return date.fromisoformat
    if of is bool or (isinstance(of, type) and issubclass(of, StrEnum)):
        return of
    if get_origin(of) is tuple:
        if get_origin(get_args(of)[0]) is tuple:  # pairs
            return lambda value: tuple((first, second) for first, second in _parsed(value))
        return lambda value: tuple(_parsed(value))
    if get_origin(of) is Mapping:
        return _parsed
    if isinstance(of, type) and hasattr(of, "__dataclass_fields__"):
        return lambda value: of(**_parsed(value))
    return None


def _parsed(value: Any) -> Any:
    """Return the value of a JSON text; a part of other JSON is parsed already."""
    return json.loads(value) if isinstance(value, str) else value
