"""Filters of memories as typed: words, "phrases", and conditions such as tag:tea or pinned:yes."""

import re
from dataclasses import replace
from datetime import MAXYEAR, MINYEAR, date

from memapp.domain.filters import MemoryFilter
from memapp.domain.memory import Kind
from memapp.domain.ranking import words_of
from memapp.domain.text import nearest
from memapp.language.labels import called
from memapp.language.query_words import query_words

_PART = re.compile(
    r'(?P<key>[^\W\d_]+):(?!//)(?:"(?P<quoted>[^"]*)"?|(?P<value>\S*))'
    r'|"(?P<phrase>[^"]*)"?|(?P<word>\S+)'
)
_KINDS = {called("kinds", kind): kind for kind in Kind} | {kind.value: kind for kind in Kind}
_YES = frozenset({"yes", "y", "true", "1"})
_NO = frozenset({"no", "n", "false", "0"})
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")


def parse_filter(text: str) -> MemoryFilter:
    """Return the filter in a typed text.

    Conditions that are wrong, unknown or repeated are named in `problems`; of repeated ones, the
    first counts.
    """
    wanted = MemoryFilter()
    seen = set()
    for part in _PART.finditer(text):
        key = (part["key"] or "").lower()
        if key in _WANTS:
            wanted = (
                _with(wanted, f"{key}: is there twice")
                if key in seen
                else _with_condition(wanted, key, part)
            )
            seen |= {key} - {"tag"}
        elif part["phrase"] is not None:
            phrase = " ".join(part["phrase"].split())
            wanted = replace(wanted, phrases=(*wanted.phrases, phrase)) if phrase else wanted
        else:
            # A stop word only counts if there is no other word.
            wanted = replace(
                wanted,
                words=(*wanted.words, *(query_words(part[0]) or words_of(part[0]) or [part[0]])),
            )
            wanted = _with(wanted, _unknown(key)) if key else wanted
    return wanted


_WANTS = {
    "tag": "tag: wants a tag, e.g. tag:tea",
    "category": "category: wants its name, e.g. category:goals",
    "kind": f"kind: is {', '.join(called('kinds', kind) for kind in Kind)}",
    "pinned": "pinned: is yes or no",
    "after": "after: wants a date, e.g. 2026-01-31",
    "before": "before: wants a date, e.g. 2026-01-31",
}
"""The conditions, with the message for a missing or wrong value."""


def _with_condition(wanted: MemoryFilter, key: str, part: re.Match[str]) -> MemoryFilter:
    value = part["quoted"] or part["value"] or ""
    lowered = value.lower()
    match key:
        case "tag" if value:
            return replace(wanted, tags=(*wanted.tags, value))
        case "category" if value:
            return replace(wanted, category=lowered)
        case "kind" if lowered in _KINDS:
            return replace(wanted, kind=_KINDS[lowered])
        case "pinned" if lowered in _YES | _NO:
            return replace(wanted, pinned=lowered in _YES)
        case "after" if (day := read_day(value)) is not None:
            return replace(wanted, after=day)
        case "before" if (day := read_day(value)) is not None:
            return replace(wanted, before=day)
    return _with(wanted, _WANTS[key])


def _with(wanted: MemoryFilter, problem: str) -> MemoryFilter:
    return replace(wanted, problems=(*wanted.problems, problem))


def _unknown(key: str) -> str:
    near = nearest(key, _WANTS)
    return f"{key}: is not known" + (f", {near}: is" if near else "; in quotes it is a word")


def read_day(value: str) -> date | None:
    """Return the first day of a date such as 2026, 2026-01 or 2026-01-31; else None."""
    if not _DATE.fullmatch(value):
        return None
    year, month, day = ([int(number) for number in value.split("-")] + [1, 1])[:3]
    try:
        # In the outermost years, a day of another time zone may be out of range.
        return date(year, month, day) if MINYEAR < year < MAXYEAR else None
    except ValueError:
        return None
