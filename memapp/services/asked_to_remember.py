"""Remembers what somebody asks to be remembered: in the third person or in their words, at once, and sensitive or not.

Asking is their yes, so a value of the profile is approved with it. Passwords and numbers that open something are refused.
"""

from collections.abc import Sequence
from dataclasses import replace

from memapp.domain.changes import Actor, Updated
from memapp.domain.chat import Message, Role
from memapp.domain.consent import FORGOTTEN, ConsentRequest, label
from memapp.domain.filters import ALL_LIVE
from memapp.domain.memory import MAX_MEMORY_CHARS, FromMemory
from memapp.domain.utterance import Draft
from memapp.errors import UsageError
from memapp.language.english.asked_to_remember import tells_secret
from memapp.language.english.dates import dated, local_day
from memapp.language.english.duplicates import duplicate_of, normalise
from memapp.language.english.profile_hints import unknown_in
from memapp.language.english.second_person import addressed
from memapp.language.english.statements import in_third_person
from memapp.language.english.tags import tags_for
from memapp.language.language_of import language_of
from memapp.runtime import Runtime
from memapp.services.consent import decisions, pending
from memapp.services.curate import BY_HAND_IMPORTANCE, SECRET
from memapp.services.embed import embedded
from memapp.services.forget import is_forgotten
from memapp.services.merge import Near, near, write
from memapp.services.named import NEARLY, named
from memapp.services.remember import memory_of
from memapp.store import changes, consents, expectations, memories, search
from memapp.store.session import Session


def remember(runtime: Runtime, content: str, message: Message, actor: Actor, *, fact: str = "") -> str:
    """Remember what a message asks for, in the words of a fact where it was shown as one; return what there is to say.

    Raises `UsageError` for what cannot be kept.
    """
    if tells_secret(content):
        with runtime.write() as session:
            search.take_back(session, [message.id])
            expectations.learn_nothing(session, [message.id])
        return SECRET
    language, content = language_of(content), dated(content, local_day(message))
    drafts = [Draft(fact, tuple(tags_for(fact)))] if fact else list(language.facts_in(content))
    if not drafts or any(len(draft.text) > MAX_MEMORY_CHARS for draft in drafts):
        raise UsageError(f"A memory is one or two sentences, of at most {MAX_MEMORY_CHARS} characters.", "Say it in fewer words.")
    alike = near(runtime, [draft.text for draft in drafts])
    known = [bool(_known_as(runtime.read(), runtime, draft.text)) for draft in drafts]
    with runtime.write() as session:
        if is_forgotten(runtime, content):
            decisions.keep_as_asked(runtime, FORGOTTEN, content, message.id, actor)
        for one in language.read(content).stated:
            decisions.keep_as_asked(runtime, one.field, one.value, message.id, actor)
        said = [_keep(session, runtime, draft, others, message, actor) for draft, others in zip(drafts, alike, strict=True)]
    told = [
        f"I know that already: {text}" if is_old else f"I remember that: {text}" for text, is_old in zip(said, known, strict=True)
    ]
    return "\n".join(told)


def allow(runtime: Runtime, content: str, earlier: Sequence[Message], actor: Actor) -> FromMemory | None:
    """Take a yes to what waits: all that is named, else the one of the message before that is like it. None where nothing is."""
    said = [one.id for one in earlier if one.role is Role.USER][-1:]
    waiting = named(runtime, content).requests or _meant(runtime, content, said)
    if not waiting:
        return None
    told = [addressed(pending.memory_text(runtime, one.id) or f"{label(one.field)}: {one.new_value}") for one in waiting]
    decisions.allow(runtime, waiting, actor)
    return FromMemory(f"I remember that: {' '.join(dict.fromkeys(told))}", is_own_word=True)


def _meant(runtime: Runtime, content: str, said: Sequence[str]) -> Sequence[ConsentRequest]:
    waiting = [one for one in pending.list_pending(runtime) if not set(said).isdisjoint(one.evidence)]
    texts = [pending.memory_text(runtime, one.id) or one.new_value for one in waiting]
    rows = embedded(runtime, [content, *texts], wait=True) if waiting else None
    if rows is None:
        return ()
    likeness = [float(one) for one in rows[1:] @ rows[0]]
    return [waiting[likeness.index(max(likeness))]] if max(likeness) >= NEARLY else ()


def _keep(session: Session, runtime: Runtime, draft: Draft, alike: Near, message: Message, actor: Actor) -> str:
    """Keep one fact; return what is known now, in words to the person."""
    if is_forgotten(runtime, draft.text):
        decisions.keep_as_asked(runtime, FORGOTTEN, draft.text, message.id, actor)
    for one in unknown_in(draft.text, consents.read_profile(session)):
        decisions.keep_as_asked(runtime, one.field, one.value, message.id, actor)
    if same := _known_as(session, runtime, draft.text):  # before, or a yes has brought it
        weight = max(BY_HAND_IMPORTANCE, memories.get_memory(session, same).importance)
        changes.apply(session, Updated(same, importance=weight, sources=(message.id,)), actor)
        return addressed(memories.get_memory(session, same).text)
    learned = memory_of(runtime, session.new_id(), draft, message, session.now)
    written = write(runtime, session, replace(learned, importance=BY_HAND_IMPORTANCE, origin="person"), alike, actor)
    return addressed(written.memory.text)


def _known_as(session: Session, runtime: Runtime, text: str) -> str:
    """Return the id of the memory that says the same; empty if none does."""
    listed = memories.list_memories(session, ALL_LIVE, limit=runtime.settings.max_facts)
    known = {in_third_person(one.text): one.id for one in listed if one.is_compared}
    said = duplicate_of(text, known)
    return known[said] if said else memories.find_same(session, normalise(text)) or ""
