"""Putting a value in the place of another in a fact: a name for a name, a day for a day, a noun for a noun.

Where a fact has several that it could stand for, each way is returned, with what would give way; whose meaning is near is not
judged here.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from rapidfuzz import fuzz

from memapp.language.english.authorship import stated_sentences
from memapp.language.english.correction import EN, Correction, Kind, Value, article_of, is_day
from memapp.language.english.dates import is_date, other_day
from memapp.language.english.grammar import is_adverb, join, stems, tokens
from memapp.language.english.grounding import SAID
from memapp.language.english.parsed_fact import number_in, verb_place
from memapp.language.english.writing import check_form

Span = tuple[int, int]
SPELLED_ALIKE = 60.0
"""So like a name, of 100, is the way in which it was spelled wrongly."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """One way to put a value in a fact."""

    gives_way: str
    """The words in whose place it stands."""
    text: str
    is_sure: bool
    """The value can stand for nothing else there; else the two must be near in meaning."""
    is_led_alike: bool = False
    """Both are said behind the same article, and of one thing or of several: `the harp`, `the cello`; `bees`, `ducks`."""
    is_led_otherwise: bool = False
    """The value is said with an article that these have not: `bread`, `the oven`."""


def replacements(correction: Correction, fact: str) -> list[Replacement]:
    """Return the ways in which what holds instead fits into a fact; none where that is not said, or several fit equally."""
    value = correction.instead
    if value is None or (correction.is_over and fact.startswith(SAID)):
        return []  # of what is over only its core stays, and a quotation has none
    written = tokens(fact)
    verb = verb_place(written)
    if value.pair:
        return [one for one in _of_pairs(value, written) if one.text != fact and not check_form(one.text)]
    named = _named(correction, written) if correction.old else None
    if verb >= len(written) - 1 and not (named and not correction.is_over):
        return []
    kind = value.kind
    if correction.is_role:
        found = [(span, span, is_sure and not correction.is_bare) for span, is_sure in _roles(written, verb)]
    elif named:
        found = [(named, named, True)]
    elif kind == "noun" and not value.preposition:
        found = [(part, whole, False) for part, whole in _parts_of_objects(value, written, verb, is_over=correction.is_over)]
    else:
        found = [(span, span, kind != "noun") for span in _of_kind(kind, value, written, verb)]
        found = found if len(found) == 1 else []
    is_only_core = correction.is_over and kind in ("noun", "name") and not correction.is_role
    ways = [_put(value, written, part, whole, verb, is_only_core=is_only_core, is_sure=is_sure) for part, whole, is_sure in found]
    return [one for one in ways if one.text != fact and not check_form(one.text)]


def _of_pairs(value: Value, written: Sequence[str]) -> list[Replacement]:
    """Put of two things that are named together the one that is not known in the place of the other; of two names both."""
    found: list[tuple[Span, str]] = []
    new = [one.casefold() for one in value.pair]
    for at in (place for place, word in enumerate(written) if word == "and"):
        spans = [_before(written, at), _behind(written, at)]
        old = [" ".join(written[slice(*span)]).casefold() for span in spans]
        fitting = [one for one in (0, 1) if any(old[one] == part or old[one].endswith(f" {part}") for part in new)]
        if len(fitting) == 1:
            anew = [part for part in value.pair if not f" {old[fitting[0]]}".endswith(f" {part.casefold()}")]
            found += [(spans[1 - fitting[0]], anew[0])] if len(anew) == 1 else []
        elif not fitting and all(one[:1].isupper() for one in value.pair) and {at - 1, at + 1} <= set(_name_places(written)):
            found.append(((at - 1, at + 2), " and ".join(value.pair)))
    if len(found) != 1:
        return []
    ((span, anew_text),) = found
    return [_put(Value(anew_text), written, span, span, 0, is_only_core=False, is_sure=True)]


def _name_places(written: Sequence[str]) -> Iterator[int]:
    return (at for span in _names(written) for at in range(*span))


def _before(written: Sequence[str], at: int) -> Span:
    """Return where the thing stands that is named before an `and`: a name, or the words of a noun."""
    start = at
    while start > 1 and not _is_small(written[start - 1]) and (start == at or written[at - 1][:1].islower()):
        start -= 1
    return start, at


def _behind(written: Sequence[str], at: int) -> Span:
    start = at + 2 if article_of(written[min(at + 1, len(written) - 1)]) else at + 1
    is_name = written[start : start + 1] and written[start][:1].isupper()
    end = start
    while end < len(written) and not _is_small(written[end]) and (not is_name or written[end][:1].isupper()):
        end += 1
    return start, end


def restated(correction: Correction, text: str) -> str:
    """Return a text with a value in the place of the only one of its kind there; empty where none is, or several are."""
    value = correction.instead
    if value is None:
        return ""
    told = [" ".join(words) for words in stated_sentences(text)]
    found = [(at, span) for at, sentence in enumerate(told) for span in _spans(correction, value, tokens(sentence))]
    if len(found) != 1:
        return ""
    ((at, (start, end)),) = found
    written = tokens(told[at])
    told[at] = join([*written[:start], _in_form_of(written[end - 1], value.text), *written[end:]])
    return ". ".join(told)


def tells_otherwise(new: str, old: str) -> bool:
    """Say whether two statements say the same but for a number, a day or a name behind the verb: `it is at 7`, `it is at 6`."""
    told, before = (tokens(one.rstrip(".")) for one in (new, old))
    steps = SequenceMatcher(None, before, told, autojunk=False).get_opcodes()
    others = [(start, [*before[start:end], *told[at:to]]) for step, start, end, at, to in steps if step == "replace"]
    is_only_that = all(step in ("equal", "replace") for step, *_ in steps)
    is_with = any(before[at - 1].casefold() == "with" for at, _ in others)  # of two people both may be true
    is_of_values = all(verb_place(before) < at and all(map(_is_value, some)) for at, some in others)
    return bool(others) and is_only_that and is_of_values and not is_with


def _is_value(word: str) -> bool:
    return word[:1].isupper() or bool(number_in(word)) or is_day(word) or word.casefold() in EN.months


def has_place(correction: Correction, text: str) -> bool:
    """Say whether a text has something of the kind of what holds instead: a day, a number, a name. Nouns are of all kinds."""
    value = correction.instead
    told = (tokens(join(list(words))) for words in stated_sentences(text)) if value else ()
    return value is not None and any(_spans(correction, value, written) for written in told)


def nouns_in(text: str) -> list[str]:
    """Return what a text names that is no name: `black tea`."""
    told = (tokens(join(list(words))) for words in stated_sentences(text))
    return [" ".join(written[slice(*span)]) for written in told for span in _noun_phrases(written, 0)]


def _spans(correction: Correction, value: Value, written: Sequence[str]) -> list[Span]:
    if correction.old:
        return [span for span in [_named(correction, written)] if span]
    return [] if value.kind == "noun" else _of_kind(value.kind, value, written, 0)


def _of_kind(kind: Kind, value: Value, written: Sequence[str], verb: int) -> list[Span]:
    """Return the places of what is of the same kind; behind the same preposition, where the value has one."""
    dates = [(at, at + 4) for at in range(len(written)) if is_date(" ".join(written[at : at + 4]))]
    undated = [(at, word) for at, word in enumerate(written) if not any(start <= at < end for start, end in dates)]
    match kind:
        case "day":
            return dates or [(at, at + 1) for at, word in enumerate(written) if is_day(word)]
        case "month":
            return [(at, at + 1) for at, word in undated if word.casefold() in EN.months]
        case "number" if value.text.endswith(("st", "nd", "rd", "th")):
            return dates or [(at, at + 1) for at, word in enumerate(written) if number_in(word).endswith("th")]
        case "number":
            return [(at, at + 1) for at, word in undated if number_in(word) not in ("", "1")]
        case "name":
            names = list(_names(written))
            if value.is_spelling:
                return [span for span in names if fuzz.ratio(value.text, " ".join(written[slice(*span)])) >= SPELLED_ALIKE]
            if value.is_name:
                names = [span for span in names if not _is_place_word(written[span[0] - 1])]
            said_of = [span for span in names if span[0] > verb] or names
            return [span for span in said_of if _follows(value.preposition, written, span[0])]
        case "noun":
            spans = (span for span in _noun_phrases(written, verb + 1))
            return [span for span in spans if _follows(value.preposition, written, span[0])]
        case "pair":
            return []


def _follows(preposition: str, written: Sequence[str], start: int) -> bool:
    before = [word.casefold() for word in written[max(0, start - 2) : start] if word.casefold() not in EN.articles]
    return not preposition or before[-1:] == [preposition]


def _names(written: Sequence[str]) -> Iterator[Span]:
    at = 1
    while at < len(written):
        end = at
        while end < len(written) and not _is_no_name(written[end]) and (written[end][:1].isupper() or _is_named(written, end)):
            end += 1
        if end > at:
            yield at, end
        at = max(end, at + 1)


def _is_named(written: Sequence[str], at: int) -> bool:
    """Say whether it is told that somebody is called so, in small letters too: `is called kofi`."""
    before = [word.casefold() for word in written[max(0, at - 2) : at]]
    return before[-1:] in (["called"], ["named"]) or (before[-1:] == ["is"] and before[0] == "name")


def _is_no_name(word: str) -> bool:
    return word in ("I", "User", "User's") or is_day(word) or word.casefold() in EN.months


def _noun_phrases(written: Sequence[str], start: int) -> Iterator[Span]:
    """Yield the runs of words that are no small ones: `black tea`, `piano lessons`."""
    at = start
    while at < len(written):
        end = at
        while end < len(written) and not _is_small(written[end]):
            end += 1
        if end > at:
            yield at, end
        at = max(end, at + 1)


def _is_small(word: str) -> bool:
    small = word.casefold()
    is_mark = re.match(r"\w", small) is None
    return is_mark or small in EN.function_words | EN.opening | {"user's"} or bool(number_in(small)) or is_adverb(small)


def _parts_of_objects(value: Value, written: Sequence[str], verb: int, *, is_over: bool) -> Iterator[tuple[Span, Span]]:
    """Yield what a noun could stand for: all of the object, or what says more of it (`piano` in `piano lessons`).

    For what stands behind a preposition (`jam from quinces`) it can where both are led alike; not in place of what is over.
    """
    for place, whole in enumerate(_noun_phrases(written, verb + 1)):
        start, end = whole
        is_object = not (place or any(_is_place_word(word) for word in written[verb + 1 : start]))
        is_alike = not is_over and _is_led_alike(value, written, whole) and not any(map(_is_name_or_day, written[start:end]))
        if not (is_object or is_alike):
            continue
        for at in range(start, end):
            yield ((at, end), whole)
            yield from (((at, stop), (at, stop)) for stop in range(at + 1, end))


def _roles(written: Sequence[str], verb: int) -> Iterator[tuple[Span, bool]]:
    """Yield what somebody is or works as, and whether it is surely that: it is told where, or that they work."""
    at = verb + 2 if written[verb + 1].casefold() == "as" else verb + 1
    start, end = next(iter(_noun_phrases(written, at)), (0, 0))
    if end and start <= at + 1:
        yield (start, end), at > verb + 1 or _is_place_word(written[end] if end < len(written) else "")


def _is_led_alike(value: Value, written: Sequence[str], whole: Span) -> bool:
    is_of_several = [word.endswith("s") and not word.endswith(("ss", "us", "is")) for word in (value.text, written[whole[1] - 1])]
    return article_of(written[whole[0] - 1]) == value.article and is_of_several[0] == is_of_several[1]


def _is_name_or_day(word: str) -> bool:
    return word[:1].isupper() or is_day(word)


def _is_place_word(word: str) -> bool:
    return word.casefold() in EN.naming_prepositions - {"to", "as", "for", "of", "about"}


def _named(correction: Correction, written: Sequence[str]) -> Span | None:
    """Return where what no longer holds stands by its words, if it is one place."""
    places = [at for at, word in enumerate(written) if any(stems(word) & one for one in correction.old)]
    if len(places) != len(correction.old) or places != list(range(places[0], places[-1] + 1)):
        return None
    return places[0], places[-1] + 1


def _put(
    value: Value, written: Sequence[str], part: Span, whole: Span, verb: int, *, is_only_core: bool, is_sure: bool
) -> Replacement:
    """Write the fact anew. Of what is over only who, the verb and the value stay: the rest was said of the old."""
    (start, end), new = whole, _in_form_of(" ".join(written[whole[0] : whole[1]]), value.text)
    before = [*written[: verb + 1]] if is_only_core else list(written[:start])
    determiner = written[start - 1] if is_only_core and start > verb + 1 else ""
    if determiner.casefold() in EN.articles | {"user's"} or (determiner and determiner.casefold() in EN.naming_prepositions):
        before.append(determiner)
    if before[-1].casefold() in ("a", "an"):
        before[-1] = "an" if new[0].casefold() in "aeiou" else "a"
    behind = [] if is_only_core else written[end:]
    text = join([*before, new, *behind])
    is_other = value.article not in ("", article_of(written[whole[0] - 1]))
    gives_way = " ".join(written[part[0] : part[1]])
    return Replacement(gives_way, f"{text}.", is_sure, _is_led_alike(value, written, whole), is_other)


def _in_form_of(old: str, new: str) -> str:
    """Give a value the form of what it replaces: a day its plural or its date, a name its capital letter."""
    if is_date(old):
        return other_day(old, new)
    if is_day(new):
        return f"{new.removesuffix('s').capitalize()}{'s' if old.endswith('s') else ''}"
    return new[0].upper() + new[1:] if old[:1].isupper() else new
