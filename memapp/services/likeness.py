"""The known memories that are like a text, in meaning, and which of them says the same."""

from collections.abc import Sequence

from memapp.domain.filters import ALL_LIVE
from memapp.domain.memory import Memory, State
from memapp.language.same import is_respelt
from memapp.language.wording import normalise
from memapp.runtime import Runtime
from memapp.services.embed import embedded
from memapp.store import memories, vectors
from memapp.store.session import Session

NEAREST = 50
"""Memories compared by meaning."""
NEWEST = 50
"""Memories compared beside them: the last ones; and so many of those that have no vector yet."""

Near = Sequence[tuple[Memory, float]]
"""Known memories with their likeness to a text, as cosines."""


def near(runtime: Runtime, texts: Sequence[str]) -> list[Near]:
    """Return the known facts to compare each new one with. Without an embedder the newest ones, and
    words alone decide.

    Known facts are compared by their stored vectors; only those that have none yet are embedded.
    Where another model than the one that reads made the stored vectors, it finds them, and the one
    that reads says how like they are.
    """
    found = _near(runtime, texts)
    if runtime.reading is runtime.embedding or not (
        known := [memory.text for each in found for memory, _ in each]
    ):
        return found
    rows = embedded(runtime.reading, [*texts, *known], wait=True)
    if rows is None:
        return found
    vectors_of = iter(rows[len(texts) :])
    return [
        [(memory, float(next(vectors_of) @ vector)) for memory, _ in each]
        for vector, each in zip(rows, found, strict=False)
    ]


def _near(runtime: Runtime, texts: Sequence[str]) -> list[Near]:
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
    found: list[Near] = []
    for vector in rows[: len(texts)]:
        likeness = stored.likeness(session, vector)
        cosines = {key: likeness.of(key) for key in (*likeness.nearest(NEAREST), *newest)}
        cosines |= {
            key: float(vector @ other)
            for (key, _), other in zip(waiting, rows[len(texts) :], strict=True)
        }
        ids = memories.ids_of(session, cosines)
        known = memories.get_memories(session, list(ids.values()))
        by_id = {memory_id: cosines[key] for key, memory_id in ids.items()}
        found.append([(memory, by_id[memory.id]) for memory in known if memory.is_compared])
    return found


def _newest(session: Session) -> Near:
    return [
        (memory, 0.0)
        for memory in memories.list_memories(session, ALL_LIVE, limit=NEWEST)
        if memory.is_compared
    ]


def same_as(session: Session, text: str, known: Near) -> str:
    """Return the id of a live memory that says the same as a text, up to articles and forms of the
    words; empty for none.

    Likeness in meaning tells nothing of that: two sentences that differ in a number or a `not` are
    as alike as two can be.
    """
    if same := memories.find_same(session, normalise(text)):
        return same
    respelt = [memory.id for memory, _ in known if is_respelt(memory.text, text)]
    return next(
        (
            memory.id
            for memory in memories.get_memories(session, respelt)
            if memory.state is State.LIVE
        ),
        "",
    )
