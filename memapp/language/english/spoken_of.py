"""Whom of theirs a person goes on to speak of: a statement that begins with `he`, `her boss` or a name alone, with who that is.

Only where that is clear: of those who were spoken of last, nobody else may fit the pronoun.
"""

import re
from collections.abc import Sequence

from memapp.language.english.asked_sentence import EN, fits
from memapp.language.english.given_names import given_names, is_common
from memapp.language.english.grammar import expand, is_past, is_verb

_OF_PLACES = frozenset(["in", "to", "from", "at", "near", "through", "around", "via", "outside"])
_NAMING = re.compile(r"(?:name (?:is|was)|(?:is|was) (?:called|named))\b")
"""Behind it stands how the last living one is called, and not whose that is: `my brother bought a dog`, `his name is Rex`."""
LAST = 3
"""Texts before a pronoun in which the one that it stands for may be."""


def named(words: list[str], before: Sequence[str]) -> list[str]:
    """Return the words of a statement with whom it is about: `my son` for `he`, `my wife Hana` for `Hana`.

    `before` is what the person said before it, in plain words, the latest last.
    """
    first = words[0].casefold()
    if first in EN.pronoun_subjects:
        return [*(_meant_by(first, words[1:], before[-LAST:]) or words[:1]), *words[1:]]
    if is_common(first) or is_verb(first):
        return words
    name = first.removesuffix("'s")
    given = (one for text in reversed(before) if name in text.casefold() for one in given_names(text))
    who = next((one.who for one in given if one.name.casefold() == name), "")
    return ["my", *who.split(), words[0][0].upper() + words[0][1:], *words[1:]] if who else words


def speaks_of(text: str, name: str) -> bool:
    """Say whether a text speaks of somebody by a name, and not of a place: `Emeka is in Lagos`, `my boss Emeka`."""
    plain = expand(text)
    for found in re.finditer(rf"\b(?i:{re.escape(name)})\b('s\b)?,?\s*([\w']*(?: I\b)?)", plain):
        before = plain[: found.start()].casefold().split()[-1:]
        if before and before[0] in _OF_PLACES:
            continue
        follows = found[2].split()[:1]
        is_subject = (
            EN.regex(r"\bnames? (?:is|was) $").search(plain[: found.start()]) is not None
            or bool(found[1])
            or found[2] in ("and I", "who", "he", "she", "from")
            or bool(follows and _may_be_verb(follows[0]))
        )
        if is_subject or (before and (before[0] in ("called", "named", "with") or before[0] in EN.referents)):
            return True
    return False


def introduces(fact: str, name: str) -> bool:
    """Say whether a fact tells who of the person's has a name, whatever they are to them: `User's gardener is Olu.`"""
    return EN.regex(rf"User's [\w' -]+ (?:is|was) (?:{{titles}} )?{re.escape(name)}\b").match(fact) is not None


def _may_be_verb(word: str) -> bool:
    return is_verb(word.casefold()) or re.fullmatch(r"[a-z]{2,}(?:[^s']s|ed)", word) is not None


def goes_on(word: str, somebody: Sequence[str]) -> bool:
    """Say whether a word may stand for the one who was spoken of in these words: `he` for `my uncle Bo`."""
    who = next((one.casefold() for one in reversed(somebody) if one.casefold() in EN.living), "")
    is_somebody = somebody[-1].casefold() == who or somebody[-1][0].isupper()  # and not `my wife's name`
    return word in ("he", "she", "they") and is_somebody and _may_be(word, who)


def _may_be(pronoun: str, who: str) -> bool:
    """Say whether a pronoun may stand for one of this kind, or for several."""
    are_several = EN.forms("plurals").get(who, who) != who or who.removesuffix("s") in EN.referents - {who} or who in EN.several
    return fits(pronoun, who) and are_several == (pronoun in ("they", "their"))


def _meant_by(pronoun: str, rest: Sequence[str], before: Sequence[str]) -> list[str]:
    """Return whom a pronoun stands for before the rest of a statement, in its form; nothing where that is not clear."""
    for text in reversed(before):
        people = [(one["own"], (one["who"] or one["other"]).casefold()) for one in EN.regex("{spoken_of}").finditer(text)]
        others = {who for own, who in people if not own and _may_be(pronoun, who)}
        owners = {own for own, _ in people if own}
        if others and owners and _NAMING.match(" ".join(rest)):
            (owner, *more), (other, *_) = owners, others
            told = text.casefold()
            has = r"(?:has|had|got|gets|bought|adopted|rescued|keeps|owns) (?:(?!the\b|that\b|and\b)\w+ )+"
            is_theirs = rf"\b{owner}(?:'s | {has}){other}\b"
            if not more and len(others) == 1 and re.search(is_theirs, told):
                is_clear = other in EN.animals or f"{owner}'s {other}" in told
                return ["my", f"{owner}'s", *f"{other}{_ending(pronoun, other)}".split()] if is_clear else []
        if any(own and who in EN.humans for own, who in people):  # then `she` is not `her dog`, nor `the bird hide`
            people = [(own, who) for own, who in people if own or who not in EN.animals]
        fitting = {own or "" for own, who in people if _may_be(pronoun, who)}
        if fitting or _strangers(text, [own for own, _ in people if own]):
            who = fitting.pop() if len(fitting) == 1 else ""
            if not who or _strangers(text, [who]):
                return []
            names = {one.name for one in given_names(text) if one.who == who}
            now = given_names(" ".join(["my", f"{who}{_ending(pronoun, who)}", *rest]))
            is_named_anew = any(one.who == who for one in now)
            whole = who if is_named_anew or len(names) != 1 else " ".join([who, *names])
            return ["my", *f"{whole}{_ending(pronoun, whole)}".split()]
    return []


def _strangers(text: str, own: Sequence[str]) -> list[str]:
    """Return the names in a text of those who are not said to be somebody of the person's."""
    known = {word for one in given_names(text) if one.who in own for word in one.name.split()}
    elsewhere = re.sub(r"\b(?:in|at|to|from|of|is|called)(?: [A-Z][\w'-]*)+", " ", text)
    written = re.findall(r"\b[A-Z][a-z]+", elsewhere)
    return [one for one in written if not (one in known or is_common(one) or is_verb(one.casefold()) or is_past(one))]


def _ending(pronoun: str, who: str) -> str:
    return "" if pronoun in ("he", "she", "they") else "'" if who.endswith("s") else "'s"
