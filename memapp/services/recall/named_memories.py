"""Finding what the person names: facts, profile values, pending requests, messages.

An entry with all the named words is certain; one that is only near in meaning is possible.
"""

from dataclasses import dataclass
from functools import partial

from memapp.domain.consent import ConsentRequest, label
from memapp.domain.memory import Memory, Recalled
from memapp.domain.profile import Hint
from memapp.language.subject import is_about, shares, subject_of
from memapp.runtime import Runtime
from memapp.services.consent import decisions, pending
from memapp.services.recall.search import RecallRequest, recall
from memapp.store import memories
from memapp.store.scope import Scope

AMONG = 60
"""Hits that are searched, of each kind."""
NEAR = 0.5
"""Least cosine of a possible fact that shares no word with the subject."""
NEARLY = 0.35
"""Least cosine of a possible fact that shares a word."""
FEW = 5
"""Possible facts; more of them mean nothing."""


@dataclass(frozen=True, slots=True)
class SubjectMatch:
    """The entries of memory about a subject."""

    facts: tuple[Memory, ...] = ()
    values: tuple[Hint, ...] = ()
    requests: tuple[ConsentRequest, ...] = ()
    """The pending ones."""
    corrected: tuple[Memory, ...] = ()
    """Other facts that replaced a statement on the subject, and may leave out a part of it."""
    near: tuple[Memory, ...] = ()
    """Possible facts, nearest first; searched only if nothing is certain."""

    @property
    def is_known(self) -> bool:
        return bool(self.facts or self.values)


def match_subject(runtime: Runtime, content: str, scope: Scope | None = None) -> SubjectMatch:
    """Return the entries of memory about a subject.

    Without a scope for the person themself: nothing is withheld.
    """
    subject = subject_of(content)
    hits = recall(runtime, RecallRequest(content, AMONG, kinds=("memory",), scope=scope))
    memories_by_id = {
        memory.id: memory
        for memory in memories.get_memories(runtime.read(), [hit.id for hit in hits])
    }
    facts = [
        memories_by_id[hit.id]
        for hit in hits
        if hit.id in memories_by_id and is_about(_searched_text(memories_by_id[hit.id]), subject)
    ]
    values = [
        Hint(field, value)
        for field, field_values in decisions.profile(runtime).items()
        for value in field_values
        if is_about(f"{label(field)} {value}", subject)
    ]
    matching_requests = [
        request
        for request in pending.list_pending(runtime)
        if is_about(_proposed(runtime, request), subject)
    ]
    corrected = [
        memory
        for memory in memories_by_id.values()
        if memory not in facts and is_about(f"{memory.instead_of} {memory.text}", subject)
    ]
    near = () if facts or values else _near_facts(hits, memories_by_id, subject)
    return SubjectMatch(
        tuple(facts), tuple(values), tuple(matching_requests), tuple(corrected), near
    )


def message_ids_about(runtime: Runtime, content: str) -> list[str]:
    """Return the ids of the messages with all the named words."""
    is_about_subject = partial(is_about, subject=subject_of(content))
    hits = recall(runtime, RecallRequest(content, AMONG, kinds=("message",)))
    return [hit.id for hit in hits if is_about_subject(hit.text)]


def _near_facts(
    hits: list[Recalled], memories_by_id: dict[str, Memory], subject: frozenset[str]
) -> tuple[Memory, ...]:
    likely = [
        hit
        for hit in hits
        if hit.id in memories_by_id
        and hit.cosine
        >= (NEARLY if shares(_searched_text(memories_by_id[hit.id]), subject) else NEAR)
    ]
    return tuple(
        memories_by_id[hit.id] for hit in sorted(likely, key=lambda hit: -hit.cosine)[:FEW]
    )


def _searched_text(memory: Memory) -> str:
    return " ".join([memory.text, *memory.tags])


def _proposed(runtime: Runtime, request: ConsentRequest) -> str:
    return " ".join(
        [label(request.field), request.new_value, pending.memory_text(runtime, request.id)]
    )
