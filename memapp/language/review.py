"""Reviewers of an answer that need no model: claims are checked against notes, sums recomputed.

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
from memapp.language.grammar import sentences
from memapp.language.grounding import names_in, numbers_in
from memapp.language.lexicon import lexicon
from memapp.language.questions import asked_about, bare_words, content, stem
from memapp.language.sentence import is_question
from memapp.language.word_file import WordFile, words_of

CLOSE = frozenset(lexicon("judge").entry("kin_word").split())
"""Words for close people."""
SHARED = 2
"""The shared words, or else half of them, from which a statement and a note are on one subject."""
_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
_SUM = re.compile(
    rf"(?<![\w.,])({_NUMBER}(?:\s*[+\-−–*x×/÷]\s*{_NUMBER})+)\s*=\s*({_NUMBER})(?![\d%])"
)
_PLAIN = str.maketrans("−–x×÷", "--**/", ", ")


@dataclass(frozen=True, slots=True)
class Material:
    """An answer with everything to review it by."""

    question: str
    """The message that was answered."""
    answer: str
    notes: Mapping[str, str]
    """The person's relevant statements, each with its quotation."""
    said: Sequence[str] = ()
    """The person's earlier messages in the chat."""
    replies: Sequence[str] = ()
    """The earlier replies in the chat."""

    @property
    def words(self) -> WordFile:
        return words_of(f"{self.question} {self.answer}")

    @property
    def is_own(self) -> bool:
        """Return True for a person's question about themselves, answered from their statements."""
        return asked_about(self.question, self.words) == "own"


def objections(material: Material) -> list[Objection]:
    """Return the rules' objections to an answer, in the order of the rubric."""
    return [objection for review in BY_RULES.values() for objection in review(material)]


def claims(answer: str, words: WordFile) -> list[str]:
    """Return the clauses of an answer that state something, without sums."""
    stated = [
        sentence
        for sentence in sentences(answer)
        if not is_question(sentence, words) and not _SUM.search(sentence)
    ]
    return [clause for sentence in stated for clause in _clauses(sentence, words)]


def _sums(material: Material) -> Iterator[Objection]:
    """Yield an objection for each sum that is wrong by more than the last digit."""
    for equation in _SUM.finditer(material.answer):
        right, given = _value(equation[1]), Fraction(equation[2].replace(",", ""))
        if right is not None and abs(right - given) >= Fraction(
            1, 10 ** len(equation[2].partition(".")[2])
        ):
            result = f"{float(right):,.2f}".rstrip("0").rstrip(".")
            yield Objection(
                "Accuracy", f"{equation[1]} is {result}.", equation[0], f"{equation[1]} = {result}"
            )


def _value(written: str) -> Fraction | None:
    """Return the value of a sum, products first; None for a division by zero."""
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
    """Yield an objection for each claim with another name or number than a note on its subject."""
    for claim in _statements(material):
        if note := _against(claim, material):
            yield Objection(
                "Consistency",
                material.notes[note],
                _sentence_of(claim, material),
                material.notes[note],
            )


def _unsupported(material: Material) -> Iterator[Objection]:
    """Yield an objection for each name in an answer about the person that they never mentioned."""
    given = [material.question, *material.notes, *material.said]
    for claim in _statements(material) if material.is_own else ():
        # a number may be reckoned from what they said
        new = [word for word in _new(claim, given, material.words) if not word[0].isdigit()]
        if new and not _against(claim, material):
            named = ", ".join(f"“{name}”" for name in new)
            yield Objection(
                "Evidence", f"You said nothing of {named}.", _sentence_of(claim, material)
            )


def _unanswered(material: Material) -> Iterator[Objection]:
    """Yield an objection for each of several questions that the answer does not touch."""
    words, answered = material.words, _stems(material.answer, material.words)
    parts = [
        part
        for sentence in sentences(one_line(material.question))
        for part in _clauses(sentence, words)
    ]
    questions = [
        part for part in parts if words.begins("others", "asks", part) and content(part, words)
    ]
    for question in questions if len(questions) > 1 else ():
        if answered.isdisjoint(content(question, words)):
            yield Objection("Completeness", f"This is not answered: “{question}”", question)


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
"""The criteria that have rules."""


def _statements(material: Material) -> list[str]:
    """Return the claims to check against the notes: all about the person, in an own answer all."""
    stated = claims(material.answer, material.words)
    return (
        stated
        if material.is_own
        else [text for text in stated if material.words.finds("questions", "companion", text)]
    )


def _against(claim: str, material: Material) -> str:
    """Return the nearest note to a claim if its names or numbers differ; else nothing.

    Names do not make a note near: a note about somebody else would contain the wrong name.
    """
    words = material.words
    named = {kind: kind(claim, words) for kind in _KINDS}
    stems_of_claim = set(content(claim, words)) - {
        stem for each in named.values() for text in each for stem in content(text, words)
    }
    about = (
        stems_of_claim.union(content(material.question, words))
        if material.is_own
        else stems_of_claim
    )
    shared = {note: len(about.intersection(content(note, words))) for note in material.notes}
    most = max(shared.values(), default=0)
    if most < (1 if material.is_own else SHARED) and not 2 * most >= len(stems_of_claim) > 0:
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
    """Return the names, numbers and people of a claim that no given text has."""
    stems = {word for text in given for word in _stems(text, words)}
    numbers = {word for text in given for word in numbers_in(text, words)}
    named = [
        word
        for word in (*names_in(claim), *people_in(claim, words))
        if not _stems(word, words) <= stems
    ]
    return named + [word for word in numbers_in(claim, words) if word not in numbers]


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
