"""Topics: what sentences are about, as noun phrases with the article that they were said with."""

import re
from collections.abc import Iterator, Sequence

from memapp.language.english.grammar import EN as WORDS
from memapp.language.english.grammar import expand, is_adverb, is_past, root, third_person_verbs, tokens, word_at
from memapp.language.lexicon import lexicon

EN = lexicon("topics")
LONGEST = 4
"""Words of a phrase; in a longer one the last say what it is."""


def topics_in(sentence: str) -> list[str]:
    """Return the noun phrases that a sentence says for sure: behind an article, a preposition and the like, and names.

    `my` becomes `User's`, as in a memory.
    """
    words = tokens(expand(sentence))
    found = []
    at = 0
    while at < len(words):
        start, phrase = at, list(_phrase(words, at))
        at += max(1, len(phrase))
        if word_at(words, at).casefold() in EN.noun_of_nothing:  # `the cheapest way`: what it is about is left out
            continue
        is_told = _is_name(phrase, start) or (_is_led_to(words, start) and not _is_said_of(words, start))
        if phrase and is_told and not _is_of_pronoun(words, at):
            of = _of(words, at)
            found.append(" ".join([*_article(words, start), *phrase[-LONGEST:], *of]))
            at += len(of)
    return list(dict.fromkeys(one for one in found if not _says_nothing(one)))


def clear(topics: Sequence[str]) -> list[str]:
    """Return those of some topics that say something by themselves; all of them where none does."""
    return [one for one in topics if bare(one).split()[-1].casefold() not in EN.vague] or list(topics)


def bare(topic: str) -> str:
    """Return a topic without its article: `canal` for `the canal`."""
    return re.sub(r"^(?:an?|the|User's) ", "", topic)


def roots_of(sentence: str) -> dict[str, str]:
    """Return what a sentence is about word by word: the root of each that tells something, with the word as it was said."""
    words = [word for word in tokens(expand(sentence)) if re.fullmatch(r"[^\W\d_][\w'’-]{2,}", word)]
    telling = (word for word in words if word.casefold().removesuffix("'s") not in EN.everyday and not is_adverb(word))
    return {root_of(word): word for word in telling}


def root_of(word: str) -> str:
    """Return what the forms of a word have in common; of a short word all but its plural `s`: little is left of `bees`."""
    found = root(word)
    return found if len(found) > 2 else word.casefold().removesuffix("s")


def listed(topics: Sequence[str]) -> str:
    """Return topics as one phrase: `the canal, tea and a novel`."""
    *others, last = topics
    return f"{', '.join(others)} and {last}" if others else last


def _phrase(words: Sequence[str], at: int) -> Iterator[str]:
    """Yield the words from a place on that belong to one noun phrase, as far as the tables can tell."""
    for place in range(at, len(words)):
        word, lowered = words[place], words[place].casefold()
        if not (at < place and _joins_name(words, place)) and not _is_of_phrase(words, place):
            return
        yield word if word[:1].isupper() and (place > 0 or lowered not in WORDS.common_verbs | EN.everyday) else lowered


def _of(words: Sequence[str], at: int) -> list[str]:
    """Return how a noun phrase goes on with `of`, where that says more of it: `of the lobster`."""
    if word_at(words, at) != "of":
        return []
    article = [one for one in [word_at(words, at + 1)] if one.casefold() in WORDS.articles]
    phrase = list(_phrase(words, at + 1 + len(article)))
    is_told = phrase and not phrase[-1].endswith("ing") and not _says_nothing(" ".join(phrase))
    return ["of", *article, *phrase] if is_told else []


def _is_of_pronoun(words: Sequence[str], at: int) -> bool:
    return word_at(words, at) == "of" and word_at(words, at + 1).casefold() in WORDS.pronouns - EN.possessives


def _joins_name(words: Sequence[str], at: int) -> bool:
    """Say whether this is the `of` of `Years of Solitude`."""
    return words[at] == "of" and all(word[:1].isupper() for word in (words[at - 1], word_at(words, at + 1)))


def _is_of_phrase(words: Sequence[str], at: int) -> bool:
    word, lowered = words[at], words[at].casefold()
    if at and word[:1].isupper() and lowered not in WORDS.pronouns:
        return True
    if not re.fullmatch(r"[^\W_][\w'’-]*", word) or lowered in EN.no_part or is_adverb(lowered):
        return False
    before = words[at - 1].casefold() if at else ""
    is_done = is_past(lowered) or (lowered in third_person_verbs() and not _is_leading(before))
    return not is_done or before in WORDS.articles | EN.possessives  # `the fried rice`


def _is_led_to(words: Sequence[str], at: int) -> bool:
    return at > 0 and _is_leading(words[at - 1].casefold())


def _is_said_of(words: Sequence[str], at: int) -> bool:
    """Say whether a noun phrase tells what somebody or something is: `she is really a great author` is not about authors."""
    before = " ".join(word.casefold() for word in words[:at] if not is_adverb(word))
    return EN.regex("(?:{be} (?:(?:one|some) of )?{articles}|{seems} like(?: {articles})?)$").search(before) is not None


def _is_leading(word: str) -> bool:
    return word in WORDS.articles | EN.possessives | EN.leading


def _is_name(phrase: Sequence[str], at: int) -> bool:
    return at > 0 and all(word[:1].isupper() or word == "of" for word in phrase)


def _article(words: Sequence[str], at: int) -> list[str]:
    before = words[at - 1].casefold() if at else ""
    return ["User's"] if before in ("my", "our") else [before] if before in WORDS.articles else []


def _says_nothing(topic: str) -> bool:
    head = bare(topic).split()[-1].removesuffix("'s")
    is_time_or_talk = head.casefold() in EN.no_head | EN.months or head.casefold().removesuffix("s") in EN.weekdays
    is_number = re.fullmatch(r"\d+\w{0,2}", head) is not None
    return len(bare(topic)) < 3 or is_time_or_talk or is_number or head in EN.everyday
