"""Answers what was so before, until when, and since when something is so: from what was replaced, and when each was told.

Only what held once is told: what the person called a mistake never did. Nothing that waits for a yes, was denied or taken back is
told. What was replaced stands in no prompt, so memapp answers by itself, whatever the model.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from memapp.domain.changes import Event
from memapp.domain.chat import Message
from memapp.domain.consent import ConsentRequest
from memapp.domain.filters import MemoryFilter, Sort
from memapp.domain.history import Entry
from memapp.domain.memory import FromMemory, Memory, Recalled, State
from memapp.errors import NotFound
from memapp.language.english.answering_sentence import asked_name, certain
from memapp.language.english.correction import correction_of
from memapp.language.english.memory_question import (
    MemoryQuestion,
    asked_formerly,
    asked_how,
    asked_once,
    asked_since,
    field_formerly,
    read,
)
from memapp.language.english.named_subject import shares, subject_of
from memapp.language.english.second_person import answered
from memapp.language.english.when import told_day
from memapp.runtime import Runtime
from memapp.services import from_profile
from memapp.services.asked_to_forget import last_meant
from memapp.services.consent import decisions, past_decisions
from memapp.services.likest import UNSURE
from memapp.services.named import named, said_of
from memapp.services.query import conversation_scope
from memapp.services.tellable import without_words_of_withheld
from memapp.services.told_when import LINES, quote, told_with_day, typed_messages, when_told
from memapp.store import chat, history, memories, search
from memapp.store.session import Session

UNTOLD = "I find nothing that you told me of that."
NOTHING_BEFORE = "I know of nothing before that."
LATELY = 2
"""So many of the last messages about somebody are quoted."""
AMONG = 500
"""Memories in the trash that are looked through, those that changed last first."""


@dataclass(frozen=True, slots=True)
class _Former:
    """What was so until something else was."""

    text: str
    """As it was known, told to the person."""
    told: datetime
    ended: datetime
    now: str = ""
    """What is so since then."""
    hits: tuple[Recalled, ...] = ()


def known_over_time(runtime: Runtime, message: Message, _earlier: Sequence[Message] = ()) -> FromMemory | None:
    """Return what was so before, or since when something is so, if a message asks for that and memory knows it for sure."""
    if asked := asked_formerly(message.text):
        return _known_before(runtime, message.text, asked)
    asked = asked_since(message.text)
    return (
        (when_told(runtime, asked, message.thread_id) or _known_before(runtime, message.text, f"did {asked}?")) if asked else None
    )


def told_lately(runtime: Runtime, message: Message) -> FromMemory | None:
    """Return what the person told last of somebody of whom a message asks how they are."""
    if not (who := asked_how(message.text)):
        return None
    said = [one for one in typed_messages(runtime, said_of(runtime, who)) if not one.typed_text.endswith("?")]
    last = said[: -LATELY - 1 : -1]
    lines = [quote(runtime, one, subject_of(who)) for one in last]
    hits = tuple(Recalled.of_message(one, "named") for one in last)
    return FromMemory("\n".join(lines), hits) if lines else when_told(runtime, who, message.thread_id)


def held_once(runtime: Runtime, message: Message) -> FromMemory | None:
    """Return what is known of something that a message takes to be over, with its dates: `how long did I live in Ghent?`"""
    asked, began = asked_once(message.text)
    before = _known_before(runtime, message.text, asked) if asked else None
    return before or (when_told(runtime, began, message.thread_id) if began else None)


def known_since(runtime: Runtime, content: str, message: Message, earlier: Sequence[Message]) -> FromMemory | None:
    """Return when what is named was told, and in which words; of what was shown or taught last where nothing is named."""
    subject = subject_of(content)
    if not content:
        facts = last_meant(runtime, earlier)
        return told_with_day(runtime, facts[:LINES], subject) if facts else None
    if told := when_told(runtime, content, message.thread_id):
        return told
    said = [one for one in typed_messages(runtime, said_of(runtime, content)) if one.id != message.id]
    if said:
        return FromMemory(quote(runtime, said[0], subject), (Recalled.of_message(said[0], "named"),))
    if told := _known_before(runtime, message.text, f"did {content}?"):
        return told
    near = [one for one in named(runtime, content, conversation_scope(runtime)).near if shares(one.text, subject)]
    return told_with_day(runtime, near[:1], subject, UNSURE) if near else FromMemory(UNTOLD)


def _known_before(runtime: Runtime, message: str, asked: str) -> FromMemory | None:
    question = read(asked)
    if question is None or question.is_told:
        return None
    formers = [*_values_before(runtime, question), *_facts_before(runtime, question)]
    found = next((one for one in formers if without_words_of_withheld(runtime.read(), [one.text], message)), None)
    if found is None:
        return FromMemory(NOTHING_BEFORE) if field_formerly(question) else None
    return _told(runtime, found)


def _told(runtime: Runtime, former: _Former) -> FromMemory:
    today = runtime.clock().astimezone().date()
    told, ended = (told_day(one.astimezone().date(), today) for one in (former.told, former.ended))
    when = "" if told == ended else f" (told {told})"
    since = f" Since then: {former.now}" if former.now else ""
    return FromMemory(f"Until {ended.removeprefix('on ')}: {former.text.rstrip('.')}{when}.{since}", former.hits)


# Values of the profile -------------------------------------------------------------------------------------------------


def _values_before(runtime: Runtime, question: MemoryQuestion) -> Iterator[_Former]:
    """Yield the value that the profile had before the one it has, in the field that is asked for."""
    session = runtime.read()
    current = [one for one in decisions.standing(runtime) if one.field == field_formerly(question)]
    for standing in current:
        entries = history.list_entries(session, memory_id=f"profile:{standing.field}", limit=None)
        entry = next((one for one in entries if one.meta.get("request_id") == standing.id and one.meta.get("before")), None)
        before = _replaced_value(session, entry) if entry else None
        if (
            before
            and entry
            and not _called_mistake(session, standing.evidence)
            and not search.withdrawn(session, before.evidence)
        ):
            told = from_profile.told(before.field, before.new_value)
            now = from_profile.in_field(runtime, standing.field)
            yield _Former(told, before.created_at, entry.at, now.text if now else "", now.hits if now else ())


def _replaced_value(session: Session, entry: Entry) -> ConsentRequest | None:
    with suppress(NotFound):  # erased since
        return past_decisions.request_before(session, entry)
    return None


# Facts -----------------------------------------------------------------------------------------------------------------


def _facts_before(runtime: Runtime, question: MemoryQuestion) -> Iterator[_Former]:
    """Yield what was known and replaced and answers a question for sure, the last first."""
    session, visible = runtime.read(), conversation_scope(runtime).categories
    trash = memories.list_memories(session, MemoryFilter(state=State.SOFT_DELETED), Sort.CHANGED, limit=AMONG)
    replaced = [one for one in trash if one.reason == "superseded" and (visible is None or one.category in visible)]
    for memory in (one for one in replaced if one.is_compared and certain(question, one.text, is_fact=True)):
        entry = history.list_entries(session, memory_id=memory.id, limit=1)[0]
        came = _came_instead(session, entry)
        if not (any(_called_mistake(session, one.sources) for one in came) or search.withdrawn(session, memory.sources)):
            newer = [one for one in came if one.state is State.LIVE][:1]
            hits = tuple(Recalled.of(one, 0.0, "always", one.updated_at) for one in newer)
            now = "".join(answered(one.text) for one in newer)
            text = asked_name(question, memory.text) or answered(memory.text)
            yield _Former(text, memory.created_at, entry.at, now, hits)


def _came_instead(session: Session, entry: Entry) -> list[Memory]:
    """Return what took the place of a memory, in the step that retired it."""
    step = history.entries_of_step(session, entry.step)
    return memories.get_memories(session, [one.memory_id for one in step if one.event is Event.ADD])


def _called_mistake(session: Session, message_ids: tuple[str, ...]) -> bool:
    """Say whether the person said of what was replaced that it never was so."""
    said = chat.get_messages(session, message_ids)
    return any(not one.is_over for one in map(correction_of, said) if one is not None)
