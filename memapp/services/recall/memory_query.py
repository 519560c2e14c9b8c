"""`memory.query`: how agents read the memory, each within its own capability.

The capability comes from the app. A request for another agent, another person or a category that is
not on the agent's list is refused as a whole and recorded. The SQL decides what may be seen
(`store.scope`).
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Literal

from memapp.domain.categories import RECENT, RECENT_ACTIVITY, SUPERVISOR, Capability
from memapp.domain.delta import NO_NEWS, Delta, summarise
from memapp.domain.howto import reported
from memapp.domain.memory import Memory, Recalled
from memapp.domain.query import Bullet, Full, QueryAnswer, QueryFilters, QueryRequest, most_tokens
from memapp.domain.text import one_line
from memapp.errors import Refused
from memapp.runtime import Runtime
from memapp.services.recall.search import RecallRequest, is_related, recall
from memapp.store import access_counts, change_log, events, memories
from memapp.store.scope import Scope

ALWAYS = 50
"""Memories of always-recalled categories that a request takes at most."""


def answer_query(runtime: Runtime, capability: Capability, request: QueryRequest) -> QueryAnswer:
    """Answer a request, best hits first, and tell the changes if the budget allows.

    Raises `Refused` for a request beyond the capability.
    """
    _refuse_beyond(runtime, capability, request)
    categories = frozenset(request.categories) or capability.categories
    if request.filters.category is not None:
        categories &= {request.filters.category}
    seen = agent_scope(runtime, capability, categories, request.filters)
    wanted = RecallRequest(request.query, top_k=request.top_k, kinds=("memory",), scope=seen)
    fitting = recall_capped(runtime, wanted, request.threshold)
    # One place is kept for memories related to the hits, which come after these.
    if len(fitting) > request.top_k > 1 and not is_related(fitting[request.top_k - 1]):
        fitting = [*fitting[: request.top_k - 1], fitting[request.top_k]]
    found_ids = {hit.id for hit in fitting}
    unasked = always_recalled(runtime, seen, ALWAYS) if not request.threshold else []
    added = [hit for hit in unasked if hit.id not in found_ids]
    hits = _within_lengths(runtime, seen, [*fitting, *added])[: request.top_k]
    memories_by_id = {
        memory.id: memory
        for memory in memories.get_memories(runtime.read(), [hit.id for hit in hits])
    }
    there_still = [
        replace(hit, text=reported(memories_by_id[hit.id]))
        for hit in hits
        if hit.id in memories_by_id
    ]
    affordable, left = _within_budget(runtime, there_still, request.budget_tokens)
    unseen = _affordable_news(runtime, capability, [hit.id for hit in affordable], left)
    _note(runtime, capability, hits=affordable, unseen=unseen)
    as_wanted = [
        _full(hit, memories_by_id[hit.id]) if request.returned == "full" else _bullet(hit)
        for hit in affordable
    ]
    return QueryAnswer(unseen.lines, as_wanted, len(there_still) - len(affordable))


def recall_capped(
    runtime: Runtime, request: RecallRequest, threshold: float = 0.0
) -> list[Recalled]:
    """Recall, but at most `rag_length` hits of each category."""
    return _within_lengths(
        runtime, request.scope, [hit for hit in recall(runtime, request) if hit.score >= threshold]
    )


def always_recalled(runtime: Runtime, seen: Scope, limit: int) -> list[Recalled]:
    """Return the memories of always-recalled categories, pinned and important ones first."""
    names = frozenset(
        category
        for category in seen.categories or ()
        if runtime.categories.categories[category].context == "all"
    )
    if not names:
        return []
    since = seen.recent_activity_since if RECENT_ACTIVITY in names else None
    in_scope = memories.in_scope(
        runtime.read(), replace(seen, categories=names, recent_activity_since=since), limit
    )
    return _within_lengths(
        runtime,
        seen,
        [Recalled.of(memory, 0.0, "always", memory.updated_at) for memory in in_scope],
    )


def conversation_scope(runtime: Runtime) -> Scope:
    """Return the scope of a chat: the categories on the supervisor's list."""
    return agent_scope(runtime, runtime.categories.capability(SUPERVISOR, runtime.user_id))


def agent_scope(
    runtime: Runtime,
    capability: Capability,
    categories: frozenset[str] | None = None,
    filters: QueryFilters = QueryFilters(),  # noqa: B008 - frozen
) -> Scope:
    """Return the scope of an agent's request; by default everything its capability allows."""
    seen = capability.categories if categories is None else categories & capability.categories
    return Scope(
        capability.user_id,
        seen,
        runtime.clock() - RECENT if RECENT_ACTIVITY in seen else None,
        filters,
    )


def _refuse_beyond(runtime: Runtime, capability: Capability, request: QueryRequest) -> None:
    reason, category, granted = "", "", ""
    named = (*request.categories, request.filters.category)
    beyond = sorted({name for name in named if name is not None} - capability.categories)
    if request.agent != capability.agent:
        reason = "it speaks for another agent"
    elif request.filters.user_id not in (None, capability.user_id):
        reason = "it asks for another person's memory"
    elif beyond:
        category = beyond[0] if beyond[0] in runtime.categories.categories else ""
        reason = "it asks for a category that is not on the agent's list"
        granted = f"Granted: {', '.join(sorted(capability.categories)) or 'none'}."
    if reason:
        _note(runtime, capability, reason=reason, category=category)
        unrecorded = (
            "The file cannot be written, so this could not be recorded."
            if runtime.database.read_only
            else ""
        )
        raise Refused(
            f"The query of {capability.agent!r} was refused: {reason}.",
            f"{granted} {unrecorded}".strip(),
        )


def _within_lengths(
    runtime: Runtime, seen: Scope | None, hits: Sequence[Recalled]
) -> list[Recalled]:
    """Keep the first hits of each category, up to its `rag_length`."""
    counts: dict[str, int] = {}
    kept = []
    for hit in hits:
        counts[hit.category] = counts.get(hit.category, 0) + 1
        length = _length(runtime, seen, hit.category)
        if length is None or counts[hit.category] <= length:
            kept.append(hit)
    return kept


def _length(runtime: Runtime, seen: Scope | None, category: str) -> int | None:
    """Return the length of a category; the shorter of two for activity seen only as recent."""
    is_recent = seen and seen.recent_activity_since and category not in (seen.categories or ())
    categories = runtime.categories.categories
    lengths = [
        categories[name].rag_length
        for name in ([category, RECENT_ACTIVITY] if is_recent else [category])
        if name in categories
    ]
    return min((length for length in lengths if length is not None), default=None)


def untold_changes(
    runtime: Runtime,
    seen: Scope,
    reader: str,
    in_prompt: frozenset[str] = frozenset(),
    quoted: Sequence[str] = (),
) -> Delta:
    """Return the changes a chat or agent was not told yet, except in memories it quotes."""
    session = runtime.read()
    since = change_log.revision(session, reader)
    return summarise(change_log.untold(session, seen, reader), since, in_prompt, frozenset(quoted))


def take_news(runtime: Runtime, capability: Capability) -> tuple[str, ...]:
    """Return the lines of the changes an agent was not told yet, and mark them as told."""
    seen = agent_scope(runtime, capability)
    unseen = untold_changes(runtime, seen, _reader(capability))
    if not runtime.database.read_only:
        with runtime.write() as session:
            change_log.settle(session, seen, _reader(capability), unseen.settled)
    return tuple(unseen.lines)


def _affordable_news(
    runtime: Runtime, capability: Capability, quoted: Sequence[str], budget: int
) -> Delta:
    """Return the changes for an agent if their lines fit the budget; else they wait."""
    news = untold_changes(
        runtime, agent_scope(runtime, capability), _reader(capability), quoted=quoted
    )
    return news if sum(_cost(runtime, line) for line in news.lines) <= budget else NO_NEWS


def _reader(capability: Capability) -> str:
    """Return the name of an agent as a reader of changes, where a chat has its id."""
    return f"agent:{capability.agent}"


def _within_budget(
    runtime: Runtime, hits: Sequence[Recalled], budget: int
) -> tuple[list[Recalled], int]:
    """Return the best hits whose bullets fit the budget, and the budget left."""
    kept: list[Recalled] = []
    for hit in hits:
        cost = _cost(runtime, _bullet(hit).text)
        if cost > budget:
            break
        kept.append(hit)
        budget -= cost
    return kept, budget


def _cost(runtime: Runtime, line: str) -> int:
    """Count the tokens of a line; without a model an upper bound, so that a budget always holds."""
    model = runtime.chat.ready()
    return model.count_tokens(f"{line}\n") if model else most_tokens(line) + 1


def _bullet(hit: Recalled) -> Bullet:
    return Bullet(id=hit.id, category=hit.category, text=f"[{hit.category}] {one_line(hit.text)}")


def _full(hit: Recalled, memory: Memory) -> Full:
    return Full(
        **{**asdict(memory), **_bullet(hit).model_dump(), "score": hit.score, "why": hit.why}
    )


def _note(
    runtime: Runtime,
    capability: Capability,
    *,
    hits: Sequence[Recalled] = (),
    unseen: Delta = NO_NEWS,
    reason: str = "",
    category: str = "",
) -> None:
    """Record a request: the use of the hits, best first, and the changes told."""
    if runtime.database.read_only:
        return
    status: Literal["ok", "error"] = "error" if reason else "ok"
    meta = {"refused": reason} if reason else {}
    best = hits[0] if hits else None
    sim, named = (best.score, best.category) if best else (None, category or None)
    with runtime.write() as session:
        access_counts.count_access(session, [hit.id for hit in hits])
        if not reason:
            change_log.settle(
                session, agent_scope(runtime, capability), _reader(capability), unseen.settled
            )
        events.add_event(session, "context", "search", status, sim=sim, category=named, meta=meta)
