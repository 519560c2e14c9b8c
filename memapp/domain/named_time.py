"""A named time: the day or month that a text names, for which recall prefers messages."""

from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True, slots=True)
class NamedTime:
    """A day or a month, of a certain year or of any."""

    year: int | None
    month: int
    day: int | None

    def holds(self, other: "NamedTime") -> bool:
        """Return True if another named time may lie within this one; no year fits every year."""
        is_of_year = None in (self.year, other.year) or self.year == other.year
        return is_of_year and self.month == other.month and self.day in (None, other.day)

    def fits(self, moment: datetime) -> bool:
        return (
            self.month == moment.month
            and (self.year is None or self.year == moment.year)
            and (self.day is None or self.day == moment.day)
        )


def until(day: date, said_at: datetime) -> str:
    """Return the last day of dated news: ` (until 4 Dec)`, with the year if another."""
    return f" (until {day.day} {day:%b}" + (
        f" {day.year})" if day.year != said_at.astimezone().year else ")"
    )
