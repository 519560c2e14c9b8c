"""What of a message may be told where something in it waits for the person's yes or was denied: the sentences beside it.

A sentence that says a value, or is of its field, is cut out, with what refers back to it; of one sentence only a clause that
stands for itself is left. Where a value cannot be found in the message, nothing of it is told.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from memapp.domain.consent import BESIDE_PROFILE
from memapp.domain.profile import Hint, normal_value, same_value
from memapp.language.english.answering_sentence import in_confidence
from memapp.language.english.authorship import leads_to_material, own_words
from memapp.language.english.clauses import verb_at, without_interjections
from memapp.language.english.grammar import EN, expand, is_adverb, is_verb, root, sentences, tokens
from memapp.language.english.profile import stated
from memapp.language.english.profile_hints import may_apply_by_itself, touched

_CLAUSE_END = re.compile(r"\s*[,;]\s+(?:(?:and|but)\s+)?|\s+[-–—]+\s+|\s+(?:and|but)\s+", re.IGNORECASE)
_REFERS_BACK = EN.pronouns - {"i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "you", "your"}
_UNSURE = EN.hypothetical | EN.reporting | EN.subordinate | EN.negations
"""With one of these, a clause may say something else when it stands alone."""
_REACHING = frozenset(["to", "can", "could", "will", "would", "may", "might", "should", "must"])
"""With one of these before it, so may a clause that has no subject: `I want to leave and live in Rome`."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_LEAST_WORDS = 3
CALLED = "preferred_name"
"""A reply says this value only to greet the person, so that its other sentences tell nothing of it."""
KEPT = 2048
"""The words of so many texts are kept: each hit of a search is held against each value that waits."""
MOST_CHARS = 2000
"""A longer message is hidden whole: each sentence is read for what it says."""


def told_beside(text: str, withheld: Sequence[Hint]) -> str:
    """Return the sentences of a person's message that may be told, a line each; empty if there are none."""
    if len(text) > MOST_CHARS or in_confidence(text) or any(one.field in BESIDE_PROFILE for one in withheld):
        return ""
    said = []
    for sentence in sentences(own_words(text)):
        if leads_to_material(sentence):
            break  # what follows is not theirs, and without this sentence would look so
        said.append(sentence)
    if not all(any(_states(sentence, one) for sentence in said) for one in withheld):
        return ""
    return "\n".join(_kept(said, withheld))


def told_of_reply(text: str, withheld: Sequence[Hint]) -> str:
    """Return what may be told of a model's reply: nothing if it says a value, but beside a name the rest."""
    said = [one for one in withheld if says_any(text, [one])]
    if any(one.field != CALLED for one in said):
        return ""
    return "\n".join(one for one in sentences(text) if not says_any(one, said)) if said else text


def says_any(text: str, withheld: Sequence[Hint]) -> bool:
    """Say whether a text has a word of a value."""
    return any(_has_word_of(text, one) for one in withheld)


def says_again(text: str, one: Hint) -> bool:
    """Say whether a message that a value was not read from gives it away.

    Words do, but for what is of no harm, such as a goal of one common word: that, only a text does that states it of the person.
    """
    return states(text, one) and (not may_apply_by_itself(one.field, one.value) or _is_stated(text, one))


def states(text: str, one: Hint) -> bool:
    """Say whether a text says all the words of a value, in any case and order."""
    return _telling(one) <= _words(text)


def _kept(said: Sequence[str], withheld: Sequence[Hint]) -> Iterator[str]:
    is_cut = False
    for sentence in said:
        if is_cut and _refers_back(sentence):
            continue
        is_cut = _is_withheld(sentence, withheld)
        if is_cut:
            yield from _clauses(sentence, withheld)
        elif "#" not in sentence:  # where a link stood, or a speech
            yield sentence


def _clauses(sentence: str, withheld: Sequence[Hint]) -> Iterator[str]:
    """Yield the clauses that the person says of themselves and that need no other: `I work here`, `just moved` after `I am`."""
    if _words(sentence) & _UNSURE or re.search(r"[?\"“”()#:]", sentence):
        return
    is_mine = False
    *before, last = _CLAUSE_END.split(sentence)
    for clause in (*(f"{one}…" for one in before), last):
        words = without_interjections(tokens(expand(clause)))
        first = next((word for word in words if not is_adverb(word)), "").casefold()
        goes_on = is_mine and is_verb(first)
        is_own = first in ("i", "we") or (first in ("my", "our") and verb_at(words, 1) is not None)
        is_mine = (first == "i" or goes_on) and _REACHING.isdisjoint(words)
        is_whole = len(words) >= _LEAST_WORDS and not _refers_back(clause)
        if (is_own or goes_on) and is_whole and not _is_withheld(clause, withheld):
            yield clause


def _is_withheld(sentence: str, withheld: Sequence[Hint]) -> bool:
    fields = {one.field for one in withheld}
    if says_any(sentence, withheld) or any(stated(sentence, field) for field in fields):
        return True
    return not fields.isdisjoint(touched(sentence))


def _states(sentence: str, one: Hint) -> bool:
    """Say whether a sentence is what a value was read from."""
    return bool(one.value and states(sentence, one)) or _is_stated(sentence, one)


def _is_stated(text: str, one: Hint) -> bool:
    return any(same_value(one.field, other.value, one.value) for other in stated(text, one.field))


def _has_word_of(text: str, one: Hint) -> bool:
    value = normal_value(one.field, one.value)
    is_inside = not value.isascii() and value in normal_value(one.field, text)  # some scripts write no spaces
    return is_inside or not _telling(one).isdisjoint(_words(text))


@lru_cache(maxsize=KEPT)
def _telling(one: Hint) -> frozenset[str]:
    """Return the words of a value by which a sentence gives it away; all, if none says anything by itself."""
    words = _words(one.value)
    telling = words - EN.stop_words - EN.function_words - EN.pronouns - {"user"}
    if one.field != "birth_date":  # else a day on which anything may have been
        days = EN.months | EN.weekdays
        telling = frozenset(word for word in telling - days - set(map(root, days)) if not _YEAR.fullmatch(word))
    return telling or words


@lru_cache(maxsize=KEPT)
def _words(text: str) -> frozenset[str]:
    written = re.findall(r"[^\W_]+", expand(unicodedata.normalize("NFKC", text)).casefold())
    return frozenset(form for word in written for form in (word, root(word)))


def _refers_back(sentence: str) -> bool:
    words = [word.casefold() for word in tokens(expand(sentence))]
    return not _REFERS_BACK.isdisjoint(words) or not {"this", "that", "these", "those", "there"}.isdisjoint(words[:2])
