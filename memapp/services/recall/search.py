"""Recall: finding the facts and earlier messages for a text, and the facts for keywords.

Facts and messages are searched together by words, meaning and spelling, and fused into one order;
each hit says why it matched. Every turn and `memory.query` come through here; finding while typing
is `services.global_search`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memapp.domain import ranking
from memapp.domain.memory import Recalled
from memapp.domain.named_time import until
from memapp.domain.ranking import Candidate, Ranked
from memapp.domain.relation import Edge
from memapp.language.named_times import named_times
from memapp.language.query_words import measure_asked, query_words
from memapp.runtime import Runtime
from memapp.services.embed import embedded
from memapp.services.recall.redaction import redact
from memapp.store import memories, relations, search, vectors
from memapp.store.scope import Scope

RELATED_HITS = 2
KEYWORD_HITS = 2
"""Facts that one keyword may bring; a third would be chance."""
_RELATED_TO = "related "


@dataclass(frozen=True, slots=True)
class RecallRequest:
    text: str
    """The message, or the text of a search."""
    top_k: int = 10
    """Up to `RELATED_HITS` related facts may follow."""
    without: frozenset[str] = frozenset()
    """Ids of messages the reader sees already."""
    kinds: tuple[Literal["memory", "message"], ...] = ("memory", "message")
    scope: Scope | None = None
    """Facts that may be seen; None for the person, who may see all."""
    newest: search.NewestFacts | None = None
    """Those in scope, shared with other searches at this moment."""


def recall(runtime: Runtime, request: RecallRequest) -> list[Recalled]:
    """Return the best hits, best first; without the embedder by words and spelling only."""
    session, words = runtime.read(), query_words(request.text)
    rows = (
        embedded(runtime.embedding, [request.text[: vectors.EMBEDDED_CHARS]])
        if request.text.strip()
        else None
    )
    vector = None if rows is None else rows[0]
    candidates = [
        candidate
        for kind in request.kinds
        for candidate in _candidates(runtime, kind, request.scope, words, vector, request.newest)
        if candidate.id not in request.without
    ]
    if request.scope is not None:
        # Withdrawn, pending or denied text is hidden from all but the person.
        candidates = _redacted(runtime, candidates, words, vector)
    now = session.now.astimezone()
    times = named_times(request.text, now.date())
    if times:  # they are of the person's time zone
        candidates = [replace(candidate, at=candidate.at.astimezone()) for candidate in candidates]
    facts = [candidate.id for candidate in candidates if candidate.kind == "memory"]
    edges = (
        relations.edges_of(session, request.scope or Scope(runtime.user_id), facts) if facts else []
    )
    strength = _strongest_relations(edges, {candidate.id for candidate in candidates})
    measure = measure_asked(request.text)
    measured = frozenset(
        candidate.id
        for candidate in candidates
        if measure is not None and measure.search(candidate.text)
    )
    ranked = ranking.fuse(candidates, words, now, times, strength, measured)
    hits = _without_repeats(runtime, ranked[: 2 * request.top_k], words)[: request.top_k]
    return [*(_recalled(hit, words) for hit in hits), *_related(runtime, hits, edges)]


def recall_keywords(
    runtime: Runtime,
    needed_info: Sequence[str],
    scope: Scope,
    newest: search.NewestFacts | None = None,
) -> list[Recalled]:
    """Return the facts for keywords: the best of each in turn, then the second of each.

    Each keyword is a query of its own: together they would find what lies between them.
    """
    rows = embedded(runtime.embedding, needed_info) if needed_info else None
    now = runtime.clock().astimezone()
    by_keyword = []
    for place, keyword in enumerate(needed_info):
        words = query_words(keyword)
        candidates = _candidates(
            runtime, "memory", scope, words, None if rows is None else rows[place], newest
        )
        asked_for = [
            candidate
            for candidate in candidates
            if ranking.is_asked_for(keyword, candidate, compared=rows is not None)
        ]
        ranked = ranking.fuse(asked_for, words, now)[:KEYWORD_HITS]
        by_keyword.append(
            [replace(_recalled(hit, words), why=f"{keyword}: {hit.why}") for hit in ranked]
        )
    in_turn = [hit for hit in chain.from_iterable(zip_longest(*by_keyword)) if hit is not None]
    return list({hit.id: hit for hit in reversed(in_turn)}.values())[::-1]


def recall_by_spelling(
    runtime: Runtime, needed_info: Sequence[str], scope: Scope, limit: int
) -> list[Recalled]:
    """Return the facts spelled most like a keyword, in text or tags; newest first of equals."""
    facts = (
        memories.in_scope(runtime.read(), scope, runtime.settings.max_facts) if needed_info else []
    )
    scored = [
        (ranking.fuzzy_score(memory.text, memory.tags, needed_info), memory) for memory in facts
    ]
    scored.sort(key=lambda scored_fact: (scored_fact[0], scored_fact[1].created_at), reverse=True)
    return [
        Recalled.of(memory, round(score / 100, 4), "letters", memory.created_at)
        for score, memory in scored[:limit]
    ]


def is_related(hit: Recalled) -> bool:
    """Return True for a hit that was only found as related to another."""
    return hit.why.startswith(_RELATED_TO) and " + " not in hit.why


def _candidates(
    runtime: Runtime,
    kind: Literal["memory", "message"],
    scope: Scope | None,
    words: Sequence[str],
    vector: NDArray[np.float32] | None,
    newest: search.NewestFacts | None,
) -> list[Candidate]:
    session = runtime.read()
    likeness = vectors.NOTHING_ALIKE
    embedder = runtime.embedding.ready()
    if vector is not None and embedder is not None:
        likeness = vectors.matrix(
            runtime.database, runtime.user_id, kind, embedder.model_id
        ).likeness(session, vector)
    if kind == "memory":
        return search.search_memories(
            session, scope or Scope(runtime.user_id), words, likeness=likeness, newest=newest
        )
    return search.search_messages(session, words, likeness=likeness)


def _redacted(
    runtime: Runtime,
    candidates: Sequence[Candidate],
    words: Sequence[str],
    vector: NDArray[np.float32] | None,
) -> list[Candidate]:
    """Return candidates with their withheld parts redacted.

    A redacted message is ranked by the rest of its text, not by the hidden part.
    """
    before = {candidate.id: candidate.text for candidate in candidates}
    likeliest = sorted(
        candidates, key=lambda candidate: (candidate.bm25 > 0, candidate.cosine), reverse=True
    )
    tellable_messages = redact(
        runtime.read(), [candidate for candidate in likeliest if candidate.kind == "message"]
    )
    cut = [candidate for candidate in tellable_messages if candidate.text != before[candidate.id]]
    rows = (
        None
        if vector is None or not cut
        else embedded(
            runtime.embedding, [candidate.text[: vectors.EMBEDDED_CHARS] for candidate in cut]
        )
    )
    cosines = [0.0] * len(cut) if rows is None or vector is None else (rows @ vector).tolist()
    left = [
        replace(
            candidate,
            cosine=cosine,
            bm25=candidate.bm25 if ranking.share_held(candidate.text, words) else 0.0,
        )
        for candidate, cosine in zip(cut, cosines, strict=True)
    ]
    facts = [candidate for candidate in candidates if candidate.kind == "memory"]
    return [
        *facts,
        *(candidate for candidate in tellable_messages if candidate.text == before[candidate.id]),
        *left,
    ]


def _strongest_relations(edges: Sequence[Edge], among: Collection[str]) -> dict[str, float]:
    """Return for each fact its strongest relation to another candidate; `edges` are sorted."""
    strongest: dict[str, float] = {}
    for edge in edges:
        if edge.to_id in among:
            strongest.setdefault(edge.memory_id, edge.strength)
    return strongest


def _related(runtime: Runtime, hits: Sequence[Ranked], edges: Sequence[Edge]) -> list[Recalled]:
    """Return the facts most related to the best hits, at most `RELATED_HITS`, below all others."""
    scores = {hit.candidate.id: hit.score for hit in hits}
    outward = [edge for edge in edges if edge.memory_id in scores and edge.to_id not in scores]
    outward.sort(key=lambda edge: scores[edge.memory_id] * edge.strength)
    beyond = {edge.to_id: edge for edge in outward}  # the last of several is the best
    chosen = sorted(beyond.values(), key=lambda edge: -scores[edge.memory_id] * edge.strength)[
        :RELATED_HITS
    ]
    facts = memories.get_memories(runtime.read(), [edge.to_id for edge in chosen])
    lowest = min(scores.values(), default=0.0)
    return [
        Recalled.of(
            fact,
            round(lowest * edge.strength, 4),
            f"{_RELATED_TO}{edge.strength:.2f}",
            fact.created_at,
        )
        for fact in facts  # some may have been erased since
        for edge in [beyond[fact.id]]
    ]


def _without_repeats(
    runtime: Runtime, ranked: Sequence[Ranked], words: Sequence[str]
) -> list[Ranked]:
    """Drop a message below the fact made of it, unless the message holds more of the query."""
    facts = [hit.candidate.id for hit in ranked if hit.candidate.kind == "memory"]
    sources = search.sources_of(runtime.read(), facts) if facts else {}
    told_shares: dict[str, float] = {}
    kept = []
    for hit in ranked:
        held = ranking.share_held(hit.candidate.text, words)
        if held > told_shares.get(hit.candidate.id, -1.0):
            kept.append(hit)
            for source in sources.get(hit.candidate.id, ()):
                told_shares[source] = max(held, told_shares.get(source, 0.0))
    return kept


def _recalled(ranked: Ranked, words: Sequence[str]) -> Recalled:
    candidate, at = ranked.candidate, ranked.candidate.at.astimezone()
    return Recalled(
        kind=candidate.kind,
        id=candidate.id,
        text=candidate.text + (until(candidate.valid_until, at) if candidate.valid_until else "")
        if candidate.kind == "memory"
        else ranking.excerpt(candidate.text, words),
        said_by=candidate.said_by,
        thread_id=candidate.thread_id,
        at=at,
        score=round(ranked.score, 4),
        why=ranked.why,
        pinned=candidate.pinned,
        category=candidate.category,
        boosts=round(ranked.boosts, 4),
        cosine=round(candidate.cosine, 4),
        is_imported=candidate.is_imported,
    )
