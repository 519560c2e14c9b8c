"""Reads what is asked of a program that can do nothing but talk and remember: to remind at a time, to send, to look outside.

`remind me what I said` asks the memory, and `write a mail` the model; neither is read here.
"""

import re

from memapp.domain.memory_request import Beyond, MemoryRequest
from memapp.language.english.grammar import sentences
from memapp.language.english.memory_request import LONGEST_SENTENCE, MOST_CHARS, asks
from memapp.language.lexicon import lexicon

EN = lexicon("beyond")


def read_beyond(text: str) -> MemoryRequest | None:
    """Return what a message asks that memapp cannot do, with what it is to be reminded of; None for any other message."""
    if len(text) > MOST_CHARS:
        return None
    said = sentences(text.replace("\u2019", "'"))
    for place, one in enumerate(said):
        beyond, rest = _read(one)
        if beyond is None:
            continue
        others = [*said[:place], *said[place + 1 :]]
        start = max(0, text.replace("\u2019", "'").find(one))
        is_all = not any(map(asks, others))
        return MemoryRequest("beyond", rest, start, start + len(one), is_all, teaches=bool(others), beyond=beyond)
    return None


def _read(sentence: str) -> tuple[Beyond | None, str]:
    """Return which kind of thing a sentence asks for, and for a reminder what of and when."""
    for kind in EN.entry("kinds") if len(sentence) <= LONGEST_SENTENCE else ():
        ways = (EN.regex(pattern).fullmatch(sentence.strip()) for pattern in kind["patterns"])
        if found := next(filter(None, ways), None):
            return kind["name"], (found.groupdict().get("rest") or "").strip(" ,.!?")
    return None, ""


def as_wish(rest: str) -> str:
    """Return what somebody is to be reminded of as they would state it: `I want to be reminded to call the plumber`."""
    told = EN.regex(r"\Afor (?={when}\b)").sub("", rest)
    return f"I want to be reminded {'of ' if told.startswith('for ') else ''}{told.removeprefix('for ')}"


def tells_something(rest: str) -> bool:
    """Say whether somebody is not only to be reminded to do something, but that something is so."""
    return re.search(r"(?:^|\s)that ", rest) is not None


def clauses_of(rest: str) -> list[str]:
    """Return what somebody is to be reminded of as plain statements of theirs, by which it is judged: `I call Bo`."""
    found = re.finditer(r"(?:^|\s)(to|of|about|for) ", rest)
    return [f"I {rest[one.end() :]}" if one[1] == "to" else rest[one.end() :] for one in found]
