"""Episodes: what was talked about in a chat, made when it rests or has grown long: the job `episodes`.

A capable model writes one of what was said; where it cannot, or what it wrote says more than that, memapp puts the topics of the
person's own sentences and the most telling thing they did into words. Only ordinary sentences are used, so nothing that waits
for a yes, was denied or is sensitive stands in an episode. One that rests on a message that may not be told any more is not told.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby

import numpy as np

from memapp.domain.changes import Actor, Created
from memapp.domain.chat import Message, Role
from memapp.domain.jobs import Pace
from memapp.domain.memory import MAX_MEMORY_CHARS, Kind, Memory
from memapp.domain.utterance import DEFAULT_IMPORTANCE, RULES
from memapp.inference import Cancel, whole_reply
from memapp.language.english.dates import lasting, local_day
from memapp.language.english.tags import tags_for
from memapp.language.english.topics import bare, listed, recognisable, topics_in
from memapp.language.english.writing import check_episode, check_episode_form, tells_what_happened
from memapp.language.language_of import language_of
from memapp.prompts import episodes as words
from memapp.runtime import Runtime
from memapp.services.embed import embedded
from memapp.services.ordinary import answered_itself, ordinary_sentences, untouched
from memapp.services.prompt_form import prompt_form, shown_exchanges
from memapp.store import changes, chat, memories
from memapp.store import episodes as store
from memapp.store.encoding import new_id

EPISODE = "episode"
"""The category of an episode; what happened in the person's life is of the category `event`."""
REST = timedelta(minutes=30)
LONG = 8
"""After so many messages an episode is made of a chat that goes on."""
SHOWN = 6
"""The last episodes of a chat that a prompt shows."""
TOPICS = 3
ALIKE = 0.6
"""Topics so like each other are one."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The messages of a chat that one episode is made of, all of one day."""

    thread_id: str
    after: int
    messages: tuple[Message, ...]

    @property
    def day(self) -> date:
        return local_day(self.messages[0])


def run(runtime: Runtime, cancel: Cancel, _last: Pace | None) -> Iterator[int]:
    """Make the episodes of the chats that rest or have grown long; yield 1 for each. Raises `ModelError`."""
    while not cancel.is_set() and (stretch := _next(runtime)):
        yield from _make(runtime, stretch, cancel)


def waiting(runtime: Runtime) -> int:
    return len(_due(runtime))


def episodes_of(runtime: Runtime, said: Sequence[Message]) -> list[Memory]:
    """Return the episodes made of any of these messages that may be told, oldest first."""
    session = runtime.read()
    found = [one for one in memories.list_learned_from(session, [one.id for one in said]) if one.category == EPISODE]
    return sorted((one for one in found if may_be_told(runtime, one)), key=lambda one: one.created_at)


def in_prompt(runtime: Runtime, thread_id: str, before: int) -> tuple[str, ...]:
    """Return the episodes of what a chat was about, as far as it has left the prompt by the message at `before`."""
    gone = [one for one in chat.list_messages(runtime.read(), thread_id, before=before) if one.role is Role.USER]
    return tuple(one.text for one in episodes_of(runtime, gone)[-SHOWN:])


def may_be_told(runtime: Runtime, memory: Memory) -> bool:
    """Say whether all messages that something rests on are still there, and nothing of them is withheld."""
    session = runtime.read()
    sources = chat.get_messages(session, memory.sources)
    return all(one.active for one in sources) and len(untouched(runtime, sources)) == len(memory.sources)


def _due(runtime: Runtime) -> list[store.Untold]:
    now = runtime.clock()
    return [
        one for one in store.list_untold(runtime.read()) if now - one.last_at >= REST or one.messages >= _length(runtime, one)
    ]


def _length(runtime: Runtime, untold: store.Untold) -> int:
    """Return after how many messages an episode is made: in the full form before they leave the prompt."""
    if prompt_form(runtime, runtime.chat.ready()) == "simple":
        return LONG
    persona = runtime.persona_in(chat.get_thread(runtime.read(), untold.thread_id))
    return max(1, shown_exchanges(runtime, persona))


def _next(runtime: Runtime) -> _Stretch | None:
    """Return the oldest stretch that is due: of one day, and no longer than an episode is made of."""
    for untold in _due(runtime):
        messages = chat.messages_after(runtime.read(), untold.thread_id, untold.after + 1)
        first = next(list(of_day) for _, of_day in groupby(messages, key=local_day))
        most = _length(runtime, untold)
        asked = [one.seq for one in first if one.role is Role.USER][: most + 1]
        kept = [one for one in first if len(asked) <= most or one.seq < asked[-1]]
        return _Stretch(untold.thread_id, untold.after, tuple(kept))
    return None


def _make(runtime: Runtime, stretch: _Stretch, cancel: Cancel) -> Iterator[int]:
    erasures = runtime.database.erasures
    said: dict[Message, list[str]] = {}
    answered = answered_itself(runtime, stretch.messages)
    for message in untouched(runtime, stretch.messages):
        if cancel.is_set():
            return
        if ordinary := ordinary_sentences(runtime, message, answered):
            said[message] = ordinary
    text, by = _written(runtime, stretch.day, [one for some in said.values() for one in some], cancel)
    if cancel.is_set():
        return
    memory = _memory(stretch, text, [one.id for one in said], runtime.clock()) if text else None
    if _save(runtime, stretch, memory, by, erasures):
        yield 1


def _save(runtime: Runtime, stretch: _Stretch, memory: Memory | None, by: str, erasures: int) -> bool:
    """Store an episode, and up to where the chat is told now; return whether there is a new one.

    Nothing is stored where messages were edited or erased meanwhile, or another process was faster: it is made the next time.
    """
    end = stretch.messages[-1].seq
    with runtime.write() as session:
        there = [one for one in chat.messages_after(session, stretch.thread_id, stretch.after + 1) if one.seq <= end]
        is_same = [(one.id, one.text) for one in there] == [(one.id, one.text) for one in stretch.messages]
        is_next = store.get_end(session, stretch.thread_id) == stretch.after
        if runtime.database.erasures != erasures or not (is_same and is_next):
            return False
        store.save_end(session, stretch.thread_id, end)
        if memory is None or memories.find_same(session, session.normalise(memory.text)):
            return False
        changes.apply(session, Created(memory), Actor(by, stretch.thread_id))
        return True


def _written(runtime: Runtime, day: date, said: Sequence[str], cancel: Cancel) -> tuple[str, str]:
    """Return an episode, with who wrote it; an empty one where there is nothing to tell."""
    model = runtime.chat.ready()
    if model and said and prompt_form(runtime, model) == "full":
        text = words.parse(whole_reply(model, *words.request(said, day), cancel))
        if text and not check_episode(text, " ".join([told_on(day), *said])):
            return text, f"model:{model.name}"
    return _in_words(runtime, day, said), RULES


def _in_words(runtime: Runtime, day: date, said: Sequence[str]) -> str:
    """Return the topics of some sentences, and the most telling thing that they say happened; nothing without a topic."""
    topics = _most_telling(runtime, said, _topics(runtime, said), TOPICS)
    if not topics:
        return ""
    talked = f"User talked about {listed(topics)} {told_on(day)}."
    done = [lasting(one.fact, day) for sentence in said for one in language_of(sentence).read(sentence).statements if one.fact]
    done = [one for one in done if tells_what_happened(one) and len(talked) + len(one) < MAX_MEMORY_CHARS]
    known = frozenset(_topics(runtime, done))
    done = [one for one in done if not known.isdisjoint(topics_in(one))]  # and not `User encountered a problem.`
    told = [" ".join([talked, *_most_telling(runtime, said, done, 1)]), talked]
    return next((one for one in told if not check_episode_form(one)), "")


def _topics(runtime: Runtime, said: Sequence[str]) -> list[str]:
    """Return what some sentences are about, as far as it can be recognised; without an embedding model all of it."""
    named = list(dict.fromkeys(topic for one in said for topic in topics_in(one)))
    embedder = runtime.embedding.ready()
    rows = embedded(runtime, [bare(one) for one in named], wait=True) if embedder and named else None
    return recognisable(named, rows, embedder.model_id) if embedder and rows is not None else named


def told_on(day: date) -> str:
    return f"on {day.day} {day:%B %Y}"


def _most_telling(runtime: Runtime, said: Sequence[str], among: Sequence[str], most: int) -> list[str]:
    """Return those that are likest to all that was said, but not to each other; the first ones without an embedding model."""
    rows = embedded(runtime, [*said, *map(bare, among)], wait=True) if among else None
    if rows is None:
        return list(among[:most])
    vectors = rows[len(said) :]
    likeness = vectors @ np.mean(rows[: len(said)], axis=0)
    chosen: list[int] = []
    for place in np.argsort(-likeness).tolist():
        if len(chosen) < most and all(vectors[place] @ vectors[other] < ALIKE for other in chosen):
            chosen.append(place)
    return [among[place] for place in sorted(chosen)]


def _memory(stretch: _Stretch, text: str, sources: Sequence[str], now: datetime) -> Memory:
    return Memory(
        id=new_id(now),
        text=text,
        tags=tuple(tags_for(text)),
        kind=Kind.EPISODIC,
        category=EPISODE,
        importance=DEFAULT_IMPORTANCE,
        origin="reflected",
        sources=tuple(sources),
        run_id=stretch.thread_id,
        created_at=stretch.messages[-1].created_at,
        updated_at=now,
    )
