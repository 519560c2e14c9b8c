"""The encoding of times, ids and JSON columns."""

import hashlib
import json
import os
from _thread import allocate_lock  # `threading` brings more, and somebody may wait for a hint
from datetime import UTC, date, datetime, time
from typing import Any

_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""The digits of Crockford's base 32."""
_RANDOM_BITS = 80


class _Ids:
    """The source of the ids of this process, which increase within a millisecond."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._last = 0

    def after(self, milliseconds: int) -> int:
        with self._lock:
            is_same = self._last >> _RANDOM_BITS == milliseconds
            # half of the range, so that there is room for the next ids of this millisecond
            random = int.from_bytes(os.urandom(_RANDOM_BITS // 8), "big") >> 1
            self._last = self._last + 1 if is_same else milliseconds << _RANDOM_BITS | random
            return self._last


_ids = _Ids()


def new_id(now: datetime) -> str:
    """Return a ULID: unique, sorted by time, and within a millisecond by the order of creation."""
    return _ulid(_ids.after(_milliseconds(now)))


def derived_id(moment: datetime, source: str) -> str:
    """Return an id derived from a foreign name: the same for the same name, and sorted by time."""
    named = int.from_bytes(hashlib.sha256(source.encode()).digest()[: _RANDOM_BITS // 8], "big")
    return _ulid(_milliseconds(moment) << _RANDOM_BITS | named)


def _milliseconds(moment: datetime) -> int:
    return max(0, int(moment.timestamp() * 1000))


def _ulid(number: int) -> str:
    return "".join(_DIGITS[number >> 5 * place & 31] for place in range(25, -1, -1))


def to_text(moment: datetime) -> str:
    """Write a time as UTC text that sorts: 2026-01-31T08:15:00.000Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def begin_of(day: date) -> datetime:
    """Return the start of a day in the machine's time zone on that day."""
    return datetime.combine(day, time()).astimezone()


def to_time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def to_json(value: Any) -> str:
    return _JSON.encode(value)
