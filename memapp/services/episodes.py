"""Episodes: what was talked about in a chat, written by a model that is trusted with it when the
chat rests or has grown long.

Only ordinary sentences are summed up, so nothing that waits for a yes, was denied or is sensitive
stands in an episode: the job `episodes`. An episode that rests on a message that may not be told
any more is not told.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby

from memapp.domain.changes import Actor, Created
from memapp.domain.chat import Message, Role
from memapp.domain.jobs import Pace
from memapp.domain.memory import MAX_MEMORY_CHARS, Kind, Memory
from memapp.domain.utterance import DEFAULT_IMPORTANCE
from memapp.inference import Cancel, ChatModel, whole_reply
from memapp.language.held import unsaid
from memapp.language.word_file import words_of
from memapp.prompts import episodes as words
from memapp.runtime import Runtime
from memapp.services import ask_first
from memapp.services.model_jobs import may_do
from memapp.services.ordinary import may_be_told, ordinary_sentences, surely_ordinary, untouched
from memapp.store import chat, memories
from memapp.store import episodes as store
from memapp.store.encoding import new_id

EPISODE = "episode"
"""The category of an episode; what happened in the person's life is of the category `event`."""
REST = timedelta(minutes=30)
LONG = 8
"""After so many messages an episode is made of a chat that goes on."""
SHOWN = 6
"""The last episodes of a chat that a prompt shows."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The messages of a chat that one episode is made of, all of one day."""

    thread_id: str
    after: int
    messages: tuple[Message, ...]

    @property
    def day(self) -> date:
        return _day(self.messages[0])


def run(runtime: Runtime, cancel: Cancel, _last: Pace | None) -> Iterator[int]:
    """Make the episodes of the chats that rest or have grown long; yield 1 for each. Raises
    `ModelError`.
    """
    model = runtime.chat.ready()
    while (
        model
        and may_do(runtime, model, "episodes")
        and not cancel.is_set()
        and (stretch := _next(runtime))
    ):
        yield from _make(runtime, model, stretch, cancel)


def waiting(runtime: Runtime) -> int:
    """Count the chats that the model that is loaded would sum up now."""
    return len(_due(runtime)) if may_do(runtime, runtime.chat.ready(), "episodes") else 0


def episodes_of(runtime: Runtime, said: Sequence[Message]) -> list[Memory]:
    """Return the episodes made of any of these messages that may be told, oldest first."""
    session = runtime.read()
    found = [
        memory
        for memory in memories.list_learned_from(session, [message.id for message in said])
        if memory.category == EPISODE
    ]
    return sorted(
        (memory for memory in found if may_be_told(runtime, memory)), key=lambda one: one.created_at
    )


def in_prompt(runtime: Runtime, thread_id: str, before: int) -> tuple[str, ...]:
    """Return the episodes of what a chat was about, as far as it has left the prompt by the message
    at `before`.
    """
    gone = [
        message
        for message in chat.list_messages(runtime.read(), thread_id, before=before)
        if message.role is Role.USER
    ]
    return tuple(memory.text for memory in episodes_of(runtime, gone)[-SHOWN:])


def _due(runtime: Runtime) -> list[store.Untold]:
    now = runtime.clock()
    return [
        untold
        for untold in store.list_untold(runtime.read())
        if now - untold.last_at >= REST or untold.messages >= LONG
    ]


def _next(runtime: Runtime) -> _Stretch | None:
    """Return the oldest stretch that is due: of one day, and no longer than an episode is made of."""
    for untold in _due(runtime):
        messages = chat.messages_after(runtime.read(), untold.thread_id, untold.after + 1)
        first = next(list(of_day) for _, of_day in groupby(messages, key=_day))
        asked = [message.seq for message in first if message.role is Role.USER][: LONG + 1]
        kept = [message for message in first if len(asked) <= LONG or message.seq < asked[-1]]
        return _Stretch(untold.thread_id, untold.after, tuple(kept))
    return None


def _day(message: Message) -> date:
    return message.created_at.astimezone().date()


def _make(runtime: Runtime, model: ChatModel, stretch: _Stretch, cancel: Cancel) -> Iterator[int]:
    """Let a model sum up a stretch; yield 1 where it says nothing more than was said. It is asked
    once.
    """
    erasures = runtime.database.erasures
    said: dict[str, list[str]] = {}
    for message in untouched(runtime, stretch.messages):
        if cancel.is_set():
            return
        if ordinary := ordinary_sentences(runtime, message):
            said[message.id] = ordinary
    told = [text for some in said.values() for text in some]
    text = (
        words.parse(whole_reply(model, *words.request(told, stretch.day), cancel)) if told else ""
    )
    if cancel.is_set():
        return
    may_be_told = is_grounded(text, told, stretch.day) and surely_ordinary(runtime, [text])
    memory = _memory(stretch, text, list(said), runtime.clock()) if may_be_told else None
    if _save(runtime, stretch, memory, f"model:{model.name}", erasures):
        yield 1


def is_grounded(text: str, said: Sequence[str], day: date) -> bool:
    """Return True for an episode with no name or number that was not said."""
    is_said = not unsaid(text, [*said, "User", f"{day.day} {day:%B %Y}"], words_of(" ".join(said)))
    return is_said and 0 < len(text) <= MAX_MEMORY_CHARS


def _save(
    runtime: Runtime, stretch: _Stretch, memory: Memory | None, by: str, erasures: int
) -> bool:
    """Store an episode, and up to where the chat is told now; return whether there is a new one.

    Nothing is stored where messages were edited or erased meanwhile, or another process was faster:
    it is made the next time.
    """
    end = stretch.messages[-1].seq
    with runtime.write() as session:
        there = [
            message
            for message in chat.messages_after(session, stretch.thread_id, stretch.after + 1)
            if message.seq <= end
        ]
        is_same = [(message.id, message.text) for message in there] == [
            (message.id, message.text) for message in stretch.messages
        ]
        is_next = store.get_end(session, stretch.thread_id) == stretch.after
        if runtime.database.erasures != erasures or not (is_same and is_next):
            return False
        store.save_end(session, stretch.thread_id, end)
        if memory is None or memories.find_same(session, session.normalise(memory.text)):
            return False
        return ask_first.store_or_ask(
            runtime, session, Created(memory), Actor(by, stretch.thread_id)
        )


def _memory(stretch: _Stretch, text: str, sources: Sequence[str], now: datetime) -> Memory:
    return Memory(
        id=new_id(now),
        text=text,
        tags=(),
        kind=Kind.EPISODIC,
        category=EPISODE,
        importance=DEFAULT_IMPORTANCE,
        origin="reflected",
        sources=tuple(sources),
        run_id=stretch.thread_id,
        created_at=stretch.messages[-1].created_at,
        updated_at=now,
    )
