"""The day until which a sentence holds that tells of a coming day: `my flight is next friday`.

A habit has none, nor has what is over. `next friday` is the one of next week, as the words of all
languages can mean that: a sentence is rather taken for news too long than for history too soon.
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
"""Days in which a day of a month is looked for: so long it takes to the next 29 February."""
LISTS = ("weekdays", "months", "units", "nears")
"""Entries that are lists: of the week, of the year, of day, week, month and year, and of today and
what follows.
"""


def last_day(text: str, said_on: date, file: WordFile) -> date | None:
    """Return the last coming day that a text told on a day names; None where it names none, or may
    hold for longer.

    What is told of today is no news of a coming day: `I quit my job today`.
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
        for found in _pattern(file.code, kind).finditer(sentence):
            try:
                day = _day(found.groupdict(), start, file)
            except (ValueError, OverflowError):  # no calendar has that day
                continue
            if _is_no_news(_clause(sentence, found, file), file):
                continue
            if begins.match(found[0]) or any(
                match.end() == found.start() - 1 for match in begins.finditer(sentence)
            ):
                start = day if kind == "day" else said_on  # `from the 20th to the 3rd`
            else:
                yield day


def _clause(sentence: str, found: re.Match[str], file: WordFile) -> str:
    """Return the clause of a sentence that a match stands in."""
    ends = [
        match.start()
        for match in re.finditer(file.pattern("clauses", "between"), sentence, re.IGNORECASE)
    ]
    start = max((end for end in ends if end < found.start()), default=0)
    return sentence[start : min((end for end in ends if end >= found.end()), default=len(sentence))]


def _is_no_news(clause: str, file: WordFile) -> bool:
    """Return True for what is over, and for a habit."""
    is_over = file.finds("days", "over", clause) and not file.finds("days", "coming", clause)
    return bool(
        is_over
        or file.finds("days", "habit", clause)
        or _pattern(file.code, "habit_day").search(clause)
    )


def _day(named: dict[str, str | None], said_on: date, file: WordFile) -> date:
    """Return the day that the groups of a pattern name. Raises `ValueError`, `OverflowError`."""
    place = {
        name: _place(file, name, text)
        for name, text in named.items()
        if f"{name}s" in LISTS and text
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
    """Return the last day of the week, month or year that is so many ahead, or the day."""
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
    """Return the next day of that number, in a month where one is named."""
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
    """Return the pattern of an entry with the lists that it names, the longest of their words
    first.
    """
    file = words(code)
    days, numbers = file.sections["days"], file.sections["questions"]["numbers"].split()
    lists = {text.removesuffix("s"): reversed(days[text].split()) for text in LISTS} | {
        "number": [r"\d{1,4}", *numbers, days["one"]]
    }
    pattern = days[name]
    for item, entries in lists.items():
        any_of = "|".join(entries)
        pattern = pattern.replace(f"{{{item}}}", f"(?P<{item}>{any_of})").replace(
            f"{{{item}s}}", f"(?:{any_of})"
        )
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE)
