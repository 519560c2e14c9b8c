"""Regularities: what comes up in a person's chats more often than by chance, or on one day of the week.

A topic is a word with those of the same history that are near to it in meaning. How often one comes up by chance is known from
other people's messages: most words in fewer than one of eighty, some in one of thirty. Many topics are looked at, so the chance
of each is multiplied by their number (Bonferroni). What touches anything sensitive is not counted.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

import numpy as np

from memapp.domain.chat import Message
from memapp.domain.regularity import chance_as_striking, chance_of
from memapp.inference import Cancel
from memapp.language.english.dates import local_day
from memapp.language.english.given_names import is_common
from memapp.language.english.topics import EN, bare, root_of, roots_of, topics_in
from memapp.runtime import Runtime
from memapp.services.embed import embedded
from memapp.services.ordinary import plain_sentences, untouched
from memapp.services.statements import surely_ordinary

LEAST_CHATS = 8
"""In fewer nothing can be regular."""
LEAST_OF_TOPIC = 4
LEAST_SHARE = 0.4
LEAST_NAMED = 3
"""In so many chats the word itself must come up."""
ON_DAY = 0.6
"""So many of a topic's chats are on its day of the week."""
BY_CHANCE = 0.05
SURELY = 0.001
RATE, FREQUENT_RATE, RATE_BESIDE = 0.012, 0.035, 0.006
"""Shares of messages that have a word by chance: most words, frequent ones, and each further one of a topic."""
ALIKE = 0.55
"""Cosine from which two words are of one topic."""
EMBEDDED_AT_ONCE = 16
READ_AT_ONCE = 8

Chat = tuple[str, date]
"""A chat on one day."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A sentence of the person, with the roots of the words that may be topics."""

    message: Message
    sentence: str
    roots: Mapping[str, str]

    @property
    def chat(self) -> Chat:
        return self.message.thread_id, local_day(self.message)


@dataclass(frozen=True, slots=True)
class Regularity:
    """A topic that comes up regularly."""

    topic: str
    """With its article, as it was said most often."""
    roots: frozenset[str]
    said: tuple[Mention, ...]
    """The sentences about it."""
    chats: int
    """How many chats it came up in."""
    among: int
    days: tuple[date, date]
    """Of the first and the last of all the chats."""
    weekday: str
    """On which it mostly comes up; empty for none."""
    chance: float
    """How likely that is by chance."""


def find(runtime: Runtime, messages: Sequence[Message], cancel: Cancel) -> list[Regularity]:
    """Return the regularities of messages, the surest first; none without the embedding model that the judge was fitted to."""
    said: list[Mention] = []
    for start in range(0, len(messages), READ_AT_ONCE):
        for message in untouched(runtime, messages[start : start + READ_AT_ONCE]):
            if cancel.is_set():
                return []
            said += [Mention(message, one, _telling(one)) for one in plain_sentences(message)]
    found = _regular(runtime, said, cancel)
    about = frozenset(stem for one in found for stem in one.roots)
    doubted = list({one.sentence: None for regularity in found for one in regularity.said})
    refused = set(doubted)
    for start in range(0, len(doubted), READ_AT_ONCE):
        if cancel.is_set():
            return []
        refused.difference_update(surely_ordinary(runtime, doubted[start : start + READ_AT_ONCE]))
    kept = [one for one in said if one.sentence not in refused]
    return [one for one in _regular(runtime, kept, cancel) if one.roots <= about] if found else []


def _telling(sentence: str) -> dict[str, str]:
    """Return the roots of the words of a sentence that may be topics, each with its word."""
    everyday = _listed("everyday")
    return {stem: word for stem, word in roots_of(sentence).items() if stem not in everyday}


@cache
def _listed(name: str) -> frozenset[str]:
    """Return the roots of the words of a list."""
    return frozenset(map(root_of, getattr(EN, name)))


def _regular(runtime: Runtime, said: Sequence[Mention], cancel: Cancel) -> list[Regularity]:
    chats = list(dict.fromkeys(one.chat for one in said))
    places: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(said):
        for stem in one.roots:
            places[stem].append(place)
    named = [stem for stem, of in places.items() if len({said[place].chat for place in of}) >= LEAST_NAMED]
    if len(chats) < LEAST_CHATS or not named:
        return []
    topics = _topics(runtime, said, named, cancel)
    about = {stem: sorted({place for one in stems for place in places[one]}) for stem, stems in topics.items()}
    told = {stem: tuple(said[place] for place in of) for stem, of in about.items()}
    counted = {stem: frozenset(one.chat for one in of) for stem, of in told.items()}
    tested = {stem: of for stem, of in counted.items() if len(of) >= LEAST_OF_TOPIC}
    length = len({one.message.id for one in said}) / len(chats)
    found = []
    for stem, of in tested.items():
        if cancel.is_set():
            return []
        often = len(named) * _chance(stem, topics[stem], len(of), len(chats), length)
        often = often if len(of) >= LEAST_SHARE * len(chats) else 1.0
        weekday, on_day = _weekday(of, chats)
        on_day *= len(tested)
        if min(often, on_day) >= BY_CHANCE:
            continue
        if not (name := _name(stem, topics[stem], told[stem])):
            continue
        days = min(day for _, day in chats), max(day for _, day in chats)
        on = weekday if on_day < BY_CHANCE else ""
        found.append(Regularity(name, topics[stem], told[stem], len(of), len(chats), days, on, min(often, on_day)))
    return _each_once(sorted(found, key=lambda one: one.chance))


def _topics(runtime: Runtime, said: Sequence[Mention], named: Sequence[str], cancel: Cancel) -> dict[str, frozenset[str]]:
    """Return for each word that is named often those of the same meaning: of a name itself alone, Emil is no Fenna.

    Nothing without an embedding model.
    """
    words = {stem: word.casefold() for one in said for stem, word in one.roots.items()}
    names = _names(said)
    stems, rows = list(words), []
    for start in range(0, len(stems), EMBEDDED_AT_ONCE):
        batch = embedded(runtime, [words[one] for one in stems[start : start + EMBEDDED_AT_ONCE]], wait=True)
        if batch is None or cancel.is_set():
            return {}
        rows.append(batch)
    vectors = np.concatenate(rows)
    near = {one: vectors @ vectors[stems.index(one)] >= ALIKE for one in named}
    alike = {one: {one} | {stems[place] for place in np.flatnonzero(is_near)} - names for one, is_near in near.items()}
    alike |= {one: {one} for one in named if one in names}
    return {one: frozenset(stems_of - (_listed("frequent") - {one})) for one, stems_of in alike.items()}


def _names(said: Sequence[Mention]) -> set[str]:
    """Return the roots of what is written large wherever it does not begin a sentence."""
    inside = [(stem, word) for one in said for stem, word in one.roots.items() if not one.sentence.startswith(word)]
    small = {stem for stem, word in inside if not word[0].isupper() or is_common(word)}
    return {stem for stem, _ in inside} - small


def _chance(stem: str, stems: frozenset[str], times: int, among: int, messages: float) -> float:
    """Return how likely a topic comes up in so many chats of so many messages each."""
    rate = FREQUENT_RATE if stem in _listed("frequent") else RATE
    rate += RATE_BESIDE * (len(stems) - 1)
    return chance_of(times, among, 1 - (1 - min(rate, 1.0)) ** messages)


def _weekday(of: frozenset[Chat], chats: Sequence[Chat]) -> tuple[str, float]:
    """Return the day of the week on which most of some chats were, and how likely it is by chance that any is as striking."""
    of_each = Counter(f"{day:%A}" for _, day in chats)
    (weekday, times), *_ = Counter(f"{day:%A}" for _, day in of).most_common(1)
    if times < max(LEAST_NAMED, ON_DAY * len(of)):
        return "", 1.0
    return weekday, chance_as_striking(times, len(of), of_each[weekday], list(of_each.values()), len(chats))


def _name(stem: str, stems: frozenset[str], about: Sequence[Mention]) -> str:
    """Return the noun of a topic that was said most often, with the article that it mostly had; none if all were said seldom."""
    nouns: dict[str, Counter[str]] = defaultdict(Counter)
    written = {word for one in about for word in one.roots.values()}
    in_chats = Counter(of for of, _ in {(of, one.chat) for one in about for of in one.roots if of in stems})
    for one in about:
        for topic in topics_in(one.sentence):
            head = bare(topic).split()[-1].removesuffix("'s")
            head = head.lower() if head.lower() in written else head  # of the Harbour Choir it is the choir
            if root_of(head) in stems:
                is_name = head[:1].isupper() and " " in bare(topic)  # `my friend Priya`: the article is the friend's
                nouns[head]["" if is_name else topic.removesuffix(bare(topic))] += 1
        for of, word in one.roots.items():
            if of in stems and word.endswith("ing") and word not in nouns:
                nouns[word][""] += 1
    often = {noun: of for noun, of in nouns.items() if in_chats[root_of(noun)] >= LEAST_NAMED}
    if not often:
        return ""  # nobody talks about `useful`
    noun, articles = max(often.items(), key=lambda pair: (pair[1].total(), root_of(pair[0]) == stem))
    return f"{articles.most_common(1)[0][0]}{noun}"


def _each_once(found: Sequence[Regularity]) -> list[Regularity]:
    """Leave out what is in most of its sentences another regularity, too."""
    kept: list[Regularity] = []
    for one in found:
        told = {said.sentence for other in kept for said in other.said}
        if 2 * sum(said.sentence in told for said in one.said) < len(one.said):
            kept.append(one)
    return kept
