"""Memories outdated by another home, job or partner: those that state the old value, and those that describe what was left.

What the person pinned stays. What surely is outdated goes to the trash in the step of the yes; about what may still hold, the
person is asked.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from memapp.domain.changes import Actor, SoftDeleted
from memapp.domain.chat import Message
from memapp.domain.consent import CONFLICT, ConsentRequest
from memapp.domain.filters import ALL_LIVE
from memapp.domain.memory import Memory
from memapp.domain.profile import same_value
from memapp.domain.utterance import RULES
from memapp.language.english.duplicates import normalise
from memapp.language.english.grammar import tokens
from memapp.language.english.left_behind import Domain, describes, is_plan, tells_change, tells_of_new_work
from memapp.language.english.memory_question import keys
from memapp.language.english.profile import stated_by
from memapp.runtime import Runtime
from memapp.services.consent import pending
from memapp.store import changes, chat, consents, memories
from memapp.store.session import Session

READ_AGAIN = 100
"""So many memories that name a lost value are read, the shortest: those that state it say little else."""
MOST_QUESTIONS = 3
"""So many such questions wait at a time at most."""
HOME = ("city", "address")
DOMAINS: Mapping[str, Domain] = {"city": "home", "address": "home", "relationship": "partner"}
"""What a field of the profile tells of; of work there is none."""


def retire(session: Session, runtime: Runtime, request: ConsentRequest, lost: str, actor: Actor) -> None:
    """Move to the trash what says the value that goes, and what surely describes what was left."""
    gone = list(_stating(session, request, lost)) if lost and not same_value(request.field, lost, request.new_value) else []
    domain = DOMAINS.get(request.field)
    if domain and (request.proposer == "person" or _tells_change(session, domain, request)):
        gone += [one.id for one in _of_left(session, runtime, request, lost) if describes(domain, one.text) == "surely"]
    reason: Literal["superseded", "person"] = "superseded" if request.new_value else "person"
    for memory_id in dict.fromkeys(gone):
        changes.apply(session, SoftDeleted(memory_id, reason, runtime.purge_at()), actor)


def ask(session: Session, runtime: Runtime, request: ConsentRequest, lost: str, fact: Memory | None) -> None:
    """Ask whether what may describe the home or the partner before still holds, beside the fact that tells of the new one."""
    if fact and request.field in DOMAINS and memories.find_same(session, normalise(fact.text)):
        _ask(session, _of_left(session, runtime, request, lost), fact)


def ask_of_work(session: Session, runtime: Runtime, message: Message, learned: Sequence[Memory]) -> None:
    """Ask the same of the job before, after a message that tells of another one."""
    fact = next((one for one in learned if tells_of_new_work(one.text)), None)
    if fact and tells_change("work", message.typed_text):
        _ask(session, _before(session, runtime, "work", fact, [message.id]), fact)


def _ask(session: Session, outdated: Sequence[Memory], fact: Memory) -> None:
    waits = consents.list_requests(session, state="pending", field=CONFLICT)
    for one in outdated[: max(0, MOST_QUESTIONS - len(waits))]:
        pending.add(session, CONFLICT, one.text, fact.text, RULES)


def _stating(session: Session, request: ConsentRequest, lost: str) -> Iterator[str]:
    """Yield the memories that state a value: only one of "lives in Oslo" and "lives in Bergen" is true."""
    for memory_id, text in memories.unpinned_texts_naming(session, lost, READ_AGAIN).items():
        if any(same_value(one.field, one.value, lost) for one in stated_by(text, request.field)):
            yield memory_id


def _of_left(session: Session, runtime: Runtime, request: ConsentRequest, lost: str) -> list[Memory]:
    """Return what describes what was left for what a request tells of, without what names a home that is known."""
    domain = DOMAINS[request.field]
    if not request.new_value or not (lost or _tells_change(session, domain, request)):
        return []
    if _words(lost) & _words(request.new_value):
        return []  # the same place, more or less exactly
    left = _before(session, runtime, domain, request, request.evidence)
    places = [one for field in HOME for one in pending.current(session, field)] if domain == "home" else []
    return [one for one in left if is_plan(one.text) or not any(_words(place) <= _words(one.text) for place in places)]


def _before(
    session: Session, runtime: Runtime, domain: Domain, new: ConsentRequest | Memory, said_in: Sequence[str]
) -> list[Memory]:
    """Return what described a domain before something new was told, in other messages, without what is pinned."""
    known = [one for one in memories.list_memories(session, ALL_LIVE, limit=runtime.settings.max_facts) if one.is_compared]
    before = [one for one in known if one.created_at < new.created_at and not set(one.sources) & set(said_in)]
    return [one for one in before if not one.pinned and describes(domain, one.text)]


def _tells_change(session: Session, domain: Domain, request: ConsentRequest) -> bool:
    said = chat.get_messages(session, request.evidence)
    return any(tells_change(domain, one.typed_text) for one in said)


def _words(text: str) -> frozenset[str]:
    return keys([one for one in tokens(text) if one[:1].isalnum()])
