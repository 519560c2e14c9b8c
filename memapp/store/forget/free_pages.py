"""The unused parts of a file's pages, overwritten: SQLite leaves old bytes of moved rows there.

`secure_delete` clears only the last place of a row. Only bytes that belong to nothing are written,
so SQLite reads the same data before, during and after. The layout of a page is described in section
1.6 of https://www.sqlite.org/fileformat2.html.
"""

import os
from typing import BinaryIO

FILE_HEADER = 100
POINTERS_AT = {2: 12, 5: 12, 10: 8, 13: 8}
"""Kinds of pages with rows, each with the size of its header.

No other page begins with one of these numbers: those begin with the number of another page, and a
file with so many pages would be larger than 128 GB.
"""
BYTES_AT_ONCE = 8 * 1024 * 1024


def empty_free_pages(file: BinaryIO, start: int, size: int, page_size: int) -> None:
    """Write zeros into the unused parts of the pages of a range, while nobody else writes."""
    for place in range(start, start + size, BYTES_AT_ONCE):
        chunk = os.pread(file.fileno(), min(BYTES_AT_ONCE, start + size - place), place)
        for page in range(0, len(chunk), page_size):
            begin, end = _gap(chunk, page, page_size, FILE_HEADER if place + page == 0 else 0)
            if chunk[page + begin : page + end].strip(b"\0"):
                os.pwrite(file.fileno(), bytes(end - begin), place + page + begin)


def _gap(chunk: bytes, page: int, page_size: int, skipped: int) -> tuple[int, int]:
    """Return begin and end of the gap between the pointers and the rows of a page.

    Both are the same without a gap.
    """
    header = page + skipped
    pointers = POINTERS_AT.get(chunk[header])
    if pointers is None:
        return 0, 0
    rows = int.from_bytes(chunk[header + 3 : header + 5])
    begin = skipped + pointers + 2 * rows
    end = int.from_bytes(chunk[header + 5 : header + 7]) or 65536
    return (begin, end) if begin <= end <= page_size else (0, 0)  # a damaged page is left as it is
