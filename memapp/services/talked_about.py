"""What was talked about: the episodes of the days that are named, else the person's words of them, or of the chat before."""

from itertools import chain

from memapp.domain.chat import Message, Role
from memapp.domain.memory import FromMemory, Recalled
from memapp.domain.text import one_line, shorten
from memapp.domain.when import NamedTime
from memapp.language.english.dates import dated, local_day
from memapp.language.english.duplicates import duplicate_of
from memapp.language.english.second_person import addressed
from memapp.language.english.when import named_times, told_day
from memapp.runtime import Runtime
from memapp.services.episodes import episodes_of
from memapp.services.ordinary import repeatable_sentences
from memapp.services.tellable import tellable
from memapp.store import chat

LISTED = 6
WORDS_CHARS = 90
NOTHING_THEN = "I find no chat of that time."
CHATS = 50
"""The newest chats that are looked through."""


def talked_about(runtime: Runtime, message: Message) -> FromMemory:
    """Return the episodes of a time; where there are none yet, the most telling sentence of each of the person's messages."""
    today = local_day(message)
    times = named_times(message.text, today) or named_times(dated(message.text, today), today)
    said = said_at(runtime, times) if times else _of_last_chat(runtime, message)
    return _as_episodes(runtime, said) or _as_quotes(runtime, [one for one in said if one.id != message.id])


def _as_episodes(runtime: Runtime, said: list[Message]) -> FromMemory | None:
    told = episodes_of(runtime, said)[:LISTED]
    lines = [addressed(one.text) for one in told]
    hits = tuple(Recalled.of(one, 0.0, "then", one.created_at) for one in told)
    return FromMemory("\n".join(lines if len(lines) == 1 else [f"- {one}" for one in lines]), hits) if told else None


def _as_quotes(runtime: Runtime, said: list[Message]) -> FromMemory:
    told: list[tuple[Message, str]] = []
    for one in said:
        words = _most_telling(one)
        if words and not duplicate_of(words, [before for _, before in told]):
            told.append((one, words))
    told = told[:LISTED]
    if not told:
        return FromMemory(NOTHING_THEN)
    lines = [f'- "{words}"' for _, words in told]
    first, today = (one.astimezone().date() for one in (told[0][0].created_at, runtime.clock()))
    hits = tuple(Recalled.of_message(one, "then") for one, _ in told)
    return FromMemory("\n".join([f"You said {told_day(first, today)}:", *lines]), hits)


def said_at(runtime: Runtime, times: list[NamedTime]) -> list[Message]:
    """Return what the person said on days, but for what waits for their yes, was denied or taken back."""
    said = (chat.said_in(runtime.read(), time.year, time.month, time.day) for time in times)
    return tellable(runtime.read(), list(chain.from_iterable(said)))


def _of_last_chat(runtime: Runtime, message: Message) -> list[Message]:
    """Return what was said in this chat so far, else in the one before it."""
    others = [thread.id for thread in chat.list_threads(runtime.read(), limit=CHATS) if thread.id != message.thread_id]
    for thread_id in (message.thread_id, *others):
        said = [one for one in chat.list_messages(runtime.read(), thread_id, before=None) if one.role is Role.USER]
        if any(one.id != message.id and _most_telling(one) for one in said):
            return tellable(runtime.read(), said)
    return []


def _most_telling(message: Message) -> str:
    """Return the longest sentence that may be repeated."""
    return shorten(one_line(max(repeatable_sentences(message), key=len, default="")), WORDS_CHARS)
