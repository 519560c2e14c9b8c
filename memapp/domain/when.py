"""A named time: the day or month that a text names, so that recall can prefer what was said then."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class NamedTime:
    """A day, or a whole month, of one year or of any."""

    year: int | None
    month: int
    day: int | None

    def fits(self, moment: datetime) -> bool:
        return (
            self.month == moment.month
            and (self.year is None or self.year == moment.year)
            and (self.day is None or self.day == moment.day)
        )
