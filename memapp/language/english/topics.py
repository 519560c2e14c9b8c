"""Topics: what sentences are about, as noun phrases with the article that they were said with.

Which of them say something long afterwards is known by their likeness to examples: `benchmarks/made_up/topics.toml`, of which
`benchmarks.fit_topics` makes `assets/language/en/topics.npz`, a regression over the vectors of one embedding model.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memapp.language.english.framing import unwrap
from memapp.language.english.grammar import EN as WORDS
from memapp.language.english.grammar import expand, is_adverb, is_past, root, third_person_verbs, tokens, word_at
from memapp.language.lexicon import lexicon
from memapp.paths import bundled

EN = lexicon("topics")
Fitted = Mapping[str, NDArray[Any]]
"""The arrays of the fit, by their names."""
LONGEST = 4
"""Words of a phrase; in a longer one the last say what it is."""


def topics_in(sentence: str) -> list[str]:
    """Return the noun phrases that a sentence says for sure: behind an article, a preposition and the like, and names.

    `my` becomes `User's`, as in a memory.
    """
    words = tokens(expand(unwrap(sentence)))
    found, at, listed_from = [], 0, -1
    while at < len(words):
        start, phrase = at, _phrase(words, at)
        at += max(1, len(phrase))
        if word_at(words, at).casefold() in EN.noun_of_nothing - WORDS.time_words:
            continue  # `the cheapest way`: what it is about is left out
        is_told = _is_name(phrase, start) or (_is_led_to(words, start) and not _is_said_of(words, start))
        is_told = is_told or (start == listed_from and word_at(words, start) not in WORDS.common_verbs)
        if phrase and is_told and not _is_of_pronoun(words, at):
            of = _of(words, at)
            if not (_says_nothing(phrase) and _says_nothing(of)):
                found.append(" ".join([*_article(words, start), *phrase[-LONGEST:], *of]))
            at += len(of)
            listed_from = _next_item(words, at)
    return list(dict.fromkeys(found))


def recognisable(topics: Sequence[str], vectors: NDArray[np.floating[Any]], model_id: str) -> list[str]:
    """Return those of some topics that say by themselves what was talked about: `the loom` and `Lisbon`, but not `the ability`.

    `vectors` are of the topics without their articles; with those of a model that nothing was fitted to, all are returned.
    """
    by = fitted()
    if model_id != str(by["model_id"]):
        return list(topics)
    sure = vectors @ by["weights"] + by["bias"] > 0
    return [one for one, is_sure in zip(topics, sure, strict=True) if is_sure or bare(one).split()[-1][:1].isupper()]


@cache
def fitted() -> Fitted:
    """Return what was fitted, read once."""
    with np.load(bundled("assets", "language", "en", "topics.npz"), allow_pickle=False) as file:
        return dict(file)


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


def _phrase(words: Sequence[str], at: int) -> list[str]:
    """Return the words from a place on that belong to one noun phrase, as far as the tables can tell."""
    leads = word_at(words, at) in EN.leading and not _is_led_to(words, at)  # `enjoy`; but in `I enjoy playing chess` all of it
    phrase = [] if leads else list(_words_of_phrase(words, at))
    end = at + len(phrase)
    ends_in_verb = word_at(words, end) in EN.objects or _is_asked_of(words, at, end)
    return phrase[:-1] if ends_in_verb and len(phrase) > 1 else phrase  # `the rowers push themselves`


def _is_asked_of(words: Sequence[str], at: int, end: int) -> bool:
    """Say whether a phrase ends in the verb of a question: `did the scarecrow win?`, but not in `did the bread really rise?`"""
    article = " ".join(_article(words, at))
    before = word_at(words, at - 2 if article else at - 1).casefold()
    asks = before in EN.before_subject and not (before in EN.doing and article in ("a", "an"))  # `do a handstand`
    while is_adverb(word_at(words, end).casefold()):
        end += 1
    following = word_at(words, end).casefold()
    return asks and (not re.match(r"\w", following) or following in EN.behind_verb)


def _words_of_phrase(words: Sequence[str], at: int) -> Iterator[str]:
    for place in range(at, len(words)):
        word, lowered = words[place], words[place].casefold()
        if not (at < place and _joins_name(words, place)) and not _is_of_phrase(words, place):
            return
        yield word if word[:1].isupper() and (place > 0 or lowered not in WORDS.common_verbs | EN.everyday) else lowered


def _next_item(words: Sequence[str], at: int) -> int:
    """Return where the next thing of a list begins, if there stands one: `tea, and especially cakes`."""
    end = at
    while word_at(words, end) in EN.in_list:
        end += 1
    return end if end > at else -1


def _of(words: Sequence[str], at: int) -> list[str]:
    """Return how a noun phrase goes on with `of`, where that says more of it: `of the lobster`."""
    if word_at(words, at) != "of":
        return []
    article = [one for one in [word_at(words, at + 1)] if one.casefold() in WORDS.articles]
    phrase = _phrase(words, at + 1 + len(article))
    is_told = phrase and not phrase[-1].endswith("ing") and not _is_time_or_number(phrase[-1].removesuffix("'s"))
    return ["of", *article, *phrase] if is_told else []


def _is_of_pronoun(words: Sequence[str], at: int) -> bool:
    return word_at(words, at) == "of" and word_at(words, at + 1).casefold() in WORDS.pronouns - EN.possessives


def _joins_name(words: Sequence[str], at: int) -> bool:
    """Say whether this is the `of` of `Years of Solitude`."""
    return words[at] == "of" and all(word[:1].isupper() for word in (words[at - 1], word_at(words, at + 1)))


def _is_of_phrase(words: Sequence[str], at: int) -> bool:
    word, lowered = words[at], words[at].casefold()
    if at and word[:1].isupper() and lowered not in WORDS.pronouns:
        return lowered not in WORDS.finite or word_at(words, at + 1) not in WORDS.pronouns  # `Jaws Have you seen it?`
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


def _says_nothing(phrase: Sequence[str]) -> bool:
    """Say whether a phrase ends in a word of any chat, and the one before does not say which: `shop`, but not `coffee shop`."""
    *before, head = [word.removesuffix("'s") for word in phrase] or [""]
    is_of_any = head in EN.no_head | EN.everyday and not (before and _says_which(before[-1]))
    is_of_talk = head.casefold() in EN.of_talk or _is_time_or_number(head)
    return len(" ".join(phrase)) < 3 or is_of_talk or is_of_any


def _is_time_or_number(word: str) -> bool:
    lowered = word.casefold()
    is_time = lowered in EN.months | EN.time_nouns or lowered.removesuffix("s") in EN.weekdays
    return is_time or re.fullmatch(r"\d+\w{0,2}", word) is not None


def _says_which(word: str) -> bool:
    """Say whether a word before a noun is another noun, as far as its ending tells: `travel tips`, and no `useful tips`."""
    return word.casefold() not in EN.everyday | EN.no_head and not EN.regex("(?:{adjective_endings})$").search(word)
