"""The job `consolidate`: similar memories are compared in pairs, and merged, linked or left alone.

Two memories that differ in spelling only are merged into the older one; other similar pairs are
linked. A model that passed the test for it is asked first, many pairs in one call, and may merge
two memories if no name, number or negation is lost; a contradiction is put before the person. Each
pair is an undoable step of its own, and a memory that was restored once is left alone. A pinned
memory is never merged into another, and a handwritten memory only into a handwritten one.
"""

import logging
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from memapp.domain.changes import Actor, Linked, Merged
from memapp.domain.consent import CONFLICT, ConsentRequest
from memapp.domain.consolidation import (
    COUNTED,
    LEAVE,
    LINK,
    Decision,
    Pair,
    Policy,
    Spent,
    last_said,
)
from memapp.domain.jobs import Pace
from memapp.domain.memory import Kind, Memory, State
from memapp.domain.prompt import Finished, Piece
from memapp.errors import ModelError
from memapp.inference import Cancel, ChatModel, after
from memapp.language.normal_form import normalise
from memapp.language.same_content import is_respelt, keeps_facts
from memapp.prompts import same_fact
from memapp.runtime import Runtime
from memapp.services.consent import pending
from memapp.services.models import is_trusted_with
from memapp.services.store_reads import reading
from memapp.services.trust import leave
from memapp.store import changes, consents, events, memories, relations, vectors
from memapp.store import consolidation as store
from memapp.store.encoding import begin_of
from memapp.store.session import Session

log = logging.getLogger(__name__)

PAIRS_PER_DAY = 50
TOKENS_PER_DAY = 20_000
SECONDS_PER_DAY = 300.0
RECENT = timedelta(hours=72)
"""The age up to which a memory is looked at, since its last change."""
STILL_COMPARED = timedelta(days=90)
"""The age up to which one of a pair must have changed, unless one was never looked at."""
NOT_AGAIN = timedelta(days=14)
"""The time for which a compared pair is left alone."""
CANDIDATES = 200
"""The number of memories whose pairs are looked up at a time."""
NEIGHBOURS = 50
ALIKE = 0.80
"""The least cosine at which two memories are compared, and at least linked."""
MOST_QUESTIONS = 3
"""The most contradictions that wait for the person at a time."""

tidied = reading(store.tidied)


@dataclass(frozen=True, slots=True)
class FoundPairs:
    candidates: tuple[str, ...]
    """The memories looked up that have a vector."""
    pairs: tuple[Pair, ...]
    """The pairs decided by their words first, then the most similar."""


def run(runtime: Runtime, cancel: Cancel, _last: Pace | None) -> Iterator[ConsentRequest | int]:
    """Settle the pairs left for today; yield questions for the person, and counts of pairs."""
    spent = _spent_today(runtime)
    if (
        runtime.embedding.ready() is None
        or spent.pairs >= PAIRS_PER_DAY
        or spent.seconds >= SECONDS_PER_DAY
    ):
        return
    ended = Cancel()
    with after(SECONDS_PER_DAY - spent.seconds, ended.set), cancel.heard_by(ended.set):
        _tidy_up(runtime)
        while not ended.is_set():
            started = time.monotonic()
            due = find_pairs(runtime, ended)
            if due is None or not due.candidates:
                return
            left = PAIRS_PER_DAY - _spent_today(runtime).pairs
            chosen = due.pairs[:left]
            yield from _settle(runtime, chosen, started, ended)
            if ended.is_set() or not _mark(runtime, due, chosen):
                return


def waiting(runtime: Runtime) -> int:
    """Count the pairs that a run would settle now."""
    due = find_pairs(runtime, Cancel())
    return min(len(due.pairs), max(0, PAIRS_PER_DAY - _spent_today(runtime).pairs)) if due else 0


def report(runtime: Runtime, since: datetime) -> str:
    """Return a line on the results of consolidation since a time; empty if there are none."""
    done = tidied(runtime, since)
    return str(done) if done.pairs else ""


def _spent_today(runtime: Runtime) -> Spent:
    session = runtime.read()
    return store.spent(session, begin_of(session.now.astimezone().date()))


def _tidy_up(runtime: Runtime) -> None:
    """Delete old pairs, and questions about memories that are gone."""
    session = runtime.read()
    requests = consents.list_requests(session, state="pending", field=CONFLICT)
    outdated = [
        request.id
        for request in requests
        if not all(
            memories.find_same(session, normalise(text))
            for text in (request.old_value, request.new_value)
        )
    ]
    pending.end_all(runtime, outdated, runtime.actor(name="merge"), "signals")
    with runtime.write() as session:
        store.clear(session, session.now - NOT_AGAIN)


# Finding pairs, without a model -------------------------------------------------------------------


def find_pairs(runtime: Runtime, cancel: Cancel) -> FoundPairs | None:
    """Return the pairs of the memories that are due, some decided by words; None when cancelled."""
    session, embedder = runtime.read(), runtime.embedding.ready()
    if embedder is None:
        return None
    now = session.now
    is_new = store.candidates(session, now - RECENT, begin_of(now.astimezone().date()), CANDIDATES)
    rows = vectors.of_owners(session, "memory", embedder.model_id, list(is_new))
    matrix = vectors.matrix(runtime.database, runtime.user_id, "memory", embedder.model_id)
    ids = [memory_id for memory_id in is_new if memory_id in rows]
    pairs: dict[frozenset[str], Pair] = {}
    for memory in memories.get_memories(session, ids):
        if cancel.is_set():
            return None
        likeness = matrix.likeness(session, rows[memory.id])
        cosines = {key: likeness.of(key) for key in likeness.nearest(NEIGHBOURS, ALIKE)}
        ids_of = memories.ids_of(session, cosines)
        near = {ids_of[key]: min(cosine, 1.0) for key, cosine in cosines.items() if key in ids_of}
        others = memories.get_memories(session, list(near))
        since = None if is_new[memory.id] else now - STILL_COMPARED
        for pair in _pairs_of(memory, others, near, store.looked_at(session, memory.id), since):
            if pair.ids not in pairs:
                pairs[pair.ids] = replace(pair, decided=by_words(pair))
    ranked = sorted(
        pairs.values(), key=lambda pair: (pair.decided is None, -pair.score, sorted(pair.ids))
    )
    return FoundPairs(tuple(ids), tuple(ranked))


def _pairs_of(
    memory: Memory,
    others: Sequence[Memory],
    near: Mapping[str, float],
    compared: Collection[tuple[str, float]],
    since: datetime | None,
) -> Iterator[Pair]:
    """Yield the pairs of a memory that were not compared recently."""
    for other in others:
        has_changed = since is None or max(memory.updated_at, other.updated_at) >= since
        is_compared = (other.id, round(near[other.id], 2)) in compared
        if (
            not is_compared
            and other.id != memory.id
            and other.kind is Kind.SEMANTIC
            and has_changed
        ):
            newer, older = sorted((memory, other), key=last_said, reverse=True)
            yield Pair(newer, older, near[other.id])


def by_words(pair: Pair) -> Decision | None:
    """Decide to merge two memories of the same words; return None for any other pair."""
    if not is_respelt(pair.newer.text, pair.older.text):
        return None
    kept = next(
        (memory for memory in (pair.older, pair.newer) if may_give_way(pair.other(memory), memory)),
        None,
    )
    return Decision("update", kept=kept) if kept else LEAVE


def may_give_way(gone: Memory, kept: Memory) -> bool:
    """Return True if `gone` may be merged into `kept`.

    A pinned memory may not, and a handwritten one only into a handwritten one.
    """
    return not gone.pinned and (gone.origin != "person" or kept.origin == "person")


# Settling pairs -----------------------------------------------------------------------------------


def _settle(
    runtime: Runtime, pairs: Sequence[Pair], started: float, cancel: Cancel
) -> Iterator[ConsentRequest | int]:
    """Apply the decisions by words pair by pair, then the model's in batches."""
    decided = [pair for pair in pairs if pair.decided]
    rest = [pair for pair in pairs if not pair.decided]
    steps = [[pair] for pair in decided] + [
        rest[at : at + same_fact.MOST_PAIRS] for at in range(0, len(rest), same_fact.MOST_PAIRS)
    ]
    for batch in steps:
        answer = _decide(runtime, batch, cancel)
        if answer is None or cancel.is_set():
            cancel.set()  # no more pairs today
            return
        decisions, tokens = answer
        yield from _carry_out(runtime, decisions, tokens, time.monotonic() - started)
        started = time.monotonic()


def _decide(
    runtime: Runtime, pairs: Sequence[Pair], cancel: Cancel
) -> tuple[dict[Pair, Decision], int] | None:
    """Return the decisions on pairs, and the tokens written for them.

    Returns None when the model fails or the budget is spent.
    """
    if decided := {pair: pair.decided for pair in pairs if pair.decided}:
        return decided, 0
    model = runtime.chat.ready()
    if model is None or not is_trusted_with(runtime, model, "same fact"):
        return dict.fromkeys(pairs, LINK), 0
    prompt, sampling = same_fact.request([(pair.older.text, pair.newer.text) for pair in pairs])
    tokens = model.prompt_tokens(prompt)
    if _spent_today(runtime).tokens + tokens + sampling.max_tokens > TOKENS_PER_DAY:
        return None
    with runtime.write() as session:
        # Before the call: one that is cancelled again and again costs as well.
        _note(session, tokens=tokens)
    text, written = "", 0
    try:
        with closing(model.generate(prompt, sampling, cancel)) as stream:
            for part in stream:
                if isinstance(part, Piece):
                    text = part.joined_to(text)
                elif isinstance(part, Finished):
                    written = part.usage.decode_tokens
    except ModelError as error:
        log.warning("pairs wait for the model: %s", type(error).__name__)
        return None
    answers = zip(pairs, same_fact.parse(text, len(pairs)), strict=True)
    return {pair: _of_answer(model, pair, answer) for pair, answer in answers}, written


def _of_answer(model: ChatModel, pair: Pair, relation: same_fact.Relation | None) -> Decision:
    """Return the decision for a model's answer: a merge without loss, a question, or a link."""
    actor = f"model:{model.name}"
    if relation is None or relation == "different":
        return LEAVE
    if relation == "not_both":
        return Decision("ask", actor)
    order = {
        "same": (pair.older, pair.newer),
        "a_more": (pair.older,),
        "b_more": (pair.newer,),
    }.get(relation, ())
    for kept in order:
        gone = pair.other(kept)
        if may_give_way(gone, kept) and keeps_facts(kept.text, gone.text):
            return Decision("update", actor, kept=kept)
    return replace(LINK, by=actor)


def _carry_out(
    runtime: Runtime, decisions: Mapping[Pair, Decision], tokens: int, seconds: float
) -> Iterator[ConsentRequest | int]:
    """Apply decisions, and record pairs and cost; skip pairs changed meanwhile."""
    counts, questions = Counter[str](), list[ConsentRequest]()
    with runtime.write() as session:
        for pair, decision in decisions.items():
            if _is_as_it_was(session, pair):
                policy = _apply(session, runtime, pair, decision)
                if policy == "ask":
                    questions.append(
                        pending.add(
                            session, CONFLICT, pair.older.text, pair.newer.text, decision.by
                        )
                    )
                store.note_pair(session, pair.ids, round(pair.score, 2), asked=policy == "ask")
                counts[COUNTED[policy]] += 1
        _note(session, **counts, tokens=tokens, seconds=round(seconds, 3))
    yield from questions
    yield counts.total()


def _note(session: Session, **meta: float) -> None:
    events.add_event(session, "worker", "consolidate", "ok", meta=meta)


def _is_as_it_was(session: Session, pair: Pair) -> bool:
    before = [(memory.text, memory.pinned, State.LIVE) for memory in (pair.newer, pair.older)]
    stored = memories.get_memories(session, [pair.newer.id, pair.older.id])
    return [(memory.text, memory.pinned, memory.state) for memory in stored] == before


def _apply(session: Session, runtime: Runtime, pair: Pair, decision: Decision) -> Policy:
    """Apply a decision as a step of its own; return the policy actually applied."""
    actor = Actor(decision.by, step=session.new_id())
    apply = partial(changes.apply, session, actor=actor, sim=pair.score)
    newer, older = pair.newer, pair.older
    if decision.policy == "update" and (may := leave(session, decision.by)) != "write":
        decision = replace(
            LINK if may == "nothing" else Decision("ask", decision.by), by=decision.by
        )
    match decision.policy:
        case "link" if older.id not in relations.pairs_of(session, newer.id):
            apply(Linked(newer.id, ((older.id, pair.score),)))
        case "link" | "leave":
            return "leave"
        case _ if store.was_brought_back(session, pair.ids):
            return "leave"
        case "update" if decision.kept:
            apply(Merged(pair.other(decision.kept).id, decision.kept.id, runtime.purge_at()))
        case "ask" if (
            len(consents.list_requests(session, state="pending", field=CONFLICT)) >= MOST_QUESTIONS
        ):
            return "leave"
    return decision.policy


def _mark(runtime: Runtime, due: FoundPairs, chosen: Sequence[Pair]) -> bool:
    """Mark the memories without open pairs as looked at; return True if none is left."""
    open_ids = {memory_id for pair in due.pairs[len(chosen) :] for memory_id in pair.ids}
    with runtime.write() as session:
        store.mark_looked_at(
            session, [candidate for candidate in due.candidates if candidate not in open_ids]
        )
    return not open_ids
