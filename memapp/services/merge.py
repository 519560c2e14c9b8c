"""Compares each new fact with the known ones before it is stored, and merges or replaces.

What says the same adds its source to what is known; what says more takes the old fact in; a contradiction replaces it. Nothing
is destroyed: what was taken in or replaced lies in the trash with its reason, and the whole step can be taken back. What the
person pinned is never retired.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from memapp.domain.changes import Actor, Created, Merged, SoftDeleted, Updated, is_memapp
from memapp.domain.filters import ALL_LIVE
from memapp.domain.memory import Memory, State
from memapp.language.english.merge import MergeVerdict, compare, richer
from memapp.language.english.recall import query_words
from memapp.language.english.statements import in_third_person
from memapp.runtime import Runtime
from memapp.services.embed import embedded
from memapp.store import changes, memories, search, vectors
from memapp.store.scope import Scope
from memapp.store.session import Session

NEAREST = 50
"""Facts compared by meaning. More than the very nearest: two fillers of one slot may be quite unlike."""
NEWEST = 50
"""Facts compared beside them: the last ones; and so many of those that have no vector yet."""

Near = Sequence[tuple[Memory, float]]
"""Known facts with their likeness to the new one, as cosines."""


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a new fact."""

    memory: Memory
    """The fact that holds it now."""
    verdict: MergeVerdict
    step: str
    """What to name to take it back."""
    before: Memory | None = None
    """The known fact that it says the same as, adds to or contradicts."""


def near(runtime: Runtime, texts: Sequence[str]) -> list[Near]:
    """Return the known facts to compare each new one with. Without the embedder the newest ones, and words alone decide.

    Known facts are compared by their stored vectors; only those that have none yet are embedded.
    """
    session = runtime.read()
    embedder = runtime.embedding.ready()
    if embedder is None or not texts:
        return [_newest(session)] * len(texts)
    waiting = vectors.waiting(session, "memory", embedder.model_id, NEWEST)
    rows = embedded(runtime, [*texts, *(text for _, text in waiting)], wait=True)
    if rows is None:
        return [_newest(session)] * len(texts)
    stored = vectors.matrix(runtime.database, runtime.user_id, "memory", embedder.model_id)
    newest = memories.newest_keys(session, NEWEST)
    found: list[Near] = []
    for vector in rows[: len(texts)]:
        likeness = stored.likeness(session, vector)
        cosines = {key: likeness.of(key) for key in (*likeness.nearest(NEAREST), *newest)}
        cosines |= {key: float(vector @ other) for (key, _), other in zip(waiting, rows[len(texts) :], strict=True)}
        ids = memories.ids_of(session, cosines)
        known = memories.get_memories(session, list(ids.values()))
        by_id = {memory_id: cosines[key] for key, memory_id in ids.items()}
        found.append([(one, by_id[one.id]) for one in known if one.is_compared])
    return found


def _newest(session: Session) -> Near:
    return [(one, 0.0) for one in memories.list_memories(session, ALL_LIVE, limit=NEWEST) if one.is_compared]


def sharing_words(session: Session, text: str) -> Near:
    """Return the known facts to compare a new one with where no model may run: those with words of it, and words alone decide."""
    found = [one.id for one in search.search_memories(session, Scope(session.user_id), query_words(text))]
    return [(one, 0.0) for one in memories.get_memories(session, found) if one.is_compared]


def write(runtime: Runtime, session: Session, new: Memory, known: Near, actor: Actor, replaces: Memory | None = None) -> Written:
    """Store a new fact as what it is to the known ones, in one step; `replaces` is one of which the person said that it is that.

    Raises `UsageError` if a live fact says exactly the same.
    """
    live = _still_live(session, known)
    verdict, old = (MergeVerdict.CONTRADICTS, replaces) if replaces else _verdict(new, live)
    together = replace(actor, step=actor.step or session.new_id())
    nearest = max((likeness for _, likeness in live), default=0.0) or None  # 0: compared by words alone
    apply = partial(changes.apply, session, actor=together, sim=nearest)
    merge = partial(apply, actor=replace(together, name="merge")) if is_memapp(actor.name) else apply
    if old is None:
        apply(Created(new))
        return Written(new, verdict, together.step)
    if verdict is MergeVerdict.SAME:
        known_as = in_third_person(old.text)
        text = richer(new.text, known_as)
        merge(Updated(old.id, text=None if text == known_as else text, sources=new.sources))
        return Written(memories.get_memory(session, old.id), verdict, together.step, old)
    if verdict is MergeVerdict.UPDATES:
        apply(Created(new))
        merge(Merged(old.id, new.id, runtime.purge_at()))
        return Written(memories.get_memory(session, new.id), verdict, together.step, old)
    merge(SoftDeleted(old.id, "superseded", runtime.purge_at()))
    apply(Created(replace(new, importance=max(new.importance, old.importance))))
    return Written(memories.get_memory(session, new.id), verdict, together.step, old)


def _still_live(session: Session, known: Near) -> Near:
    """Leave out what was retired since it was looked up, by a fact of the same message."""
    states = {one.id: one.state for one in memories.get_memories(session, [one.id for one, _ in known])}
    return [(one, likeness) for one, likeness in known if states.get(one.id) is State.LIVE]


_STRENGTH = (MergeVerdict.CONTRADICTS, MergeVerdict.SAME, MergeVerdict.UPDATES)
"""Which verdict counts when several facts have one: what is no longer true must go first."""


def _verdict(new: Memory, known: Near) -> tuple[MergeVerdict, Memory | None]:
    """Return what a new fact is to the known ones, and to which; the likest first among equals."""
    found: dict[MergeVerdict, Memory] = {}
    for old, likeness in sorted(known, key=lambda pair: -pair[1]):
        verdict = compare(new.text, in_third_person(old.text), likeness)  # which may be by hand
        if verdict is MergeVerdict.SEPARATE or (old.pinned and verdict is not MergeVerdict.SAME):
            continue
        found.setdefault(verdict, old)
    return next(((verdict, found[verdict]) for verdict in _STRENGTH if verdict in found), (MergeVerdict.SEPARATE, None))
