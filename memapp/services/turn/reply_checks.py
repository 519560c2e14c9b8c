"""Checks of a written reply: an echo of the message, a recited note, a note denied.

Small models do these things. `services.turn.answering` replaces what a check returns.
"""

from collections.abc import Sequence

from memapp.domain.chat import Message, Role
from memapp.domain.memory import Recalled
from memapp.domain.repetition import without_echo
from memapp.language.questions import asked_about, content
from memapp.language.recitation import misquoted, recited
from memapp.language.word_file import words_of
from memapp.prompts import respond


def echoed_message(reply: str, message: str) -> str:
    """Return the message if the reply repeats the message, else an empty string."""
    return message if without_echo(reply, message) != reply else ""


def recited_sentences(
    reply: str, message: str, notes: Sequence[Recalled], earlier: Sequence[Message]
) -> list[str]:
    """Return the sentences in which a model speaks as the person, and invented quotations."""
    own_words = [respond.words(note) for note in notes]
    typed = [message.text for message in earlier if message.role is Role.USER]
    return [
        *misquoted(reply, [*own_words, *typed, message]),
        *recited(reply, own_words, message, words_of(message), *typed[-1:]),
    ]


def recited_notes(reply: str, message: str, notes: Sequence[Recalled]) -> list[Recalled]:
    """Return the notes that a reply recites as the model's own words."""
    words = words_of(message)
    return [note for note in notes if recited(reply, [respond.words(note)], message, words)]


def denied_notes(reply: str, message: str, notes: Sequence[Recalled]) -> list[Recalled]:
    """Return the notes with the subject of the message, if the reply denies all knowledge."""
    words = words_of(message)
    if not asked_about(message, words):
        return []
    if not words_of(reply).finds("questions", "unknown", reply):
        return []
    subject = set(content(message, words))
    return [note for note in notes if subject and subject <= set(content(note.text, words))]
