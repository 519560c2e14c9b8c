"""What bears on a request although nobody asked for it: diets and allergies, what somebody avoids, where they live."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memapp.domain import life_domains
from memapp.domain.memory import Recalled
from memapp.runtime import Runtime
from memapp.services.embed import embedded
from memapp.store import memories, vectors
from memapp.store.scope import Scope
from memapp.store.vectors import Vectors

AMONG = 1000
"""How many facts, the pinned and important ones before the newest, are read for those that bear on every request of a kind."""
BESIDE_BEST = 0.10
"""What somebody avoids is told if it is hardly less like the request than what fits best."""
_phrases: dict[str, Vectors] = {}
"""The vectors of the phrases of all domains by embedding model: they are the same for every store."""


@dataclass(frozen=True, slots=True)
class Bearing:
    """What is known of the person that a reply to a request must go by."""

    vital: tuple[Recalled, ...] = ()
    """What they must not be given to eat: it comes first, and more of it than else stands in a prompt."""
    constraints: tuple[Recalled, ...] = ()
    """What they avoid or insist on in this domain of life, likest first."""
    circumstances: tuple[Recalled, ...] = ()
    """Where they live, their children, their budget: for places that are free."""


def bearing_on(runtime: Runtime, message: str, found: Sequence[Recalled], scope: Scope) -> Bearing:
    """Return the facts that bear on a message, of all that may be seen, and the constraints among what recall found for it."""
    is_request = life_domains.is_request(message)
    if not (is_request or life_domains.touches_food(message)):
        return Bearing()
    nearness = _nearness(runtime, embedded(runtime, [message]))[0] if is_request else {}
    needed = life_domains.needed_by(message, nearness)
    vital: list[Recalled] = []
    fasts: list[Recalled] = []
    circumstances: dict[str, Recalled] = {}
    for fact in memories.in_scope(runtime.read(), scope, AMONG) if needed else ():
        tags = {*life_domains.tags_of(fact.text), *fact.tags}
        for tag in needed:
            if tag not in tags:
                continue
            hit = Recalled.of(fact, 0.0, f"bears on it: {tag}", fact.updated_at)
            if tag == "food":
                vital.append(hit)
            elif tag == "faith" and "food" in needed:
                fasts.append(hit)
            elif is_request:
                circumstances.setdefault(tag, hit)
    near = life_domains.nearest(nearness)
    constraints = _constraints(runtime, found, near) if near else ()
    of_each = tuple(circumstances[tag] for tag in needed if tag in circumstances)
    return Bearing(tuple({hit.id: hit for hit in (*vital, *fasts)}.values()), constraints, of_each)


def _constraints(runtime: Runtime, found: Sequence[Recalled], near: frozenset[str]) -> tuple[Recalled, ...]:
    """Return what of the hits keeps the person from something in a domain that the request is near to."""
    embedder = runtime.embedding.ready()
    stated = [hit for hit in found if hit.said_by != "assistant" and "?" not in hit.text and life_domains.is_constraint(hit.text)]
    if embedder is None or not stated:
        return ()
    rows = {
        id: row
        for kind in ("memory", "message")
        for id, row in vectors.of_owners(runtime.read(), kind, embedder.model_id, [one.id for one in stated]).items()
    }
    stated = [hit for hit in stated if hit.id in rows and hit.cosine >= life_domains.LEAST_COSINE]
    nearness = _nearness(runtime, np.stack([rows[hit.id] for hit in stated])) if stated else []
    bearing = [hit for hit, its in zip(stated, nearness, strict=True) if life_domains.nearest(its) & near]
    best = max((hit.cosine for hit in bearing), default=0.0)
    return tuple(sorted((hit for hit in bearing if hit.cosine >= best - BESIDE_BEST), key=lambda hit: -hit.cosine))


def _nearness(runtime: Runtime, rows: Vectors | None) -> list[dict[str, float]]:
    """Return for each vector how near it is to each domain; nothing without an embedding model."""
    phrases = prepare(runtime)
    if rows is None or phrases is None:
        return [{}] * (1 if rows is None else len(rows))
    domains = [domain for domain, of_one in life_domains.phrases().items() for _ in of_one]
    found = []
    for cosines in rows @ phrases.T:
        nearness: dict[str, float] = {}
        for domain, cosine in zip(domains, cosines, strict=True):
            nearness[domain] = max(nearness.get(domain, -1.0), float(cosine))
        found.append(nearness)
    return found


def prepare(runtime: Runtime) -> Vectors | None:
    """Return the vectors of the phrases of all domains, embedded once: at best before the first turn, which would wait."""
    embedder = runtime.embedding.ready()
    if embedder is None:
        return None
    if embedder.model_id not in _phrases:
        made = embedded(runtime, [phrase for of_one in life_domains.phrases().values() for phrase in of_one])
        if made is None:
            return None
        _phrases[embedder.model_id] = made
    return _phrases[embedder.model_id]
