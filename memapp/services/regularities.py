"""Regularities: what comes up in a person's chats more often than by chance, or on one day of the
week.

A topic is a word with those of the same history that are near to it in meaning. But for the most
frequent words, each comes up in few messages by chance. Many topics are looked at, so the chance of
each is multiplied by their number (Bonferroni). What touches anything sensitive is not counted.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from memapp.domain.chat import Message
from memapp.domain.regularity import chance_as_striking, chance_of
from memapp.inference import Cancel
from memapp.language.topics import topics_of
from memapp.language.word_file import words_of
from memapp.runtime import Runtime
from memapp.services.embed import embedded
from memapp.services.ordinary import own_sentences, surely_ordinary, untouched

LEAST_CHATS = 8
"""In fewer nothing can be regular."""
LEAST_OF_TOPIC = 4
LEAST_SHARE = 0.4
LEAST_NAMED = 3
"""In so many chats the word itself must come up."""
ON_DAY = 0.6
"""So many of a topic's chats are on its day of the week."""
BY_CHANCE = 0.05
RATE, RATE_BESIDE = 0.012, 0.006
"""Shares of messages that have a word by chance, and each further one of its topic."""
ALIKE = 0.55
"""Cosine from which two words are of one topic."""
AT_ONCE = 16
"""Words or messages that are read before it is seen whether to stop."""

Chat = tuple[str, date]
"""A chat on one day."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A sentence of the person, with the stems of the words that may be topics."""

    message: Message
    sentence: str
    topics: Mapping[str, str]

    @property
    def chat(self) -> Chat:
        return self.message.thread_id, self.message.created_at.astimezone().date()


@dataclass(frozen=True, slots=True)
class Regularity:
    """A topic that comes up regularly."""

    topic: str
    """As it was written often."""
    stems: frozenset[str]
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
    """Return the regularities of messages, the surest first; none without the embedding model that
    the judge was fitted to.
    """
    said: list[Mention] = []
    for message in untouched(runtime, messages):
        words = words_of(message.typed_text)
        said += [
            Mention(message, sentence, topics_of(sentence, words))
            for sentence in own_sentences(message)
        ]
    found = _regular(runtime, said, cancel)
    about = frozenset(stem for regularity in found for stem in regularity.stems)
    doubted = list({mention.sentence: None for regularity in found for mention in regularity.said})
    refused = set(doubted)  # only what would be counted is judged
    for start in range(0, len(doubted), AT_ONCE):
        if cancel.is_set():
            return []
        refused.difference_update(surely_ordinary(runtime, doubted[start : start + AT_ONCE]))
    kept = [mention for mention in said if mention.sentence not in refused]
    return (
        [regularity for regularity in _regular(runtime, kept, cancel) if regularity.stems <= about]
        if found
        else []
    )


def _regular(runtime: Runtime, said: Sequence[Mention], cancel: Cancel) -> list[Regularity]:
    chats = list(dict.fromkeys(mention.chat for mention in said))
    places: dict[str, list[int]] = defaultdict(list)
    for place, mention in enumerate(said):
        for stem in mention.topics:
            places[stem].append(place)
    named = [
        stem
        for stem, of in places.items()
        if len({said[place].chat for place in of}) >= LEAST_NAMED
    ]
    if len(chats) < LEAST_CHATS or not named:
        return []
    topics = _topics(runtime, said, named, cancel)
    told = {
        item: tuple(said[at] for at in sorted({at for stem in of for at in places[stem]}))
        for item, of in topics.items()
    }
    counted = {stem: frozenset(mention.chat for mention in of) for stem, of in told.items()}
    tested = {stem: of for stem, of in counted.items() if len(of) >= LEAST_OF_TOPIC}
    messages = len({mention.message.id for mention in said}) / len(chats)
    days = min(day for _, day in chats), max(day for _, day in chats)
    found = []
    for stem, of in tested.items():
        rate = min(RATE + RATE_BESIDE * (len(topics[stem]) - 1), 1.0)
        often = len(named) * chance_of(len(of), len(chats), 1 - (1 - rate) ** messages)
        often = often if len(of) >= LEAST_SHARE * len(chats) else 1.0
        weekday, on_day = _weekday(of, chats)
        on_day *= len(tested)
        chance = min(often, on_day)
        if chance < BY_CHANCE:
            name, on = _name(topics[stem], told[stem]), weekday if on_day < BY_CHANCE else ""
            found.append(
                Regularity(name, topics[stem], told[stem], len(of), len(chats), days, on, chance)
            )
    return _each_once(sorted(found, key=lambda one: one.chance))


def _topics(
    runtime: Runtime, said: Sequence[Mention], named: Sequence[str], cancel: Cancel
) -> dict[str, frozenset[str]]:
    """Return for each word that is named often those of the same meaning; of a name itself alone,
    for Emil is no Fenna.

    Nothing without an embedding model.
    """
    words = {stem: word.casefold() for mention in said for stem, word in mention.topics.items()}
    written = [
        (stem, word)
        for mention in said
        for stem, word in mention.topics.items()
        if not mention.sentence.startswith(word)
    ]
    names = {stem for stem, _ in written} - {stem for stem, word in written if word.islower()}
    stems, rows = list(words), []
    for start in range(0, len(stems), AT_ONCE):
        batch = embedded(
            runtime.reading, [words[stem] for stem in stems[start : start + AT_ONCE]], wait=True
        )
        if batch is None or cancel.is_set():
            return {}
        rows.append(batch)
    vectors = np.concatenate(rows)
    near = {
        name: vectors @ vectors[stems.index(name)] >= ALIKE for name in named if name not in names
    }
    alike = {
        item: frozenset({item} | {stems[at] for at in np.flatnonzero(is_near)} - names)
        for item, is_near in near.items()
    }
    return alike | {name: frozenset({name}) for name in named if name in names}


def _weekday(of: frozenset[Chat], chats: Sequence[Chat]) -> tuple[str, float]:
    """Return the day of the week on which most of some chats were, and how likely it is by chance
    that any is as striking.
    """
    of_each = Counter(f"{day:%A}" for _, day in chats)
    (weekday, times), *_ = Counter(f"{day:%A}" for _, day in of).most_common(1)
    if times < max(LEAST_NAMED, ON_DAY * len(of)):
        return "", 1.0
    return weekday, chance_as_striking(
        times, len(of), of_each[weekday], list(of_each.values()), len(chats)
    )


def _name(stems: frozenset[str], about: Sequence[Mention]) -> str:
    """Return the longest word of a topic among those that were written often; in small letters, if
    it ever was.
    """
    written = [word for mention in about for stem, word in mention.topics.items() if stem in stems]
    often = Counter(word.casefold() for word in written)
    most = max(often.values())
    name = max(often, key=lambda word: (3 * often[word] >= 2 * most, len(word)))
    return name if name in written else next(word for word in written if word.casefold() == name)


def _each_once(found: Sequence[Regularity]) -> list[Regularity]:
    """Leave out what is in most of its sentences another regularity, too."""
    kept: list[Regularity] = []
    for regularity in found:
        told = {said.sentence for other in kept for said in other.said}
        if 2 * sum(said.sentence in told for said in regularity.said) < len(regularity.said):
            kept.append(regularity)
    return kept
