"""Reading what a message says against what was known: that it never was so, that it is over, and what holds instead.

A sentence is read in the parts between its commas. What only leads to a correction (`no`, `sorry`, `actually`) leads to much
else, so by itself it makes none; nor does a question, a supposition, or what is quoted.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from itertools import groupby, pairwise
from typing import Any, Literal

from memapp.domain.chat import Message
from memapp.language.english.authorship import KEPT, stated_sentences
from memapp.language.english.dates import is_date, typed_on_its_day
from memapp.language.english.given_names import is_common
from memapp.language.english.grammar import is_adverb, is_verb, join, stems, tokens, word_at
from memapp.language.english.parsed_fact import Forms, number_in, parse, verb_place
from memapp.language.english.profile_forms import in_first_person
from memapp.language.lexicon import lexicon

EN = lexicon("correction")
MOST_WORDS = 3
"""A value in place of another is short; what is longer is a statement of its own."""
IN_PAST = "{in_past}"
"""What was told as past, and may be denied without a word that leads to it."""
EITHER = ("points_back", "is_of_own_words", "is_lead", "is_over", "is_role")
"""What holds of a message of which it holds in one part."""
AT_ONCE = 2
"""Sentences at the beginning of a message in which it points at what was said before it."""

Kind = Literal["day", "month", "number", "name", "noun", "pair"]


@dataclass(frozen=True, slots=True)
class Value:
    """What holds in place of something."""

    text: str
    preposition: str = ""
    """Before it: `on Friday`, `near Zadar`."""
    article: str = ""
    """Before it, as `article_of` names it."""
    is_name: bool = False
    """Somebody or something is said to be called so."""
    is_spelling: bool = False
    """A name is said to be written so."""
    pair: tuple[str, ...] = ()
    """The two that it names together: `Pip and Moss`."""

    @property
    def kind(self) -> Kind:
        """Say what it is, and so what it can stand in the place of."""
        word = self.text.casefold()
        if self.pair:
            return "pair"
        if is_day(word) or is_date(word):
            return "day"
        if word in EN.months:
            return "month"
        if number_in(word):
            return "number"
        is_written_as_name = self.text[:1].isupper() and not any(map(is_common, self.text.split()))
        return "name" if self.is_name or is_written_as_name else "noun"


def article_of(word: str) -> str:
    """Return the article that a word is, `a` for `an`; empty for any other word."""
    small = word.casefold()
    return "a" if small == "an" else small if small in EN.articles else ""


def is_day(word: str) -> bool:
    """Say whether a word is a day of the week, or several of that: `Mondays`."""
    return EN.regex("{days}").fullmatch(word.casefold().removesuffix("s")) is not None


@dataclass(frozen=True, slots=True)
class Correction:
    """What a message says against something said or known before it."""

    points_back: bool = False
    """It says itself that what was said just before does not hold: `scratch that`, `not any more`."""
    is_of_own_words: bool = False
    """It can be about nothing that memapp said: `scratch that`."""
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
    is_bare: bool = False
    """What holds instead is said alone behind words that lead to anything, and none of them is `no`: `oops, tea`."""
    may_be_remark: bool = False
    """What holds instead may only say how that is which ended: `it was torture`."""
    is_role: bool = False
    """What holds instead is what somebody works as by now."""
    is_denial: bool = False
    """What was said is denied in its own words: `no wait, I did not quit`."""
    is_of_job: bool = False
    """A job is over, and no other thing that is said in the same words."""
    is_event: bool = False
    """What ended it is itself worth knowing: somebody retired or died."""
    ends_all: bool = False
    """All that fits is over, not one of it: somebody died."""
    about: Forms = ()
    """Of what it says that it is otherwise: `the wedding is on the 14th`."""

    @property
    def names_what(self) -> bool:
        """Say whether its words tell what no longer holds."""
        return bool(self.old or self.fact)


@lru_cache(maxsize=KEPT)
def read_correction(text: str) -> Correction | None:
    """Return what a typed message corrects or ends; None if it does neither.

    Whatever it ends it may name anywhere; what points back, and what holds instead, is said at once.
    """
    sentences = enumerate(stated_sentences(EN.regex("{asked_back}").sub(r"not \g<old>,", text)))
    by_sentence = [reduce(_both, _of_sentence(words, is_first=not place), Correction()) for place, words in sentences]
    ended = [replace(one, points_back=False, instead=None) for one in by_sentence[AT_ONCE:]]
    found = reduce(_both, [*by_sentence[:AT_ONCE], *ended], Correction())
    if found.names_what or (found.instead and (found.is_lead or found.points_back)):
        return found
    is_answer = not EN.polite.isdisjoint(word.casefold() for word in tokens(text))
    return found if found.points_back and not is_answer else None


def leads(text: str) -> bool:
    """Say whether a message begins with words behind which another thing may hold than was told before: `sorry, ...`."""
    first = next(iter(stated_sentences(text)), ())
    return _without_leads(join(next(_parts(first), [])))[0]


def adds(text: str) -> bool:
    """Say whether a message tells of something beside what was told: `on Tuesday too`."""
    return EN.regex("{beside}").search(text) is not None


def says_no_more(text: str) -> bool:
    """Say whether each part of a text corrects or ends something, so that by itself it tells nothing."""
    parts = (_without_leads(join(part))[1] for words in stated_sentences(text) for part in _parts(words))
    return all(_read(part) != Correction() for part in parts if part)


def ends_for_both(fact: str) -> bool:
    """Say whether a fact about the person alone is half of what ended for two: `User does not talk any more.`"""
    found = read_correction(re.sub(r"^I\b", "We", in_first_person(fact)))
    return found is not None and found.who is None and not found.old


def only_says_meant(fact: str) -> bool:
    """Say whether a fact only gives what is meant in place of something: `Thursday User means.`"""
    found = read_correction(in_first_person(fact))
    return found is not None and found.is_lead and not found.is_over


def only_ends(fact: str) -> bool:
    """Say whether a fact about others only says that what held of them is over: `User's mother is fine again.`"""
    is_of_both = fact.startswith("User and ")
    found = read_correction(in_first_person(fact)) if is_of_both or not fact.startswith("User ") else None
    if found is None or not found.is_over or found.is_event:
        return False
    return not (found.holds or found.instead or (found.old and not is_of_both))


def denies_what_happened(fact: str) -> bool:
    """Say whether a fact only tells that something did not happen: `User did not quit User's job.`"""
    return EN.regex(r"\b(?:did|was|were|have|has) not\b").search(fact) is not None


def only_puts_off(fact: str) -> bool:
    """Say whether a fact only tells that something is at another time than before: `User moved User's lessons.`"""
    return EN.regex("{only_put_off}").fullmatch(in_first_person(fact).rstrip(".")) is not None


def correction_of(message: Message) -> Correction | None:
    """Return what a message corrects or ends; a day may be told as seen from the message's: `no, it's next Wednesday`."""
    of_its_day, plainly = read_correction(typed_on_its_day(message)), read_correction(message.typed_text)
    is_day = of_its_day is not None and of_its_day.instead is not None and of_its_day.instead.kind == "day"
    is_of_old_month = plainly is not None and plainly.instead is not None and plainly.instead.kind == "number"  # `the 14th`
    return of_its_day if is_day and not is_of_old_month else plainly


def is_about(correction: Correction, fact: str, *, is_recent: bool) -> bool:
    """Say whether a fact has all that a correction names of what no longer holds, and is about the same one.

    Whom a pronoun or nobody stands for is somebody of whom was spoken just before.
    """
    held = {stem for word in tokens(fact) for stem in stems(word)}
    if any(one.isdisjoint(held) for one in (*correction.old, *correction.about)) or not EN.regex(correction.fact).search(fact):
        return False
    if correction.is_denial and parse(fact).is_denied:
        return False
    if correction.holds and not any(one.isdisjoint(held) for one in correction.holds):
        return False
    is_partly = len(correction.old) == 1 and not correction.fact and _does_more_than(correction.old[0], fact)
    is_of_anybody = correction.who is None or bool(correction.about)
    if is_partly or is_of_anybody:
        return not is_partly
    is_of_life = correction.is_of_job or correction.ends_all  # whoever works with them works on
    return _is_subject((correction.who or "").casefold(), fact, held, is_recent=is_recent, is_of_life=is_of_life)


def _does_more_than(verb: frozenset[str], fact: str) -> bool:
    """Say whether a verb alone leaves open whether it is this that was ended: `I do not run any more`, of who runs a shop."""
    written = tokens(fact)
    following = word_at(written, verb_place(written) + 1)
    is_verb_of_it = not verb.isdisjoint(parse(fact).verb) and verb.isdisjoint(EN.habits)
    return is_verb_of_it and following not in EN.naming_prepositions | EN.opening | {""}


def _is_subject(who: str, fact: str, held: set[str], *, is_recent: bool, is_of_life: bool) -> bool:
    subject = parse(fact).subject
    named = who.split()
    if not subject:
        return is_recent or _begins_with(fact, named)  # in the person's words, or of somebody with a name
    is_of_person = not subject.isdisjoint({"user", "user and"})
    if who in ("i", "we", "me") or who.endswith(" and i"):
        return is_of_person
    if not who:
        return is_of_person or is_recent
    if who in ("he", "she", "him", "her"):
        return is_recent and not is_of_person
    if who in ("they", "it"):
        return is_recent
    if named[0] in ("my", "our"):
        is_same = not stems(named[1]).isdisjoint(subject) and all(word in held for word in named[2:])
        return (is_same and f"{named[1]}'s" not in tokens(fact.casefold())) or _begins_with(fact, named[1:])
    return not (is_of_life and is_of_person) and all(not stems(word).isdisjoint(held) for word in named)


def _begins_with(fact: str, named: Sequence[str]) -> bool:
    """Say whether a fact is about one who is named so, with a name or none, and about nobody else: `Beth and Tom`, `Beth's aunt`.

    Any other word tells them from somebody else: the `first` wife, the `older` sister.
    """
    words = tokens(fact)
    subject = [word for word in words[: verb_place(words)] if word != "User's"]
    others = [word for word in subject if stems(word).isdisjoint(named)]
    is_of_one = all(word[:1].isupper() and not word.endswith("'s") for word in others)
    return is_of_one and named != [] and all(any(word in stems(one) for one in subject) for word in named)


# Reading -------------------------------------------------------------------------------------------------------------


def _of_sentence(words: Sequence[str], *, is_first: bool) -> Iterator[Correction]:
    """Yield what the parts of a sentence say. Only the first of a message points at what was said before it: others at itself."""
    if not EN.hypothetical.isdisjoint(word.casefold() for word in words):
        return
    whole = EN.regex(r"\A(?:{mistaken}),\s*|,\s*(?:{mistaken})\Z").sub("", _without_leads(join(list(words)))[1])
    if contrast := _contrast(whole):
        yield contrast
        return
    is_denied, is_led = not EN.denials.isdisjoint(word.casefold() for word in words), False
    for part in _parts(words):
        before, text, behind = _without_leads(join(part))
        found = _read(text)
        has_lead = before or (behind and (not text or found != Correction()))  # `she plays chess actually` leads to nothing else
        if found.points_back and not is_first:
            found = replace(found, points_back=False, is_lead=True)
        is_led = is_led or has_lead
        if found.is_denial and not is_led and found.fact != IN_PAST:
            found = Correction()
        is_first = is_first and (not text or found.points_back)
        yield replace(found, is_lead=found.is_lead or has_lead, is_bare=found.is_bare and not is_denied)


def _contrast(sentence: str) -> Correction | None:
    """Read a sentence that says what holds and what does not: `Friday, not Sunday`, `three kids, not two`."""
    found = _fitting(EN.entry("contrasts"), sentence)
    if found is None:
        return None
    value, last = (_number_of(found[name]) or _value(found[name], is_all=True) for name in ("new", "old"))
    are_numbers = value is not None and last is not None and value.kind == last.kind == "number"
    is_of_kind = value is not None and last is not None and value.kind == last.kind != "noun"
    if not are_numbers:
        value = _value(found["new"], is_all=True)
    if value is None or ("unmarked" in found.re.groupindex and found["unmarked"] is not None and not is_of_kind):
        return None
    old = (stems(last.text),) if last and are_numbers else _forms(found["old"])
    return Correction(is_lead=True, old=old, instead=value, who=_first_of(found.groupdict(), ("who",)) or None) if old else None


def _number_of(text: str) -> Value | None:
    """Return the number in words that have one: `4` of `4 chickens`."""
    words = tokens(text)
    numbers = [word for word in words if number_in(word)]
    preposition = words[0].casefold() if words and words[0].casefold() in EN.naming_prepositions else ""
    return Value(numbers[0], preposition) if len(numbers) == 1 else None


def _both(one: Correction, other: Correction) -> Correction:
    """Join what two parts of a message say; of the same thing the first counts."""
    named, beside = (one, other) if one.names_what else (other, one)
    if named.names_what and named.is_over and beside.may_be_remark:
        return replace(named, is_lead=named.is_lead or beside.is_lead)
    either = {name: getattr(one, name) or getattr(other, name) for name in EITHER}
    valued = one if one.instead else other
    about = valued.about if valued.instead else one.about or other.about
    remark = valued.may_be_remark
    return replace(named, **either, instead=valued.instead, is_bare=valued.is_bare, may_be_remark=remark, about=about)


def _parts(words: Sequence[str]) -> Iterator[list[str]]:
    """Yield the words between commas, dashes and `but`."""
    for is_between, part in groupby(words, lambda word: word in ",;:()!–—--" or word.casefold() in ("but", "because")):
        if not is_between:
            yield list(part)


def _without_leads(text: str) -> tuple[bool, str, bool]:
    """Return whether what may lead to a correction stands before a text, the text without them, and whether any is behind."""
    begun = EN.regex(r"(?:(?:(?:{lead}|{passing})(?![\w'-])|[,!])\s*)*").match(text)
    start = begun.end() if begun else 0
    ended = EN.regex(r"(?:(?:^|\s+){leads_behind}|,)*$").search(text, start)
    end = ended.start() if ended else len(text)
    before, behind = EN.regex(r"(?<![\w'-]){lead}(?![\w'-])").search(text[:start]), EN.regex("{leads_behind}").search(text[end:])
    return before is not None, text[start:end].strip(), behind is not None


def _read(text: str) -> Correction:
    """Read a part in the first way that it fits; else the value that it may be."""
    ways = ((way, _fitting(way["patterns"], text)) for way in EN.entry("ways"))
    read = (_in_way(way, found.groupdict()) for way, found in ways if found)
    value = _value(text, is_all=True)
    return next(filter(None, read), Correction(instead=value, is_bare=value is not None))


def _in_way(way: Mapping[str, Any], said: Mapping[str, str | None]) -> Correction | None:
    """Return what a part says in a way; None where its words do not go with that."""
    old, who, new = (_first_of(said, names) for names in (("old", "name", "other"), ("who", "he", "him"), ("new",)))
    points = {name: way.get(name, False) for name in ("points_back", "is_of_own_words", "is_lead", "is_over")}
    found = Correction(**points, old=_forms(old))
    if way.get("is_role"):
        found = replace(found, is_role=True, fact=way["fact"], who=who)
    is_named = said.get("named") is not None
    value = _value(new, is_name=is_named)
    if value is None and said.get("new") is None:
        if "old" in said and not (found.old or found.points_back):
            is_it = old.casefold() in ("it", "that", "this", "it up") and who.casefold() in ("", "i", "we")
            return replace(found, points_back=True) if is_it else None
        who_ended = None if "name" in said else who
        holds, about = (_forms(_first_of(said, names)) for names in (("to",), ("about", "whom")))
        kinds = {name: way.get(name, False) for name in ("is_denial", "is_of_job", "is_event", "ends_all")}
        found = replace(found, **kinds)
        return replace(found, fact=way.get("fact", ""), holds=holds, about=about, who=who_ended)
    is_no_value = way.get("is_of_time") or (_is_seen_somewhere(value, new) if value and not found.is_over else False)
    if value is None or (value.kind in ("name", "noun") and is_no_value):
        return None
    value = replace(value, is_name=is_named, is_spelling=way.get("is_spelling", False))
    about = _forms(_first_of(said, ("about", "whom")))
    may_be_remark = way.get("may_be_remark", False) and value.kind == "noun" and not about
    return replace(found, instead=value, about=about, may_be_remark=may_be_remark)


def _is_seen_somewhere(value: Value, new: str) -> bool:
    """Say whether words tell where somebody or something is just now: `Anna at the door`, `Leo on the phone`."""
    return EN.regex(r"(?:at|on) the\b").match(new.partition(value.text)[2].strip()) is not None


def _first_of(said: Mapping[str, str | None], names: Sequence[str]) -> str:
    return next((text for name in names if (text := said.get(name))), "")


def _fitting(patterns: Sequence[str], text: str) -> re.Match[str] | None:
    """Return how a whole text fits the first pattern that it fits."""
    return next(filter(None, (EN.regex(pattern).fullmatch(text) for pattern in patterns)), None)


def _value(text: str, *, is_all: bool = False, is_name: bool = False) -> Value | None:
    """Return the value that words begin with, with its preposition; None if they begin with none.

    `is_all`: and with nothing else. `is_name`: what is written as a name may be any word, as `Lot`.
    """
    words = tokens(EN.regex("{behind}$").sub("", text))
    if pair := _pair(words):
        return Value(join(words), is_name=is_name, pair=pair)
    preposition = words.pop(0).casefold() if words and words[0].casefold() in EN.naming_prepositions else ""
    article = article_of(words[0]) if words else ""
    words = words[1:] if article else words
    end = next((at for at, word in enumerate(words) if at and _ends_value(word)), len(words))
    kept = words[: end - 1] if end > 1 and words[end - 1].casefold() in ("one", "ones") else words[:end]  # `a blue one`
    if is_date(" ".join(kept)):
        return Value(" ".join(kept), preposition)
    is_none = any(_is_no_value(word) and not (is_name and word[:1].isupper()) for word in kept)
    if is_none or not 0 < len(kept) <= MOST_WORDS or (is_all and end < len(words)):
        return None
    if len(kept) > 1 and any(map(number_in, kept)):  # `three questions` is no other count of what was counted
        return None
    return Value(" ".join(kept), preposition, article)


def _pair(words: Sequence[str]) -> tuple[str, ...]:
    """Return the two things that words name and nothing else: `Pip and Moss`, `a cat and a rabbit`."""
    parts = [list(part) for is_between, part in groupby(words, lambda word: word.casefold() == "and") if not is_between]
    bare = [part[1:] if article_of(part[0]) else part for part in parts]
    is_pair = len(bare) == 2 and words.count("and") == 1
    return tuple(map(join, bare)) if is_pair and all(map(_may_be_value, bare)) else ()


def _may_be_value(words: Sequence[str]) -> bool:
    return 0 < len(words) <= MOST_WORDS and not any(_is_no_value(word) or _ends_value(word) for word in words)


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
    for word, following in pairwise([*tokens(text), ""]):
        small = word.casefold()
        if (
            not kept
            and small in EN.naming_prepositions
            and following[:1].isupper()
            and following.casefold() not in EN.time_words | EN.months
        ):
            continue  # `no longer in Lund`
        if small in EN.time_words or not small[0].isalpha() or small in (EN.cut if kept else EN.naming_prepositions):
            break
        if not (small in EN.says_nothing | EN.pointing | EN.possessives | EN.vague_objects | EN.untelling or is_adverb(small)):
            kept.append(small)
    is_telling = any(stems(one).isdisjoint(EN.light_verbs | EN.light) for one in kept)
    return tuple(stems(one) for one in kept) if is_telling else ()
