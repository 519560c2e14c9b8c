"""Takes back what was learned from messages that the person rewrote, or calls a joke or a lie."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain

from memapp.domain.changes import Actor, Change, Event, Restored, SoftDeleted, Updated, is_memapp
from memapp.domain.chat import Message, Role
from memapp.domain.history import MESSAGE
from memapp.domain.memory import Memory
from memapp.domain.turn import AnswersLeft, Retracted
from memapp.errors import NeedsYes, UsageError
from memapp.language.grammar import sentences
from memapp.language.requests import is_joke
from memapp.language.word_file import words_of
from memapp.language.wording import normalise
from memapp.runtime import Runtime
from memapp.services.consent import past_decisions, pending, questions
from memapp.services.undo import hold_back, undo
from memapp.store import changes, chat, consents, expectations, history, memories, search
from memapp.store.history import Touched
from memapp.store.session import Session


def retract_unsaid(
    runtime: Runtime, message: Message, earlier: Sequence[Message]
) -> Retracted | None:
    """Take back what was learned from the messages that one stands in place of, and from the last
    one if it calls that a joke.

    A joke is told in no chat any more, and what calls it one teaches nothing.
    """
    unsaid = [replaced.id for replaced in chat.replaced_by(runtime.read(), message)]
    if not is_joke(message.typed_text, words_of(message.typed_text)):
        return retract(runtime, message.thread_id, unsaid, message.text)
    joke = [said.id for said in earlier if said.role is Role.USER][-1:]
    with runtime.write() as session:
        expectations.learn_nothing(session, [message.id])
        return retract(runtime, message.thread_id, [*unsaid, *joke], message.text, jokes=joke)


def take_answers_back(runtime: Runtime, asked: Sequence[Message]) -> AnswersLeft | None:
    """Take back what the person answered to the questions among some messages, the last first,
    unless it was changed later.

    Where words of it or of what came later were erased, it stays as a whole.
    """
    taken_back, kept = [], []
    for answer in filter(
        None, (questions.answered_by(runtime, message) for message in reversed(asked))
    ):
        what = past_decisions.describe(runtime, answer.step)
        if not history.is_reached(runtime.read(), answer):
            kept.append(what)
            continue
        try:
            with suppress(NeedsYes):  # what would be known again that way waits in the inbox
                undo(runtime, answer.step)
            taken_back.append(what)
        except UsageError:
            kept.append(what)
    return AnswersLeft(tuple(taken_back), tuple(kept)) if taken_back or kept else None


def retract(
    runtime: Runtime,
    thread_id: str,
    message_ids: Sequence[str],
    text: str,
    *,
    jokes: Sequence[str] = (),
) -> Retracted | None:
    """Move to the trash what came from these messages and neither `text` nor another message says;
    withdraw what they proposed.

    What the person pinned or changed stays: that is their own by now. It is one step, and can be
    taken back.
    """
    if not message_ids:
        return None
    actor = runtime.actor(thread_id)
    with runtime.write() as session:
        expectations.learn_nothing(session, message_ids)
        unsay(session, jokes, actor)
        gone = []
        for memory in memories.list_learned_from(session, message_ids):
            if is_left_alone(session, memory) and not _says(text, memory.text):
                steps = _back_to_what_is_said(session, runtime, memory, message_ids)
                gone += [memory.text] if steps else []
                for step in steps:
                    by = (
                        actor if isinstance(step, SoftDeleted) else replace(actor, name="rules")
                    )  # as with `restore`
                    changes.apply(session, step, by)
        of_each = (
            consents.list_requests(session, state="pending", message_id=memory_id)
            for memory_id in message_ids
        )
        from_these = [
            request
            for request in chain.from_iterable(of_each)
            if request.proposer not in ("person", "import")
        ]
        unsaid = [
            request.id
            for request in from_these
            if not _others(session, request.evidence, message_ids)
        ]
        pending.end_all(runtime, unsaid, actor, "signals")
        pending.drop_evidence(
            runtime, message_ids
        )  # or a yes to what others say too would have these read again
    return Retracted(tuple(gone), actor.step) if gone else None


def unsay(session: Session, message_ids: Sequence[str], actor: Actor) -> None:
    """Let messages teach nothing any more, and be told in no chat, as part of a step."""
    for message_id in search.take_back(session, message_ids):
        history.record(
            session, actor, actor.step, Touched(Event.UNSAY, f"{MESSAGE}{message_id}", None, None)
        )
    expectations.learn_nothing(session, message_ids)


def _says(message: str, memory: str) -> bool:
    """Return True for a message that holds the last sentence of a memory: one before it may be of
    another message.
    """
    return normalise((sentences(memory) or [memory])[-1]) in normalise(message)


def _others(session: Session, sources: Sequence[str], message_ids: Sequence[str]) -> list[Message]:
    """Return the other messages that still stand."""
    others = chat.get_messages(session, [source for source in sources if source not in message_ids])
    return [message for message in others if message.active]


def is_left_alone(session: Session, memory: Memory) -> bool:
    """Say whether the person did nothing with a memory."""
    entries = history.list_entries(session, memory_id=memory.id, limit=None)
    return not memory.pinned and all(is_memapp(entry.actor) for entry in entries)


def _back_to_what_is_said(
    session: Session, runtime: Runtime, memory: Memory, message_ids: Sequence[str]
) -> Sequence[Change]:
    """Return what leaves of a memory only what other messages say: nothing to do, its earlier
    words, or what gave way to it.
    """
    others = [message.typed_text for message in _others(session, memory.sources, message_ids)]

    def is_said(text: str) -> bool:
        return any(_says(other, text) for other in others)

    def may_be_said(text: str) -> bool:
        return is_said(text) and memories.find_same(session, normalise(text)) is None

    if is_said(memory.text):
        return ()
    before = [
        version.text
        for version in reversed(history.list_versions(session, memory.id))
        if may_be_said(version.text)
    ]
    if before:
        return (Updated(memory.id, text=before[0]),)
    taken_in = [
        other.id for other in memories.list_taken_in(session, memory.id) if may_be_said(other.text)
    ]
    replaced = gave_way(session, runtime, memory, message_ids)
    return SoftDeleted(memory.id, "person", runtime.purge_at()), *(
        Restored(text) for text in [*taken_in, *replaced]
    )


def gave_way(
    session: Session, runtime: Runtime, memory: Memory, message_ids: Sequence[str] = ()
) -> list[str]:
    """Return what a memory replaced when it was learned and what holds again without it. What needs
    a yes by now waits for it.

    For what is not said any more either, it is what that had replaced.
    """

    def is_said(one: Memory) -> bool:
        return (
            one.origin == "person"
            or not one.sources
            or bool(_others(session, one.sources, message_ids))
        )

    learned = history.list_entries(session, memory_id=memory.id, limit=None)[-1]
    step = history.entries_of_step(session, learned.step)
    retired = [entry for entry in step if entry.meta.get("reason") == "superseded" and entry.before]
    gone = [entry for entry in retired if not history.changed_since(session, entry)]
    found = memories.get_memories(session, [entry.memory_id for entry in gone])
    unknown = [
        memory for memory in found if memories.find_same(session, normalise(memory.text)) is None
    ]
    there = [memory for memory in unknown if is_said(memory)]
    unsaid = hold_back(session, gone, there)
    earlier = [
        memory_id
        for unheard in unknown
        if unheard not in there
        for memory_id in gave_way(session, runtime, unheard, message_ids)
    ]
    return [memory.id for memory in there if memory.id not in unsaid] + earlier


def restore(session: Session, memory_ids: Sequence[str], actor: Actor) -> tuple[str, ...]:
    """Let memories hold again as part of a step; return their words. They are not the person's own
    by that, and may end again.
    """
    by = replace(actor, name="rules")
    for memory_id in memory_ids:
        changes.apply(session, Restored(memory_id), by)
    return tuple(memory.text for memory in memories.get_memories(session, memory_ids))


def ended_by(session: Session, message_ids: Sequence[str]) -> list[str]:
    """Return what messages ended of which nothing is known: what they tell waits for a yes, and
    nothing took its place.
    """
    said = chat.get_messages(session, message_ids)
    entries = [
        entry for entry in history.list_entries(session) if entry.meta.get("reason") == "superseded"
    ]
    of_these = [
        entry
        for entry in entries
        if any(entry.thread_id == told.thread_id and entry.at >= told.created_at for told in said)
    ]
    alone = [
        entry
        for entry in of_these
        if all(other.meta.get("reason") for other in history.entries_of_step(session, entry.step))
    ]
    return [entry.memory_id for entry in alone if not history.changed_since(session, entry)]
