"""What does not hold any more with another value in the profile: what stated the old one, what describes a home that was left.

What the person pinned stays. What surely is outdated goes to the trash in the step of the yes; about what may still hold, the
person is asked.
"""

from collections.abc import Iterator
from typing import Literal

from memapp.domain.changes import Actor, SoftDeleted
from memapp.domain.consent import CONFLICT, ConsentRequest
from memapp.domain.filters import ALL_LIVE
from memapp.domain.memory import Memory
from memapp.domain.profile import same_value
from memapp.domain.utterance import RULES
from memapp.language.english.duplicates import normalise
from memapp.language.english.grammar import tokens
from memapp.language.english.memory_question import keys
from memapp.language.english.old_home import describes_home, is_plan, tells_move
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


def retire(session: Session, runtime: Runtime, request: ConsentRequest, lost: str, actor: Actor) -> None:
    """Move to the trash what says the value that goes, and what describes the home that was surely left."""
    gone = list(_stating(session, request, lost)) if lost and not same_value(request.field, lost, request.new_value) else []
    if request.field in HOME and (request.proposer == "person" or _tells_move(session, request)):
        gone += [one.id for one in _of_old_home(session, runtime, request, lost) if describes_home(one.text) == "surely"]
    reason: Literal["superseded", "person"] = "superseded" if request.new_value else "person"
    for memory_id in dict.fromkeys(gone):
        changes.apply(session, SoftDeleted(memory_id, reason, runtime.purge_at()), actor, session.now)


def ask(session: Session, runtime: Runtime, request: ConsentRequest, lost: str, fact: Memory | None) -> None:
    """Ask whether what may describe the home before still holds, beside the fact that tells of the new one."""
    if request.field not in HOME or fact is None or memories.find_same(session, normalise(fact.text)) is None:
        return
    waits = consents.list_requests(session, state="pending", field=CONFLICT)
    for one in _of_old_home(session, runtime, request, lost)[: max(0, MOST_QUESTIONS - len(waits))]:
        pending.add(session, CONFLICT, one.text, fact.text, RULES)


def _stating(session: Session, request: ConsentRequest, lost: str) -> Iterator[str]:
    """Yield the memories that state a value: only one of "lives in Oslo" and "lives in Bergen" is true."""
    for memory_id, text in memories.unpinned_texts_naming(session, lost, READ_AGAIN).items():
        if any(same_value(one.field, one.value, lost) for one in stated_by(text, request.field)):
            yield memory_id


def _of_old_home(session: Session, runtime: Runtime, request: ConsentRequest, lost: str) -> list[Memory]:
    """Return what was known of a home before a request that tells of another one, without what names that or its town."""
    if not request.new_value or not (lost or _tells_move(session, request)):
        return []
    if _words(lost) & _words(request.new_value):
        return []  # the same place, more or less exactly
    places = [one for field in HOME for one in pending.current(session, field)]
    known = [one for one in memories.list_memories(session, ALL_LIVE, limit=runtime.settings.max_facts) if one.is_compared]
    before = [one for one in known if one.created_at < request.created_at and not set(one.sources) & set(request.evidence)]
    left = [one for one in before if not one.pinned and describes_home(one.text)]
    return [one for one in left if is_plan(one.text) or not any(_words(place) <= _words(one.text) for place in places)]


def _tells_move(session: Session, request: ConsentRequest) -> bool:
    said = [chat.get_message(session, one) for one in chat.still_there(session, request.evidence)]
    return any(tells_move(one.typed_text) for one in said)


def _words(text: str) -> frozenset[str]:
    return keys([one for one in tokens(text) if one[:1].isalnum()])
