"""Learns from typed messages: `notice` proposes profile values at once, `learn` stores facts in idle time.

Sensitive values are only proposed (`services.consent`), and a fact that states one waits with its consent request. Rules find the
facts first: they are exact and need no model. Where they find none in a surprising message, the model may write one, which
has to pass the same checks; whoever wrote it, a sentence that fails them is counted and thrown away.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from typing import Literal

from memapp.domain.categories import NOTES
from memapp.domain.changes import Actor, SoftDeleted, Updated
from memapp.domain.chat import Message
from memapp.domain.consent import FORGOTTEN
from memapp.domain.distil import Draft, distil, distil_and_check, in_third_person, states_something
from memapp.domain.duplicates import duplicate_of, normalise
from memapp.domain.filters import ALL_LIVE
from memapp.domain.framing import told_by_healers
from memapp.domain.grounding import UNSAID, check_grounding
from memapp.domain.memory import Memory
from memapp.domain.prediction import Surprise
from memapp.domain.profile import Stated, has_many, same_value, stated
from memapp.domain.profile_hints import Hint, unknown_in
from memapp.domain.prompt import Piece
from memapp.domain.writing import NO_SENTENCE, check_fact
from memapp.inference import Cancel, ChatModel
from memapp.prompts import distil as words
from memapp.runtime import Runtime
from memapp.services.consent import decisions, requests
from memapp.services.forget import is_forgotten
from memapp.services.merge import Written, near, write
from memapp.store import changes, chat, events, expectations, history, memories
from memapp.store.encoding import new_id

FACTS_PER_TURN = 3
REQUESTS_PER_TURN = 20
"""More than anybody states in one message, so nothing is lost; the chat asks about only one of them."""
DEFAULT_IMPORTANCE = 2


def learn(runtime: Runtime, surprise: Surprise, model: ChatModel | None, cancel: Cancel) -> Iterator[Written]:
    """Learn at most three facts from one surprising message; yield each new or changed fact.

    Raises `ModelError` when the model was needed and failed; the surprise is then still pending.
    """
    message = chat.get_message(runtime.read(), surprise.message_id)
    propose_profile_changes(runtime, message)  # what failed or was cut off when the message came
    typed = message.typed_text
    drafts, refused = distil_and_check(typed)
    by = "rules"
    taught = history.texts_from(runtime.read(), message.id)  # it may be read again after a yes
    if not drafts and not taught and model is not None and states_something(typed):
        drafts, also_refused = _ask(model, surprise.expected, typed, cancel)
        refused += also_refused
        by = f"model:{model.name}"
        if cancel.is_set():
            return  # still pending: next time
    fresh = [draft for draft in drafts[:FACTS_PER_TURN] if not duplicate_of(draft.text, taught)]
    yield from _store(runtime, surprise, message, fresh, refused, by)


def _ask(model: ChatModel, expected: str, typed: str, cancel: Cancel) -> tuple[list[Draft], list[list[str]]]:
    prompt, sampling = words.request(expected, typed)
    with closing(model.generate(prompt, sampling, cancel)) as stream:
        text = "".join(part.text for part in stream if isinstance(part, Piece))
    draft = words.parse(text)
    if draft is None:
        return [], [[NO_SENTENCE]]
    problems = check_fact(draft.text, typed)
    return ([], [problems]) if problems else ([draft], [])


def _store(
    runtime: Runtime, surprise: Surprise, message: Message, drafts: list[Draft], refused: list[list[str]], by: str
) -> Iterator[Written]:
    """The third commit of a turn: the facts, the settled surprise and what was refused, together."""
    stored: list[Written] = []
    texts = [draft.text for draft in drafts]
    unsaid = sum(UNSAID.issuperset(problems) for problems in refused)
    alike = dict(zip(texts, near(runtime, texts), strict=True))
    actor = Actor(runtime.user_id, by, message.thread_id)
    with runtime.write() as session:
        if not expectations.still_stands(session, surprise.id, message.text):
            return  # taken back, edited or erased while the facts were made
        listed = memories.list_memories(session, ALL_LIVE, limit=runtime.settings.max_facts)
        known = {in_third_person(one.text): one.id for one in listed}
        for draft in drafts:
            memory = _memory(runtime, new_id(session.now), draft, message, session.now)
            said = duplicate_of(draft.text, known)
            same = known[said] if said else memories.find_same(session, normalise(draft.text))
            if same:  # it holds as long as any message says it
                if message.id not in memories.get_memory(session, same).sources:
                    changes.apply(session, Updated(same, sources=(message.id,)), actor, session.now)
                continue
            if is_forgotten(runtime, draft.text):
                requests.propose(runtime, FORGOTTEN, draft.text, message_id=message.id, typed=True, memory=memory, proposer=by)
                continue
            if unknown := _unknown(runtime, message, draft):
                for one in (hint for hint in unknown if hint.value):  # it waits with all of that, and comes with the last yes
                    requests.propose(runtime, one.field, one.value, message_id=message.id, typed=True, memory=memory, proposer=by)
                continue
            said_before = [(one.memory, 0.0) for one in stored]  # in this message: words alone decide
            stored.append(write(runtime, session, memory, [*alike[draft.text], *said_before], actor))
            known[memory.text] = stored[-1].memory.id
        # What makes room is taken back with the last fact it was made for.
        actor_of_room = replace(actor, name="lifecycle", step=stored[-1].step if stored else new_id(session.now))
        learned = [one for one in stored if one.before is None or one.before.text != one.memory.text]
        for old in memories.overflowing(session, runtime.settings.max_facts):
            changes.apply(session, SoftDeleted(old, "overflow", runtime.purge_at()), actor_of_room, session.now)
        expectations.settle_surprise(session, surprise.id, "learned" if learned else "nothing")
        meta = {
            "learned": len(learned),
            "known": len(drafts) - len(learned),
            "refused": len(refused) - unsaid,
            "unsaid": unsaid,
            "rejected": [problem for problems in refused for problem in problems],
        }
        status: Literal["ok", "skipped"] = "ok" if learned else "skipped"
        events.add_event(session, "worker", "distil", status, thread_id=message.thread_id, meta=meta)
    yield from learned


def propose_profile_changes(runtime: Runtime, message: Message) -> None:
    """Propose the profile values that a message states, each with its fact. Uses no model and takes milliseconds."""
    found = stated(message.typed_text)[:REQUESTS_PER_TURN]
    drafts = distil(message.typed_text) if found else []
    pasted = stated(" ".join(message.text[start:end] for start, end in message.pasted))
    is_own = not any(is_forgotten(runtime, draft.text) for draft in drafts)  # what was erased is no word for anything
    for one in found:
        typed = is_own and not any(other.field == one.field and same_value(one.field, other.value, one.value) for other in pasted)
        saying = [draft for draft in drafts if _says(_unknown(runtime, message, draft), one)]
        about_it = min(saying, key=lambda draft: len(_unknown(runtime, message, draft)), default=None)
        memory = _memory(runtime, "", about_it, message, runtime.clock()) if about_it else None
        requests.propose(runtime, one.field, one.value, message_id=message.id, typed=typed, memory=memory)


def _unknown(runtime: Runtime, message: Message, draft: Draft) -> list[Hint]:
    """Return what a fact says that only the person's yes can make known, and that the profile does not say."""
    profile = decisions.profile(runtime)
    if any(not check_grounding(draft.text, told) for told in told_by_healers(message.typed_text)):
        return unknown_in(draft.text, profile, field="health")
    return unknown_in(draft.text, profile)


def _says(unknown: Sequence[Hint], statement: Stated) -> bool:
    """Say whether a fact would make a statement known; another value of a field that has one is the same one."""
    values = [one.value for one in unknown if one.field == statement.field]
    return any(not has_many(statement.field) or same_value(statement.field, value, statement.value) for value in values)


def _memory(runtime: Runtime, memory_id: str, draft: Draft, message: Message, now: datetime) -> Memory:
    return Memory(
        id=memory_id,
        text=draft.text,
        tags=tuple(draft.tags),
        kind=draft.kind,
        category=draft.category or NOTES,
        importance=DEFAULT_IMPORTANCE,
        origin="distilled",
        sources=(message.id,),
        agent_id=chat.get_thread(runtime.read(), message.thread_id).persona,
        run_id=message.thread_id,
        created_at=now,
        updated_at=now,
    )
