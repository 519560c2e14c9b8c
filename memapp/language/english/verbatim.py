"""What is kept as it was typed: a sentence that tells something by itself, though no fact can be made of its words."""

import re
from collections.abc import Callable, Sequence

from memapp.language.english.grammar import expand, is_adverb, is_verb, tokens, word_at
from memapp.language.english.grounding import SAID
from memapp.language.english.life_domains import is_request
from memapp.language.english.profile import stated
from memapp.language.english.statements import plain, says_little, without_asked
from memapp.language.english.writing import is_vague
from memapp.language.lexicon import lexicon

EN = lexicon("telling")
FEWEST_WORDS = 3
MOST_CHARS = 200
_FOREIGN = re.compile(r"[#\[\]{}<>\\|@\"_]|\bUser\b")
"""Code, links, words of others, and the word that facts use for the person."""


def verbatim(sentence: str, before: str = "") -> str:
    """Return the fact that somebody said a sentence, in its words: `User said: no mushrooms, can't stand them.`

    Where it tells of what the sentence before it names, that belongs to it: `My son Dale rang. He sells boilers in Tucson.`
    Empty where it asks, speaks to memapp of anything but a lasting wish, tells of what neither names, or states a value of the
    profile.
    """
    text = sentence.strip().rstrip(" .!")
    words = tokens(expand(plain(text)))
    if not _tells(text, words) or says_little(sentence):
        return ""
    if _points_back(words):
        told = tokens(expand(plain(before)))
        if not _tells(before, told) or _points_back(told):
            return ""
        text = f"{before} {text}"
    return f"{SAID}{text}." if len(text) <= MOST_CHARS else ""


def _tells(text: str, words: Sequence[str]) -> bool:
    """Say whether a sentence states something in the person's own words, to nobody, and no value of the profile."""
    if len(words) < FEWEST_WORDS or len(text) > MOST_CHARS or _FOREIGN.search(text) or stated(text) or text.endswith("?"):
        return False
    says = any(is_verb(word.casefold()) or _names(words, at) for at, word in enumerate(words)) or _says_without_verb(text, words)
    is_to_memapp = not EN.second_person.isdisjoint(map(str.casefold, words)) or _commands(text, words)
    is_for_good = EN.regex(r"\b{for_good}\b").search(text) is not None
    return says and not _asks(words) and (is_for_good or not is_to_memapp)


def _says_without_verb(text: str, words: Sequence[str]) -> bool:
    """Say whether words tell a rule, a habit or what is due, as typed: `nights only`, `vegan since 2015`, `exams on Friday`."""
    lowered = [word.casefold() for word in words]
    is_rule = not EN.telling_without_verb.isdisjoint(lowered) or (lowered[0] == "no" and "me" in lowered)
    is_habit = EN.regex(r"\b(?:{habitual}|{weekdays}s|{for_years})\b").search(text) is not None
    is_due = EN.regex("{due_without_verb}").search(text) is not None
    return (
        is_rule or is_due or (is_habit and any(_is_thing(words, at) and not _is_weekday(word) for at, word in enumerate(lowered)))
    )


def _asks(words: Sequence[str]) -> bool:
    return word_at(words, 0) in EN.question_words or without_asked(words) != list(words)


def _commands(text: str, words: Sequence[str]) -> bool:
    first = words[0].casefold()
    return first in {"please"} | EN.common_verbs | EN.passing_verbs or is_request(text)


def _points_back(words: Sequence[str]) -> bool:
    """Say whether the words go on about what was named before: `the piano`, `model ones`, `half of them`, `he` alone."""
    if any(word.casefold() in ("one", "ones") and is_vague(words, at) for at, word in enumerate(words)):
        return True
    openings = EN.coordinators | EN.interjections | {","}
    words = words[next((at for at, word in enumerate(words) if word.casefold() not in openings), 0) :]
    if word_at(words, 0) in {"the"} | EN.demonstratives | EN.pronouns - EN.of_oneself_first:
        return True
    if EN.regex("{some_of_them}").match(" ".join(words)):
        return True
    named = _place(words, lambda at: _names(words, at))
    thing = _place(words, lambda at: _is_thing(words, at))
    somebody = _place(words, lambda at: word_at(words, at) in EN.of_somebody)
    something = _place(words, lambda at: word_at(words, at) in EN.of_something)
    return somebody < named or something < min(named, thing)


def _place(words: Sequence[str], of: Callable[[int], bool]) -> int:
    """Return where the first word of a kind stands; behind the last where none does."""
    return next(filter(of, range(len(words))), len(words))


def _names(words: Sequence[str], at: int) -> bool:
    lowered = word_at(words, at)
    if lowered in ("my", "our"):
        return True
    is_name = words[at][0].isupper() and lowered not in EN.pronouns | EN.months and not _is_weekday(lowered)
    return is_name and (at > 0 or (is_verb(word_at(words, 1)) and lowered not in EN.function_words | EN.common_verbs))


def _is_weekday(lowered: str) -> bool:
    return lowered.removesuffix("s") in EN.weekdays


def _is_thing(words: Sequence[str], at: int) -> bool:
    lowered = word_at(words, at)
    is_any = lowered in EN.function_words | EN.pronouns | EN.common_verbs | EN.adverbs
    return not (is_any or is_verb(lowered) or is_adverb(lowered) or word_at(words, at + 1) == "to")  # `used to`
