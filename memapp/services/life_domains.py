"""Facts that bear on a request although nobody asked for them: diets and allergies, what somebody avoids, where they live."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memapp.domain.memory import Recalled
from memapp.language.english import life_domains
from memapp.language.english.tags import chosen_tags
from memapp.prompts import quotes
from memapp.runtime import Runtime
from memapp.services.embed import KINDS, embedded
from memapp.services.recall import about_same
from memapp.store import consents, memories, vectors
from memapp.store.scope import Scope
from memapp.store.vectors import Vectors

AMONG = 1000
"""How many facts, the pinned and important ones before the newest, are read for those that bear on every request of a kind."""
_phrases: dict[str, Vectors] = {}
"""The vectors of the phrases of all domains by embedding model: they are the same for every store."""
_common: dict[str, tuple[Vectors, Vectors]] = {}
"""What all requests have in common, and all facts that bear on one, by embedding model."""


@dataclass(frozen=True, slots=True)
class Bearing:
    """What is known of the person that a reply to a request must go by."""

    vital: tuple[Recalled, ...] = ()
    """What they must not be given to eat: it comes first, and more of it than else stands in a prompt."""
    fitting: tuple[Recalled, ...] | None = None
    """What of all that was found is about the same as the request, likest first; None where that cannot be told."""
    circumstances: tuple[Recalled, ...] = ()
    """Where they live, their children, their budget: for places that are free."""


def bearing_on(runtime: Runtime, message: str, found: Sequence[Recalled], scope: Scope) -> Bearing:
    """Return the facts that bear on a message, of all that may be seen, and the constraints among what recall found for it."""
    is_request = quotes.asks_advice(message)
    if not (is_request or life_domains.touches_food(message)):
        return Bearing()
    nearness = _nearness(runtime, embedded(runtime, [message]))[0] if is_request else {}
    needed = life_domains.needed_by(message, nearness)
    vital: list[Recalled] = []
    fasts: list[Recalled] = []
    circumstances: dict[str, Recalled] = {}
    for fact in memories.in_scope(runtime.read(), scope, AMONG) if needed else ():
        tags = {*life_domains.domains_of(fact.text), *chosen_tags(fact.tags, fact.text)}
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
    fitting = _fitting(runtime, message, found, scope) if is_request else None
    of_each = tuple(circumstances[tag] for tag in needed if tag in circumstances)
    return Bearing(tuple({hit.id: hit for hit in (*vital, *fasts)}.values()), fitting, of_each)


def kept_out(runtime: Runtime, said: str, hits: Sequence[Recalled]) -> frozenset[str]:
    """Return the foods that a reply leaves out: by what waits for a yes, and to a message about food by itself and the hits.

    What somebody only does not like counts where they say it just then, or where it is found. What waits is told to nobody so,
    and nothing of it is known; what was denied, or asked about in vain, is not gone by. Of a food that the person names they
    hear, unless they say just then that they do not eat it.
    """
    session = runtime.read()
    waiting = [*consents.list_pending(session), *consents.asleep(session)]
    told = [memory.text if (memory := consents.memory_of(session, one.id)) else one.new_value for one in waiting]
    is_about_food = life_domains.touches_food(said)
    known = [hit.text for hit in hits if is_about_food and hit.kind == "memory"]
    foods = frozenset(food for text in (*told, *known) for food in life_domains.kept_out_by(text))
    foods |= frozenset(food for text in known for food in life_domains.disliked_in(text))
    asked = frozenset(food for food in foods if life_domains.names(said, food))
    said_now = life_domains.kept_out_by(said) | life_domains.disliked_in(said) if is_about_food else frozenset()
    return (foods - asked) | said_now


def _fitting(runtime: Runtime, request: str, found: Sequence[Recalled], scope: Scope) -> tuple[Recalled, ...] | None:
    """Return what is about the same as a request: facts, and of the messages found those that keep the person from something.

    What all requests and all such facts have in common is left out of the comparison: by that all are alike, and recall, which
    goes by all of it, does not find them all.
    """
    stated = [hit for hit in found if hit.kind == "memory" or _keeps_from(hit)]
    common, asking, rows = _in_common(runtime), embedded(runtime, [request]), _vectors(runtime, stated)
    if common is None or asking is None or rows is None:
        return None
    asked = asking[0] - common[0]
    asked /= np.linalg.norm(asked)
    alike = {hit.id: (hit, hit.cosine) for hit in about_same(runtime, asked, common[1], scope)}
    for hit, row in zip(stated, rows, strict=True):
        told = row - common[1]
        alike[hit.id] = hit, float(told @ asked / np.linalg.norm(told))
    likest = sorted(alike.values(), key=lambda pair: -pair[1])
    least = likest[0][1] - life_domains.BESIDE_BEST if likest else 0.0
    return tuple(hit for hit, likeness in likest if likeness >= max(least, life_domains.least_alike(hit.text)))


def _vectors(runtime: Runtime, hits: Sequence[Recalled]) -> list[Vectors] | None:
    """Return the vectors of hits, made here where idle time has not come yet; None without an embedding model."""
    embedder = runtime.embedding.ready()
    if embedder is None:
        return None
    known: dict[str, Vectors] = {}
    for kind in KINDS:
        ids = [hit.id for hit in hits if hit.kind == kind]
        known |= vectors.of_owners(runtime.read(), kind, embedder.model_id, ids)
    new = [hit for hit in hits if hit.id not in known]
    made = embedded(runtime, [hit.text for hit in new]) if new else ()
    if made is None:
        return None
    known |= {hit.id: row for hit, row in zip(new, made, strict=True)}
    return [known[hit.id] for hit in hits]


def _keeps_from(hit: Recalled) -> bool:
    return hit.said_by == "user" and "?" not in hit.text and life_domains.is_constraint(hit.text)


def _in_common(runtime: Runtime) -> tuple[Vectors, Vectors] | None:
    """Return the mean vectors of requests and of facts that bear on one, whatever they are about."""
    embedder = runtime.embedding.ready()
    if embedder is not None and embedder.model_id not in _common:
        asking = embedded(runtime, life_domains.frames("asking_frames"))
        stating = embedded(runtime, life_domains.frames("stating_frames"))
        if asking is not None and stating is not None:
            _common[embedder.model_id] = asking.mean(axis=0), stating.mean(axis=0)
    return _common.get(embedder.model_id) if embedder is not None else None


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
    """Return the vectors of the phrases of all domains, embedded once: at best before the first turn, which would wait.

    With them what requests and facts have in common is embedded.
    """
    embedder = runtime.embedding.ready()
    if embedder is None or _in_common(runtime) is None:
        return None
    if embedder.model_id not in _phrases:
        made = embedded(runtime, [phrase for of_one in life_domains.phrases().values() for phrase in of_one])
        if made is None:
            return None
        _phrases[embedder.model_id] = made
    return _phrases[embedder.model_id]
