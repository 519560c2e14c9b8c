"""What a person types into the search of memories: words, "phrases", and conditions such as tag:tea or pinned:yes."""

import re
from dataclasses import dataclass, replace
from datetime import MAXYEAR, MINYEAR, date
from enum import StrEnum

from memapp.domain.memory import Kind, State
from memapp.domain.ranking import query_words, words_of

_PART = re.compile(r'(?P<key>\w+):(?:"(?P<quoted>[^"]*)"?|(?P<value>\S*))|"(?P<phrase>[^"]*)"?|(?P<word>\S+)')
_YES = frozenset({"yes", "y", "true", "1"})
_NO = frozenset({"no", "n", "false", "0"})
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")


class Sort(StrEnum):
    """The orders of a list of memories."""

    NEWEST = "newest"
    OLDEST = "oldest"
    IMPORTANT = "important"
    """Pinned first, then by importance."""
    USED = "used"
    """Most often recalled first."""
    CHANGED = "changed"
    """Last changed first."""


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories are wanted. An empty part does not count; all others must hold."""

    state: State | None = State.LIVE
    """None: whatever is not live."""
    words: tuple[str, ...] = ()
    """Each must be there; of the last one the beginning is enough. One that is only signs, such as 🍵, is looked for as it is."""
    phrases: tuple[str, ...] = ()
    tag: str = ""
    category: str = ""
    kind: Kind | None = None
    pinned: bool | None = None
    after: date | None = None
    """Created on that day of the person, or later."""
    before: date | None = None
    problems: tuple[str, ...] = ()
    """What was typed and not understood, in words for the person."""


ALL_LIVE = MemoryFilter()
"""Every memory that is not in the trash."""


def parse_filter(text: str) -> MemoryFilter:
    """Read what was typed. A condition that is not finished yet counts for nothing; a wrong one is named in `problems`."""
    wanted = MemoryFilter()
    for part in _PART.finditer(text):
        if part["key"] is not None and part["key"].lower() in _CONDITIONS:
            value = (part["quoted"] if part["quoted"] is not None else part["value"]) or ""
            if value:
                wanted = _with_condition(wanted, part["key"].lower(), value)
        elif part["phrase"] is not None:
            phrase = " ".join(part["phrase"].split())
            wanted = replace(wanted, phrases=(*wanted.phrases, phrase)) if phrase else wanted
        else:
            wanted = replace(wanted, words=(*wanted.words, *(_words(part[0]) or [part[0]])))
    return wanted


_CONDITIONS = ("tag", "category", "kind", "pinned", "after", "before")


def _with_condition(wanted: MemoryFilter, key: str, value: str) -> MemoryFilter:
    lowered = value.lower()
    match key:
        case "tag":
            return replace(wanted, tag=value)
        case "category":
            return replace(wanted, category=lowered)
        case "kind" if lowered in ("fact", "semantic"):
            return replace(wanted, kind=Kind.SEMANTIC)
        case "kind" if lowered in ("episode", "episodic"):
            return replace(wanted, kind=Kind.EPISODIC)
        case "pinned" if lowered in _YES | _NO:
            return replace(wanted, pinned=lowered in _YES)
        case "after" if (day := _day(value)) is not None:
            return replace(wanted, after=day)
        case "before" if (day := _day(value)) is not None:
            return replace(wanted, before=day)
    said = {
        "kind": "kind: is fact or episode",
        "pinned": "pinned: is yes or no",
        "after": "after: wants a date, e.g. 2026-01-31",
        "before": "before: wants a date, e.g. 2026-01-31",
    }[key]
    return replace(wanted, problems=(*wanted.problems, said))


def _day(value: str) -> date | None:
    if not _DATE.fullmatch(value):
        return None
    year, month, day = ([int(number) for number in value.split("-")] + [1, 1])[:3]
    try:
        return date(year, month, day) if MINYEAR < year < MAXYEAR else None  # else it may begin in a year that there is not
    except ValueError:
        return None


def _words(text: str) -> list[str]:
    """The words in a part of what was typed; one that is in every text is none, unless nothing else is there."""
    return query_words(text) or words_of(text)
