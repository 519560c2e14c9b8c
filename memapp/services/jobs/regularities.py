"""Regularities: topics of a person's chats that recur beyond chance, or on one weekday.

A topic is a word with those near to it in meaning. Except for the most frequent words, each comes
up in few messages by chance. Many topics are tested, so the probability of each is multiplied by
their number (Bonferroni). Sensitive sentences are not counted.
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
from memapp.services.recall import own_sentences, surely_ordinary, unredacted

LEAST_CHATS = 8
"""With fewer chats nothing can be regular."""
LEAST_OF_TOPIC = 4
LEAST_SHARE = 0.4
LEAST_NAMED = 3
"""Chats in which the word itself must come up."""
ON_DAY = 0.6
"""Share of a topic's chats that must be on its weekday."""
BY_CHANCE = 0.05
RATE, RATE_BESIDE = 0.012, 0.006
"""Shares of messages with a word by chance, and with each further word of its topic."""
ALIKE = 0.55
"""Least cosine of two words of one topic."""
AT_ONCE = 16
"""Words or messages that are read between two looks at the cancel flag."""

Chat = tuple[str, date]
"""A chat on one day."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A sentence of the person, with the stems of possible topics."""

    message: Message
    sentence: str
    topics: Mapping[str, str]

    @property
    def chat(self) -> Chat:
        return self.message.thread_id, self.message.created_at.astimezone().date()


@dataclass(frozen=True, slots=True)
class Regularity:
    """A topic that recurs beyond chance."""

    topic: str
    """As it was often written."""
    stems: frozenset[str]
    said: tuple[Mention, ...]
    """Its sentences."""
    chats: int
    """Number of chats it came up in."""
    among: int
    days: tuple[date, date]
    """First and last day of all the chats."""
    weekday: str
    """On which it mostly comes up; empty if there is none."""
    chance: float
    """Probability of coming up so often by chance."""


def find_regularities(
    runtime: Runtime, messages: Sequence[Message], cancel: Cancel
) -> list[Regularity]:
    """Return the regularities of messages, the surest first; none without the judge's embedder."""
    mentions: list[Mention] = []
    for message in unredacted(runtime, messages):
        words = words_of(message.typed_text)
        mentions += [
            Mention(message, sentence, topics_of(sentence, words))
            for sentence in own_sentences(message)
        ]
    regularities = _regularities_of(runtime, mentions, cancel)
    stems = frozenset(stem for regularity in regularities for stem in regularity.stems)
    doubted = list(
        {mention.sentence: None for regularity in regularities for mention in regularity.said}
    )
    refused = set(doubted)  # only counted sentences are judged
    for start in range(0, len(doubted), AT_ONCE):
        if cancel.is_set():
            return []
        refused.difference_update(surely_ordinary(runtime, doubted[start : start + AT_ONCE]))
    kept = [mention for mention in mentions if mention.sentence not in refused]
    return (
        [
            regularity
            for regularity in _regularities_of(runtime, kept, cancel)
            if regularity.stems <= stems
        ]
        if regularities
        else []
    )


def _regularities_of(
    runtime: Runtime, mentions: Sequence[Mention], cancel: Cancel
) -> list[Regularity]:
    chats = list(dict.fromkeys(mention.chat for mention in mentions))
    places: dict[str, list[int]] = defaultdict(list)
    for place, mention in enumerate(mentions):
        for stem in mention.topics:
            places[stem].append(place)
    named = [
        stem
        for stem, of in places.items()
        if len({mentions[place].chat for place in of}) >= LEAST_NAMED
    ]
    if len(chats) < LEAST_CHATS or not named:
        return []
    topics = _topics(runtime, mentions, named, cancel)
    mentions_of = {
        topic: tuple(mentions[at] for at in sorted({at for stem in stems for at in places[stem]}))
        for topic, stems in topics.items()
    }
    counted = {stem: frozenset(mention.chat for mention in of) for stem, of in mentions_of.items()}
    tested = {stem: of for stem, of in counted.items() if len(of) >= LEAST_OF_TOPIC}
    messages = len({mention.message.id for mention in mentions}) / len(chats)
    days = min(day for _, day in chats), max(day for _, day in chats)
    regularities = []
    for stem, of in tested.items():
        rate = min(RATE + RATE_BESIDE * (len(topics[stem]) - 1), 1.0)
        often = len(named) * chance_of(len(of), len(chats), 1 - (1 - rate) ** messages)
        often = often if len(of) >= LEAST_SHARE * len(chats) else 1.0
        weekday, on_day = _weekday(of, chats)
        on_day *= len(tested)
        chance = min(often, on_day)
        if chance < BY_CHANCE:
            name, on = _name(topics[stem], mentions_of[stem]), weekday if on_day < BY_CHANCE else ""
            regularities.append(
                Regularity(
                    name, topics[stem], mentions_of[stem], len(of), len(chats), days, on, chance
                )
            )
    return _without_overlaps(sorted(regularities, key=lambda regularity: regularity.chance))


def _topics(
    runtime: Runtime, mentions: Sequence[Mention], named: Sequence[str], cancel: Cancel
) -> dict[str, frozenset[str]]:
    """Return the words near in meaning to each frequent word; a name stays alone.

    Empty without an embedding model.
    """
    words = {stem: word.casefold() for mention in mentions for stem, word in mention.topics.items()}
    written = [
        (stem, word)
        for mention in mentions
        for stem, word in mention.topics.items()
        if not mention.sentence.startswith(word)
    ]
    names = {stem for stem, _ in written} - {stem for stem, word in written if word.islower()}
    stems, rows = list(words), []
    for start in range(0, len(stems), AT_ONCE):
        batch = embedded(
            runtime.judge_embedder,
            [words[stem] for stem in stems[start : start + AT_ONCE]],
            wait=True,
        )
        if batch is None or cancel.is_set():
            return {}
        rows.append(batch)
    vectors = np.concatenate(rows)
    near = {
        name: vectors @ vectors[stems.index(name)] >= ALIKE for name in named if name not in names
    }
    alike = {
        name: frozenset({name} | {stems[at] for at in np.flatnonzero(is_near)} - names)
        for name, is_near in near.items()
    }
    return alike | {name: frozenset({name}) for name in named if name in names}


def _weekday(topic_chats: frozenset[Chat], chats: Sequence[Chat]) -> tuple[str, float]:
    """Return the main weekday of chats, and the probability of a day as striking by chance."""
    of_each = Counter(f"{day:%A}" for _, day in chats)
    (weekday, times), *_ = Counter(f"{day:%A}" for _, day in topic_chats).most_common(1)
    if times < max(LEAST_NAMED, ON_DAY * len(topic_chats)):
        return "", 1.0
    return weekday, chance_as_striking(
        times, len(topic_chats), of_each[weekday], list(of_each.values()), len(chats)
    )


def _name(stems: frozenset[str], mentions: Sequence[Mention]) -> str:
    """Return the longest frequent word of a topic, in lower case if it was ever written so."""
    written = [
        word for mention in mentions for stem, word in mention.topics.items() if stem in stems
    ]
    often = Counter(word.casefold() for word in written)
    most = max(often.values())
    name = max(often, key=lambda word: (3 * often[word] >= 2 * most, len(word)))
    return name if name in written else next(word for word in written if word.casefold() == name)


def _without_overlaps(regularities: Sequence[Regularity]) -> list[Regularity]:
    """Leave out a regularity whose sentences mostly belong to one before."""
    kept: list[Regularity] = []
    for regularity in regularities:
        told_sentences = {said.sentence for other in kept for said in other.said}
        if 2 * sum(said.sentence in told_sentences for said in regularity.said) < len(
            regularity.said
        ):
            kept.append(regularity)
    return kept
