"""A SQLite database as a tool: one read-only query at a time.

Lessons count for every database with the same tables.
"""

from dataclasses import dataclass
from typing import Protocol

from memapp.domain.lessons.feedback import Efficiency, Feedback, ToolAttempt
from memapp.domain.lessons.query_result import Table

NAME = "sql"
MOST_CHARS = 16_000


class Queryable(Protocol):
    """A database that answers queries."""

    @property
    def schema(self) -> str:
        """The statements that made the tables."""

    def ask(self, query: str) -> Table:
        """Answer one query; an error is an answer too."""


@dataclass(frozen=True)
class Sql:
    """A database under queries."""

    database: Queryable
    name: str = NAME

    @property
    def scope(self) -> str:
        return self.database.schema

    def attempt(self, action: str) -> ToolAttempt:
        """Run a query; return the rows as lines with tabs."""
        return as_attempt(action, self.database.ask(action))

    def feedback(self, attempt: ToolAttempt) -> Feedback:
        return Feedback(
            hard_failure=bool(attempt.exit_code), efficiency_signal=Efficiency(attempt.seconds)
        )


def as_attempt(query: str, table: Table) -> ToolAttempt:
    """Return the attempt of a query."""
    lines = (table.columns, *table.rows)
    output = table.error or "\n".join("\t".join(map(str, line)) for line in lines)[:MOST_CHARS]
    return ToolAttempt(query, output, 1 if table.error else 0, seconds=table.seconds)
