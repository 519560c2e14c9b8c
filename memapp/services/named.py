"""Finds what the person names to their memory, whatever holds it: facts, values of the profile,
requests that wait, messages.

What holds all the words that are named is surely meant; what is only near in meaning may be.
"""

from dataclasses import dataclass
from functools import partial

from memapp.domain.consent import ConsentRequest, label
from memapp.domain.memory import Memory, Recalled
from memapp.domain.profile import Hint
from memapp.language.subject import is_about, shares, subject_of
from memapp.runtime import Runtime
from memapp.services.consent import decisions, pending
from memapp.services.recall import RecallRequest, recall
from memapp.store import memories
from memapp.store.scope import Scope

AMONG = 60
"""So many hits are looked through, of each kind."""
NEAR = 0.5
"""Of a fact that shares no word with what is named: less like it, it is about something else."""
NEARLY = 0.35
"""Of one that shares a word."""
FEW = 5
"""More that are only near mean nothing."""


@dataclass(frozen=True, slots=True)
class Named:
    """What memory holds of something that is named."""

    facts: tuple[Memory, ...] = ()
    values: tuple[Hint, ...] = ()
    requests: tuple[ConsentRequest, ...] = ()
    """That wait for the person's yes."""
    near: tuple[Memory, ...] = ()
    """Facts that may be meant, nearest first; looked for where nothing is sure."""

    @property
    def is_known(self) -> bool:
        return bool(self.facts or self.values)


def named(runtime: Runtime, content: str, scope: Scope | None = None) -> Named:
    """Return what memory holds of something. Without a scope it is for the person themself: nothing
    is withheld.
    """
    subject = subject_of(content)
    hits = recall(runtime, RecallRequest(content, AMONG, kinds=("memory",), scope=scope))
    found = {
        memory.id: memory
        for memory in memories.get_memories(runtime.read(), [hit.id for hit in hits])
    }
    facts = [
        found[hit.id]
        for hit in hits
        if hit.id in found and is_about(_all_of(found[hit.id]), subject)
    ]
    values = [
        Hint(field, value)
        for field, known in decisions.profile(runtime).items()
        for value in known
        if is_about(f"{label(field)} {value}", subject)
    ]
    waiting = [
        request
        for request in pending.list_pending(runtime)
        if is_about(_proposed(runtime, request), subject)
    ]
    near = () if facts or values else _near(hits, found, subject)
    return Named(tuple(facts), tuple(values), tuple(waiting), near)


def said_of(runtime: Runtime, content: str) -> list[str]:
    """Return the ids of the messages that say all that is named."""
    about = partial(is_about, subject=subject_of(content))
    hits = recall(runtime, RecallRequest(content, AMONG, kinds=("message",)))
    return [hit.id for hit in hits if about(hit.text)]


def _near(
    hits: list[Recalled], found: dict[str, Memory], subject: frozenset[str]
) -> tuple[Memory, ...]:
    likely = [
        hit
        for hit in hits
        if hit.id in found
        and hit.cosine >= (NEARLY if shares(_all_of(found[hit.id]), subject) else NEAR)
    ]
    return tuple(found[hit.id] for hit in sorted(likely, key=lambda hit: -hit.cosine)[:FEW])


def _all_of(memory: Memory) -> str:
    return " ".join([memory.text, *memory.tags])


def _proposed(runtime: Runtime, request: ConsentRequest) -> str:
    return " ".join(
        [label(request.field), request.new_value, pending.memory_text(runtime, request.id)]
    )
