"""The sentences of messages that anything may be derived from: the person's own words, where
nothing is sensitive.

What waits for the person's yes, was denied or taken back is none of them, and no message with a
part of that.
"""

from collections.abc import Sequence

from memapp.domain.chat import Message
from memapp.domain.memory import Memory
from memapp.language.grammar import sentences
from memapp.language.judge import judge, judges
from memapp.language.own_words import own_words
from memapp.language.sentence import is_sensitive, tells_secret
from memapp.language.word_file import words_of
from memapp.runtime import Runtime
from memapp.services.tellable import tellable
from memapp.store import chat

LEAST_WORDS = 3
ORDINARY = 0.035
"""A sentence that the judge holds for less likely sensitive than this is surely ordinary."""


def surely_ordinary(runtime: Runtime, said: Sequence[str]) -> list[str]:
    """Return those sentences that surely touch nothing sensitive; none without the judge. Raises
    `ModelError`.
    """
    embedder = runtime.reading.ready()
    plain = [
        text for text in said if not (tells_secret(text) or is_sensitive(text, words_of(text)))
    ]
    if embedder is None or not judges(embedder.model_id) or not plain:
        return []
    judged = judge(plain, embedder.embed(plain, wait=True))
    return [
        text for text, of_it in zip(plain, judged, strict=True) if of_it.is_sensitive < ORDINARY
    ]


def untouched(runtime: Runtime, messages: Sequence[Message]) -> list[Message]:
    """Return the messages that the person typed of which nothing is withheld."""
    whole = {message.id: message.text for message in messages if message.typed_text}
    return [
        message
        for message in tellable(runtime.read(), [other for other in messages if other.id in whole])
        if message.text == whole[message.id]
    ]


def may_be_told(runtime: Runtime, memory: Memory) -> bool:
    """Return True for a memory whose messages are all still there, and nothing of them is withheld."""
    sources = chat.get_messages(runtime.read(), memory.sources)
    return all(message.active for message in sources) and len(untouched(runtime, sources)) == len(
        memory.sources
    )


def own_sentences(message: Message) -> list[str]:
    """Return the sentences of a message in the person's own words, without those that are too short
    to tell anything.
    """
    own = own_words(message.typed_text, words_of(message.typed_text))
    return [sentence for sentence in sentences(own) if len(sentence.split()) >= LEAST_WORDS]


def ordinary_sentences(runtime: Runtime, message: Message) -> list[str]:
    """Return those of a message's own sentences that are surely ordinary; none without the judge.
    Raises `ModelError`.
    """
    return surely_ordinary(runtime, own_sentences(message))
