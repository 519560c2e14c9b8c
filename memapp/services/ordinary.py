"""The sentences of messages that anything may be derived from: what surely touches nothing sensitive, nor was said in confidence.

What waits for the person's yes, was denied or taken back is none of them, and no message with a part of that.
"""

from collections.abc import Collection, Sequence

from memapp.domain.chat import FROM_MEMORY, OWN_WORDS, Message
from memapp.language.english.answering_sentence import in_confidence
from memapp.language.english.asked_sentence import asks_what_was_talked_about
from memapp.language.english.authorship import own_words
from memapp.language.english.grammar import sentences, tokens
from memapp.language.english.profile_hints import may_tell_secret, touches_sensitive
from memapp.language.language_of import language_of
from memapp.prompts.quotes import asks, asks_of_memory, is_small_talk
from memapp.runtime import Runtime
from memapp.services.statements import surely_ordinary
from memapp.services.tellable import tellable
from memapp.store import chat

LEAST_WORDS = 3


def untouched(runtime: Runtime, messages: Sequence[Message]) -> list[Message]:
    """Return the messages that the person typed of which nothing is withheld."""
    whole = {one.id: one.text for one in messages if one.typed_text}
    return [one for one in tellable(runtime.read(), [one for one in messages if one.id in whole]) if one.text == whole[one.id]]


def answered_itself(runtime: Runtime, messages: Sequence[Message]) -> frozenset[str]:
    """Return the ids of those messages that memapp answered itself: what these ask is asked of it, and no topic of a chat."""
    return frozenset(chat.answered_by(runtime.read(), [one.id for one in messages], (FROM_MEMORY, OWN_WORDS)))


def plain_sentences(message: Message, answered: Collection[str] = ()) -> list[str]:
    """Return the sentences of an English message that may be repeated."""
    return repeatable_sentences(message, answered) if language_of(message.text).reads_tone else []


def repeatable_sentences(message: Message, answered: Collection[str] = ()) -> list[str]:
    """Return the sentences of a message, the person's own words, that tell or ask of something ordinary, not in confidence.

    Of those that memapp `answered` itself, no questions.
    """
    if in_confidence(message.text) or asks_what_was_talked_about(message.text):
        return []
    said = [one for one in sentences(own_words(message.typed_text)) if len(tokens(one)) >= LEAST_WORDS]
    said = [one for one in said if not (is_small_talk(one) or asks_of_memory(one) or (message.id in answered and asks(one)))]
    return [one for one in said if not (may_tell_secret(one) or touches_sensitive(one))]


def ordinary_sentences(runtime: Runtime, message: Message, answered: Collection[str] = ()) -> list[str]:
    """Return those of the plain sentences that the judge finds ordinary too; none without it. Raises `ModelError`."""
    return surely_ordinary(runtime, plain_sentences(message, answered))
