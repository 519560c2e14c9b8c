"""The sentences of a message that made no memory, each with why; and keeping one anyway, at the
person's word.

What was judged of a message is found again from its words, without the chat model; what became of
it since, the file tells.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from memapp.domain.chat import Message, Origin
from memapp.domain.provenance import NotKept, WhyNot
from memapp.errors import ModelError
from memapp.runtime import Runtime
from memapp.services import memory_request, reader
from memapp.services.asked_to_remember import remember
from memapp.services.consent import pending
from memapp.services.open_turn import best_effort
from memapp.store import chat, consents, expectations, history, memories, search
from memapp.store.session import Session

Refusals = Sequence[tuple[str, WhyNot | None]]
"""The sentences of a message with why the judge lets each make no memory; None where it does."""
_LOST: Mapping[str, WhyNot] = {"person": "taken back", "undone": "taken back", "overflow": "full"}
"""Why what a message taught is in the trash, as far as that was no later statement."""


def judged(runtime: Runtime, message: Message) -> Refusals | None:
    """Judge what a message says, with the embedding model; None while that is being loaded, or
    where it fails.
    """
    if message.origin is Origin.COMMAND:
        return ()
    if runtime.reading.state == "loading":
        return None
    return best_effort(runtime, message.thread_id, "judge", lambda: _judged(runtime, message))


def _judged(runtime: Runtime, message: Message) -> Refusals | None:
    request = memory_request.read(runtime, message.text, message.pasted, ())
    if request is not None and request.is_all:
        return ()
    with suppress(ModelError):
        return reader.refusals(runtime, message)
    return None


def not_kept(
    runtime: Runtime, message: Message, refusals: Refusals, taught: Collection[str]
) -> tuple[NotKept, ...]:
    """Return what of a message was not kept, as far as that is decided; what waits, or taught
    something, is left out.

    `taught` are the ids of the memories that it taught; others that say the same were known before.
    """
    session = runtime.read()
    to_learn = expectations.is_to_learn_from(session, message.id)
    if not refusals or (to_learn and not reader.is_enough_for_today(runtime)):
        return ()
    became = _what_became(session, message, taught)
    otherwise = "tomorrow" if to_learn else _unlearned(session, message)
    found: dict[str, NotKept] = {}
    for said, judged_why in refusals:
        text = next((text for text in became if said in text or text in said), None)
        why = (
            (otherwise if judged_why is None or otherwise == "kept out" else judged_why)
            if text is None
            else became[text]
        )
        if why is not None:
            found.setdefault(said, NotKept(said, why))
    return tuple(found.values())


def keep_anyway(runtime: Runtime, message_id: str, one: NotKept) -> tuple[str, str]:
    """Keep what was not kept, since the person asks for it; return what there is to say, and the
    step, if it was kept.

    Raises `UsageError` for what cannot be kept.
    """
    message = chat.get_message(runtime.read(), message_id)
    actor = runtime.actor(message.thread_id)
    said = remember(runtime, one.said, message, actor)
    return said, actor.step if history.entries_of_step(runtime.read(), actor.step) else ""


def _what_became(
    session: Session, message: Message, taught: Collection[str]
) -> dict[str, WhyNot | None]:
    """Return the texts that a message brought forth, each with why it is not kept; None where it
    is, waits, or gave way later.
    """
    live = memories.list_learned_from(session, [message.id])
    became: dict[str, WhyNot | None] = {
        memory.text: None if memory.id in taught else "known" for memory in live
    }
    for request in pending.of_message(session, message.id):
        memory = consents.memory_of(session, request.id)
        for text in filter(None, (request.new_value, memory.text if memory else "")):
            became.setdefault(text, "denied" if request.state == "denied" else None)
    for gone in memories.list_trashed_from(session, message.id):
        became.setdefault(gone.text, _LOST.get(gone.reason))
    return became


def _unlearned(session: Session, message: Message) -> WhyNot | None:
    """Return why nothing was learned from a message whatever it says; None where it was read for
    it.
    """
    if message.id in search.taken_back(session, [message.id]):
        return "kept out"
    expected = expectations.checked_by(session, message.id)
    return "expected" if expected is not None and expected.surprised is False else None
