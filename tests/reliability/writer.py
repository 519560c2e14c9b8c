"""A process that writes rows one by one and says on stdout which of them were acknowledged, and
which met an error.

Run as `python -m tests.reliability.writer FILE ROWS [SYNCHRONOUS]`.
"""

import os
import sys
from pathlib import Path

from memapp.errors import StoreError
from memapp.language.normal_form import WORDING
from memapp.store import connection
from memapp.store.opening import open_database


def main(path: Path, rows: int, synchronous: int = 2) -> None:
    connection.PRAGMAS["synchronous"] = synchronous
    try:
        database = open_database(path, WORDING)
    except StoreError:
        return
    for number in range(rows):
        try:
            with database.write() as conn:
                conn.execute(
                    "INSERT INTO interface VALUES ('me', ?, ?)",
                    (f"row {number}", f'"{"x" * 3000}"'),
                )
        except StoreError:
            os.write(1, b"ERR\n")
        else:
            os.write(1, f"ACK {number}\n".encode())
    os._exit(0)  # as a machine that loses its power: nothing is closed


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(int(number) for number in sys.argv[2:]))
