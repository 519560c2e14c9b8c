"""The job `episodes`: a trusted model sums up a chat that rests or has grown long.

Only ordinary sentences are summed up, so nothing pending, denied or sensitive stands in an episode.
An episode is withheld once one of its messages may no longer be shown (`recall.episodes`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby

from memapp.domain.changes import Actor, Created
from memapp.domain.chat import Message, Role
from memapp.domain.jobs import Pace
from memapp.domain.judgement import DEFAULT_IMPORTANCE
from memapp.domain.memory import MAX_MEMORY_CHARS, Kind, Memory
from memapp.inference import Cancel, ChatModel, whole_reply
from memapp.language.grounding import unsaid
from memapp.language.word_file import words_of
from memapp.prompts import episodes as prompts
from memapp.runtime import Runtime
from memapp.services import write_gate
from memapp.services.models import is_trusted_with
from memapp.services.recall import surely_ordinary, unredacted
from memapp.services.recall.episodes import EPISODE
from memapp.services.recall.ordinary_sentences import ordinary_sentences
from memapp.store import chat, memories
from memapp.store import episodes as store
from memapp.store.encoding import new_id

REST = timedelta(minutes=30)
LONG = 8
"""The number of messages after which an ongoing chat gets an episode."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The messages of one day of a chat, for one episode."""

    thread_id: str
    after: int
    messages: tuple[Message, ...]

    @property
    def day(self) -> date:
        return _day(self.messages[0])


def run(runtime: Runtime, cancel: Cancel, _last: Pace | None) -> Iterator[int]:
    """Sum up the chats that rest or have grown long; yield 1 for each. Raises `ModelError`."""
    model = runtime.chat.ready()
    while (
        model
        and is_trusted_with(runtime, model, "episodes")
        and not cancel.is_set()
        and (stretch := _next(runtime))
    ):
        yield from _make(runtime, model, stretch, cancel)


def waiting(runtime: Runtime) -> int:
    """Count the chats that the loaded model would sum up now."""
    return len(_due(runtime)) if is_trusted_with(runtime, runtime.chat.ready(), "episodes") else 0


def _due(runtime: Runtime) -> list[store.Untold]:
    now = runtime.clock()
    return [
        untold
        for untold in store.list_untold(runtime.read())
        if now - untold.last_at >= REST or untold.messages >= LONG
    ]


def _next(runtime: Runtime) -> _Stretch | None:
    """Return the oldest stretch due: of one day, and of at most `LONG` messages."""
    for untold in _due(runtime):
        messages = chat.messages_from(runtime.read(), untold.thread_id, untold.after + 1)
        first_day = next(list(of_day) for _, of_day in groupby(messages, key=_day))
        typed_seqs = [message.seq for message in first_day if message.role is Role.USER][: LONG + 1]
        stretch = [
            message
            for message in first_day
            if len(typed_seqs) <= LONG or message.seq < typed_seqs[-1]
        ]
        return _Stretch(untold.thread_id, untold.after, tuple(stretch))
    return None


def _day(message: Message) -> date:
    return message.created_at.astimezone().date()


def _make(runtime: Runtime, model: ChatModel, stretch: _Stretch, cancel: Cancel) -> Iterator[int]:
    """Ask a model, once, for an episode; yield 1 if the episode adds nothing to the messages."""
    erasures = runtime.database.erasures
    said: dict[str, list[str]] = {}
    for message in unredacted(runtime, stretch.messages):
        if cancel.is_set():
            return
        if ordinary := ordinary_sentences(runtime, message):
            said[message.id] = ordinary
    sentences = [sentence for ordinary in said.values() for sentence in ordinary]
    text = ""
    if sentences:
        request = prompts.request(sentences, stretch.day)
        text = prompts.parse(whole_reply(model, *request, cancel))
    if cancel.is_set():
        return
    may_be_kept = is_grounded(text, sentences, stretch.day) and surely_ordinary(runtime, [text])
    memory = _memory(stretch, text, list(said), runtime.clock()) if may_be_kept else None
    if _save(runtime, stretch, memory, f"model:{model.name}", erasures):
        yield 1


def is_grounded(text: str, said: Sequence[str], day: date) -> bool:
    """Return True if every name and number of an episode was said."""
    is_said = not unsaid(text, [*said, "User", f"{day.day} {day:%B %Y}"], words_of(" ".join(said)))
    return is_said and 0 < len(text) <= MAX_MEMORY_CHARS


def _save(
    runtime: Runtime, stretch: _Stretch, memory: Memory | None, by: str, erasures: int
) -> bool:
    """Save an episode, and the end of its stretch; return True if there is a new episode.

    Nothing is saved if messages were edited or erased meanwhile, or another process was faster: the
    next run tries again.
    """
    end = stretch.messages[-1].seq
    with runtime.write() as session:
        stored = chat.messages_from(session, stretch.thread_id, stretch.after + 1)
        texts = [(message.id, message.text) for message in stored if message.seq <= end]
        is_same = texts == [(message.id, message.text) for message in stretch.messages]
        is_next = store.get_end(session, stretch.thread_id) == stretch.after
        if runtime.database.erasures != erasures or not (is_same and is_next):
            return False
        store.save_end(session, stretch.thread_id, end)
        if memory is None or memories.find_same(session, session.normalise(memory.text)):
            return False
        return write_gate.store_or_ask(
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
