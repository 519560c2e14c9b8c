"""A SQLite database of the person's as a tool: one query at a time, which only reads.

What was learned of it counts wherever there is a database with the same tables.
"""

from dataclasses import dataclass
from typing import Protocol

from memapp.domain.lessons.feedback import Efficiency, Feedback, ToolAttempt
from memapp.domain.lessons.table import Table

NAME = "sql"
MOST_CHARS = 16_000


class Queryable(Protocol):
    """What answers queries."""

    @property
    def schema(self) -> str:
        """The statements that made its tables."""

    def ask(self, query: str) -> Table:
        """Answer one query; that it cannot be answered is an answer too."""


@dataclass(frozen=True)
class Sql:
    """A database as it is asked."""

    database: Queryable
    name: str = NAME

    @property
    def scope(self) -> str:
        return self.database.schema

    def attempt(self, action: str) -> ToolAttempt:
        """Ask a query; return its rows as lines, with tabs between the columns."""
        return as_attempt(action, self.database.ask(action))

    def feedback(self, attempt: ToolAttempt) -> Feedback:
        return Feedback(
            hard_failure=bool(attempt.exit_code), efficiency_signal=Efficiency(attempt.seconds)
        )


def as_attempt(query: str, table: Table) -> ToolAttempt:
    """Return what came of a query that was asked."""
    lines = (table.columns, *table.rows)
    output = table.error or "\n".join("\t".join(map(str, line)) for line in lines)[:MOST_CHARS]
    return ToolAttempt(query, output, 1 if table.error else 0, seconds=table.seconds)
