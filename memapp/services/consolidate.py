"""Consolidation: facts that may say the same are looked at in pairs, and merged, replaced, linked or left: the job `consolidate`.

What the judge of new facts is sure of is done by its rules. What they leave is put to a model that can do with the full form of
prompt, many pairs in one call; its answer counts only where no rule speaks against it. Of what contradicts something written by
hand, and of two dates of birth, the person is asked. Each pair is a step of its own that can be taken back, and what was brought
back once is left alone. What is pinned, or by hand while the other is not, never gives way.
"""

import logging
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from memapp.domain.changes import Actor, Created, Linked, Merged, SoftDeleted, Updated
from memapp.domain.consent import CONFLICT, ConsentRequest
from memapp.domain.consolidation import COUNTED, LEAVE, Decision, Pair, Policy, Spent, last_said
from memapp.domain.jobs import Pace
from memapp.domain.memory import Kind, Memory, State
from memapp.domain.prompt import Finished, Piece
from memapp.errors import ModelError
from memapp.inference import Cancel, ChatModel, after
from memapp.language.english.duplicates import duplicate_of, normalise
from memapp.language.english.merge import (
    MERGE_BANDS,
    MergeVerdict,
    compare,
    holds_both,
    may_be_about_the_same,
    may_take_in,
    state_different_values,
    tells_more,
)
from memapp.language.english.statements import in_third_person
from memapp.language.english.tags import tags_for
from memapp.language.english.writing import check_form
from memapp.prompts import same_fact
from memapp.runtime import Runtime
from memapp.services.consent import pending
from memapp.services.embed import embedded
from memapp.services.prompt_form import prompt_form
from memapp.services.reads import reading
from memapp.store import changes, consents, events, memories, relations, vectors
from memapp.store import consolidation as store
from memapp.store.encoding import begin_of, new_id
from memapp.store.session import Session
from memapp.store.vectors import Vectors

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
MOST_QUESTIONS = 3
"""So many contradictions at most wait for the person at a time."""

tidied = reading(store.tidied)


@dataclass(frozen=True, slots=True)
class FoundPairs:
    candidates: tuple[str, ...]
    """Of all that were looked up, those that have a vector."""
    pairs: tuple[Pair, ...]
    """Those that the rules decide first, then the likest."""


def run(runtime: Runtime, cancel: Cancel, _last: Pace | None) -> Iterator[ConsentRequest | int]:
    """Look at the pairs that are left for today; yield the questions for the person, and how many pairs were looked at."""
    spent = _spent_today(runtime)
    if runtime.embedding.ready() is None or spent.pairs >= PAIRS_PER_DAY or spent.seconds >= SECONDS_PER_DAY:
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
    return min(len(found.pairs), max(0, PAIRS_PER_DAY - _spent_today(runtime).pairs)) if found else 0


def report(runtime: Runtime, since: datetime) -> str:
    """Return in a line what became of the pairs that were looked at since a time; empty if there were none."""
    done = tidied(runtime, since)
    return str(done) if done.pairs else ""


def _spent_today(runtime: Runtime) -> Spent:
    session = runtime.read()
    return store.spent(session, begin_of(session.now.astimezone().date()))


def _tidy_up(runtime: Runtime) -> None:
    """Let go of old pairs, and of questions about what is no longer known."""
    session = runtime.read()
    waits = consents.list_requests(session, state="pending", field=CONFLICT)
    texts = [(one.id, said) for one in waits for said in (one.old_value, one.new_value)]
    idle = {one for one, said in texts if not memories.find_same(session, normalise(said))}
    pending.end_all(runtime, list(idle), runtime.actor(name="merge"), "signals")
    with runtime.write() as session:
        store.clear(session, session.now - NOT_AGAIN)


# Finding pairs, without a model ---------------------------------------------------------------------------------------


def find(runtime: Runtime, cancel: Cancel) -> FoundPairs | None:
    """Return the pairs of the memories that are due, and what the rules decide on each; None when stopped."""
    session, embedder = runtime.read(), runtime.embedding.ready()
    if embedder is None:
        return None
    now = session.now
    is_new = store.candidates(session, now - RECENT, begin_of(now.astimezone().date()), CANDIDATES)
    rows = vectors.of_owners(session, "memory", embedder.model_id, list(is_new))
    matrix = vectors.matrix(runtime.database, runtime.user_id, "memory", embedder.model_id)
    ids, found = [one for one in is_new if one in rows], dict[frozenset[str], Pair]()
    for memory in memories.get_memories(session, ids):
        if cancel.is_set():
            return None
        vector = _as_learned(runtime, [memory]).get(memory.id, rows[memory.id])
        likeness = matrix.likeness(session, vector)
        cosines = {key: likeness.of(key) for key in likeness.nearest(NEIGHBOURS, MERGE_BANDS.fallback)}
        ids_of = memories.ids_of(session, cosines)
        near = {ids_of[key]: min(cosine, 1.0) for key, cosine in cosines.items() if key in ids_of}
        others = memories.get_memories(session, list(near))
        near |= {one: min(float(vector @ row), 1.0) for one, row in _as_learned(runtime, others).items()}
        since = None if is_new[memory.id] else now - STILL_COMPARED
        for pair in _pairs_of(memory, others, near, store.looked_at(session, memory.id), since):
            if pair.ids not in found and not cancel.is_set():
                found[pair.ids] = replace(pair, decided=by_rules(pair))
    if cancel.is_set():
        return None
    likest = sorted(found.values(), key=lambda pair: (pair.decided is None, -pair.score, sorted(pair.ids)))
    return FoundPairs(tuple(ids), tuple(likest))


def _as_learned(runtime: Runtime, found: Sequence[Memory]) -> dict[str, Vectors]:
    """Return the vectors of what is written as `I` in the words in which it would be learned: else `I` is far from `User`."""
    told = {one.id: in_third_person(one.text) for one in found}
    own = {one.id: told[one.id] for one in found if told[one.id] != one.text}
    rows = embedded(runtime, list(own.values()), wait=True) if own else None
    return {} if rows is None else dict(zip(own, rows, strict=True))


def _pairs_of(
    memory: Memory,
    others: Sequence[Memory],
    near: Mapping[str, float],
    known: Collection[tuple[str, float]],
    since: datetime | None,
) -> Iterator[Pair]:
    """Yield the pairs of a memory that may say the same, and were not looked at lately."""
    for other in others:
        is_recent = since is None or max(memory.updated_at, other.updated_at) >= since
        is_known = (other.id, round(near[other.id], 2)) in known
        if is_known or other.id == memory.id or other.kind is not Kind.SEMANTIC or not is_recent:
            continue
        if may_be_about_the_same(in_third_person(memory.text), in_third_person(other.text)):
            newer, older = sorted((memory, other), key=last_said, reverse=True)
            yield Pair(newer, older, near[other.id])


def by_rules(pair: Pair) -> Decision | None:
    """Decide what the judge of new facts is sure of; None for anything else."""
    newer, older = in_third_person(pair.newer.text), in_third_person(pair.older.text)
    verdict = MergeVerdict.SAME if duplicate_of(newer, [older]) else compare(newer, older, pair.score)
    is_of_profile = state_different_values(newer, older)
    if verdict is MergeVerdict.SEPARATE and not is_of_profile:
        return None
    if is_of_profile or verdict is MergeVerdict.CONTRADICTS:
        return _of_contradiction(pair, is_of_profile=is_of_profile)
    is_less = verdict is MergeVerdict.UPDATES or tells_more(newer, older)
    whole = [one for one, tells_less in ((pair.older, is_less), (pair.newer, tells_more(older, newer))) if not tells_less]
    kept = next((one for one in whole if may_give_way(pair.other(one), one)), None)
    return Decision("update", kept=kept) if kept else LEAVE


def _of_contradiction(pair: Pair, *, is_of_profile: bool) -> Decision:
    """The newer of two learned facts holds; of anything else the person decides. One message cannot say which is newer."""
    if is_of_profile or any(one.origin == "person" or one.pinned for one in (pair.newer, pair.older)):
        return Decision("ask")
    return LEAVE if set(pair.newer.sources) & set(pair.older.sources) else Decision("supersede")


def may_give_way(gone: Memory, kept: Memory) -> bool:
    """Say whether a memory may be taken in by another: nothing pinned, and what is by hand only by what is, too."""
    return not gone.pinned and (gone.origin != "person" or kept.origin == "person")


# Settling them ----------------------------------------------------------------------------------------------------------


def _settle(runtime: Runtime, pairs: Sequence[Pair], started: float, cancel: Cancel) -> Iterator[ConsentRequest | int]:
    """Carry out what the rules decided, pair by pair, then what the model says of the others, some at a time."""
    decided = [one for one in pairs if one.decided]
    rest = [one for one in pairs if not one.decided]
    steps = [[one] for one in decided] + [
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


def _decide(runtime: Runtime, pairs: Sequence[Pair], cancel: Cancel) -> tuple[dict[Pair, Decision], int] | None:
    """Return what is to become of pairs, and the tokens written for it; None when the model failed, or the budget is used up.

    Without a capable model nothing is merged that the rules are not sure of.
    """
    if decided := {one: one.decided for one in pairs if one.decided}:
        return decided, 0
    model = runtime.chat.ready()
    if model is None or prompt_form(runtime, model) != "full":
        return {pair: _related(pair) for pair in pairs}, 0
    prompt, sampling = same_fact.request([(in_third_person(one.older.text), in_third_person(one.newer.text)) for one in pairs])
    tokens = model.prompt_tokens(prompt)
    if _spent_today(runtime).tokens + tokens + sampling.max_tokens > TOKENS_PER_DAY:
        return None
    with runtime.write() as session:
        _note(session, tokens=tokens)  # before: a call that is stopped, again and again, costs as well
    text, written = "", 0
    try:
        with closing(model.generate(prompt, sampling, cancel)) as stream:
            for part in stream:
                if isinstance(part, Piece):
                    text += part.text
                elif isinstance(part, Finished):
                    written = part.usage.decode_tokens
    except ModelError as error:
        log.warning("pairs wait for the model: %s", type(error).__name__)
        return None
    answers = zip(pairs, same_fact.parse(text, len(pairs)), strict=True)
    return {pair: _of_answer(runtime, model, pair, answer) for pair, answer in answers}, written


def _of_answer(runtime: Runtime, model: ChatModel, pair: Pair, answer: same_fact.SaidOfPair | None) -> Decision:
    """Return what a model's answer comes to: merging where no rule speaks against it, a question, or no more than a relation."""
    by = f"model:{model.name}"
    if answer is None or answer.relation == "different":
        return LEAVE
    if answer.relation == "not_both":
        return Decision("ask", by)
    if answer.relation == "both" and _may_be_one(runtime, pair, answer.text):
        return Decision("recreate", by, text=answer.text)
    order = {"same": (pair.older, pair.newer), "a_more": (pair.older,), "b_more": (pair.newer,)}.get(answer.relation, ())
    for kept in order:
        gone = pair.other(kept)
        if may_give_way(gone, kept) and may_take_in(in_third_person(kept.text), in_third_person(gone.text), pair.score):
            return Decision("update", by, kept=kept)
    return replace(_related(pair, least=0.0), by=by)


def _may_be_one(runtime: Runtime, pair: Pair, text: str) -> bool:
    """Say whether a model's sentence may take two learned facts in: it says all of both, and no word more."""
    if check_form(text) or any(one.pinned or one.origin == "person" for one in (pair.newer, pair.older)):
        return False
    rows = embedded(runtime, [text, pair.newer.text, pair.older.text], wait=True)
    return rows is not None and holds_both(text, pair.newer.text, pair.older.text, (rows[0] @ rows[1], rows[0] @ rows[2]))


def _related(pair: Pair, least: float = MERGE_BANDS.check) -> Decision:
    """Relate two facts that are so alike that they might have been one."""
    return Decision("link") if pair.score >= least else LEAVE


def _carry_out(
    runtime: Runtime, decisions: Mapping[Pair, Decision], tokens: int, seconds: float
) -> Iterator[ConsentRequest | int]:
    """Do what was decided, and note the pairs and the cost with it. What was changed meanwhile is left for another time."""
    counts, questions = Counter[str](), list[ConsentRequest]()
    with runtime.write() as session:
        for pair, decision in decisions.items():
            if _is_as_it_was(session, pair):
                policy = _apply(session, runtime, pair, decision)
                if policy == "ask":
                    questions.append(pending.add(session, CONFLICT, pair.older.text, pair.newer.text, decision.by))
                store.note_pair(session, pair.ids, round(pair.score, 2), asked=policy == "ask")
                counts[COUNTED[policy]] += 1
        _note(session, **counts, tokens=tokens, seconds=round(seconds, 3))
    yield from questions
    yield counts.total()


def _note(session: Session, **meta: float) -> None:
    events.add_event(session, "worker", "consolidate", "ok", meta=meta)


def _is_as_it_was(session: Session, pair: Pair) -> bool:
    before = [(one.text, one.pinned, State.LIVE) for one in (pair.newer, pair.older)]
    there = memories.get_memories(session, [pair.newer.id, pair.older.id])
    return [(one.text, one.pinned, one.state) for one in there] == before


def _apply(session: Session, runtime: Runtime, pair: Pair, decision: Decision) -> Policy:
    """Change the memories of a pair as a step of its own; return the policy that it came to."""
    actor = Actor(decision.by, step=session.new_id())
    apply = partial(changes.apply, session, actor=actor, sim=pair.score)
    newer, older = pair.newer, pair.older
    match decision.policy:
        case "link" if older.id not in relations.pairs_of(session, newer.id):
            apply(Linked(newer.id, ((older.id, pair.score),)))
        case "link" | "leave":
            return "leave"
        case _ if store.was_brought_back(session, pair.ids):
            return "leave"
        case "update" if decision.kept:
            apply(Merged(pair.other(decision.kept).id, decision.kept.id, runtime.purge_at()))
        case "recreate":
            made = _both_in_one(pair, decision.text, session.now)
            if memories.find_same(session, normalise(made.text)):
                return "leave"
            apply(Created(made))
            for one in (older, newer):
                apply(Merged(one.id, made.id, runtime.purge_at()))
        case "supersede":
            apply(Linked(newer.id, ((older.id, pair.score),)))  # so that the step says what took its place
            if older.importance > newer.importance:
                apply(Updated(newer.id, importance=older.importance))
            apply(SoftDeleted(older.id, "superseded", runtime.purge_at()))
        case "ask" if len(consents.list_requests(session, state="pending", field=CONFLICT)) >= MOST_QUESTIONS:
            return "leave"
    return decision.policy


def _both_in_one(pair: Pair, text: str, now: datetime) -> Memory:
    tags = tuple(tags_for(text))
    return replace(pair.newer, id=new_id(now), text=text, tags=tags, sources=(), updated_at=now)


def _mark(runtime: Runtime, found: FoundPairs, chosen: Sequence[Pair]) -> bool:
    """Note which memories are done with; say whether all of them are."""
    open_ids = {one for pair in found.pairs[len(chosen) :] for one in pair.ids}
    with runtime.write() as session:
        store.mark_looked_at(session, [one for one in found.candidates if one not in open_ids])
    return not open_ids
