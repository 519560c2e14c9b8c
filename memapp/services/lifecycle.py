"""Moves unused memories to the trash, erases old trash, deleted chats and old requests, and expires those that nobody decided.

`run` is called in idle time and does a little, at most once an hour. Its rules are `domain.lifecycle`.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import islice

from memapp.domain import lifecycle as rules
from memapp.domain.changes import Actor, SoftDeleted
from memapp.domain.consent import FORGOTTEN, expiry
from memapp.domain.filters import MemoryFilter, Sort
from memapp.domain.forget import Receipt
from memapp.domain.memory import Memory
from memapp.runtime import Runtime
from memapp.services.consent import pending
from memapp.services.forget import purge, purge_chats
from memapp.store import changes, chat, consents, events, memories
from memapp.store import lifecycle as store
from memapp.store.encoding import new_id
from memapp.store.forget import consent_requests
from memapp.store.session import Session

ENDED = ("denied", "expired", "withdrawn")


def run(runtime: Runtime) -> None:
    """Move what is unused to the trash, erase what has been there long enough and end old requests, if it is time to look."""
    now = runtime.clock()
    pace = store.get_pace(runtime.read())
    leapt = pace is None or rules.has_leapt(pace, now)
    if pace is not None and not leapt and now < pace.due:
        return
    with runtime.write() as session:
        store.save_pace(session, rules.next_pace(now, leapt=leapt))
        if pace is not None and leapt:
            events.add_event(session, "worker", "ttl", "skipped", now, meta={"reason": "the clock leapt"})
    if not leapt:
        _move_unused(runtime, now)
        pending.begin_again(runtime)
    _erase_overdue(runtime, now)  # a weekly look at memapp is no reason to leave these two out
    pending.expire_due(runtime)
    _erase_old_requests(runtime, now)


def trash(runtime: Runtime, limit: int | None = 500) -> list[Memory]:
    """Return what lies in the trash, last first."""
    wanted = MemoryFilter(state=None)
    return memories.list_memories(runtime.read(), wanted, Sort.CHANGED, limit=limit)


def empty(runtime: Runtime) -> Receipt:
    """Erase everything in the trash now, by the person's wish. Raises `NotFound` when there is nothing."""
    return purge(runtime, [memory.id for memory in trash(runtime, limit=None)])


def _move_unused(runtime: Runtime, now: datetime) -> None:
    if not _unused(runtime.read(), runtime, now):
        return
    actor = Actor(runtime.user_id, "lifecycle", step=new_id(now))
    with runtime.write() as session:
        for memory_id in _unused(session, runtime, now):  # looked up again: the person may have pinned one since
            changes.apply(session, SoftDeleted(memory_id, "unused", runtime.purge_at()), actor, now)


def _unused(session: Session, runtime: Runtime, now: datetime) -> list[str]:
    ttl = timedelta(days=runtime.settings.ttl_days)
    among = store.count_all(session)
    found = store.least_used(session, runtime.settings.ttl_importance, rules.most_at_once(among))
    return _due(runtime, [(one, used, used + ttl) for one, used in found], among, now)


def _erase_overdue(runtime: Runtime, now: datetime) -> None:
    session = runtime.read()
    over = [(one.id, one.updated_at, one.purge_at or now) for one in store.over(session, now)]
    if due := _due(runtime, over, store.count_all(session), now):
        purge(runtime, due, by="lifecycle")
    deleted = chat.list_threads(session, limit=None, deleted=True)
    over = [(one.id, one.deleted_at, runtime.purge_at(one.deleted_at)) for one in reversed(deleted) if one.deleted_at]
    if due := _due(runtime, over, len(deleted), now):
        purge_chats(runtime, due, by="lifecycle")


def _erase_old_requests(runtime: Runtime, now: datetime) -> None:
    """Erase the consent requests that the person did not agree to, as long after their end as memories stay in the trash.

    What says again what was erased goes with the week in which a no holds.
    """
    ended = [one for state in ENDED for one in consents.list_requests(runtime.read(), state=state)]
    decided = [(one, one.decided_at) for one in ended if one.decided_at]
    ends = [(one.id, at, expiry(at) if one.field == FORGOTTEN else max(expiry(at), runtime.purge_at(at))) for one, at in decided]
    if due := _due(runtime, ends, len(ends), now):
        with runtime.decide() as session:
            consent_requests.erase(session, due, now)


def _due(runtime: Runtime, ends: Sequence[tuple[str, datetime, datetime]], among: int, now: datetime) -> list[str]:
    """Return what may go of ids with the times since which they are unused or in the trash, and at which that ends."""
    over = [one for one in ends if one[2] <= now]
    if not over:
        return []
    session = runtime.read()
    days = store.days_of_use(session, min(since for _, since, _ in over))

    def may_go(since: datetime, end: datetime) -> bool:
        if not rules.may_go(since, end, days, now):
            return False
        late = store.behind(session, since, now)
        return rules.may_go(since + late, end + late, days, now)

    return list(islice((one for one, since, end in over if may_go(since, end)), rules.most_at_once(among)))
