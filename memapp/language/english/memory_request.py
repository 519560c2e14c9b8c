"""Reads what a message asks of the memory itself: `remember that ...`, `forget what I said about ...`, `off the record`.

A request is a sentence of its own, or stands at an end of one: whatever only speaks of remembering is none. It is read with its
misspellings mended; what it is about is returned as it was written.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rapidfuzz.distance import OSA

from memapp.domain.memory_request import EVERYTHING, MemoryRequest, RequestKind
from memapp.language.english.grammar import expand, is_verb, sentences, stems, tokens
from memapp.language.lexicon import lexicon

EN = lexicon("requests")
MOST_CHARS = 2000
"""A longer message is material, in which every such word is found."""
SHORTEST = 4
"""A word of fewer letters is not taken for a misspelt one."""
LONG = 7
"""A word of so many letters may have two wrong ones."""
_TRIMMED = " \t\n,;:.!?()[]–—-…"

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    start: int

    @property
    def span(self) -> Span:
        return self.start, self.start + len(self.text)

    def content(self, found: re.Match[str]) -> Span:
        """Return where in the message that stands which was found in the sentence."""
        start, end = found.span("content")
        return self.start + start, self.start + end


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

    def request(self, kind: RequestKind, words: Span, content: Span | None = None, *, is_all: bool) -> MemoryRequest:
        """Return a request whose own words, and whose content, stand at these places of the mended text."""
        start, end = (self.places[one] for one in words)
        told = self.message[self.places[content[0]] : self.places[content[1]]].strip(_TRIMMED) if content else ""
        told = told[1:-1] if re.fullmatch(r"([\"']).*\1", told) else told
        return MemoryRequest(kind, told, start, end, is_all)


def read_request(text: str) -> MemoryRequest | None:
    """Return what a message asks of the memory; None for any other message."""
    if len(text) > MOST_CHARS:
        return None
    written = _mended(text)
    said = written.sentences
    for read in (_off, _confided, _wrong, _since, _know, _forget, _remember):
        for place in range(len(said)):
            if (request := read(written, said, place)) is not None:
                return None if EN.regex("{of_user}").search(request.content) else request
    return None


def asks_own_words(text: str) -> bool:
    """Say whether somebody asks for what they said: `what did I tell you about ...`"""
    return EN.regex("{of_own_words}").search(text) is not None


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


def _is_own(text: str) -> bool:
    """Say whether words are about the person, or about somebody or something with a name."""
    return is_of_person(text) or re.search(r"(?<=[\w,'] )[A-Z][a-z]|^[A-Z][a-z]+(?:'s\b|$)|\w's \w", text) is not None


def _has_verb(text: str) -> bool:
    words = (word.casefold() for word in tokens(expand(text)))
    return any(word in EN.verbs_in_short or any(map(is_verb, {word, *stems(word)})) for word in words)


def _asks(sentence: str) -> bool:
    return "?" in sentence or EN.regex("{asks}").match(sentence) is not None


def _in_form(one: _Sentence, name: str) -> Iterator[re.Match[str]]:
    """Yield how a sentence fits the patterns of a name."""
    found = (EN.regex(pattern).fullmatch(one.text) for pattern in EN.entry(name))
    yield from (each for each in found if each)


def _has_form(one: _Sentence, name: str) -> bool:
    return next(_in_form(one, name), None) is not None


def _says_more(said: Sequence[_Sentence], *taken: int) -> bool:
    """Say whether a sentence besides those taken says anything."""
    rest = (one.text for place, one in enumerate(said) if place not in taken)
    return any(not EN.regex(r"(?:{address}|{courtesy}|[\s.,!])*").fullmatch(one) for one in rest)


def _around(one: _Sentence, content: Span) -> Span:
    """Return where the words of a sentence stand before its content, or else behind it."""
    return (one.start, content[0]) if content[0] > one.start else (content[1], one.span[1])


# To remember ---------------------------------------------------------------------------------------------------------


def _remember(written: _Written, said: Sequence[_Sentence], place: int) -> MemoryRequest | None:
    one = said[place]
    told = EN.regex("{asked_behind}$").sub("", one.text)
    is_order = "?" not in told or EN.regex("{address}*{asks_whether}").match(one.text) is not None
    if _has_form(one, "remembers_beside"):
        return _remember_beside(written, said, place) if is_order else None
    for found in _remembered(one, is_order=is_order):
        content, is_all = one.content(found), not _says_more(said, place)
        if behind := EN.regex("(?P<told>.+?){asked_behind}").fullmatch(found["content"]):
            if not _is_told(behind["told"]) or not _is_own(behind["told"]):
                continue
            content, is_all = (content[0], content[0] + len(behind["told"])), False
        return written.request("remember", _around(one, content), content, is_all=is_all)
    return None


def _remember_beside(written: _Written, said: Sequence[_Sentence], place: int) -> MemoryRequest | None:
    """`Remember this.`: what follows is meant, or what stands before; what was said last where it stands alone."""
    for places in (range(place + 1, len(said)), range(place - 1, -1, -1)):
        if beside := _statements(said, places):
            content = (said[min(beside)].start, said[max(beside)].span[1])
            return written.request("remember", said[place].span, content, is_all=not _says_more(said, place, *beside))
    if _says_more(said, place) or EN.regex("{start}{remember_it}").match(said[place].text) is None:
        return None
    return written.request("remember", said[place].span, is_all=True)


def _statements(said: Sequence[_Sentence], places: Sequence[int]) -> list[int]:
    """Return the places of the sentences that state something, up to the first that asks."""
    found = []
    for place in places:
        if _asks(said[place].text) or not _has_verb(said[place].text):
            break
        found.append(place)
    return found


def _remembered(one: _Sentence, *, is_order: bool) -> Iterator[re.Match[str]]:
    """Yield what a sentence asks to be remembered; an order that also means other things means it of the person's own."""
    if is_order:
        yield from (found for found in _in_form(one, "remembers_told") if _is_told(found["content"]))
        yield from (found for found in _in_form(one, "remembers_clause") if _is_clause(found["content"]))
        yield from (found for found in _in_form(one, "notes_that") if is_of_person(found["content"]))
        yield from (found for found in _in_form(one, "notes") if _is_clause(found["content"]) or _is_mine(found["content"]))
    yield from (found for found in _in_form(one, "told_to_remember") if _is_statement(found["content"]))


def _is_told(content: str) -> bool:
    is_pointing = EN.regex(r"(?:this|that|it|your?|all|each|every|only|one)\b").match(content) is not None
    return EN.regex("{no_content}").match(content) is None or (is_pointing and is_of_person(content))


def _is_clause(content: str) -> bool:
    """Say whether words state something of somebody: `my bin day is Thursday`, and not `the Alamo`."""
    is_of_somebody = _is_own(content) or EN.regex("{definite_clause}").match(content) is not None
    return EN.regex("{no_content}").match(content) is None and is_of_somebody and _has_verb(content)


def _is_mine(content: str) -> bool:
    return is_of_person(content) and _has_verb(content)


def _is_statement(content: str) -> bool:
    return not _asks(content) and _has_verb(content) and len(content.split()) > 1


# To forget -----------------------------------------------------------------------------------------------------------


def _forget(written: _Written, said: Sequence[_Sentence], place: int) -> MemoryRequest | None:
    one, is_all = said[place], not _says_more(said, place)
    if _has_form(one, "forgets_last"):
        return written.request("forget", one.span, is_all=True) if is_all else None
    if _has_form(one, "forgets_all"):
        return replace(written.request("forget", one.span, is_all=is_all), content=EVERYTHING)
    for found in _forgotten(one):
        content = one.content(found)
        if EN.regex("{of_me}").fullmatch(found["content"]):
            return replace(written.request("forget", one.span, is_all=is_all), content=EVERYTHING)
        is_every = EN.regex("{everything}").match(found.groupdict().get("what") or "") is not None
        return replace(written.request("forget", _around(one, content), content, is_all=is_all), is_every=is_every)
    return None


def _forgotten(one: _Sentence) -> Iterator[re.Match[str]]:
    is_of_text = EN.regex("{of_text}").search(one.text) is not None
    yield from (found for found in _in_form(one, "forgets_told") if not is_of_text and _is_of_memory(found))
    yield from (found for found in _in_form(one, "forgets_that") if _is_mine(found["content"]) or _is_clause(found["content"]))
    yield from _in_form(one, "forgets_surely")
    yield from (found for found in _in_form(one, "forgets_named") if _is_possessed(found))
    yield from (found for found in _in_form(one, "forgets_thing") if not is_of_text)


def _is_of_memory(found: re.Match[str]) -> bool:
    """Say whether what is to go was said or is known, or is the person's, and is no piece of a text that is written."""
    is_told = EN.regex(r"(?:{everything}|that {about}|.*\b(?:{said}|{known}|I never)\b)").match(found["what"])
    return bool(is_told or EN.regex("{forget_memory}").match(found["verb"])) or _is_own(found["content"])


def _is_possessed(found: re.Match[str]) -> bool:
    """Say whether something can only be in the memory: `my ex's birthday`; any thing where the verb says so."""
    content = found["content"]
    if re.search(r"[,;:]|\bfor (?:a|one|the|now)\b", content) or EN.regex(r"{of_chat}|{no_content}(?! {first_person})").match(
        content
    ):
        return False
    is_sure = EN.regex("forget|unlearn|pretend").match(found["verb"]) is None
    if is_sure or (found["about"] and re.fullmatch(r"[A-Z]\w+", content)):
        return True
    if EN.regex("{own_clause}").match(content):
        return True
    is_clause = re.search(r"\b(?:is|are|was|were|will|and|but)\b", content, re.IGNORECASE) is not None
    return re.match(r"(?:my|our)\b|\w+'s ", content, re.IGNORECASE) is not None and not is_clause


# To keep out of the memory -------------------------------------------------------------------------------------------


def _off(written: _Written, said: Sequence[_Sentence], place: int) -> MemoryRequest | None:
    one = said[place]
    if _has_form(one, "keeps_out"):
        return _kept_out(written, said, place, None)
    found = next(_in_form(one, "keeps_out_told"), None)
    return _kept_out(written, said, place, one.content(found)) if found else None


def _confided(written: _Written, said: Sequence[_Sentence], place: int) -> MemoryRequest | None:
    """`Between us, I ...`: meant for nobody's memory, without a word of that."""
    found = next(_in_form(said[place], "confides"), None)
    is_meant = found and is_of_person(found["content"]) and not _asks(found["content"])
    return _kept_out(written, said, place, said[place].content(found)) if found and is_meant else None


def _kept_out(written: _Written, said: Sequence[_Sentence], place: int, content: Span | None) -> MemoryRequest:
    one = said[place]
    words = _around(one, content) if content else one.span
    told = [*_told_beside(said, place), *([content] if content else [])]
    is_asked = any(_asks(each.text) for at, each in enumerate(said) if at != place)
    is_asked = is_asked or (content is not None and _asks(written.plain[slice(*content)]))
    about = (min(told)[0], max(told)[1]) if told else None
    return written.request("off", words, about, is_all=not is_asked)


def _told_beside(said: Sequence[_Sentence], place: int) -> Iterator[Span]:
    """Yield where the other sentences tell something, without what they are led by."""
    for at, one in enumerate(said):
        if at != place and not _asks(one.text):
            lead = EN.regex(r"(?:{address}|{in_confidence}[\s,:–-]*)*").match(one.text)
            start = lead.end() if lead else 0
            if one.text[start:].strip(_TRIMMED):
                yield one.start + start, one.span[1]


# What is wrong -------------------------------------------------------------------------------------------------------


def _wrong(written: _Written, said: Sequence[_Sentence], place: int) -> MemoryRequest | None:
    one = said[place]
    if "?" in one.text:
        return None
    if _has_form(one, "says_wrong"):
        if not _says_more(said, place):
            return written.request("wrong", one.span, is_all=True)
        follows = said[place + 1 : place + 2] if place == 0 else []
        if follows and _is_mended(follows[0].text):
            request = written.request("wrong", one.span, follows[0].span, is_all=not _says_more(said, place, place + 1))
            return replace(request, teaches=True)
        return None
    for found, teaches in _called_wrong(one):
        content = one.content(found)
        about = None if found["content"].casefold() in EN.it_words else content
        request = written.request("wrong", _around(one, content), about, is_all=not _says_more(said, place))
        return replace(request, teaches=teaches)
    return None


def _called_wrong(one: _Sentence) -> Iterator[tuple[re.Match[str], bool]]:
    """Yield what a sentence calls wrong, and whether it states how it is instead."""
    yield from ((found, False) for found in _in_form(one, "calls_wrong"))
    yield from ((found, False) for found in _in_form(one, "has_mistake") if _is_own(found["content"]))
    yield from ((found, False) for found in _in_form(one, "calls_wrong_that") if _is_mended(found["content"]))
    yield from ((found, True) for found in _in_form(one, "mends") if _is_mended(found["content"]) and not _asks(found["content"]))


def _is_mended(text: str) -> bool:
    """Say whether a sentence tells how it is with the person, and not what they wanted of an answer."""
    return is_of_person(text) and "?" not in text and EN.regex("{address}*{of_answer}").match(text) is None


# To tell what is known -----------------------------------------------------------------------------------------------


def _know(written: _Written, said: Sequence[_Sentence], place: int) -> MemoryRequest | None:
    one, is_all = said[place], not _says_more(said, place)
    if _has_form(one, "asks_all"):
        is_meant = EN.regex("{of_own_memory}|{of_person_known}").search(one.text) is not None
        return written.request("know", one.span, is_all=is_all) if is_meant else None
    if _has_form(one, "asks_who"):
        return written.request("know", one.span, is_all=is_all)
    for found in _known_of(one):
        if EN.regex(r"\b(?:yourself|you)\b").search(found["content"]) is None:
            content = None if EN.regex("{of_me}").fullmatch(found["content"]) else one.content(found)
            words = _around(one, content) if content else one.span
            return written.request("know", words, content, is_all=is_all)
    return None


def _known_of(one: _Sentence) -> Iterator[re.Match[str]]:
    """Yield what a sentence asks the memory for: it says so, or names what is the person's, or somebody by name."""
    for found in _in_form(one, "asks_about"):
        is_named = is_of_person(found["content"]) or found["content"][:1].isupper()
        if is_named or EN.regex("{of_own_memory}").search(found["asked"]):
            yield found
    yield from (found for found in _in_form(one, "holds_about") if _is_own(found["content"]))
    yield from (found for found in _in_form(one, "asks_recalled") if EN.regex(r"\b(?:remember|recall)\b").search(one.text))


def _since(written: _Written, said: Sequence[_Sentence], place: int) -> MemoryRequest | None:
    one, is_all = said[place], not _says_more(said, place)
    found = next(_in_form(one, "asks_since"), None)
    if found is None or one.text.rstrip().endswith("."):
        return None
    about = (found["content"] or "").casefold().strip(_TRIMMED)
    if not about or about in EN.it_words:
        return written.request("since", one.span, is_all=is_all)
    is_told = EN.regex("{since_told}").search(one.text) is not None
    if EN.regex(r"(?:when|how|why|what|if|whether|who|where|your?)\b").match(about) or not (is_told or _is_own(found["content"])):
        return None
    content = one.content(found)
    return written.request("since", _around(one, content), content, is_all=is_all)
