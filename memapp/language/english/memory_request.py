"""Reads what a message asks of the memory itself: `remember that ...`, `forget what I said about ...`, `off the record`.

A request is a sentence of its own, or stands at an end of one: whatever only speaks of remembering is none. It is read with its
misspellings mended; what it is about is returned as it was written. The plain forms of a request stand in `requests.toml`; any
other phrasing is known by its likeness to examples (`request_kind`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA

from memapp.domain.memory_request import EVERYTHING, MemoryRequest, RequestKind
from memapp.language.english import request_kind
from memapp.language.english.grammar import expand, is_verb, sentences, stems, tokens
from memapp.language.lexicon import lexicon

EN = lexicon("requests")
MOST_CHARS = 2000
"""A longer message is material, in which every such word is found."""
LONGEST_SENTENCE = 400
"""Of characters. A longer one tells something, and to hold it against each form would take seconds."""
SHORTEST = 4
"""A word of fewer letters is not taken for a misspelt one."""
LONG = 7
"""A word of so many letters may have two wrong ones."""
SURE = 0.995
"""How sure its likeness must be that a message of no plain form is a request: of 3,238 messages of other people's chats one is
taken for one that has no such form, and is none."""
FEW_WORDS = 6
"""Who says no more than that calls what was said last wrong, or wants it gone; in more words it is named, wherever it stands."""
_TRIMMED = " \t\n,;:.!?()[]–—-…"

_CONTENT = ("content", "about", "of")
"""The groups of a form that tell what a request is about; the first that was found counts."""

Span = tuple[int, int]
Form = Mapping[str, Any]
"""A table of `requests.toml`."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class _Written:
    """A message with its misspellings mended, and where each of its letters stands in it."""

    message: str
    plain: str
    places: Sequence[int]

    @property
    def sentences(self) -> list[_Sentence]:
        found, at = [], 0
        for text in sentences(self.plain):
            start = self.plain.find(text, at)
            if start < 0:
                return [_Sentence(self.plain, 0)]
            found.append(_Sentence(text, start))
            at = start + len(text)
        return found

    def told(self, content: Span) -> str:
        """Return what stands in the message at these places of the mended text."""
        told = self.message[self.places[content[0]] : self.places[content[1]]].strip(_TRIMMED)
        return told[1:-1] if re.fullmatch(r"([\"']).*\1", told) else told


def read_request(text: str) -> MemoryRequest | None:
    """Return what a message asks of the memory; None for any other message."""
    if len(text) > MOST_CHARS:
        return None
    written = _mended(text)
    said = written.sentences
    short = [place for place, one in enumerate(said) if len(one.text) <= LONGEST_SENTENCE]
    read = (_read(form, written, said, place) for form in EN.entry("forms") for place in short)
    found = next(filter(None, read), None)
    return found if found and not EN.regex("{of_user}").search(found.content) else None


def by_likeness(text: str, vector: NDArray[np.float32], by: request_kind.Fitted | None = None) -> MemoryRequest | None:
    """Return the request that a message of no plain form surely makes, given its unit vector; by this fit or the shipped one."""
    if len(text.split()) > request_kind.MOST_WORDS:
        return None
    likely = request_kind.kinds(text, vector, by)
    none = likely.pop("none")
    return _alike(text, max(likely, key=lambda one: likely[one]), by) if none <= 1 - SURE else None


def is_whole_question(text: str) -> bool:
    """Say whether a request asks more than what is known of something: `what did I tell you about ...`, `where my bike is`."""
    return EN.regex("{of_own_words}|{ask_recall} {clause_of_question}").search(text) is not None


def doubts(text: str) -> bool:
    """Say whether a message only asks whether what was just said is so: `really?`"""
    return EN.regex("{doubt}").fullmatch(text.strip()) is not None


def is_of_person(content: str) -> bool:
    """Say whether what is named can only be the person's."""
    return EN.regex("{first_person}").search(content) is not None


def chosen_in(text: str, count: int) -> tuple[int, ...] | None:
    """Return the numbers of a list that a message chooses, none of them for a no; None where it chooses nothing."""
    said = text.strip(" .!?").casefold()
    if EN.regex("{none_of_them}").fullmatch(said):
        return ()
    if EN.regex("{all_of_them}").fullmatch(said):
        return tuple(range(1, count + 1))
    if not EN.regex("{choice}").fullmatch(said):
        return None
    ordinals = {**EN.forms("ordinals"), "last": str(count)}
    words = [one for one in re.findall(r"\d+|[a-z]+", said) if one.isdigit() or one in ordinals]
    named = [one for one in words if one != "one"] or words  # the second one
    numbers = [int(ordinals.get(one, one)) for one in named]
    return tuple(dict.fromkeys(numbers)) if numbers and all(1 <= one <= count for one in numbers) else None


# The text of a message -----------------------------------------------------------------------------------------------


def _mended(text: str) -> _Written:
    plain, places = [], []
    text = text.translate(str.maketrans("’‘ʼ´`“”", "'''''\"\""))
    for found in re.finditer(r"[ \t]+|[A-Za-z']+|.", text, re.DOTALL):
        word = " " if found[0].isspace() and found[0] != "\n" else _spelt(found[0])
        plain.append(word)
        places += [found.start() + min(at, len(found[0]) - 1) for at in range(len(word))]
    return _Written(text, "".join(plain), [*places, len(text)])


@lru_cache(maxsize=2048)
def _spelt(word: str) -> str:
    """Return the word of a request that this is a misspelling of, else the word itself."""
    lowered = word.casefold()
    if lowered in (short := EN.forms("shortened")):
        return short[lowered]
    if len(word) < SHORTEST or lowered in EN.request_words or lowered in EN.no_misspelling:
        return word
    near = sorted((OSA.distance(lowered, one), one) for one in EN.request_words if one[0] == lowered[0])
    return next((one for distance, one in near if _is_misspelt(lowered, one, distance)), word)


def _is_misspelt(word: str, meant: str, distance: int) -> bool:
    """Say whether letters are swapped, missing or doubled; in a long word up to two are wrong."""
    if len(meant) >= LONG:
        return distance <= 2
    is_swapped = sorted(word) == sorted(meant)
    return distance == 1 and (is_swapped or (len(word) != len(meant) > SHORTEST))


# Its likeness --------------------------------------------------------------------------------------------------------


def _alike(text: str, kind: str, by: request_kind.Fitted | None) -> MemoryRequest | None:
    """Return the request of a kind that a message makes; what it would take away is asked about first."""
    start, end = request_kind.content(text, kind, by) or (0, 0)
    if not end and kind in ("know", "since") and (last := EN.regex(r"\babout (?!{of_me}\b)([^,.;!?]+)[\s.!?]*$").search(text)):
        start, end = last.span(1)  # else all that is known would be told
    content = text[start:end].strip(_TRIMMED)
    states = kind in ("remember", "allow") and content != ""
    if (
        EN.regex("{of_user}").search(content)
        or EN.regex("{of_text}").search(text)
        or (states and not EN.regex("{clause}").fullmatch(content))
    ):
        return None
    own = (end, len(text)) if len(text) - end >= start else (0, start)
    is_every = EN.regex(r"\b{everything}\b").search(text[:start] + text[end:]) is not None
    others = [one for one in sentences(text) if not content or content not in one]
    asking = sum(asks(one) and not EN.regex("{order}").fullmatch(one) for one in others)
    is_all = asking <= (kind in ("know", "since") and not content)
    if kind == "forget" and (EN.regex("{of_me}").fullmatch(content) or (is_every and not content)):
        content = EVERYTHING
    elif kind in ("forget", "wrong") and not content and len(text.split()) > FEW_WORDS:
        content = text
    named = cast(RequestKind, {"allow": "remember", "mend": "wrong"}.get(kind, kind))
    return MemoryRequest(
        named, content, *own, is_all, is_every, teaches=kind == "mend", is_allowed=kind == "allow", is_sure=False
    )


# Its forms -----------------------------------------------------------------------------------------------------------


def _read(form: Form, written: _Written, said: Sequence[_Sentence], place: int) -> MemoryRequest | None:
    """Return the request that a sentence makes in a form, with what it is about: in it, or beside it."""
    one = said[place]
    ways = (EN.regex(pattern).fullmatch(one.text) for pattern in EN.entry(form["form"]))
    found = next((each for each in ways if each and _holds(form, one.text, each)), None)
    if found is None:
        return None
    groups = {name: words for name, words in found.groupdict().items() if words and words.strip()}
    beside = _beside(form, said, place)
    around = [groups[name] for name in ("question", "before") if name in groups]
    is_all = not _says_more(said, place, *beside) and all(map(_is_courtesy, around))
    if (beside == [] and form["beside"] != "told") if "beside" in form else (form.get("is_all") and not is_all):
        return None
    own = next((found.span(name) for name in _CONTENT if name in groups), None)
    words, about = (one.start, one.end), [_without_lead(said[at]) for at in beside]
    content = ""
    if own and not EN.regex("{it_words}").fullmatch(found.string[slice(*own)].strip(_TRIMMED)):
        start, end = one.start + own[0], one.start + own[1]
        words = (one.start, start) if start > one.start else (end, one.end)
        about.append((start, end))
        is_all = is_all and not (beside and asks(found.string[slice(*own)]))
    if about:
        content = written.told((min(about)[0], max(about)[1]))
    if form.get("is_everything") or EN.regex("{of_me}").fullmatch(content):
        content = EVERYTHING if form["kind"] == "forget" else ""
    start, end = (written.places[at] for at in words)
    is_every = EN.regex("{everything}").match(groups.get("what", "")) is not None
    teaches, is_allowed = form.get("teaches", False), form.get("is_allowed", False)
    return MemoryRequest(form["kind"], content, start, end, is_all, is_every, teaches=teaches, is_allowed=is_allowed)


def _holds(form: Form, sentence: str, found: re.Match[str]) -> bool:
    """Say whether a form means the memory here: one of its conditions holds of what was found."""
    groups = {name: text or "" for name, text in found.groupdict().items()} | {"sentence": sentence}
    return any(_is_met(groups, one) for one in form.get("where", ({},)))


def _is_met(groups: Mapping[str, str], condition: Mapping[str, Any]) -> bool:
    has_verb = "states" not in condition or _has_verb(groups["content"])
    return has_verb and all(EN.regex(one).fullmatch(groups.get(name, "")) for name, one in condition.items() if name != "states")


def _has_verb(text: str) -> bool:
    words = (word.casefold() for word in tokens(expand(text)))
    return any(word in EN.verbs_in_short or any(map(is_verb, {word, *stems(word)})) for word in words)


def asks(sentence: str) -> bool:
    """Say whether a sentence asks for an answer, or for something to be made."""
    return "?" in sentence or EN.regex("{asks}").match(sentence) is not None


def _says_more(said: Sequence[_Sentence], *taken: int) -> bool:
    """Say whether a sentence besides those taken says anything."""
    rest = (one.text for place, one in enumerate(said) if place not in taken)
    return not all(map(_is_courtesy, rest))


def _is_courtesy(text: str) -> bool:
    return EN.regex(r"(?:{address}|{courtesy}|[\s.,!])*").fullmatch(text) is not None


# What stands beside --------------------------------------------------------------------------------------------------


def _beside(form: Form, said: Sequence[_Sentence], place: int) -> list[int]:
    """Return the places of the other sentences that a request is about: all that tell, those next to it, or the one behind."""
    match form.get("beside"):
        case "told":
            others = (at for at, one in enumerate(said) if at != place and not asks(one.text))
            return [at for at in others if said[at].text[_lead(said[at]) :].strip(_TRIMMED)]
        case "stated":
            behind, before = range(place + 1, len(said)), range(place - 1, -1, -1)
            return _statements(said, behind) or _statements(said, before)
        case "mended":
            is_mended = place == 0 and len(said) > 1 and EN.regex("{mended}").fullmatch(said[1].text)
            return [1] if is_mended else []
    return []


def _statements(said: Sequence[_Sentence], places: Sequence[int]) -> list[int]:
    """Return the places of the sentences that state something, up to the first that asks."""
    stating = (not asks(said[place].text) and _has_verb(said[place].text) for place in places)
    return [place for place, _ in takewhile(lambda pair: pair[1], zip(places, stating, strict=True))]


def _without_lead(one: _Sentence) -> Span:
    return one.start + _lead(one), one.end


def _lead(one: _Sentence) -> int:
    """Return where in a sentence that begins which is said, behind what leads to it."""
    found = EN.regex(r"(?:{address}|{in_confidence}[\s,:–-]*)*").match(one.text)
    return found.end() if found else 0
