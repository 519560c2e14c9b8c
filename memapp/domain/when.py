"""A named time: the day or month that a text names, so that recall can prefer what was said then."""

from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True, slots=True)
class NamedTime:
    """A day, or a whole month, of one year or of any."""

    year: int | None
    month: int
    day: int | None

    def holds(self, other: "NamedTime") -> bool:
        """Say whether another one may lie in it: a day in its month, of whatever year where one
        names none.
        """
        is_of_year = None in (self.year, other.year) or self.year == other.year
        return is_of_year and self.month == other.month and self.day in (None, other.day)

    def fits(self, moment: datetime) -> bool:
        return (
            self.month == moment.month
            and (self.year is None or self.year == moment.year)
            and (self.day is None or self.day == moment.day)
        )


def until(day: date, said_at: datetime) -> str:
    """Return the last day on which something is news, as it stands behind it: ` (until 4 Dec)`,
    with another year named.
    """
    return f" (until {day.day} {day:%b}" + (
        f" {day.year})" if day.year != said_at.astimezone().year else ")"
    )
