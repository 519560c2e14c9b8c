"""The nearest memories of a text, and the memory that says the same."""

from collections.abc import Sequence

from memapp.domain.filters import ALL_LIVE
from memapp.domain.memory import Memory, State
from memapp.language.normal_form import normalise
from memapp.language.same_content import is_respelt
from memapp.runtime import Runtime
from memapp.services.embed import embedded
from memapp.store import memories, vectors
from memapp.store.session import Session

NEAREST = 50
"""The number of memories compared by meaning."""
NEWEST = 50
"""The number of newest memories compared, too, and of memories without a vector yet."""

Neighbours = Sequence[tuple[Memory, float]]
"""Memories near in meaning to a text, with their cosines."""


def nearest_memories(runtime: Runtime, texts: Sequence[str]) -> list[Neighbours]:
    """Return the nearest memories of each text; without an embedder the newest ones.

    Memories are compared by their stored vectors; only those without one are embedded. If the
    stored vectors are of another model than the one that reads, the stored ones select the memories
    and the reading model gives the cosines.
    """
    nearest = _nearest(runtime, texts)
    known = [memory.text for neighbours in nearest for memory, _ in neighbours]
    if runtime.judge_embedder is runtime.embedding or not known:
        return nearest
    rows = embedded(runtime.judge_embedder, [*texts, *known], wait=True)
    if rows is None:
        return nearest
    vectors_of = iter(rows[len(texts) :])
    return [
        [(memory, float(next(vectors_of) @ vector)) for memory, _ in neighbours]
        for vector, neighbours in zip(rows, nearest, strict=False)
    ]


def _nearest(runtime: Runtime, texts: Sequence[str]) -> list[Neighbours]:
    session = runtime.read()
    embedder = runtime.embedding.ready()
    if embedder is None or not texts:
        return [_newest(session)] * len(texts)
    waiting = vectors.waiting(session, "memory", embedder.model_id, NEWEST)
    rows = embedded(runtime.embedding, [*texts, *(text for _, text in waiting)], wait=True)
    if rows is None:
        return [_newest(session)] * len(texts)
    stored = vectors.matrix(runtime.database, runtime.user_id, "memory", embedder.model_id)
    newest = memories.newest_keys(session, NEWEST)
    nearest: list[Neighbours] = []
    for vector in rows[: len(texts)]:
        likeness = stored.likeness(session, vector)
        cosines = {key: likeness.of(key) for key in (*likeness.nearest(NEAREST), *newest)}
        cosines |= {
            key: float(vector @ other)
            for (key, _), other in zip(waiting, rows[len(texts) :], strict=True)
        }
        ids = memories.ids_of(session, cosines)
        compared = memories.get_memories(session, list(ids.values()))
        by_id = {memory_id: cosines[key] for key, memory_id in ids.items()}
        nearest.append([(memory, by_id[memory.id]) for memory in compared if memory.is_compared])
    return nearest


def _newest(session: Session) -> Neighbours:
    return [
        (memory, 0.0)
        for memory in memories.list_memories(session, ALL_LIVE, limit=NEWEST)
        if memory.is_compared
    ]


def same_memory_id(session: Session, text: str, known: Neighbours) -> str:
    """Return the id of the live memory that says the same up to articles and word forms, if any.

    Similarity in meaning does not count: two sentences that differ in a number or a `not` are as
    similar as any.
    """
    if same := memories.find_same(session, normalise(text)):
        return same
    respelt = [memory.id for memory, _ in known if is_respelt(memory.text, text)]
    stored = memories.get_memories(session, respelt)
    return next((memory.id for memory in stored if memory.state is State.LIVE), "")
