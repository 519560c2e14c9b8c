"""Rows and records: how times, ids and JSON columns stand in the file."""

import hashlib
import json
from datetime import UTC, date, datetime, time
from typing import Any

from ulid import ULID

_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def new_id(now: datetime) -> str:
    """Return a ULID: unique, and sorted by time to the millisecond."""
    return str(ULID.from_datetime(now))


def derived_id(moment: datetime, source: str) -> str:
    """Return an id made from a foreign name: always the same for the same name, and sorted by time."""
    milliseconds = max(0, int(moment.timestamp() * 1000))
    return str(ULID.from_bytes(milliseconds.to_bytes(6, "big") + hashlib.sha256(source.encode()).digest()[:10]))


def to_text(moment: datetime) -> str:
    """Write a time as UTC text that sorts: 2026-01-31T08:15:00.000Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def begin_of(day: date) -> datetime:
    """Return when a day begins in the machine's time zone, as it is on that day."""
    return datetime.combine(day, time()).astimezone()


def to_time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def to_json(value: Any) -> str:
    return _JSON.encode(value)
