"""Forgets what somebody asks to be forgotten, or calls wrong: into the trash in one step, with what
waits and the profile.

What is surely meant goes at once. Where several memories may be meant, memapp lists them and asks
which; the next message may answer by number.
"""

from collections.abc import Sequence

from memapp.domain.changes import Actor, SoftDeleted
from memapp.domain.chat import FROM_MEMORY, OWN_WORDS, Message, Role
from memapp.domain.consent import ConsentRequest, label
from memapp.domain.memory import FromMemory, Kind, Memory, Recalled, State
from memapp.domain.text import counted
from memapp.language.profile import stated
from memapp.language.requests import chosen
from memapp.language.sentence import is_question
from memapp.language.subject import is_about, subject_of
from memapp.language.word_file import words_of
from memapp.runtime import Runtime
from memapp.services import undo
from memapp.services.consent import decisions, pending
from memapp.services.named import Named, named, said_of
from memapp.services.retract import ended_by, gave_way, restore, unsay
from memapp.store import changes, consents, history, memories, recalls, search
from memapp.store.session import Session

WHICH = "Which one? Say its number, or all; F3 shows every memory."
NOTHING_LIKE_IT = "I find nothing like that in memory."
NOT_BROUGHT_UP = (
    "I have kept nothing of that as a memory, and what you said of it I do not bring up again."
)
NOT_KEPT = "All right. Nothing of that is kept."
ALL_LEFT = "All right. Nothing goes."
NOTHING_CHANGED = "Nothing was changed by that. /undo takes back the last change."
ALL_OF_IT = "That would be all I know. Mark what is to go in F3, or erase the chats themselves there; I do not do that from a sentence."
LISTED = 8


def forget(
    runtime: Runtime, content: str, message: Message, actor: Actor, *, is_sure: bool
) -> FromMemory | None:
    """Forget what is named; ask which where several memories are about it. None where memory surely
    holds nothing like it.
    """
    found = named(runtime, content)
    told = [
        memory for memory in found.facts if memory.kind is not Kind.EPISODIC
    ]  # what a chat was about goes with what it told
    if len(told or found.facts) > 1:
        return _ask_which(found.facts)
    unsaid = [text for text in said_of(runtime, content) if text != message.id]
    is_over = bool(
        search.taken_back(runtime.read(), unsaid)
    )  # what is meant was replaced, and no other is
    if not (found.is_known or found.requests or is_over) and found.near:
        if len(found.near) > 1 or not is_sure:
            return _ask_which(found.near)
        found = Named(found.near)
    if gone := _let_go(runtime, found, unsaid, actor):
        return _own(gone)
    if unsaid or is_sure:
        return _own(NOT_BROUGHT_UP if unsaid else NOTHING_LIKE_IT)
    return None


def forget_last(
    runtime: Runtime, earlier: Sequence[Message], actor: Actor, *, never_was: bool
) -> FromMemory | None:
    """Forget what was shown or said last, or take it back where it never was so, with what it had
    ended.

    `That's wrong` may be about an answer of the model: None where it is about nothing known. To
    forget can only be about the memory, so that what was said last is withdrawn though nothing was
    kept of it.
    """
    shown = _shown(runtime, earlier)
    own = [message for message in earlier if message.role is Role.USER]
    before, said = own[-2:-1], own[-1:]
    taught = [] if shown else _taught(runtime, said)
    facts = shown or taught
    if len(facts) > 1 and shown:
        return _ask_which(facts)
    waiting = () if shown else _waiting(runtime, said)
    if (
        not never_was
        and before
        and not (facts or waiting or is_question(said[0].text, words_of(said[0].text)))
    ):
        waiting = _waiting(runtime, before)  # `I told nobody` goes with what was told
        said = [*before, *said] if waiting else said
    if not (facts or waiting or (said and not never_was)):
        return None
    unsaid = [] if shown else [message.id for message in said]
    return _own(
        _let_go(runtime, Named(tuple(facts), requests=waiting), unsaid, actor, never_was=never_was)
        or NOT_KEPT
    )


def undo_last(runtime: Runtime, earlier: Sequence[Message], actor: Actor) -> FromMemory | None:
    """Take back what memapp did at the person's last word, if its own word was the answer to that;
    else None.

    What an answer from memory tells was not done by that.
    """
    session, said = (
        runtime.read(),
        [message for message in earlier if message.role is Role.USER][-1:],
    )
    if open_choice(runtime, earlier):  # nothing was done yet
        return _own(ALL_LEFT)
    if earlier and earlier[-1].model == FROM_MEMORY and not _taught(runtime, said):
        return _own(NOTHING_CHANGED)
    if not earlier or earlier[-1].model != OWN_WORDS:
        return None
    done = [
        entry
        for entry in history.list_entries(session)
        if entry.thread_id == actor.thread_id and entry.actor == actor.name
    ]
    since = [
        entry.step
        for entry in done
        if not entry.undoes and all(entry.at >= message.created_at for message in said)
    ]
    step = undo.find(runtime, since[0]) if since else None
    if step is None:
        return None
    undo.undo(runtime, step.id)
    return _own(f"Taken back: {undo.describe(runtime, step)}")


def correct(
    runtime: Runtime, content: str, earlier: Sequence[Message], actor: Actor, *, is_sure: bool
) -> FromMemory | None:
    """Take what is called wrong out of memory: what was shown or taught last, if it is about that,
    else what is named.

    None where memory holds nothing like it: then it is no word to the memory.
    """
    said = [message for message in earlier if message.role is Role.USER][-1:]
    subject = subject_of(content)
    last = [
        memory
        for memory in (*_shown(runtime, earlier), *_taught(runtime, said))
        if is_about(memory.text, subject)
    ]
    found = Named(tuple(last[:1])) if last else named(runtime, content)
    if len(found.facts) > 1 or (found.facts and not (last or is_sure)):
        return _ask_which(found.facts)
    if not (found.is_known or found.requests):
        return _ask_which(found.near) if found.near else None
    return _own(_let_go(runtime, found, [], actor, never_was=True))


def open_choice(runtime: Runtime, earlier: Sequence[Message]) -> list[Memory]:
    """Return the memories that memapp's last word lists to choose from; none if it asks for no
    choice.
    """
    last = earlier[-1] if earlier else None
    if last is None or last.model != OWN_WORDS or not last.text.endswith(WHICH):
        return []
    return _live(runtime, [hit.id for hit in recalls.list_recalls(runtime.read(), last.id)])


def choice_in(runtime: Runtime, text: str, earlier: Sequence[Message]) -> list[Memory] | None:
    """Return what a message chooses of the memories that were listed, perhaps none of them; None if
    it chooses nothing.
    """
    offered = open_choice(runtime, earlier)
    numbers = chosen(text, len(offered), words_of(text)) if offered else None
    return None if numbers is None else [offered[number - 1] for number in numbers]


def forget_chosen(runtime: Runtime, chosen: Sequence[Memory], actor: Actor) -> FromMemory:
    """Forget the memories that were chosen from a list."""
    return _own(_let_go(runtime, Named(tuple(chosen)), [], actor) if chosen else ALL_LEFT)


def _shown(runtime: Runtime, earlier: Sequence[Message]) -> list[Memory]:
    """Return the facts that memapp's last answer told."""
    last = earlier[-1] if earlier else None
    if last is None or last.role is not Role.ASSISTANT:
        return []
    hits = [hit for hit in recalls.list_recalls(runtime.read(), last.id) if hit.kind == "memory"]
    shown = _live(runtime, [hit.id for hit in hits])
    return (
        shown
        if last.model in (FROM_MEMORY, OWN_WORDS)
        else [memory for memory in shown if is_about(last.text, subject_of(memory.text))]
    )


def _waiting(runtime: Runtime, said: Sequence[Message]) -> tuple[ConsentRequest, ...]:
    """Return what waits that messages brought up."""
    ids = {message.id for message in said}
    return tuple(
        request for request in pending.list_pending(runtime) if not ids.isdisjoint(request.evidence)
    )


def _taught(runtime: Runtime, said: Sequence[Message]) -> list[Memory]:
    return memories.list_learned_from(runtime.read(), [message.id for message in said])


def _live(runtime: Runtime, memory_ids: Sequence[str]) -> list[Memory]:
    found = {memory.id: memory for memory in memories.get_memories(runtime.read(), memory_ids)}
    return [
        found[memory_id]
        for memory_id in memory_ids
        if memory_id in found and found[memory_id].state is State.LIVE
    ]


def _let_go(
    runtime: Runtime, found: Named, unsaid: Sequence[str], actor: Actor, *, never_was: bool = False
) -> str:
    """Carry it out in one step; return what went, in words, or nothing. What was ended by what
    never was holds again.
    """
    with runtime.write() as session:
        by_facts = [hint for fact in found.facts for hint in stated(fact.text, words_of(fact.text))]
        profile = consents.read_profile(session)
        values = dict.fromkeys(
            hint for hint in (*found.values, *by_facts) if hint.value in profile.get(hint.field, ())
        )
        for hint in values:
            decisions.forget_value(runtime, hint.field, hint.value, actor)
        ended = _ended_by(session, runtime, found) if never_was else []
        for fact in found.facts:
            if memories.get_memory(session, fact.id).state is State.LIVE:
                changes.apply(session, SoftDeleted(fact.id, "person", runtime.purge_at()), actor)
        again = restore(session, ended, actor)
        pending.end_all(runtime, [request.id for request in found.requests], actor)
        unsay(session, unsaid, actor)
    said_by_facts = {(hint.field, hint.value) for hint in by_facts}
    gone = [*(memory.text for memory in found.facts)]
    gone += [
        f"{label(hint.field)}: {hint.value}"
        for hint in values
        if (hint.field, hint.value) not in said_by_facts
    ]
    told = (
        [
            f"Forgotten, {counted(len(gone), 'memory', 'memories')}:"
            if len(gone) > 1
            else "Forgotten:",
            *gone,
        ]
        if gone
        else []
    )
    lines = [" ".join(told) if len(gone) == 1 else "\n".join(told)] if told else []
    lines += [
        f"No longer asked about: {label(request.field)} “{request.new_value}”"
        for request in found.requests
    ]
    lines += [f"Remembered again: {text}" for text in again]
    return "\n".join(lines)


def _ended_by(session: Session, runtime: Runtime, found: Named) -> list[str]:
    """Return what ended when this was learned, or because of what waits."""
    replaced = [text for fact in found.facts for text in gave_way(session, runtime, fact)]
    return replaced + ended_by(
        session, [text for request in found.requests for text in request.evidence]
    )


def _ask_which(facts: Sequence[Memory]) -> FromMemory:
    listed = facts[:LISTED]
    lines = [f"{number}. {memory.text}" for number, memory in enumerate(listed, start=1)]
    hits = tuple(Recalled.of(memory, 0.0, "named", memory.updated_at) for memory in listed)
    return FromMemory(
        "\n".join(["Do you mean this?" if len(listed) == 1 else "I know of this:", *lines, WHICH]),
        hits,
        is_own_word=True,
    )


def _own(text: str) -> FromMemory:
    return FromMemory(text, is_own_word=True)
