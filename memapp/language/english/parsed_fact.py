"""The parts of a sentence, so that it can be laid beside another: the words that count, and who, whether, when.

For a sentence about `User` it is known whom it is about and what they do; of any other sentence only the words are looked at.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise

from memapp.language.english.clauses import verb_at
from memapp.language.english.grammar import EN, expand, is_adverb, is_past, stems, tokens
from memapp.language.english.synonyms import Relation, is_known, relations

Forms = tuple[frozenset[str], ...]
"""Words, each with what it may be a form of."""


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    """Casefolded."""
    forms: frozenset[str]
    """What it may be a form of; two words are the same when they share one."""
    number: str
    """In digits; `3th` for any third. Empty for other words."""
    is_name: bool
    opens_phrase: bool
    """Follows a small word, as in `in Oslo`, or begins a phrase of its own: `named Rex`, `every day`."""
    role: str
    """The small word that says what part it has: `to` of `prefers tea to coffee`, `not` of `likes jazz but not opera`."""
    place: int
    """Where it stands among all words."""
    run: int
    """Which words stand together with none between: one noun, as `primary school teacher`."""
    joined_at: int
    """Where the `and` stands that joins it to another word; -1 for none."""
    meanings: frozenset[str]
    """Its forms; with the particle that follows, if one does: `turn_down`."""

    def is_among(self, others: Sequence["Word"]) -> bool:
        return any(not self.forms.isdisjoint(other.forms) for other in others)


@dataclass(frozen=True, slots=True)
class ParsedFact:
    words: tuple[Word, ...]
    """Those that carry meaning."""
    frame: tuple[str, ...]
    """The other words but for articles and fillers."""
    subject: frozenset[str]
    """Whom a fact is about: the person, or who or what of theirs; empty for any other sentence."""
    verb: frozenset[str]
    """What they do, for a fact."""
    verb_at: int
    """Where that stands among all words."""
    is_denied: bool
    is_over: bool
    """Told as something that was so: `used to`, `quit`."""
    is_past: bool
    hedges: frozenset[str]
    singles: frozenset[str]
    """What the sentence has one of: `a cat`."""


@lru_cache(maxsize=1024)
def parse(text: str) -> ParsedFact:
    """Take a sentence apart."""
    text = re.sub(r"\b(?:quit|left|lost) (?:the|User's) job (?=(?:at|with|for)\b)", "quit working ", text)
    text = EN.regex(r"\b(\d{1,2}) ({months}) (\d{4})\b").sub(r"\1_\2_\3", text)  # a date is one word
    text = expand(text)
    for longer, shorter in EN.table("said_shorter").items():
        text = EN.regex(longer).sub(shorter, text)
    written = _front_last(tokens(re.sub(r"\bno longer\b", "not", text.replace("-", " "))))
    lowered = [word.casefold() for word in written]
    subject, start = _subject(written)
    place = _verb_place(lowered, start) if start else len(lowered)
    is_over = ("used", "to") in pairwise(lowered)
    if (
        place + 1 < len(lowered)
        and lowered[place] in ("quit", "quits", "stopped", "stops")
        and lowered[place + 1].endswith("ing")
    ):
        del written[place], lowered[place]  # `quit smoking`
        is_over = True
    verb = lowered[place] if place < len(lowered) else ""
    return ParsedFact(
        words=tuple(_word(written, lowered, at) for at in range(len(written)) if _carries_meaning(written, lowered, at)),
        frame=tuple(word for word in lowered if word in EN.frame),
        subject=subject,
        verb=_verb_forms(verb),
        verb_at=place,
        is_denied=is_over or EN.negations.isdisjoint(lowered) != EN.disliking.isdisjoint(stems(verb)),
        is_over=is_over,
        is_past=_is_past(lowered, verb, place),
        hedges=hedges_of(written) - {"use", "used", "go", "going"},
        singles=_singles(lowered),
    )


def _front_last(written: list[str]) -> list[str]:
    """Put what stands before the person behind what is said of them: `On Sundays User bakes` is `User bakes on Sundays`."""
    start = next((at for at, word in enumerate(written) if word in ("User", "User's")), 0)
    front = written[:start]
    if (
        not front
        or front[0].casefold() not in EN.fronting | EN.numbers
        or not EN.finite.isdisjoint(word.casefold() for word in front)
    ):
        return written
    front[0] = front[0].casefold()
    return written[start:] + [word for word in front if word != ","]


def verb_place(written: Sequence[str]) -> int:
    """Return where the verb with a meaning stands in the words of a fact; behind them all if there is none."""
    start = _subject(written)[1]
    return _verb_place([word.casefold() for word in written], start) if start else len(written)


@lru_cache(maxsize=1024)
def items_of(text: str) -> tuple[Forms, ...]:
    """Return what a fact says behind its verb, item by item as far as commas tell; without one it is all one item."""
    written = tokens(expand(text))
    said = [word.casefold() for word in written[verb_place(written) + 1 :]]
    between = [word == "," or (word in ("and", "or") and "," in said) for word in said]
    items = [[said[at] for at in places] for is_end, places in groupby(range(len(said)), between.__getitem__) if not is_end]
    return tuple(tuple(_forms(word) for word in item if word not in EN.says_nothing) for item in items) or ((),)


@lru_cache(maxsize=1024)
def owned_in(text: str) -> Forms:
    """Return who or what of the person a fact is about, without their name: `sister` of `User's sister Mira is a nurse.`"""
    written = tokens(expand(text))
    end = _subject(written)[1] if written[:1] == ["User's"] else 0
    end = 0 if end == len(written) else end
    return tuple(_forms(word.casefold()) for word in written[1:end] if not word[0].isupper())


def counts_single(counting: ParsedFact, words: Sequence[Word], other: ParsedFact) -> bool:
    """Say whether one of some words of a sentence counts (`two cats`) what the other sentence has one of (`a cat`)."""
    numbers = {word.number for word in words} - {"", "1"}
    following = zip(counting.words, counting.words[1:], strict=False)
    return any(word.number in numbers and _is_one_of(noun, other.singles) for word, noun in following)


def _is_one_of(word: Word, singles: frozenset[str]) -> bool:
    return not word.forms.isdisjoint(singles) or Relation.SAME in relations(word.meanings, singles)


def number_in(word: str) -> str:
    """Return the number that a word says, in digits; empty for any other word."""
    return _number(word.casefold())


def hedges_of(written: Sequence[str]) -> frozenset[str]:
    """Return the words that make less of a statement; `May` is a month."""
    return frozenset(stem for word in written if word != "May" for stem in stems(word) & EN.hedges)


def _subject(written: Sequence[str]) -> tuple[frozenset[str], int]:
    """Return whom a fact is about, and where its predicate begins; nothing for a sentence that is no fact."""
    if written[:2] == ["User", "and"]:
        return frozenset({"user and"}), 2
    if written[:1] == ["User"]:
        return frozenset({"user"}), 1
    if written[:1] == ["User's"] and len(written) > 1:
        return _forms(written[1].casefold()), verb_at(written, 1) or len(written)
    return frozenset(), 0


def _verb_place(lowered: Sequence[str], start: int) -> int:
    """Return where the verb with a meaning stands: `does not like`, `is learning`, `used to live`; but `is tall`, `has cats`."""
    at = _after_auxiliaries(lowered, start)
    while at < len(lowered) and lowered[at] in EN.forms_of_be | EN.forms_of_have:
        following = _after_auxiliaries(lowered, at + 1)
        if following == len(lowered) or not (lowered[following].endswith("ing") or is_past(lowered[following])):
            break
        at = following  # and on: `has been learning`
    return at


def _after_auxiliaries(lowered: Sequence[str], at: int) -> int:
    while at < len(lowered) and (lowered[at] in EN.auxiliaries or is_adverb(lowered[at])):
        at += 1
    return at


def _verb_forms(verb: str) -> frozenset[str]:
    if verb in EN.forms_of_be | EN.forms_of_have:
        return frozenset({"be" if verb in EN.forms_of_be else "have"})
    return _forms(verb) if verb else frozenset()


def _is_past(lowered: Sequence[str], verb: str, place: int) -> bool:
    is_participle = not (EN.forms_of_be - {"was", "were"}).isdisjoint(lowered[max(0, place - 3) : place])
    return not {"was", "were", "had", "did"}.isdisjoint(lowered) or (is_past(verb) and not is_participle)


def _singles(lowered: Sequence[str]) -> frozenset[str]:
    found: set[str] = set()
    is_after_article = False
    for word in lowered:
        is_after_article = word in ("a", "an") or (is_after_article and word not in EN.function_words)
        found |= stems(word) if is_after_article else set()
    return frozenset(found)


def _carries_meaning(written: Sequence[str], lowered: Sequence[str], at: int) -> bool:
    word = lowered[at]
    if written[at] in ("IT", "US", "ME") or (written[at] == "May" and at):
        return True
    is_phrase = (word == "used" and lowered[at + 1 : at + 2] == ["to"]) or word == "anymore"
    return not is_phrase and word not in EN.says_nothing and re.search(r"\w", word) is not None


def _word(written: Sequence[str], lowered: Sequence[str], at: int) -> Word:
    text = lowered[at]
    number = _number(text)
    forms = frozenset({number}) if number else _forms(text)
    before = next((word for word in reversed(lowered[:at]) if word not in EN.articles | EN.numbers), "")
    opens_phrase = before == "," or before in EN.function_words or text in EN.opening or is_adverb(text) or is_past(text)
    return Word(
        text,
        forms,
        number,
        is_name=at > 0 and written[at][:1].isupper(),
        opens_phrase=opens_phrase,
        role=_role(lowered, at),
        place=at,
        run=sum(word in EN.frame | EN.articles or not word[0].isalnum() for word in lowered[:at]),
        joined_at=_joined_at(lowered, at),
        meanings=_meanings(lowered, at, forms),
    )


def _meanings(lowered: Sequence[str], at: int, forms: frozenset[str]) -> frozenset[str]:
    """Return what to look up: `turned down` is `rejected`, too."""
    particle = lowered[at + 1] if at + 1 < len(lowered) else ""
    phrases = frozenset(f"{form}_{particle}" for form in forms) if particle in EN.particles else frozenset()
    return forms | frozenset(filter(is_known, phrases))


def _joined_at(lowered: Sequence[str], at: int) -> int:
    """Return the place of an `and` beside a word, but for an article; what is on both sides of it may change places."""
    before, after = at - 1 - (lowered[at - 1] in EN.articles), at + 1
    return next((place for place in (after, before) if 0 <= place < len(lowered) and lowered[place] in ("and", "or")), -1)


def _role(lowered: Sequence[str], at: int) -> str:
    """Return the preposition or the negation of the phrase that a word stands in."""
    for place in range(at - 1, -1, -1):
        word = lowered[place]
        if word == "to" and place + 1 < at and lowered[place + 1] in EN.common_verbs:
            return ""
        if word in EN.prepositions or word in EN.negations:
            return "" if word == "to" and place + 1 == at and lowered[at] in EN.common_verbs else word
        if word in (",", ";") or word in EN.finite or word == "but":
            return ""
    return ""


def _number(word: str) -> str:
    stem, ordinals, numbers = word.removesuffix("th"), EN.forms("ordinals"), EN.forms("numbers")
    if re.fullmatch(r"\d+(?:st|nd|rd|th)", word) or word in ordinals or (stem != word and stem in numbers):
        return (ordinals.get(word) or numbers.get(stem) or word[:-2]) + "th"
    return word if re.match(r"\W?\d", word) or word in EN.large_numbers else numbers.get(word, "")


def _forms(word: str) -> frozenset[str]:
    """Return what it may be a form of; who loves a thing likes it, and who hates it denies that."""
    found = stems(word.replace("grey", "gray"))
    same = EN.forms("one_meaning")
    found |= {same[stem] for stem in found if stem in same}
    return found | {"like"} if not found.isdisjoint(EN.like_or_dislike) else found
