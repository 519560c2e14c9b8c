"""The days and months that a text names, and the wording of a day."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from memapp.domain.named_time import NamedTime
from memapp.language.grammar import EN

_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_WRITTEN = rf"\b(?:{_DAY}(?: of)? )?({{month_numbers}})\b\.?(?: {_DAY}\b)?(?:,? (\d{{4}})\b)?"
_NUMERIC = re.compile(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?\b")
_SPAN = re.compile(r"\b(week|weekend) of (\d{1,2}) (\w+) (\d{4})\b")
"""As `dates` writes it."""
_SINCE = re.compile(r"\bsince ((?:[\w-]+ ){0,5}?\d{4}(?:/\d\d)?)\b")
_TOLD = re.compile(r"\b(today|yesterday|last month)\b", re.IGNORECASE)


def told_day(day: date, today: date) -> str:
    """Return a day in words: `today`, `on 2 May`, with the year if another."""
    if day == today:
        return "today"
    return f"on {day.day} {day:%B}" + (f" {day.year}" if day.year != today.year else "")


def asked_day(day: date, today: date) -> str:
    """Return a day in all words by which a question may name it: `on 2 May, yesterday`."""
    return told_day(day, today) + (", yesterday" if day == today - timedelta(days=1) else "")


def since_in(fact: str) -> str:
    """Return since when a fact holds, as `dates` writes it: `winter 2025/26`; else nothing."""
    since = _SINCE.search(fact)
    return since[1] if since else ""


def named_times(text: str, today: date) -> list[NamedTime]:
    """Return the days and months that a text names: `May 4th`, `in July`, `2023-05`, `yesterday`.

    `the week of 16 November 2026` names its seven days.
    """
    numeric = [
        NamedTime(int(year), int(month), int(day) if day else None)
        for year, month, day in _NUMERIC.findall(text)
    ]
    return list(
        dict.fromkeys(
            [*_written(_SPAN.sub("", text)), *numeric, *_spanned(text), *_told(text, today)]
        )
    )


def _spanned(text: str) -> Iterator[NamedTime]:
    for unit, first, month, year in _SPAN.findall(text):
        begin = date(int(year), int(EN.forms("month_numbers")[month.lower()]), int(first))
        for day in (begin + timedelta(ahead) for ahead in range(7 if unit == "week" else 2)):
            yield NamedTime(day.year, day.month, day.day)


def _written(text: str) -> Iterator[NamedTime]:
    for before, name, after, year in EN.regex(_WRITTEN).findall(text):
        day = int(before or after or 0)
        if name.lower() in EN.ordinary_months and not (day or year):
            continue
        yield NamedTime(
            int(year) if year else None, int(EN.forms("month_numbers")[name.lower()]), day or None
        )


def _told(text: str, today: date) -> Iterator[NamedTime]:
    for words in _TOLD.findall(text):
        match words.lower():
            case "today":
                yield NamedTime(today.year, today.month, today.day)
            case "yesterday":
                day = today - timedelta(days=1)
                yield NamedTime(day.year, day.month, day.day)
            case _:
                month = today.replace(day=1) - timedelta(days=1)
                yield NamedTime(month.year, month.month, None)
