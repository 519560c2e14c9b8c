"""Tables: the answer of a database to a query."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """The answer to a query: rows, or why there are none."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[object, ...], ...] = ()
    is_cut: bool = False
    """True if more rows were left."""
    error: str = ""
    """The database's error message for a query that failed."""
    seconds: float = 0.0
