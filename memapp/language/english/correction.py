"""Reading what a message says against what was known: that it never was so, that it is over, and what holds instead.

A sentence is read in the parts between its commas. What only leads to a correction (`no`, `sorry`, `actually`) leads to much
else, so by itself it makes none; nor does a question, a supposition, or what is quoted.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Literal

from memapp.domain.chat import Message
from memapp.language.english.authorship import stated_sentences
from memapp.language.english.dates import is_date, typed_on_its_day
from memapp.language.english.given_names import is_common
from memapp.language.english.grammar import is_adverb, is_verb, join, stems, tokens, word_at
from memapp.language.english.parsed_fact import number_in, parse, verb_place
from memapp.language.lexicon import lexicon

EN = lexicon("correction")
MOST_WORDS = 3
"""A value in place of another is short; what is longer is a statement of its own."""
AT_ONCE = 2
"""Sentences at the beginning of a message in which it points at what was said before it."""

Kind = Literal["day", "month", "number", "name", "noun"]
Forms = tuple[frozenset[str], ...]
"""Words, each with what it may be a form of."""


@dataclass(frozen=True, slots=True)
class Value:
    """What holds in place of something."""

    text: str
    preposition: str = ""
    """Before it: `on Friday`, `near Zadar`."""
    is_name: bool = False
    """Somebody or something is said to be called so."""

    @property
    def kind(self) -> Kind:
        """Say what it is, and so what it can stand in the place of."""
        word = self.text.casefold()
        if is_day(word) or is_date(word):
            return "day"
        if word in EN.months:
            return "month"
        if number_in(word):
            return "number"
        is_written_as_name = self.text[:1].isupper() and not any(map(is_common, self.text.split()))
        return "name" if self.is_name or is_written_as_name else "noun"


def is_day(word: str) -> bool:
    """Say whether a word is a day of the week, or several of that: `Mondays`."""
    return EN.regex("{days}").fullmatch(word.casefold().removesuffix("s")) is not None


@dataclass(frozen=True, slots=True)
class Correction:
    """What a message says against something said or known before it."""

    points_back: bool = False
    """It says itself that what was said just before does not hold: `scratch that`, `not any more`."""
    is_lead: bool = False
    """It may say something against that: `no`, `sorry`, `actually`."""
    is_over: bool = False
    """What was said was so, and is no more; else it never was, and the rest of it holds."""
    old: Forms = ()
    """The words of what no longer holds."""
    fact: str = ""
    """A pattern of what no longer holds, as a fact says it."""
    holds: Forms = ()
    """The words of what holds now: what was ended has not all of them."""
    who: str | None = ""
    """Who ended something, as it is written; empty where that is not said, None where it need not be who the fact is about."""
    instead: Value | None = None

    @property
    def names_what(self) -> bool:
        """Say whether its words tell what no longer holds."""
        return bool(self.old or self.fact)


def read_correction(text: str) -> Correction | None:
    """Return what a typed message corrects or ends; None if it does neither.

    Whatever it ends it may name anywhere; what points back, and what holds instead, is said at once.
    """
    sentences = enumerate(stated_sentences(text))
    by_sentence = [reduce(_both, _of_sentence(words, is_first=not place), Correction()) for place, words in sentences]
    ended = [replace(one, points_back=False, instead=None) for one in by_sentence[AT_ONCE:]]
    found = reduce(_both, [*by_sentence[:AT_ONCE], *ended], Correction())
    if found.names_what or (found.instead and (found.is_lead or found.points_back)):
        return found
    is_answer = not EN.polite.isdisjoint(word.casefold() for word in tokens(text))
    return found if found.points_back and not is_answer else None


def correction_of(message: Message) -> Correction | None:
    """Return what a message corrects or ends; a day may be told as seen from the message's: `no, it's next Wednesday`."""
    of_its_day = read_correction(typed_on_its_day(message))
    is_day = of_its_day is not None and of_its_day.instead is not None and of_its_day.instead.kind == "day"
    return of_its_day if is_day else read_correction(message.typed_text)


def is_about(correction: Correction, fact: str, *, is_recent: bool) -> bool:
    """Say whether a fact has all that a correction names of what no longer holds, and is about the same one.

    Whom a pronoun or nobody stands for is somebody of whom was spoken just before.
    """
    held = {stem for word in tokens(fact) for stem in stems(word)}
    if any(one.isdisjoint(held) for one in correction.old) or not EN.regex(correction.fact).search(fact):
        return False
    if correction.holds and not any(one.isdisjoint(held) for one in correction.holds):
        return False
    is_partly = len(correction.old) == 1 and not correction.fact and _does_more_than(correction.old[0], fact)
    is_of_anybody = correction.who is None
    return not is_partly and (is_of_anybody or _is_subject((correction.who or "").casefold(), fact, held, is_recent=is_recent))


def _does_more_than(verb: frozenset[str], fact: str) -> bool:
    """Say whether a verb alone leaves open whether it is this that was ended: `I do not run any more`, of who runs a shop."""
    written = tokens(fact)
    following = word_at(written, verb_place(written) + 1)
    is_verb_of_it = not verb.isdisjoint(parse(fact).verb) and verb.isdisjoint(EN.habits)
    return is_verb_of_it and following not in EN.naming_prepositions | EN.opening | {""}


def _is_subject(who: str, fact: str, held: set[str], *, is_recent: bool) -> bool:
    subject = parse(fact).subject
    if not subject:
        return is_recent  # in the person's words
    is_of_person = not subject.isdisjoint({"user", "user and"})
    if who in ("i", "we", "me") or who.endswith(" and i"):
        return is_of_person
    if not who:
        return is_of_person or is_recent
    if who in ("he", "she", "him", "her"):
        return is_recent and not is_of_person
    if who in ("they", "it"):
        return is_recent
    named = who.split()
    if named[0] in ("my", "our"):
        return not stems(named[1]).isdisjoint(subject) and all(word in held for word in named[2:])
    return not stems(who).isdisjoint(held)


# Reading -------------------------------------------------------------------------------------------------------------


def _of_sentence(words: Sequence[str], *, is_first: bool) -> Iterator[Correction]:
    """Yield what the parts of a sentence say. Only the first of a message points at what was said before it: others at itself."""
    if not EN.hypothetical.isdisjoint(word.casefold() for word in words):
        return
    contrast = _match("contrasts", join(_without_leads(words)[1]))
    if contrast and (value := _value(contrast["new"], is_all=True)) and (old := _forms(contrast["old"])):
        yield Correction(is_lead=True, old=old, instead=value)
        return
    for part in _parts(words):
        has_lead, rest = _without_leads(part)
        text = join(rest)
        found = (_pointing(text) or _ended(text) or _given(text) or Correction()) if text else Correction()
        if found.points_back and not is_first:
            found = replace(found, points_back=False, is_lead=True)
        is_first = is_first and (not text or found.points_back)
        yield replace(found, is_lead=found.is_lead or has_lead)


def _both(one: Correction, other: Correction) -> Correction:
    """Join what two parts of a message say; of the same thing the first counts."""
    named = one if one.names_what else other
    return Correction(
        points_back=one.points_back or other.points_back,
        is_lead=one.is_lead or other.is_lead,
        is_over=one.is_over or other.is_over,
        old=named.old,
        fact=named.fact,
        holds=named.holds,
        who=named.who,
        instead=one.instead or other.instead,
    )


def _parts(words: Sequence[str]) -> Iterator[list[str]]:
    """Yield the words between commas, dashes and `but`."""
    part: list[str] = []
    for word in [*words, ","]:
        if word in ",;:()!–—--" or word.casefold() in ("but", "because"):
            if part:
                yield part
            part = []
        else:
            part.append(word)


def _without_leads(words: Sequence[str]) -> tuple[bool, list[str]]:
    """Return whether words begin or end with what may lead to a correction, and the rest of them."""
    start, end = 0, len(words)
    leads = False
    while start < end and (_is_lead(words, start) or words[start].casefold() in EN.passing or words[start] in ",!"):
        leads = leads or _is_lead(words, start)
        start += 1
    while end > start and (words[end - 1].casefold() in EN.leads - EN.negations or words[end - 1] == ","):
        leads = leads or words[end - 1] != ","
        end -= 1
    return leads, list(words[start:end])


def _is_lead(words: Sequence[str], at: int) -> bool:
    """Say whether a word leads to what follows, and is no part of it: `no sugar`, `sorry for the noise`."""
    word, following = words[at].casefold(), "".join(words[at + 1 : at + 2]).casefold()
    if word == "no":
        return not re.match(r"\w", following) or following in EN.leads | EN.passing | EN.pronouns | EN.possessives | {"the"}
    return word in EN.leads and not (word == "sorry" and following in EN.naming_prepositions - {"near", "in", "at", "on"})


def _pointing(text: str) -> Correction | None:
    """Read what points at what was said just before: `my mistake`, `that was last year`, `you can cross the harp out`."""
    text = EN.regex("{behind}$").sub("", text)
    if EN.regex("{mistaken}").fullmatch(text):
        return Correction(points_back=True)
    over = _match("over", text)
    return Correction(points_back=True, is_over=True, old=_forms(over.groupdict().get("old") or "")) if over else None


def _ended(text: str) -> Correction | None:
    """Read what somebody ended, or what has ended of itself: `I quit smoking`, `marcus and I broke up`."""
    for entry in EN.entry("ends"):
        found = EN.regex(entry["pattern"]).fullmatch(text)
        if found is None:
            continue
        groups = found.groupdict(default="")
        old = _forms(groups.get("old", "") or groups.get("name", "") or groups.get("other", ""))
        who = groups.get("who", "") or groups.get("he", "") or groups.get("him", "")
        if "old" in groups and not old:
            if groups["old"].casefold() in ("it", "that", "this", "it up") and who.casefold() in ("", "i", "we"):
                return Correction(points_back=True, is_over=True)
            continue
        fact, holds = entry.get("fact", ""), _forms(groups.get("to", ""))
        return Correction(is_over=True, old=old, fact=fact, holds=holds, who=None if "name" in groups else who)
    return None


def _given(text: str) -> Correction | None:
    """Read what holds instead, in so many words or as what may be that: `make that Friday`, `it is violin`, `Sunday`."""
    for name in ("changed", "now", "moved", "meant", "values"):
        found = _match(name, text)
        value = _value(found["new"]) if found else None
        if found and value and not (name == "moved" and value.kind in ("name", "noun")):
            groups = found.groupdict()
            value = replace(value, is_name=groups.get("named") is not None)
            old = _forms(groups.get("old") or "")
            return Correction(
                is_lead=name in ("changed", "moved", "meant"), is_over=name in ("changed", "now", "moved"), old=old, instead=value
            )
    value = _value(text, is_all=True)
    return Correction(instead=value) if value else None


def _match(name: str, text: str) -> re.Match[str] | None:
    """Return the first pattern of an entry that a whole text fits."""
    return next(filter(None, (EN.regex(pattern).fullmatch(text) for pattern in EN.entry(name))), None)


def _value(text: str, *, is_all: bool = False) -> Value | None:
    """Return the value that words begin with, with its preposition; None if they begin with none. `is_all`: and nothing else."""
    words = tokens(EN.regex("{behind}$").sub("", text))
    preposition = words.pop(0).casefold() if words and words[0].casefold() in EN.naming_prepositions else ""
    if words and words[0].casefold() in EN.articles:
        del words[0]
    end = next((at for at, word in enumerate(words) if at and _ends_value(word)), len(words))
    kept = words[:end]
    if is_date(" ".join(kept)):
        return Value(" ".join(kept), preposition)
    if not 0 < len(kept) <= MOST_WORDS or (is_all and end < len(words)) or any(map(_is_no_value, kept)):
        return None
    if len(kept) > 1 and any(map(number_in, kept)):  # `three questions` is no other count of what was counted
        return None
    return Value(" ".join(kept), preposition)


def _ends_value(word: str) -> bool:
    return word.casefold() in EN.function_words | EN.opening | EN.seasons or not re.match(r"\w", word)


def _is_no_value(word: str) -> bool:
    small = word.casefold()
    is_deed = is_verb(small) and small not in EN.noun_or_verb and not small.endswith("ing")
    is_small = small in EN.no_value | EN.function_words | EN.finite or EN.regex("{comparing}").fullmatch(small) is not None
    return is_small or is_deed or is_adverb(small) or not re.match(r"\w", small)


def _forms(text: str) -> Forms:
    """Return the words of a phrase that say something, up to where it tells when or why; none for no more than `go there`."""
    kept: list[str] = []
    for word in tokens(text):
        small = word.casefold()
        if (
            small in EN.time_words
            or not small[0].isalpha()
            or (kept and small in EN.cut)
            or (not kept and small in EN.naming_prepositions)
        ):
            break
        if not (small in EN.says_nothing | EN.pointing | EN.possessives | EN.vague_objects | EN.untelling or is_adverb(small)):
            kept.append(small)
    is_telling = any(stems(one).isdisjoint(EN.light_verbs | EN.light) for one in kept)
    return tuple(stems(one) for one in kept) if is_telling else ()
