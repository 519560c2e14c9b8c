"""Damages one byte of one value in a file that nobody has open: where each value stands, by the
format of SQLite's files.
"""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

LEAVES = {10: False, 13: True}
"""The kinds of page that hold rows, and whether a number of the row stands before them."""
SIZES = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)
"""Of a number, by the kind that the head of its row tells."""


@dataclass(frozen=True)
class Value:
    """Where a value of a row stands in the file; one without bytes of its own stands in the head of
    its row.
    """

    table: str
    field: int
    offset: int
    size: int

    def spoil(self, path: Path, chance: random.Random) -> None:
        """Turn one bit of it over."""
        content = bytearray(path.read_bytes())
        content[self.offset + chance.randrange(self.size)] ^= 1 << chance.randrange(8)
        path.write_bytes(content)


def values(path: Path) -> list[Value]:
    """Return every value of every table of ours that stands whole on one page."""
    data = path.read_bytes()
    with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as conn:
        (size,) = conn.execute("PRAGMA page_size").fetchone()
        tables = conn.execute(
            "SELECT name, rootpage FROM sqlite_master WHERE type = 'table' AND rootpage "
            "AND name NOT GLOB '*sqlite_*'"
        ).fetchall()
    return [
        Value(name, field, offset, length)
        for name, root in tables
        for page in _leaves(data, size, root)
        for cell, numbered in _cells(data, size, page)
        for field, offset, length in _fields(data, cell, size, numbered=numbered)
    ]


def _leaves(data: bytes, size: int, page: int) -> Iterator[int]:
    start = _start(size, page)
    if data[start] in LEAVES:
        yield page
        return
    count = int.from_bytes(data[start + 3 : start + 5])
    for number in range(count):
        at = int.from_bytes(data[start + 12 + 2 * number :][:2]) + size * (page - 1)
        yield from _leaves(data, size, int.from_bytes(data[at : at + 4]))
    yield from _leaves(data, size, int.from_bytes(data[start + 8 : start + 12]))


def _start(size: int, page: int) -> int:
    return size * (page - 1) + (100 if page == 1 else 0)


def _cells(data: bytes, size: int, page: int) -> Iterator[tuple[int, bool]]:
    start = _start(size, page)
    for number in range(int.from_bytes(data[start + 3 : start + 5])):
        yield (
            size * (page - 1) + int.from_bytes(data[start + 8 + 2 * number :][:2]),
            LEAVES[data[start]],
        )


def _fields(data: bytes, cell: int, size: int, *, numbered: bool) -> Iterator[tuple[int, int, int]]:
    length, at = _number(data, cell)
    if numbered:
        _, at = _number(data, at)
    if length > size // 5:  # it goes on elsewhere
        return
    head, kind_at = _number(data, at)
    place = at + head
    field = 0
    while kind_at < at + head:
        kind, following = _number(data, kind_at)
        memory = SIZES[kind] if kind < len(SIZES) else (kind - 12) // 2
        yield (field, place, memory) if memory else (field, kind_at, following - kind_at)
        place, kind_at, field = place + memory, following, field + 1


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Read a number of one to nine bytes; return the number and the rest."""
    found = 0
    for number in range(8):
        found = found << 7 | data[at + number] & 127
        if data[at + number] < 128:
            return found, at + number + 1
    return found << 8 | data[at + 8], at + 9
