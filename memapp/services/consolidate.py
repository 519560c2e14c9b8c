"""Consolidation: memories that are alike are looked at in pairs, and merged, linked or left: the
job `consolidate`.

Two that differ in their spelling only become one, the older; what else is alike is linked. A model
that is trusted with it is asked about that first, many pairs in one call, and may merge two where
no name, number or denial is lost; where it says that two cannot both be true, the person is asked.
Each pair is a step of its own that can be taken back, and what was brought back once is left alone.
What is pinned, or by hand while the other is not, never gives way.
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
from memapp.language.same import is_respelt, keeps_facts
from memapp.language.wording import normalise
from memapp.prompts import same_fact
from memapp.runtime import Runtime
from memapp.services.consent import pending
from memapp.services.model_jobs import may_do
from memapp.services.reads import reading
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
"""A memory that was made or changed since then is looked at."""
STILL_COMPARED = timedelta(days=90)
"""Of a pair, one was made or changed since then, unless one never was looked at."""
NOT_AGAIN = timedelta(days=14)
"""So long a pair that was looked at is left alone."""
CANDIDATES = 200
"""Memories whose pairs are looked up at a time."""
NEIGHBOURS = 50
ALIKE = 0.80
"""Cosine from which on two memories are compared, and linked at least."""
MOST_QUESTIONS = 3
"""So many contradictions at most wait for the person at a time."""

tidied = reading(store.tidied)


@dataclass(frozen=True, slots=True)
class FoundPairs:
    candidates: tuple[str, ...]
    """Of all that were looked up, those that have a vector."""
    pairs: tuple[Pair, ...]
    """Those that are decided by their words first, then the likest."""


def run(runtime: Runtime, cancel: Cancel, _last: Pace | None) -> Iterator[ConsentRequest | int]:
    """Look at the pairs that are left for today; yield the questions for the person, and how many
    pairs were looked at.
    """
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
            found = find(runtime, ended)
            if found is None or not found.candidates:
                return
            left = PAIRS_PER_DAY - _spent_today(runtime).pairs
            chosen = found.pairs[:left]
            yield from _settle(runtime, chosen, started, ended)
            if ended.is_set() or not _mark(runtime, found, chosen):
                return


def waiting(runtime: Runtime) -> int:
    """Count the pairs that would be looked at now."""
    found = find(runtime, Cancel())
    return (
        min(len(found.pairs), max(0, PAIRS_PER_DAY - _spent_today(runtime).pairs)) if found else 0
    )


def report(runtime: Runtime, since: datetime) -> str:
    """Return in a line what became of the pairs that were looked at since a time; empty if there
    were none.
    """
    done = tidied(runtime, since)
    return str(done) if done.pairs else ""


def _spent_today(runtime: Runtime) -> Spent:
    session = runtime.read()
    return store.spent(session, begin_of(session.now.astimezone().date()))


def _tidy_up(runtime: Runtime) -> None:
    """Let go of old pairs, and of questions about what is no longer known."""
    session = runtime.read()
    waits = consents.list_requests(session, state="pending", field=CONFLICT)
    texts = [
        (request.id, said) for request in waits for said in (request.old_value, request.new_value)
    ]
    idle = {text for text, said in texts if not memories.find_same(session, normalise(said))}
    pending.end_all(runtime, list(idle), runtime.actor(name="merge"), "signals")
    with runtime.write() as session:
        store.clear(session, session.now - NOT_AGAIN)


# Finding pairs, without a model -------------------------------------------------------------------


def find(runtime: Runtime, cancel: Cancel) -> FoundPairs | None:
    """Return the pairs of the memories that are due, with what their words decide; None when
    stopped.
    """
    session, embedder = runtime.read(), runtime.embedding.ready()
    if embedder is None:
        return None
    now = session.now
    is_new = store.candidates(session, now - RECENT, begin_of(now.astimezone().date()), CANDIDATES)
    rows = vectors.of_owners(session, "memory", embedder.model_id, list(is_new))
    matrix = vectors.matrix(runtime.database, runtime.user_id, "memory", embedder.model_id)
    ids, found = [text for text in is_new if text in rows], dict[frozenset[str], Pair]()
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
            if pair.ids not in found:
                found[pair.ids] = replace(pair, decided=by_words(pair))
    likest = sorted(
        found.values(), key=lambda pair: (pair.decided is None, -pair.score, sorted(pair.ids))
    )
    return FoundPairs(tuple(ids), tuple(likest))


def _pairs_of(
    memory: Memory,
    others: Sequence[Memory],
    near: Mapping[str, float],
    known: Collection[tuple[str, float]],
    since: datetime | None,
) -> Iterator[Pair]:
    """Yield the pairs of a memory that were not looked at lately."""
    for other in others:
        is_recent = since is None or max(memory.updated_at, other.updated_at) >= since
        is_known = (other.id, round(near[other.id], 2)) in known
        if not is_known and other.id != memory.id and other.kind is Kind.SEMANTIC and is_recent:
            newer, older = sorted((memory, other), key=last_said, reverse=True)
            yield Pair(newer, older, near[other.id])


def by_words(pair: Pair) -> Decision | None:
    """Merge two memories of the same words, the newer into the older if it may give way; None for
    any other pair.
    """
    if not is_respelt(pair.newer.text, pair.older.text):
        return None
    kept = next(
        (memory for memory in (pair.older, pair.newer) if may_give_way(pair.other(memory), memory)),
        None,
    )
    return Decision("update", kept=kept) if kept else LEAVE


def may_give_way(gone: Memory, kept: Memory) -> bool:
    """Return True for a memory that another may take in: nothing pinned, and what is by hand only
    if the other is, too.
    """
    return not gone.pinned and (gone.origin != "person" or kept.origin == "person")


# Settling them ------------------------------------------------------------------------------------


def _settle(
    runtime: Runtime, pairs: Sequence[Pair], started: float, cancel: Cancel
) -> Iterator[ConsentRequest | int]:
    """Carry out what is decided, pair by pair, then what the model says of the others, some at a
    time.
    """
    decided = [pair for pair in pairs if pair.decided]
    rest = [pair for pair in pairs if not pair.decided]
    steps = [[pair] for pair in decided] + [
        rest[at : at + same_fact.MOST_PAIRS] for at in range(0, len(rest), same_fact.MOST_PAIRS)
    ]
    for batch in steps:
        asked = _decide(runtime, batch, cancel)
        if asked is None or cancel.is_set():
            cancel.set()  # nothing more of it today
            return
        decisions, tokens = asked
        yield from _carry_out(runtime, decisions, tokens, time.monotonic() - started)
        started = time.monotonic()


def _decide(
    runtime: Runtime, pairs: Sequence[Pair], cancel: Cancel
) -> tuple[dict[Pair, Decision], int] | None:
    """Return what is to become of pairs, and the tokens written for it; None when the model failed,
    or the budget is used up.
    """
    if decided := {pair: pair.decided for pair in pairs if pair.decided}:
        return decided, 0
    model = runtime.chat.ready()
    if model is None or not may_do(runtime, model, "same fact"):
        return dict.fromkeys(pairs, LINK), 0
    prompt, sampling = same_fact.request([(pair.older.text, pair.newer.text) for pair in pairs])
    tokens = model.prompt_tokens(prompt)
    if _spent_today(runtime).tokens + tokens + sampling.max_tokens > TOKENS_PER_DAY:
        return None
    with runtime.write() as session:
        _note(
            session, tokens=tokens
        )  # before: a call that is stopped, again and again, costs as well
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
    """Return what a model's answer comes to: merging where nothing hard is lost, a question, or no
    more than a relation.
    """
    by = f"model:{model.name}"
    if relation is None or relation == "different":
        return LEAVE
    if relation == "not_both":
        return Decision("ask", by)
    order = {
        "same": (pair.older, pair.newer),
        "a_more": (pair.older,),
        "b_more": (pair.newer,),
    }.get(relation, ())
    for kept in order:
        gone = pair.other(kept)
        if may_give_way(gone, kept) and keeps_facts(kept.text, gone.text):
            return Decision("update", by, kept=kept)
    return replace(LINK, by=by)


def _carry_out(
    runtime: Runtime, decisions: Mapping[Pair, Decision], tokens: int, seconds: float
) -> Iterator[ConsentRequest | int]:
    """Do what was decided, and note the pairs and the cost with it. What was changed meanwhile is
    left for another time.
    """
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
    there = memories.get_memories(session, [pair.newer.id, pair.older.id])
    return [(memory.text, memory.pinned, memory.state) for memory in there] == before


def _apply(session: Session, runtime: Runtime, pair: Pair, decision: Decision) -> Policy:
    """Change the memories of a pair as a step of its own; return the policy that it came to."""
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


def _mark(runtime: Runtime, found: FoundPairs, chosen: Sequence[Pair]) -> bool:
    """Note which memories are done with; say whether all of them are."""
    open_ids = {memory_id for pair in found.pairs[len(chosen) :] for memory_id in pair.ids}
    with runtime.write() as session:
        store.mark_looked_at(
            session, [candidate for candidate in found.candidates if candidate not in open_ids]
        )
    return not open_ids
