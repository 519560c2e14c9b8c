"""What was talked about on the days that are named, or in the chat before: the episodes, and the person's words of the rest."""

from collections.abc import Collection, Sequence
from itertools import chain

from memapp.domain.chat import Message, Role
from memapp.domain.memory import FromMemory, Recalled
from memapp.domain.ranking import share_held
from memapp.domain.text import one_line, shorten
from memapp.domain.when import NamedTime
from memapp.errors import ModelError
from memapp.language.english.asked_sentence import asks_what_was_told
from memapp.language.english.dates import dated, local_day
from memapp.language.english.duplicates import duplicate_of
from memapp.language.english.second_person import addressed
from memapp.language.english.topics import roots_of
from memapp.language.english.when import named_times, told_day
from memapp.prompts.quotes import asks
from memapp.runtime import Runtime
from memapp.services.episodes import episodes_of
from memapp.services.ordinary import answered_itself, repeatable_sentences
from memapp.services.statements import surely_ordinary
from memapp.services.tellable import tellable
from memapp.store import chat

LISTED = 10
JUDGED_AT_ONCE = 20
WORDS_CHARS = 90
IS_TOLD = 0.5
"""Of the telling words of a sentence, the share that an episode holds if it tells of it."""
NOTHING_THEN = "I find no chat of that time."
CHATS = 50
"""The newest chats that are looked through."""


def talked_about(runtime: Runtime, message: Message) -> FromMemory:
    """Return the episodes of a time, then the most telling sentence of each message of which they say little."""
    today = local_day(message)
    times = named_times(message.text, today) or named_times(dated(message.text, today), today)
    said = said_at(runtime, times) if times else _of_last_chat(runtime, message)
    told = episodes_of(runtime, said)[:LISTED]
    others = [one for one in said if one.id != message.id and not (asks_what_was_told(message.text) and asks(one.text))]
    quoted = _quoted(runtime, others, [one.text for one in told], LISTED - len(told))
    lines = [addressed(one.text) for one in told]
    lines = lines if len(lines) <= 1 else [f"- {one}" for one in lines]
    if quoted:
        first, today = (one.astimezone().date() for one in (quoted[0][0].created_at, runtime.clock()))
        lines += [*([""] if lines else []), f"You said {told_day(first, today)}:", *(f'- "{words}"' for _, words in quoted)]
    hits = [Recalled.of(one, 0.0, "then", one.created_at) for one in told]
    hits += [Recalled.of_message(one, "then") for one, _ in quoted]
    return FromMemory("\n".join(lines) or NOTHING_THEN, tuple(hits))


def _quoted(runtime: Runtime, said: list[Message], told: list[str], most: int) -> list[tuple[Message, str]]:
    """Return the most telling sentence of each message; beside what is told already only what says something else.

    What may be sensitive in whatever words stands in no other chat, even where nothing of it was kept or asked. A long time holds
    many messages, so they are judged only until enough are found.
    """
    answered = answered_itself(runtime, said)
    found: list[tuple[Message, str]] = []
    for start in range(0, len(said), JUDGED_AT_ONCE):
        if len(found) >= most:
            break
        some = said[start : start + JUDGED_AT_ONCE]
        ordinary = _ordinary(runtime, [words for one in some for words in repeatable_sentences(one, answered)])
        for one in some:
            words = _most_telling(one, answered, ordinary)
            is_new = words and not duplicate_of(words, [before for _, before in found])
            if is_new and not (told and _is_told(words, told)):
                found.append((one, words))
    return found[:most]


def _ordinary(runtime: Runtime, said: Sequence[str]) -> frozenset[str]:
    try:
        return frozenset(surely_ordinary(runtime, said))
    except ModelError:  # without the judge nothing is quoted
        return frozenset()


def _is_told(sentence: str, told: list[str]) -> bool:
    """Say whether episodes tell of a sentence, or it tells nothing: `Hmm, they sound great.`, `Any advice?`"""
    telling = list(roots_of(sentence).values())
    return not telling or sentence.endswith("?") or any(share_held(text, telling) >= IS_TOLD for text in told)


def said_at(runtime: Runtime, times: Sequence[NamedTime]) -> list[Message]:
    """Return what the person said on days, but for what waits for their yes, was denied or taken back."""
    said = (chat.said_in(runtime.read(), time.year, time.month, time.day) for time in times)
    return tellable(runtime.read(), list(chain.from_iterable(said)))


def _of_last_chat(runtime: Runtime, message: Message) -> list[Message]:
    """Return what was said in this chat so far, else in the one before it."""
    others = [thread.id for thread in chat.list_threads(runtime.read(), limit=CHATS) if thread.id != message.thread_id]
    for thread_id in (message.thread_id, *others):
        said = [one for one in chat.list_messages(runtime.read(), thread_id, before=None) if one.role is Role.USER]
        answered = answered_itself(runtime, said)
        if any(one.id != message.id and _most_telling(one, answered) for one in said):
            return tellable(runtime.read(), said)
    return []


def _most_telling(message: Message, answered: Collection[str], among: Collection[str] | None = None) -> str:
    """Return the longest sentence that may be repeated; of those `among` which it is, if they are given."""
    said = [one for one in repeatable_sentences(message, answered) if among is None or one in among]
    return shorten(one_line(max(said, key=len, default="")), WORDS_CHARS)
