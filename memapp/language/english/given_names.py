"""Names that the person gave to people and animals of theirs: `my sister Mira`, `a dog, his name is Pepper`."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from memapp.language.english.grammar import expand, is_adverb, is_verb, stems
from memapp.language.english.synonyms import is_known
from memapp.language.lexicon import lexicon

EN = lexicon("from_memory")
SEVERAL = "said_of_several"
_NAME = r"[^\W\d_][\w'-]*"
_TITLED = rf"(?:(?:{{titles}}\b\.?|(?-i:[A-Z])\.) ?)*{_NAME}(?: (?:(?-i:[A-Z])\. ?)?{_NAME}){{0,2}}"
"""With what stands before it: `Mrs. De Smet`, `J. R. Ewing`."""


@dataclass(frozen=True, slots=True)
class GivenName:
    """Who of the person's has a name."""

    who: str
    """As the person says it without their `my`: `sister`, `best friend`, `sister's dog`."""
    name: str

    @property
    def word(self) -> str:
        """The word of the name that is always said: `Mira` of `Mira Holm`, `Smet` of `Mrs. De Smet`."""
        words = self.name.split()
        return words[-1 if EN.regex(r"{titles}\.?").fullmatch(words[0]) else 0]

    @property
    def told(self) -> str:
        """The sentence that tells it to the person."""
        return f"Your {self.who} is called {self.name}."

    def told_with(self, others: Sequence[str]) -> str:
        """The sentence that tells several names."""
        *names, last = [self.name, *others]
        return f"Your {self.who}{'' if self.who.endswith('s') else 's'} are called {', '.join(names)} and {last}."

    @property
    def introduced(self) -> str:
        """The sentence that tells who has this name."""
        return f"{self.name} is your {self.who}."


def given_names(text: str) -> list[GivenName]:
    """Return the names that a message, or a fact, gives to those who are its writer's."""
    text = expand(text)
    found: list[GivenName] = []
    for kind, pattern in EN.table("naming").items():
        name = _NAME if kind == SEVERAL else f"(?P<name>{_TITLED})"
        for match in EN.regex(pattern.replace("NAME", name)).finditer(text):
            who = " ".join(match["who"].lower().split())
            if kind == SEVERAL:
                named = [one for one in re.findall(_NAME, match["several"]) if one[0].isupper() and not is_common(one)]
                who = _singular(who)
            else:
                named = [_name_in(match["name"], text[match.end("name") :], is_said=kind.startswith("said"))]
            found += [GivenName(who, one) for one in named if one and all(other.name != one for other in found)]
    return found


def with_capitals(text: str, given: Iterable[GivenName]) -> str:
    """Return a text with the names given written as they are, where it has them in small letters: `Mira`, for `mira`.

    Not so a name that is a word as well: `bear`.
    """
    for name in {one.word for one in given if not (is_common(one.word.lower()) or is_known(one.word.lower()))}:
        text = re.sub(rf"\b{re.escape(name.lower())}\b", name, text)
    return text


def with_kin(text: str, given: Sequence[GivenName]) -> str:
    """Return a text in which those who have a name are called what they are: `my sister turns 30`, for `Mira turns 30`."""
    for one in given:
        text = _by_name(one).sub(f"my {one.who}", text)
    return text


def with_names(text: str, given: Sequence[GivenName]) -> str:
    """Return a text with who those are whom it names: `my sister Mira turns 30`."""
    for one in dict.fromkeys(given):
        text = _by_name(one).sub(f"my {one.who} {one.name}", text)
    return text


def _by_name(one: GivenName) -> re.Pattern[str]:
    who = re.escape(one.who)
    given = "".join(rf"(?<!\b{who}{words})" for words in (" ", " is ", " called ", " named ", " is called ", "'s name is "))
    return re.compile(rf"(?i){given}\b{re.escape(one.name)}\b")


def is_common(word: str) -> bool:
    """Say whether a word that may be a name is a common one."""
    small = word.casefold()
    is_time = small in EN.months - {"may"} or EN.regex("{days}").fullmatch(small) is not None
    return small in EN.no_given_name or is_time or is_adverb(small) or (word.islower() and is_verb(small)) or not stems(small)


def whose_words() -> frozenset[str]:
    """Return the words of which one stands wherever a name is given: `sister`, `dog`, `boss`."""
    return EN.referents


def _singular(who: str) -> str:
    return EN.forms("plurals").get(who, who.removesuffix("s"))


def _name_in(words: str, following: str, *, is_said: bool) -> str:
    """Return the name at the beginning of words, with capital letters; empty if it is none.

    In small letters it is one only where it was said to be a name, or where a verb follows.
    """
    written = [one.removesuffix("'s") for one in words.split()]
    at = next((at for at, one in enumerate(written) if not EN.regex(r"{titles}\.?|(?:\w\.)+").fullmatch(one)), len(written) - 1)
    first, rest = written[at], written[at + 1 :]
    if is_common(first):
        return ""
    if first[0].isupper():
        return " ".join(
            [
                *(one[0].upper() + one[1:] for one in written[: at + 1]),
                *takewhile(lambda one: one[0].isupper() and not is_common(one), rest),
            ]
        )
    follows = [*rest, *following.split()]
    is_name = _ends_clause("".join(rest[:1]), following) if is_said else bool(follows) and is_verb(_bare_of_adverbs(follows))
    return first.capitalize() if is_name else ""


def _ends_clause(second: str, following: str) -> bool:
    return second.casefold() in EN.coordinators | EN.interjections | {"who"} if second else not re.match(r"\s*\w", following)


def _bare_of_adverbs(words: Sequence[str]) -> str:
    return next((word.casefold() for word in words if not is_adverb(word)), "")
