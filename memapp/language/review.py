"""Reviewers of an answer that need no model: what it says of the person is held against their
words, its sums are done again.

They see names, numbers and people. What an answer means beyond these, only a model or the person
can say.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from memapp.domain.council import Objection
from memapp.domain.repetition import repeated
from memapp.domain.text import one_line
from memapp.language.asked import asked_about, bare_words, content, stem
from memapp.language.grammar import sentences
from memapp.language.held import names_in, numbers_in
from memapp.language.lexicon import lexicon
from memapp.language.sentence import is_question
from memapp.language.word_file import WordFile, words_of

CLOSE = frozenset(lexicon("judge").entry("kin_word").split())
"""Who is close to somebody, by what they are to them."""
SHARED = 2
"""So many words of a statement in a note, or half of them, make the two one matter."""
_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
_SUM = re.compile(
    rf"(?<![\w.,])({_NUMBER}(?:\s*[+\-−–*x×/÷]\s*{_NUMBER})+)\s*=\s*({_NUMBER})(?![\d%])"
)
_PLAIN = str.maketrans("−–x×÷", "--**/", ", ")


@dataclass(frozen=True, slots=True)
class Material:
    """What an answer is reviewed by."""

    question: str
    """The message that it answers."""
    answer: str
    notes: Mapping[str, str]
    """What the person said that bears on it, each with how that is quoted to them."""
    said: Sequence[str] = ()
    """What they said before, in the same chat."""
    replies: Sequence[str] = ()
    """What was answered before, in the same chat."""

    @property
    def words(self) -> WordFile:
        return words_of(f"{self.question} {self.answer}")

    @property
    def is_own(self) -> bool:
        """Return True for a question of the person about themselves: all of its answer rests on
        what they said.
        """
        return asked_about(self.question, self.words) == "own"


def objections(material: Material) -> list[Objection]:
    """Return what the rules have against an answer, in the order of the rubric."""
    return [objection for review in BY_RULES.values() for objection in review(material)]


def claims(answer: str, words: WordFile) -> list[str]:
    """Return the clauses of an answer that state something, without its sums."""
    stated = [
        sentence
        for sentence in sentences(answer)
        if not is_question(sentence, words) and not _SUM.search(sentence)
    ]
    return [clause for text in stated for clause in _clauses(text, words)]


def _sums(material: Material) -> Iterator[Objection]:
    """Yield the sums that are wrong by more than their last digit."""
    for found in _SUM.finditer(material.answer):
        right, given = _value(found[1]), Fraction(found[2].replace(",", ""))
        if right is not None and abs(right - given) >= Fraction(
            1, 10 ** len(found[2].partition(".")[2])
        ):
            result = f"{float(right):,.2f}".rstrip("0").rstrip(".")
            yield Objection(
                "Accuracy", f"{found[1]} is {result}.", found[0], f"{found[1]} = {result}"
            )


def _value(written: str) -> Fraction | None:
    """Return what a sum comes to, products before sums; None for a division by nothing."""
    first, *rest = re.split(r"([-+*/])", written.translate(_PLAIN))
    terms = [Fraction(first)]
    for sign, number in zip(rest[::2], map(Fraction, rest[1::2]), strict=True):
        if sign in "+-":
            terms.append(number if sign == "+" else -number)
        elif sign == "*":
            terms[-1] *= number
        elif number:
            terms[-1] /= number
        else:
            return None
    return sum(terms, Fraction(0))


def _contradictions(material: Material) -> Iterator[Objection]:
    """Yield the statements that name another one or another number where a note speaks of the same
    matter.
    """
    for claim in _statements(material):
        if note := _against(claim, material):
            yield Objection(
                "Consistency",
                material.notes[note],
                _sentence_of(claim, material),
                material.notes[note],
            )


def _unsupported(material: Material) -> Iterator[Objection]:
    """Yield what an answer to a question about oneself names of which the person said nothing."""
    given = [material.question, *material.notes, *material.said]
    for claim in _statements(material) if material.is_own else ():
        # a number may be reckoned from what they said
        new = [word for word in _new(claim, given, material.words) if not word[0].isdigit()]
        if new and not _against(claim, material):
            named = ", ".join(f"“{item}”" for item in new)
            yield Objection(
                "Evidence", f"You said nothing of {named}.", _sentence_of(claim, material)
            )


def _unanswered(material: Material) -> Iterator[Objection]:
    """Yield the questions of a message, of several, of which the answer has no word."""
    words, said = material.words, _stems(material.answer, material.words)
    parts = [
        part
        for sentence in sentences(one_line(material.question))
        for part in _clauses(sentence, words)
    ]
    asked = [
        part for part in parts if words.begins("others", "asks", part) and content(part, words)
    ]
    for text in asked if len(asked) > 1 else ():
        if said.isdisjoint(content(text, words)):
            yield Objection("Completeness", f"This is not answered: “{text}”", text)


def _said_before(material: Material) -> Iterator[Objection]:
    if again := repeated(material.answer, list(material.replies)):
        for sentence in sentences(material.answer):
            if repeated(sentence, [again]):
                yield Objection("Brevity", "This was said before.", sentence)


BY_RULES: Mapping[str, Callable[[Material], Iterator[Objection]]] = {
    "Accuracy": _sums,
    "Consistency": _contradictions,
    "Evidence": _unsupported,
    "Completeness": _unanswered,
    "Brevity": _said_before,
}
"""The criteria that rules review by."""


def _statements(material: Material) -> list[str]:
    """Return what is held against the notes: of an answer to a question about oneself all, else
    what speaks of the person.
    """
    stated = claims(material.answer, material.words)
    return (
        stated
        if material.is_own
        else [text for text in stated if material.words.finds("questions", "companion", text)]
    )


def _against(claim: str, material: Material) -> str:
    """Return the note nearest to a statement, if it names another one or another number; empty for
    none.

    What is named does not make a note near: that of somebody else would hold the wrong name.
    """
    words = material.words
    named = {kind: kind(claim, words) for kind in _KINDS}
    said = set(content(claim, words)) - {
        stem for each in named.values() for text in each for stem in content(text, words)
    }
    about = said.union(content(material.question, words)) if material.is_own else said
    shared = {note: len(about.intersection(content(note, words))) for note in material.notes}
    most = max(shared.values(), default=0)
    if most < (1 if material.is_own else SHARED) and not 2 * most >= len(said) > 0:
        return ""
    near = sorted((note for note, count in shared.items() if count), key=lambda note: -shared[note])
    new = set(_new(claim, [material.question, *material.said, *near], words))
    return next(
        (
            note
            for kind in _KINDS
            for note in near
            if new.intersection(named[kind]) and kind(note, words)
        ),
        "",
    )


def _new(claim: str, given: Sequence[str], words: WordFile) -> list[str]:
    """Return the names, numbers and people of a statement that stand nowhere in what was given."""
    stems = {word for text in given for word in _stems(text, words)}
    known = {word for text in given for word in numbers_in(text, words)}
    named = [
        word
        for word in (*names_in(claim), *people_in(claim, words))
        if not _stems(word, words) <= stems
    ]
    return named + [word for word in numbers_in(claim, words) if word not in known]


def _names(text: str, _: WordFile) -> list[str]:
    return names_in(text)


def people_in(text: str, words: WordFile) -> list[str]:
    return [word for word in bare_words(text, words) if word in CLOSE]


_KINDS = (_names, numbers_in, people_in)


def _stems(text: str, words: WordFile) -> set[str]:
    return {stem(word, words) for word in bare_words(text, words)}


def _sentence_of(claim: str, material: Material) -> str:
    return next((sentence for sentence in sentences(material.answer) if claim in sentence), claim)


def _clauses(text: str, words: WordFile) -> list[str]:
    return [
        part.strip() for part in re.split(words.pattern("clauses", "between"), text) if part.strip()
    ]
