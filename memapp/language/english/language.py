"""English, as memapp learns from what is said in it: by rules, and by the judge over each statement of a message."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from memapp.domain.utterance import Draft, Statement, Told
from memapp.language.english.asked_to_remember import as_facts
from memapp.language.english.authorship import own_words
from memapp.language.english.framing import told_by_healers
from memapp.language.english.grammar import expand, sentences, stems, tokens
from memapp.language.english.grounding import SAID, check_grounding
from memapp.language.english.profile import stated
from memapp.language.english.profile_forms import in_first_person
from memapp.language.english.statements import read, sentences_told
from memapp.language.english.verbatim import verbatim


class English:
    """The language that memapp has rules for."""

    reads_tone = True

    def read(self, message: str, before: Sequence[str] = ()) -> Told:
        """Return the statements of a message, and the values of the profile that it states."""
        statements = tuple(read(message, tuple(before)))
        return Told(statements, tuple(stated(message)), tuple(_standing(message)), may_tell=bool(statements))

    def statement_of(self, fact: str, message: str) -> Statement:
        """Return a fact beside the sentence of the message that it is most like."""
        sentence = max(sentences(own_words(message)) or [message], key=lambda one: len(_stems(one) & _stems(fact)))
        return Statement(in_first_person(fact).rstrip("."), sentence, fact)

    def check_grounding(self, fact: str, message: str) -> list[str]:
        """Return what a fact says in other words, of others, or with another certainty than the message."""
        return check_grounding(fact, message)

    def touches(self, fact: str, message: str) -> str:
        """What doctors or tests told is of health, whatever its words are."""
        return "health" if any(not check_grounding(fact, told) for told in told_by_healers(message)) else ""

    def facts_in(self, asked: str) -> Sequence[Draft]:
        """Return the facts in the third person where that says all of it, else the words as they are."""
        return as_facts(asked)


def _standing(message: str) -> Iterator[Statement]:
    """Yield the sentences that may be kept as they were said, each with the one before it where it says nothing without."""
    own = own_words(message)
    for before, sentence in pairwise(["", *sentences_told(message)]):
        fact = verbatim(sentence, before)
        if fact and (passage := fact.removeprefix(SAID)).rstrip(".") in own:
            yield Statement(sentence, passage, fact)


def _stems(text: str) -> set[str]:
    return {stem for word in tokens(expand(text)) for stem in stems(word)}
