"""Retracting memories of messages that were rewritten, or called a joke or a lie."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain

from memapp.domain.changes import Actor, Change, Event, Restored, SoftDeleted, Updated, is_memapp
from memapp.domain.chat import Message, Role
from memapp.domain.history import MESSAGE
from memapp.domain.memory import Memory
from memapp.domain.turn_events import Retracted, RevertedAnswers
from memapp.errors import NeedsYes, UsageError
from memapp.language.grammar import sentences
from memapp.language.normal_form import normalise
from memapp.language.requests import is_joke
from memapp.language.word_file import words_of
from memapp.runtime import Runtime
from memapp.services.consent import past_decisions, pending, questions
from memapp.services.undo import hold_back, undo
from memapp.store import changes, chat, consents, history, learning_queue, memories, withdrawn
from memapp.store.history import Touched
from memapp.store.session import Session


def retract_withdrawn(
    runtime: Runtime, message: Message, earlier: Sequence[Message]
) -> Retracted | None:
    """Retract the memories of replaced messages, and of a message called a joke.

    A joke is told in no chat any more, and the message that calls it one teaches nothing.
    """
    unsaid = [replaced.id for replaced in chat.replaced_by(runtime.read(), message)]
    if not is_joke(message.typed_text, words_of(message.typed_text)):
        return retract(runtime, message.thread_id, unsaid, message.text)
    joke = [sent.id for sent in earlier if sent.role is Role.USER][-1:]
    with runtime.write() as session:
        learning_queue.learn_nothing(session, [message.id])
        return retract(runtime, message.thread_id, [*unsaid, *joke], message.text, jokes=joke)


def revert_answers(runtime: Runtime, asked: Sequence[Message]) -> RevertedAnswers | None:
    """Revert the answers to questions among some messages, the last first.

    An answer that was changed later, or partly erased, stands.
    """
    undone, kept = [], []
    for answer in filter(
        None, (questions.answered_by(runtime, message) for message in reversed(asked))
    ):
        decision = past_decisions.describe(runtime, answer.step)
        if not history.is_reached(runtime.read(), answer):
            kept.append(decision)
            continue
        try:
            with suppress(NeedsYes):  # restored memories that need approval are pending
                undo(runtime, answer.step)
            undone.append(decision)
        except UsageError:
            kept.append(decision)
    return RevertedAnswers(tuple(undone), tuple(kept)) if undone or kept else None


def retract(
    runtime: Runtime,
    thread_id: str,
    message_ids: Sequence[str],
    new_text: str,
    *,
    jokes: Sequence[str] = (),
) -> Retracted | None:
    """Move the memories supported only by these messages to the trash, as one step.

    A memory in `new_text` stays, and so does one the person pinned or changed, which is the
    person's own by now. Requests that only these messages support are withdrawn.
    """
    if not message_ids:
        return None
    actor = runtime.actor(thread_id)
    with runtime.write() as session:
        learning_queue.learn_nothing(session, message_ids)
        withdraw_messages(session, jokes, actor)
        texts = []
        for memory in memories.list_learned_from(session, message_ids):
            if is_untouched_by_person(session, memory) and not _says(new_text, memory.text):
                steps = _revert_unsupported(session, runtime, memory, message_ids)
                texts += [memory.text] if steps else []
                for step in steps:
                    # As in `restore_memories`.
                    by = actor if isinstance(step, SoftDeleted) else replace(actor, name="rules")
                    changes.apply(session, step, by)
        of_each = (
            consents.list_requests(session, state="pending", message_id=message_id)
            for message_id in message_ids
        )
        from_these = [
            request
            for request in chain.from_iterable(of_each)
            if request.proposer not in ("person", "import")
        ]
        unsaid = [
            request.id
            for request in from_these
            if not _other_sources(session, request.evidence, message_ids)
        ]
        pending.end_all(runtime, unsaid, actor, "signals")
        # Otherwise approving what other messages say too would have these read again.
        pending.drop_evidence(runtime, message_ids)
    return Retracted(tuple(texts), actor.step) if texts else None


def withdraw_messages(session: Session, message_ids: Sequence[str], actor: Actor) -> None:
    """Withdraw messages, as part of a step: they teach nothing and are told in no chat."""
    for message_id in withdrawn.withdraw(session, message_ids):
        history.record(
            session, actor, actor.step, Touched(Event.UNSAY, f"{MESSAGE}{message_id}", None, None)
        )
    learning_queue.learn_nothing(session, message_ids)


def _says(message: str, memory: str) -> bool:
    """Return True if a message holds the last sentence of a memory.

    The sentence before it may be of another message.
    """
    return normalise((sentences(memory) or [memory])[-1]) in normalise(message)


def _other_sources(
    session: Session, sources: Sequence[str], message_ids: Sequence[str]
) -> list[Message]:
    """Return the other sources that still stand."""
    other_messages = chat.get_messages(
        session, [source for source in sources if source not in message_ids]
    )
    return [message for message in other_messages if message.active]


def is_untouched_by_person(session: Session, memory: Memory) -> bool:
    """Return True if the person never changed nor pinned a memory."""
    entries = history.list_entries(session, subject_id=memory.id, limit=None)
    return not memory.pinned and all(is_memapp(entry.actor) for entry in entries)


def _revert_unsupported(
    session: Session, runtime: Runtime, memory: Memory, message_ids: Sequence[str]
) -> Sequence[Change]:
    """Return the changes that restore the version of a memory its other sources support.

    Empty if they support its text; else an earlier text, or the memories it merged or superseded.
    """
    other_texts = [
        message.typed_text for message in _other_sources(session, memory.sources, message_ids)
    ]

    def is_said(text: str) -> bool:
        return any(_says(other, text) for other in other_texts)

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
    merged = [
        other.id for other in memories.list_taken_in(session, memory.id) if may_be_said(other.text)
    ]
    replaced = superseded_by(session, runtime, memory, message_ids)
    return SoftDeleted(memory.id, "person", runtime.purge_at()), *(
        Restored(memory_id) for memory_id in [*merged, *replaced]
    )


def superseded_by(
    session: Session, runtime: Runtime, memory: Memory, message_ids: Sequence[str] = ()
) -> list[str]:
    """Return the memories a memory superseded, as far as they hold again without it.

    A superseded memory that no message supports is replaced by those it superseded itself. Memories
    that need approval by now become pending.
    """

    def is_said(earlier: Memory) -> bool:
        return (
            earlier.origin == "person"
            or not earlier.sources
            or bool(_other_sources(session, earlier.sources, message_ids))
        )

    learned = history.list_entries(session, subject_id=memory.id, limit=None)[-1]
    step = history.entries_of_step(session, learned.step)
    retired = [entry for entry in step if entry.meta.get("reason") == "superseded" and entry.before]
    unchanged = [entry for entry in retired if not history.changed_since(session, entry)]
    superseded = memories.get_memories(session, [entry.subject_id for entry in unchanged])
    unknown = [
        memory
        for memory in superseded
        if memories.find_same(session, normalise(memory.text)) is None
    ]
    still_said = [memory for memory in unknown if is_said(memory)]
    unsaid = hold_back(session, unchanged, still_said)
    earlier = [
        memory_id
        for unheard in unknown
        if unheard not in still_said
        for memory_id in superseded_by(session, runtime, unheard, message_ids)
    ]
    return [memory.id for memory in still_said if memory.id not in unsaid] + earlier


def restore_memories(session: Session, memory_ids: Sequence[str], actor: Actor) -> tuple[str, ...]:
    """Restore memories as part of a step, not as the person's own; return their texts."""
    by = replace(actor, name="rules")
    for memory_id in memory_ids:
        changes.apply(session, Restored(memory_id), by)
    return tuple(memory.text for memory in memories.get_memories(session, memory_ids))


def memories_ended_by(session: Session, message_ids: Sequence[str]) -> list[str]:
    """Return the memories that messages ended without a replacement."""
    messages = chat.get_messages(session, message_ids)
    entries = [
        entry for entry in history.list_entries(session) if entry.meta.get("reason") == "superseded"
    ]
    of_these = [
        entry
        for entry in entries
        if any(
            entry.thread_id == message.thread_id and entry.at >= message.created_at
            for message in messages
        )
    ]
    alone = [
        entry
        for entry in of_these
        if all(
            step_entry.meta.get("reason")
            for step_entry in history.entries_of_step(session, entry.step)
        )
    ]
    return [entry.subject_id for entry in alone if not history.changed_since(session, entry)]
