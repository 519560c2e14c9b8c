"""Tables: what a database answers to a query."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """The answer to a query: rows, or why there are none."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[object, ...], ...] = ()
    is_cut: bool = False
    """There were more rows than were asked for."""
    error: str = ""
    """What the database says of a query that it cannot answer."""
    seconds: float = 0.0
