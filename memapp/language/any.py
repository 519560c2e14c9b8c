"""Any language but English: no rule guesses at what is said in it.

A capable model proposes what a message says, as facts in English, and those are judged by themselves: what was typed is only
asked for their names and numbers. What somebody asks to be remembered is kept in their own words.
"""

import re
from collections.abc import Sequence

from memapp.domain.text import one_line
from memapp.domain.utterance import Draft, Statement, Told
from memapp.language.english.grammar import tokens
from memapp.language.english.grounding import NOT_GROUNDED
from memapp.language.english.profile_forms import in_first_person
from memapp.language.lexicon import lexicon

_FACTS, _PROFILE = lexicon("facts"), lexicon("profile")
_ABOUT = re.compile(r"User(?:'s)?")
_MARKUP = re.compile(r"[\[\]{}<>=\\|]")
"""No fact has these, but what is meant to steer a model has."""


class AnyLanguage:
    """A language that memapp has no rules for."""

    reads_tone = False

    def read(self, message: str, before: Sequence[str] = ()) -> Told:  # noqa: ARG002
        """Find nothing by rule; whatever has words may tell something."""
        return Told((), (), (), may_tell=re.search(r"[^\W\d_]", message) is not None)

    def statement_of(self, fact: str, message: str) -> Statement:  # noqa: ARG002  # the judge does not know its language
        """Return a fact as it would be said in English."""
        said = in_first_person(fact).rstrip(".")
        return Statement(said, said, fact)

    def check_grounding(self, fact: str, message: str) -> list[str]:
        """Refuse names and numbers that do not stand in the message."""
        typed = message.casefold()
        unsaid = [word for word in tokens(fact) if _is_name_or_number(word) and _bare(word) not in typed]
        return [NOT_GROUNDED] if unsaid or _MARKUP.search(fact) else []

    def touches(self, fact: str, message: str) -> str:  # noqa: ARG002
        """Leave it to the fact's own words."""
        return ""

    def facts_in(self, asked: str) -> Sequence[Draft]:
        """Return the words as they are."""
        text = one_line(asked)
        return [Draft(text, ())] if re.search(r"\w", text) else []


def _is_name_or_number(word: str) -> bool:
    """Say whether a word is the same in any language: not so the days, months and languages that English writes large."""
    if _ABOUT.fullmatch(word) or _bare(word).removesuffix("s") in _FACTS.weekdays | _FACTS.months:
        return False
    return (
        (word != word.lower() and _bare(word) not in _PROFILE.languages)
        or not word.isascii()
        or re.search(r"\d", word) is not None
    )


def _bare(word: str) -> str:
    return word.casefold().removesuffix("'s").removesuffix("'")
