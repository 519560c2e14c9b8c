"""Moves unused memories to the trash, erases old trash, deleted chats and old requests, and expires
those that nobody decided.

Each is a job of idle time (`services.jobs`) and does a little at once. The rules are
`domain.lifecycle`.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice

from memapp.domain import lifecycle as rules
from memapp.domain.changes import LessonPurged, SoftDeleted
from memapp.domain.consent import FORGOTTEN, expiry
from memapp.domain.filters import MemoryFilter, Sort
from memapp.domain.forget import Receipt
from memapp.domain.jobs import Pace, has_leapt
from memapp.domain.memory import Memory
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services.consent import pending
from memapp.services.forget import purge, purge_chats
from memapp.services.trust import leave
from memapp.store import changes, chat, consents, events, lessons, memories, search
from memapp.store import lifecycle as store
from memapp.store.forget import consent_requests
from memapp.store.session import Session

ENDED = ("denied", "expired", "withdrawn")


def expire(runtime: Runtime, _cancel: Cancel, last: Pace | None) -> Iterator[int]:
    """Close the consent requests whose time is over; let those wait anew that were made under a
    wrong clock.
    """
    if last and not has_leapt(last, runtime.clock()):
        pending.begin_again(runtime)
    yield len(pending.expire_due(runtime))


def expiring(runtime: Runtime) -> int:
    return len(consents.due_requests(runtime.read()))


def move_unused(runtime: Runtime, _cancel: Cancel, last: Pace | None) -> Iterator[int]:
    """Move to the trash what was not used for long. Nothing when the clock has leapt: much would
    seem unused.
    """
    if last is None:
        return  # there is nothing to compare the clock with
    leapt = has_leapt(last, runtime.clock())
    if not leapt and not unused(runtime):
        return
    with runtime.write() as session:
        if leapt:
            events.add_event(
                session, "worker", "ttl", "skipped", meta={"reason": "the clock leapt"}
            )
            return
        actor = runtime.actor(name="lifecycle")
        if leave(session, actor.name) != "write":  # what it trashed was brought back too often
            return
        for memory_id in _unused(
            session, runtime
        ):  # looked up again: the person may have pinned one since
            changes.apply(session, SoftDeleted(memory_id, "unused", runtime.purge_at()), actor)
            yield 1


def unused(runtime: Runtime) -> int:
    return len(_unused(runtime.read(), runtime))


def erase_overdue(runtime: Runtime, _cancel: Cancel, _last: Pace | None) -> Iterator[int]:
    """Erase memories, deleted chats and requests whose time is over; a weekly look at memapp is no
    reason to leave them.
    """
    if memory_ids := _overdue_memories(runtime):
        yield purge(runtime, memory_ids, by="lifecycle").memories
    if thread_ids := _overdue_chats(runtime):
        purge_chats(runtime, thread_ids, by="lifecycle")
        yield len(thread_ids)
    if request_ids := _overdue_requests(runtime):
        with runtime.decide() as session:
            search.take_back(
                session, consents.said_in(session, request_ids)
            )  # the no outlives the request
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
    """Return what lies in the trash, last first."""
    wanted = MemoryFilter(state=None)
    return memories.list_memories(runtime.read(), wanted, Sort.CHANGED, limit=limit)


def days_missing(
    runtime: Runtime, ends: Sequence[tuple[str, datetime, datetime]]
) -> dict[str, int]:
    """Return on how many more days memapp must be used until those go whose time is over, by their
    ids.

    Of each, `ends` has the time since which it is in the trash, and that at which this ends.
    """
    session = runtime.read()
    over = [end for end in ends if end[2] <= session.now]
    days = store.days_of_use(session, min(since for _, since, _ in over)) if over else []
    return {id: rules.days_missing(since, end, days, session.now) for id, since, end in over}


def missing(runtime: Runtime, found: Sequence[Memory]) -> dict[str, int]:
    """Return the same of memories in the trash."""
    return days_missing(
        runtime,
        [(memory.id, memory.updated_at, memory.purge_at) for memory in found if memory.purge_at],
    )


def empty(runtime: Runtime) -> Receipt:
    """Erase everything in the trash now, by the person's wish. Raises `NotFound` when there is
    nothing.
    """
    return purge(runtime, [memory.id for memory in trash(runtime, limit=None)])


def _unused(session: Session, runtime: Runtime) -> list[str]:
    ttl = timedelta(days=runtime.settings.ttl_days)
    among = store.count_all(session)
    found = store.least_used(session, runtime.settings.ttl_importance, rules.most_at_once(among))
    return _due(session, [(text, used, used + ttl) for text, used in found], among)


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
    """Return the consent requests that the person did not agree to, as long after their end as
    memories stay in the trash.

    What says again what was erased goes with the week in which a no holds.
    """
    session = runtime.read()
    ended = [request for state in ENDED for request in consents.list_requests(session, state=state)]
    decided = [(request, request.decided_at) for request in ended if request.decided_at]
    ends = [
        (
            request.id,
            at,
            expiry(at) if request.field == FORGOTTEN else max(expiry(at), runtime.purge_at(at)),
        )
        for request, at in decided
    ]
    return _due(session, ends, len(ends))


def _overdue_lessons(runtime: Runtime) -> list[str]:
    session = runtime.read()
    deleted = lessons.in_trash(session)
    return _due(
        session,
        [(lesson.id, lesson.updated_at, lesson.purge_at or session.now) for lesson in deleted],
        len(deleted),
    )


def _due(session: Session, ends: Sequence[tuple[str, datetime, datetime]], among: int) -> list[str]:
    """Return what may go of ids with the times since which they are unused or in the trash, and at
    which that ends.
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

    return list(
        islice((text for text, since, end in over if may_go(since, end)), rules.most_at_once(among))
    )
