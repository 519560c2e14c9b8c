"""The last day of a sentence about the future: `my flight is next friday`.

Habits and the past have none. `next friday` is taken for the one of next week, as the phrase can
mean that in every language: rather news for too long than history too soon.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache

from memapp.language.grammar import sentences
from memapp.language.word_file import WordFile, words

KINDS = ("near", "weekday", "date", "other_date", "day", "month", "distance", "period")
UNITS = ("day", "week", "month", "year")
FARTHEST = 1500
"""The most days to search for a day of a month: the next 29 February may be so far."""
LISTS = ("weekdays", "months", "units", "nears")
"""Entries that are lists: days of the week, months, units of time, and today with the days after.
"""


def last_day(text: str, said_on: date, file: WordFile) -> date | None:
    """Return the last future day named in a text of some day; None for none, or for a lasting fact.

    Statements about today are no news of a future day: `I quit my job today`.
    """
    return max(
        (
            day
            for sentence in sentences(text)
            for day in _days(sentence, said_on, file)
            if day > said_on
        ),
        default=None,
    )


def _days(sentence: str, said_on: date, file: WordFile) -> Iterator[date]:
    begins = _pattern(file.code, "begins")
    for kind in KINDS:
        start = said_on
        for named in _pattern(file.code, kind).finditer(sentence):
            try:
                day = _day(named.groupdict(), start, file)
            except (ValueError, OverflowError):  # no calendar has that day
                continue
            if _is_no_news(_clause(sentence, named, file), file):
                continue
            if begins.match(named[0]) or any(
                begin.end() == named.start() - 1 for begin in begins.finditer(sentence)
            ):
                start = day if kind == "day" else said_on  # `from the 20th to the 3rd`
            else:
                yield day


def _clause(sentence: str, match: re.Match[str], file: WordFile) -> str:
    """Return the clause around a match."""
    ends = [
        end.start()
        for end in re.finditer(file.pattern("clauses", "between"), sentence, re.IGNORECASE)
    ]
    start = max((end for end in ends if end < match.start()), default=0)
    return sentence[start : min((end for end in ends if end >= match.end()), default=len(sentence))]


def _is_no_news(clause: str, file: WordFile) -> bool:
    """Return True for the past and for habits."""
    is_over = file.finds("days", "over", clause) and not file.finds("days", "coming", clause)
    return bool(
        is_over
        or file.finds("days", "habit", clause)
        or _pattern(file.code, "habit_day").search(clause)
    )


def _day(named: dict[str, str | None], said_on: date, file: WordFile) -> date:
    """Return the day named by a match's groups. Raises `ValueError`, `OverflowError`."""
    place = {
        name: _place(file, name, value)
        for name, value in named.items()
        if f"{name}s" in LISTS and value
    }
    is_next = named.get("next") is not None
    if "near" in place:
        return said_on + timedelta(place["near"])
    if "weekday" in place:
        start = _last_of("week", said_on, 0) if is_next else said_on
        return start + timedelta((place["weekday"] - start.weekday() - 1) % 7 + 1)
    if "unit" in place:
        number = named.get("number")
        return _last_of(
            UNITS[place["unit"]], said_on, _count(number, file) if number else int(is_next)
        )
    month = place["month"] + 1 if "month" in place else int(named.get("month_number") or 0)
    if not (day := named.get("day")):
        return _last_of("month", said_on, (month - said_on.month) % 12)
    year = named.get("year")
    return date(int(year), month, int(day)) if year else _next(int(day), month, said_on)


def _last_of(unit: str, day: date, ahead: int) -> date:
    """Return the last day of the week, month or year `ahead`, or the day `ahead`."""
    if unit in ("day", "week"):
        return (
            day + timedelta(ahead)
            if unit == "day"
            else day + timedelta(7 * ahead + 6 - day.weekday())
        )
    if unit == "year":
        return date(day.year + ahead, 12, 31)
    years, month = divmod(day.month + ahead, 12)
    return date(day.year + years, month + 1, 1) - timedelta(1)


def _next(day: int, month: int, said_on: date) -> date:
    """Return the next day with a number, in a month if one is named."""
    coming = (said_on + timedelta(ahead) for ahead in range(FARTHEST))
    return next(
        (other for other in coming if other.day == day and month in (0, other.month)), date.min
    )


def _count(number: str, file: WordFile) -> int:
    spelt = file.sections["questions"]["numbers"].split()
    return (
        int(number)
        if number.isdigit()
        else spelt.index(number.lower()) + 2
        if number.lower() in spelt
        else 1
    )


def _place(file: WordFile, name: str, text: str) -> int:
    entries = file.sections["days"][f"{name}s"].split()
    return next(at for at, entry in enumerate(entries) if re.fullmatch(entry, text, re.IGNORECASE))


@cache
def _pattern(code: str, name: str) -> re.Pattern[str]:
    """Return the pattern of an entry with its lists filled in, the longest words first."""
    file = words(code)
    days, numbers = file.sections["days"], file.sections["questions"]["numbers"].split()
    lists = {
        list_name.removesuffix("s"): reversed(days[list_name].split()) for list_name in LISTS
    } | {"number": [r"\d{1,4}", *numbers, days["one"]]}
    pattern = days[name]
    for name_of_list, entries in lists.items():
        any_of = "|".join(entries)
        pattern = pattern.replace(f"{{{name_of_list}}}", f"(?P<{name_of_list}>{any_of})").replace(
            f"{{{name_of_list}s}}", f"(?:{any_of})"
        )
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE)
