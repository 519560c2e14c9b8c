"""“Forget ...” and “That's wrong” in a chat: the memories go to the trash, in one step.

Pending consent requests are withdrawn and profile values removed with them; nothing is erased, as
`services.forget` does. An unambiguous match goes at once. Where several memories match, memapp
lists them and asks; the next message may answer by number.
"""

from collections.abc import Sequence

from memapp.domain.changes import Actor, SoftDeleted
from memapp.domain.chat import BY_MEMAPP, FROM_MEMORY, Message, Role
from memapp.domain.consent import ConsentRequest, label
from memapp.domain.memory import Kind, Memory, OwnAnswer, Recalled, State
from memapp.domain.profile import same_value
from memapp.domain.text import counted
from memapp.language.profile import stated
from memapp.language.requests import chosen
from memapp.language.sentence import is_question
from memapp.language.subject import is_about, subject_of
from memapp.language.word_file import words_of
from memapp.runtime import Runtime
from memapp.services import undo
from memapp.services.consent import decisions, pending
from memapp.services.learning import (
    memories_ended_by,
    restore_memories,
    superseded_by,
    withdraw_messages,
)
from memapp.services.recall import SubjectMatch, match_subject, message_ids_about
from memapp.store import changes, history, memories, recalls, withdrawn
from memapp.store.profile import read_profile
from memapp.store.session import Session

WHICH = "Which one? Say its number, or all; F3 shows every memory."
NOTHING_LIKE_IT = "I find nothing like that in memory."
NOT_BROUGHT_UP = (
    "I have kept nothing of that as a memory, and I will not bring up what you said about it."
)
NOT_KEPT = "All right, I keep nothing of that."
ALL_LEFT = "All right, I forget nothing."
NOTHING_CHANGED = "That changed nothing. /undo undoes the last change."
ALL_OF_IT = (
    "That would be everything I know. Choose the memories in F3, or erase whole chats there; I do"
    " not do that from a sentence."
)
LISTED = 8


def trash_named(
    runtime: Runtime, content: str, message: Message, actor: Actor, *, is_sure: bool
) -> OwnAnswer | None:
    """Trash the memories a message names; list them and ask where several match.

    Returns None where memory surely holds nothing like the content.
    """
    target = match_subject(runtime, content)
    # An episode goes with the facts of its chat.
    lasting = [memory for memory in target.facts if memory.kind is not Kind.EPISODIC]
    if len(lasting or target.facts) > 1:
        return _ask_which(target.facts)
    said_ids = [
        message_id for message_id in message_ids_about(runtime, content) if message_id != message.id
    ]
    # True if only superseded memories match.
    is_over = bool(withdrawn.withdrawn(runtime.read(), said_ids))
    if not (target.is_known or target.requests or is_over) and target.near:
        if len(target.near) > 1 or not is_sure:
            return _ask_which(target.near)
        target = SubjectMatch(target.near)
    if receipt := _trash(runtime, target, said_ids, actor):
        return _own_words(receipt)
    if said_ids or is_sure:
        return _own_words(NOT_BROUGHT_UP if said_ids else NOTHING_LIKE_IT)
    return None


def trash_last(
    runtime: Runtime, earlier: Sequence[Message], actor: Actor, *, is_wrong: bool
) -> OwnAnswer | None:
    """Trash the memories shown or learned last.

    With `is_wrong` they never held, so the memories they superseded are restored; and `That's
    wrong` may be about an answer of the model, hence None where no memory matches. `Forget that`
    can only be about memory, so the last message is withdrawn even where nothing was kept of it.
    """
    shown = _last_shown(runtime, earlier)
    typed = [message for message in earlier if message.role is Role.USER]
    previous, last = typed[-2:-1], typed[-1:]
    facts = shown or _learned_from(runtime, last)
    if len(facts) > 1 and shown:
        return _ask_which(facts)
    requests = () if shown else _pending_requests(runtime, last)
    if (
        not is_wrong
        and previous
        and not (facts or requests or is_question(last[0].text, words_of(last[0].text)))
    ):
        # `I told nobody` goes with the secret before.
        requests = _pending_requests(runtime, previous)
        last = [*previous, *last] if requests else last
    if not (facts or requests or (last and not is_wrong)):
        return None
    said_ids = [] if shown else [message.id for message in last]
    named_last = SubjectMatch(tuple(facts), requests=requests)
    receipt = _trash(runtime, named_last, said_ids, actor, is_wrong=is_wrong)
    return _own_words(receipt or NOT_KEPT)


def undo_last(runtime: Runtime, earlier: Sequence[Message], actor: Actor) -> OwnAnswer | None:
    """Undo the last step of this chat if memapp's last message reported one; else return None.

    An answer from memory changed nothing, so there is nothing to undo.
    """
    session = runtime.read()
    last_typed = [message for message in earlier if message.role is Role.USER][-1:]
    if offered_memories(runtime, earlier):  # nothing was done yet
        return _own_words(ALL_LEFT)
    if earlier and earlier[-1].model == FROM_MEMORY and not _learned_from(runtime, last_typed):
        return _own_words(NOTHING_CHANGED)
    if not earlier or earlier[-1].model != BY_MEMAPP:
        return None
    changed = [
        entry
        for entry in history.list_entries(session)
        if entry.thread_id == actor.thread_id and entry.actor == actor.name
    ]
    steps = [
        entry.step
        for entry in changed
        if not entry.undoes and all(entry.at >= message.created_at for message in last_typed)
    ]
    step = undo.undoable_step(runtime, steps[0]) if steps else None
    if step is None:
        return None
    undo.undo(runtime, step.id)
    return _own_words(f"Undone: {undo.describe(runtime, step)}")


def trash_wrong(
    runtime: Runtime, content: str, earlier: Sequence[Message], actor: Actor, *, is_sure: bool
) -> OwnAnswer | None:
    """Trash the memories a correction calls wrong: shown or learned last, else named.

    Returns None where memory holds nothing alike: the message is no request to memory then.
    """
    said = [message for message in earlier if message.role is Role.USER][-1:]
    subject = subject_of(content)
    last = [
        memory
        for memory in (*_last_shown(runtime, earlier), *_learned_from(runtime, said))
        if is_about(memory.text, subject)
    ]
    target = SubjectMatch(tuple(last[:1])) if last else match_subject(runtime, content)
    if len(target.facts) > 1 or (target.facts and not (last or is_sure)):
        return _ask_which(target.facts)
    if not (target.is_known or target.requests):
        return _ask_which(target.near) if target.near else None
    return _own_words(_trash(runtime, target, [], actor, is_wrong=True))


def offered_memories(runtime: Runtime, earlier: Sequence[Message]) -> list[Memory]:
    """Return the memories that memapp's last message offers as a choice, if any."""
    last = earlier[-1] if earlier else None
    if last is None or last.model != BY_MEMAPP or not last.text.endswith(WHICH):
        return []
    return _live(runtime, [hit.id for hit in recalls.list_recalls(runtime.read(), last.id)])


def chosen_memories(runtime: Runtime, text: str, earlier: Sequence[Message]) -> list[Memory] | None:
    """Return the memories a message chooses from the list, perhaps none.

    Returns None where the message is no answer to the list.
    """
    offered = offered_memories(runtime, earlier)
    numbers = chosen(text, len(offered), words_of(text)) if offered else None
    return None if numbers is None else [offered[number - 1] for number in numbers]


def trash_chosen(runtime: Runtime, chosen: Sequence[Memory], actor: Actor) -> OwnAnswer:
    """Trash the memories chosen from a list."""
    return _own_words(
        _trash(runtime, SubjectMatch(tuple(chosen)), [], actor) if chosen else ALL_LEFT
    )


def _last_shown(runtime: Runtime, earlier: Sequence[Message]) -> list[Memory]:
    """Return the live memories that memapp's last answer showed."""
    last = earlier[-1] if earlier else None
    if last is None or last.role is not Role.ASSISTANT:
        return []
    hits = [hit for hit in recalls.list_recalls(runtime.read(), last.id) if hit.kind == "memory"]
    shown = _live(runtime, [hit.id for hit in hits])
    if last.model in (FROM_MEMORY, BY_MEMAPP):
        return shown
    return [memory for memory in shown if is_about(last.text, subject_of(memory.text))]


def _pending_requests(runtime: Runtime, said: Sequence[Message]) -> tuple[ConsentRequest, ...]:
    """Return the pending consent requests that messages are evidence for."""
    ids = {message.id for message in said}
    return tuple(
        request for request in pending.list_pending(runtime) if not ids.isdisjoint(request.evidence)
    )


def _learned_from(runtime: Runtime, said: Sequence[Message]) -> list[Memory]:
    return memories.list_learned_from(runtime.read(), [message.id for message in said])


def _live(runtime: Runtime, memory_ids: Sequence[str]) -> list[Memory]:
    by_id = {memory.id: memory for memory in memories.get_memories(runtime.read(), memory_ids)}
    return [
        by_id[memory_id]
        for memory_id in memory_ids
        if memory_id in by_id and by_id[memory_id].state is State.LIVE
    ]


def _trash(
    runtime: Runtime,
    found: SubjectMatch,
    said_ids: Sequence[str],
    actor: Actor,
    *,
    is_wrong: bool = False,
) -> str:
    """Trash memories, remove values and withdraw requests, in one step; return a receipt.

    With `is_wrong`, memories that the trashed ones superseded are restored.
    """
    with runtime.write() as session:
        by_facts = [hint for fact in found.facts for hint in stated(fact.text, words_of(fact.text))]
        profile = read_profile(session)
        values = dict.fromkeys(
            hint for hint in (*found.values, *by_facts) if hint.value in profile.get(hint.field, ())
        )
        for hint in values:
            decisions.remove_value(runtime, hint.field, hint.value, actor)
        ended = _restorable(session, runtime, found) if is_wrong else []
        for fact in found.facts:
            if memories.get_memory(session, fact.id).state is State.LIVE:
                changes.apply(session, SoftDeleted(fact.id, "person", runtime.purge_at()), actor)
        restored = restore_memories(session, ended, actor)
        pending.end_all(runtime, [request.id for request in found.requests], actor)
        withdraw_messages(session, said_ids, actor)
    said_by_facts = {(hint.field, hint.value) for hint in by_facts}
    forgotten = [*(memory.text for memory in found.facts)]
    forgotten += [
        f"{label(hint.field)}: {hint.value}"
        for hint in values
        if (hint.field, hint.value) not in said_by_facts
        and not any(same_value(hint.field, fact.text, hint.value) for fact in found.facts)
    ]
    lines = []
    if len(forgotten) == 1:
        lines = [f"Forgotten: {forgotten[0]}"]
    elif forgotten:
        lines = [f"Forgotten, {counted(len(forgotten), 'memory', 'memories')}:", *forgotten]
    lines += [
        f"No longer asked about: {label(request.field)} “{request.new_value}”"
        for request in found.requests
    ]
    lines += [f"Remembered again: {text}" for text in restored]
    return "\n".join(lines)


def _restorable(session: Session, runtime: Runtime, found: SubjectMatch) -> list[str]:
    """Return the memories superseded by the named memories or by their pending requests."""
    superseded = [id for fact in found.facts for id in superseded_by(session, runtime, fact)]
    evidence = [id for request in found.requests for id in request.evidence]
    return superseded + memories_ended_by(session, evidence)


def _ask_which(facts: Sequence[Memory]) -> OwnAnswer:
    listed = facts[:LISTED]
    lines = [f"{number}. {memory.text}" for number, memory in enumerate(listed, start=1)]
    hits = tuple(Recalled.of(memory, 0.0, "named", memory.updated_at) for memory in listed)
    return OwnAnswer(
        "\n".join(["Do you mean this?" if len(listed) == 1 else "I know of this:", *lines, WHICH]),
        hits,
        is_own_word=True,
    )


def _own_words(text: str) -> OwnAnswer:
    return OwnAnswer(text, is_own_word=True)
