"""Jobs on the age of data: unused memories, old trash, deleted chats, undecided requests.

Each is a job of idle time (`services.jobs.schedule`) and does a little per run. The rules are in
`domain.lifecycle`.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice

from memapp.domain import lifecycle as rules
from memapp.domain.changes import LessonPurged, SoftDeleted
from memapp.domain.consent import FORGOTTEN, ConsentRequest, expiry
from memapp.domain.filters import MemoryFilter, Sort
from memapp.domain.forget import Receipt
from memapp.domain.jobs import Pace, has_leapt
from memapp.domain.memory import Memory
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services.consent import pending
from memapp.services.forget import purge, purge_chats
from memapp.services.trust import leave
from memapp.store import changes, chat, consents, events, lessons, memories, withdrawn
from memapp.store import lifecycle as store
from memapp.store.forget import consent_requests
from memapp.store.session import Session

ENDED = ("denied", "expired", "withdrawn")


def expire(runtime: Runtime, _cancel: Cancel, last: Pace | None) -> Iterator[int]:
    """Expire the consent requests that are overdue; restart those dated by a wrong clock."""
    if last and not has_leapt(last, runtime.clock()):
        pending.restart_deadlines(runtime)
    yield len(pending.expire_due(runtime))


def expiring(runtime: Runtime) -> int:
    return len(consents.due_requests(runtime.read()))


def move_unused(runtime: Runtime, _cancel: Cancel, last: Pace | None) -> Iterator[int]:
    """Move long unused memories to the trash, unless the clock has leapt: many would seem so."""
    if last is None:
        return  # there is nothing to compare the clock with
    leapt = has_leapt(last, runtime.clock())
    if not leapt and not unused(runtime):
        return
    with runtime.write() as session:
        if leapt:
            meta = {"reason": "the clock leapt"}
            events.add_event(session, "worker", "ttl", "skipped", meta=meta)
            return
        actor = runtime.actor(name="lifecycle")
        if leave(session, actor.name) != "write":  # too many of these memories were restored
            return
        # Read again: the person may have pinned a memory meanwhile.
        for memory_id in _unused(session, runtime):
            changes.apply(session, SoftDeleted(memory_id, "unused", runtime.purge_at()), actor)
            yield 1


def unused(runtime: Runtime) -> int:
    return len(_unused(runtime.read(), runtime))


def erase_overdue(runtime: Runtime, _cancel: Cancel, _last: Pace | None) -> Iterator[int]:
    """Erase memories, deleted chats, requests and lessons that are overdue."""
    if memory_ids := _overdue_memories(runtime):
        yield purge(runtime, memory_ids, by="lifecycle").memories
    if thread_ids := _overdue_chats(runtime):
        purge_chats(runtime, thread_ids, by="lifecycle")
        yield len(thread_ids)
    if request_ids := _overdue_requests(runtime):
        with runtime.decide() as session:
            # The no outlives the request.
            withdrawn.withdraw(session, consents.said_in(session, request_ids))
            consent_requests.erase(session, request_ids)
        yield len(request_ids)
    if lesson_ids := _overdue_lessons(runtime):
        with runtime.decide() as session:
            for lesson_id in lesson_ids:
                changes.apply(session, LessonPurged(lesson_id), runtime.actor(name="lifecycle"))
        yield len(lesson_ids)


def overdue(runtime: Runtime) -> int:
    return sum(
        len(find(runtime))
        for find in (_overdue_memories, _overdue_chats, _overdue_requests, _overdue_lessons)
    )


def trash(runtime: Runtime, limit: int | None = 500) -> list[Memory]:
    """Return the memories in the trash, newest change first."""
    wanted = MemoryFilter(state=None)
    return memories.list_memories(runtime.read(), wanted, Sort.CHANGED, limit=limit)


def days_missing(
    runtime: Runtime, ends: Sequence[tuple[str, datetime, datetime]]
) -> dict[str, int]:
    """Return, by id, the days of use still missing until an overdue item is erased.

    Each of `ends` is an id, the time of deletion, and the end of the time in the trash.
    """
    session = runtime.read()
    over = [end for end in ends if end[2] <= session.now]
    days = store.days_of_use(session, min(since for _, since, _ in over)) if over else []
    return {id: rules.days_missing(since, end, days, session.now) for id, since, end in over}


def missing(runtime: Runtime, found: Sequence[Memory]) -> dict[str, int]:
    """Return, by id, the days of use still missing until an overdue memory is erased."""
    ends = [(memory.id, memory.updated_at, memory.purge_at) for memory in found if memory.purge_at]
    return days_missing(runtime, ends)


def empty(runtime: Runtime) -> Receipt:
    """Empty the trash, on the person's wish. Raises `NotFound` if the trash is empty."""
    return purge(runtime, [memory.id for memory in trash(runtime, limit=None)])


def _unused(session: Session, runtime: Runtime) -> list[str]:
    ttl = timedelta(days=runtime.settings.ttl_days)
    among = store.count_all(session)
    most = rules.most_at_once(among)
    least_used = store.least_used(session, runtime.settings.ttl_importance, most)
    ends = [(memory_id, used, used + ttl) for memory_id, used in least_used]
    return _due(session, ends, among)


def _overdue_memories(runtime: Runtime) -> list[str]:
    session = runtime.read()
    over = [
        (memory.id, memory.updated_at, memory.purge_at or session.now)
        for memory in store.over(session)
    ]
    return _due(session, over, store.count_all(session))


def _overdue_chats(runtime: Runtime) -> list[str]:
    session = runtime.read()
    deleted = chat.list_threads(session, limit=None, deleted=True)
    over = [
        (thread.id, thread.deleted_at, runtime.purge_at(thread.deleted_at))
        for thread in reversed(deleted)
        if thread.deleted_at
    ]
    return _due(session, over, len(deleted))


def _overdue_requests(runtime: Runtime) -> list[str]:
    """Return the ids of overdue requests, which ended without a yes.

    Requests stay after their end as long as memories stay in the trash. A request that repeats
    erased words is overdue after the week in which a no holds.
    """
    session = runtime.read()
    ended = [request for state in ENDED for request in consents.list_requests(session, state=state)]
    decided = [(request, request.decided_at) for request in ended if request.decided_at]

    def end(request: ConsentRequest, at: datetime) -> datetime:
        return expiry(at) if request.field == FORGOTTEN else max(expiry(at), runtime.purge_at(at))

    ends = [(request.id, at, end(request, at)) for request, at in decided]
    return _due(session, ends, len(ends))


def _overdue_lessons(runtime: Runtime) -> list[str]:
    session = runtime.read()
    deleted = lessons.in_trash(session)
    ends = [(lesson.id, lesson.updated_at, lesson.purge_at or session.now) for lesson in deleted]
    return _due(session, ends, len(deleted))


def _due(session: Session, ends: Sequence[tuple[str, datetime, datetime]], among: int) -> list[str]:
    """Return the ids that may be erased or moved to the trash now.

    Each of `ends` is an id with the beginning and the end of its time, unused or in the trash.
    """
    over = [end for end in ends if end[2] <= session.now]
    if not over:
        return []
    days = store.days_of_use(session, min(since for _, since, _ in over))

    def may_go(since: datetime, end: datetime) -> bool:
        if not rules.may_go(since, end, days, session.now):
            return False
        late = store.behind(session, since)
        return rules.may_go(since + late, end + late, days, session.now)

    due = (id for id, since, end in over if may_go(since, end))
    return list(islice(due, rules.most_at_once(among)))
