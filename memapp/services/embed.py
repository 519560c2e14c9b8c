"""The job `embed`: vectors of new memories and messages, and links between similar memories.

Vectors and links of a memory are saved together: a memory with a vector is linked already, so
nothing is left half done.
"""

import logging
from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from memapp.domain.changes import Actor, Linked
from memapp.domain.jobs import Pace
from memapp.domain.memory import OwnerKind
from memapp.domain.relation import strongest
from memapp.errors import ModelError
from memapp.inference import Cancel, Embedder
from memapp.runtime import ModelSlot, Runtime
from memapp.store import changes, memories, relations, vectors
from memapp.store.session import Session
from memapp.store.vectors import Vectors

log = logging.getLogger(__name__)

BATCH = 32
RECENT_TEXTS = 256
Alike = dict[int, list[tuple[int, float]]]
"""For each memory, the similar ones with their cosine; all by key."""
_recent: WeakKeyDictionary[Embedder, dict[str, Vectors]] = WeakKeyDictionary()
KINDS: tuple[OwnerKind, ...] = ("memory", "message")


def embed(runtime: Runtime, cancel: Cancel) -> int:
    """Embed all texts without a vector of this model; return their number."""
    return sum(run(runtime, cancel))


def run(runtime: Runtime, cancel: Cancel, _last: Pace | None = None) -> Iterator[int]:
    """Embed texts without a vector, the newest batch first; yield the size of each batch.

    Within a batch older memories come first, so each is linked to the memories before, in one batch
    as one by one.
    """
    embedder = runtime.embedding.ready()
    if embedder is None:
        return
    for kind in KINDS:
        while not cancel.is_set():
            batch = sorted(vectors.waiting(runtime.read(), kind, embedder.model_id, BATCH))
            if not batch:
                break
            rows = embedder.embed([text for _, text in batch])
            alike = _alike(runtime, batch, rows, embedder.model_id) if kind == "memory" else {}
            with runtime.write() as session:
                saved = vectors.save(session, kind, embedder.model_id, batch, rows)
                if kind == "memory":
                    _relate(runtime, session, saved, alike, embedder.model_id)
            yield len(batch)
            if len(batch) < BATCH:
                break


def waiting(runtime: Runtime) -> int:
    """Count the texts without a vector; 0 without an embedding model."""
    embedder = runtime.embedding.ready()
    return (
        sum(vectors.count_waiting(runtime.read(), kind, embedder.model_id) for kind in KINDS)
        if embedder
        else 0
    )


def stored(runtime: Runtime) -> int:
    """Count the texts that the search compares by meaning."""
    return sum(vectors.count_waiting(runtime.read(), kind, "") for kind in KINDS)


def embedded(
    slot: ModelSlot[Embedder], texts: Sequence[str], *, wait: bool = False
) -> Vectors | None:
    """Return the vectors of texts; None if the model fails, so that words must do.

    The last vectors are cached: a turn compares its message with the prediction, with memories, and
    with life domains.
    """
    embedder = slot.ready()
    if embedder is None:
        return None
    recent = _recent.setdefault(embedder, {})
    rows = {text: row for text in texts if (row := recent.get(text)) is not None}
    try:
        if new := [text for text in dict.fromkeys(texts) if text not in rows]:
            rows.update(zip(new, embedder.embed(new, wait=wait), strict=True))
    except ModelError as error:
        log.warning("doing without meaning: %s", type(error).__name__)
        return None
    if len(recent) + len(rows) > RECENT_TEXTS:
        recent.clear()
    recent.update(rows)
    return np.stack([rows[text] for text in texts])


def let_go() -> None:
    """Drop the cached vectors."""
    _recent.clear()


def _alike(
    runtime: Runtime, batch: Sequence[tuple[int, str]], rows: Vectors, model_id: str
) -> Alike:
    """Compare the memories of a batch with earlier ones and with each other."""
    session = runtime.read()
    stored = vectors.matrix(runtime.database, runtime.user_id, "memory", model_id)
    least = runtime.settings.link_min
    alike = {}
    likenesses = stored.likenesses(session, rows)
    for place, ((key, _), likeness) in enumerate(zip(batch, likenesses, strict=True)):
        before = [
            (other, likeness.of(other))
            for other in likeness.nearest(4 * runtime.settings.link_top_k, least)
        ]
        beside = [(batch[at][0], float(rows[place] @ rows[at])) for at in range(place)]
        alike[key] = [
            (other, cosine)
            for other, cosine in [*before, *beside]
            if other != key and cosine >= least
        ]
    return alike


def _relate(
    runtime: Runtime, session: Session, saved: Sequence[int], alike: Alike, model_id: str
) -> None:
    ids = memories.ids_of(
        session, {*saved, *(other for near in alike.values() for other, _ in near)}
    )
    for key in saved:
        linked = relations.pairs_of(session, ids[key])
        similar = [(ids[other], cosine) for other, cosine in alike[key] if other in ids]
        links = strongest(similar, runtime.settings.link_min, runtime.settings.link_top_k)
        if new := tuple(link for link in links if link[0] not in linked):
            actor, closest = Actor(f"model:{model_id}"), max(value for _, value in new)
            changes.apply(session, Linked(ids[key], new), actor, sim=closest)
