"""Ordinary sentences: the person's own words with nothing sensitive, safe to derive from.

A message with a pending, denied or withdrawn part is left out as a whole.
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
from memapp.services.recall.redaction import redact
from memapp.store import chat

LEAST_WORDS = 3
ORDINARY = 0.035
"""A surely ordinary sentence is judged sensitive with less than this probability."""


def surely_ordinary(runtime: Runtime, said: Sequence[str]) -> list[str]:
    """Return the sentences that are surely not sensitive; none without the judge.

    Raises `ModelError`.
    """
    embedder = runtime.judge_embedder.ready()
    plain = [
        sentence
        for sentence in said
        if not (tells_secret(sentence) or is_sensitive(sentence, words_of(sentence)))
    ]
    if embedder is None or not judges(embedder.model_id) or not plain:
        return []
    judgements = judge(plain, embedder.embed(plain, wait=True))
    return [
        sentence
        for sentence, judgement in zip(plain, judgements, strict=True)
        if judgement.all_topics < ORDINARY
    ]


def unredacted(runtime: Runtime, messages: Sequence[Message]) -> list[Message]:
    """Return the messages typed by the person from which nothing is withheld."""
    whole = {message.id: message.text for message in messages if message.typed_text}
    return [
        message
        for message in redact(runtime.read(), [typed for typed in messages if typed.id in whole])
        if message.text == whole[message.id]
    ]


def is_tellable(runtime: Runtime, memory: Memory) -> bool:
    """Return True if all sources of a memory exist and nothing in them is withheld."""
    sources = chat.get_messages(runtime.read(), memory.sources)
    return all(message.active for message in sources) and len(unredacted(runtime, sources)) == len(
        memory.sources
    )


def own_sentences(message: Message) -> list[str]:
    """Return the sentences of a message in the person's own words, except very short ones."""
    own = own_words(message.typed_text, words_of(message.typed_text))
    return [sentence for sentence in sentences(own) if len(sentence.split()) >= LEAST_WORDS]


def ordinary_sentences(runtime: Runtime, message: Message) -> list[str]:
    """Return the surely ordinary sentences of a message; none without the judge.

    Raises `ModelError`.
    """
    return surely_ordinary(runtime, own_sentences(message))
