"""Decisions of the person that came from another machine, and the profile that follows from them.

A consent request waits first and is decided then, as any other; `sync_decisions` names the one that
was decided elsewhere to the guards of the schema. Of two decisions on a request the first counts,
of two values of a field with one value the later one.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

from memapp.domain.changes import Actor, Event, Reverted, SoftDeleted
from memapp.domain.memory import State
from memapp.domain.sync import Thing
from memapp.errors import UsageError
from memapp.store import changes, consents, history, sync
from memapp.store.forget import erasing
from memapp.store.memories import get_memories
from memapp.store.session import Rejected, Session

ACTOR = Actor("sync")
KEPT_DAYS = timedelta(days=30)
_PROPOSED = (
    *("id", "field", "old_value", "new_value", "memory", "proposer", "file_id", "quote"),
    *("created_at", "expires_at"),
)
_MANY = "(SELECT many FROM profile_fields WHERE name = {})"
_BEFORE = f"""SELECT b.* FROM consent_requests r JOIN consent_requests b USING (user_id, field)
              WHERE user_id = :user AND r.id = :id AND r.state = 'applied'
              AND b.id <> :id AND b.state = 'applied'
              AND (b.new_value = r.old_value OR r.old_value = '' AND NOT {_MANY.format("field")})
              ORDER BY b.decided_at DESC, b.id DESC LIMIT 1"""  # noqa: S608
"""The decision that a field of the profile rested on before another one."""
_STANDING = f"""SELECT request_id FROM profile
                WHERE user_id = :user AND field = :field
                AND (value = :value OR NOT {_MANY.format(":field")})"""  # noqa: S608
"""The values of a field that leave no room for another one."""

# The last answer counts, also to another request for the same.
_DENIED = """WITH held AS (
                 SELECT DISTINCT memory ->> 'text' AS text, memory ->> 'origin' AS origin, field,
                     new_value
                 FROM consent_requests
                 WHERE user_id = :user AND memory <> '')
             SELECT m.id FROM memories m JOIN held USING (text, origin)
             WHERE m.user_id = :user AND m.state = 'live'
             AND m.id IN (SELECT value FROM json_each(:ids))
             GROUP BY m.id
             HAVING NOT max(coalesce('applied' = (
                 SELECT state FROM consent_requests r
                 WHERE user_id = :user AND r.field = held.field AND r.new_value = held.new_value
                 AND state <> 'withdrawn'
                 ORDER BY state = 'pending' DESC, decided_at DESC, id DESC LIMIT 1), 0))"""
"""Memories that wait with requests here, of which none was approved."""
_DENIED_AGAIN = """SELECT new_value FROM consent_requests r
                   WHERE user_id = :user AND field = 'forgotten' AND state = 'denied'
                   AND NOT EXISTS (SELECT 1 FROM consent_requests
                                   WHERE user_id = :user AND field = r.field
                                   AND new_value = r.new_value AND state = 'applied'
                                   AND decided_at > r.decided_at)"""
"""Texts that were erased, and denied when they were said again."""

Row = Mapping[str, Any]
NOTHING: Row = {"decided_by": "", "decided_at": ""}


@contextmanager
def decided_elsewhere(session: Session, id: str, decided: Row = NOTHING) -> Iterator[None]:
    """Let the guards take a decision of another machine on a request, or what came of one."""
    sql = """INSERT INTO sync_decisions (request_id, decided_by, decided_at)
             VALUES (:id, :decided_by, :decided_at)"""
    session.run(sql, id=id, decided_by=decided["decided_by"], decided_at=decided["decided_at"])
    try:
        yield
    finally:
        session.run("DELETE FROM sync_decisions")


# Consent requests ---------------------------------------------------------------------------------


def write_request(session: Session, request_id: str, value: Row) -> None:
    """Write a consent request with its decision, the way that any goes: it waits first, and is
    decided then.
    """
    here = sync.value_of(session, Thing("consent_requests", request_id))
    if here and here["decided_at"] and here["decided_at"] != value["decided_at"]:
        _take_back(session, request_id)  # what was decided elsewhere was decided first
        here = None
    if here is None:
        session.insert("consent_requests", **{name: value[name] for name in _PROPOSED})
    elif not here["decided_at"]:
        sql = "DELETE FROM request_evidence WHERE user_id = :user AND request_id = :id"
        session.run(sql, id=request_id)
    for message_id, typed in value["evidence"]:
        with suppress(Rejected):
            consents.add_evidence(session, request_id, message_id, typed=bool(typed))
    session.alter("consent_requests", request_id, snoozed_until=value["snoozed_until"])
    if here is None or not here["decided_at"]:
        with suppress(Rejected):  # it was asked in no chat, or in one that is not shared
            session.alter("consent_requests", request_id, asked_in=value["asked_in"])
        if value["decided_at"]:
            _decide(session, request_id, value)
    if value["decided_at"] and not value["memory"]:  # it was forgotten elsewhere
        session.alter("consent_requests", request_id, memory="")


def _decide(session: Session, request_id: str, value: Row) -> None:
    state = "approved" if value["state"] == "applied" else value["state"]
    decided = {name: value[name] for name in ("decided_by", "decided_at")}
    with decided_elsewhere(session, request_id, value):
        session.alter("consent_requests", request_id, state=state, **decided)
    if state == "approved":
        consents.mark_applied(session, request_id)


def _take_back(session: Session, request_id: str) -> None:
    """Undo a decision that came second, and delete the request so that it can be written as it was
    decided first.

    What the profile said before comes back, and so does what memories were. The others hear of it.
    """
    step = """SELECT step FROM history
              WHERE user_id = :user AND event = 'PROFILE' AND meta ->> 'request_id' = :id
              ORDER BY number DESC LIMIT 1"""
    with sync.as_own_change(session):
        take_from_profile(session, request_id)
        before = session.row(_BEFORE, id=request_id)
        if before and before["new_value"]:
            place = {"field": before["field"], "value": before["new_value"]}
            if not session.row(_STANDING, **place):
                _put(session, dict(before), before["decided_at"])
                sync.back_date(session, Thing("profile", before["id"]), before["decided_at"])
        if decided_in := session.value(step, id=request_id):
            _revert(session, decided_in)
        sql = "DELETE FROM consent_requests WHERE user_id = :user AND id = :id"
        session.run(sql, id=request_id)


def _revert(session: Session, step: str) -> None:
    """Take back what followed from a decision; of what was changed again since, what it made known
    goes to the trash.
    """
    of_step = history.entries_of_step(session, step)
    try:
        changes.apply(session, Reverted(step, session.now + KEPT_DAYS), ACTOR)
    except UsageError:
        known = [
            entry.subject_id
            for entry in of_step
            if entry.is_of_memory and entry.event in (Event.ADD, Event.RESTORE)
        ]
        for memory in get_memories(session, known):
            if memory.state is State.LIVE:
                changes.apply(session, _discarded(session, memory.id), ACTOR)


def discard_denied(session: Session, memory_ids: Sequence[str]) -> None:
    """Move the memories to the trash that a request holds, to which no yes counts here; what was
    erased, and denied when it was said again, stays forgotten.
    """
    for memory_id in session.column(_DENIED, ids=memory_ids):
        changes.apply(session, _discarded(session, memory_id), ACTOR)
    for text in session.column(_DENIED_AGAIN):
        if not erasing.is_forgotten(session, text):
            erasing.remember_wordings(session, [text])


def _discarded(session: Session, memory_id: str) -> SoftDeleted:
    return SoftDeleted(memory_id, "person", session.now + KEPT_DAYS)


# The profile --------------------------------------------------------------------------------------


def put_into_profile(session: Session, value: Row) -> None:
    """Let the profile say what it says on another machine, by the request of there. The others hear
    of a value that has to go.
    """
    request = sync.value_of(session, Thing("consent_requests", value["request_id"]))
    there = set(session.column(_STANDING, field=value["field"], value=value["value"]))
    rivals = there - {value["request_id"]}
    later = """SELECT 1 FROM sync_things ours JOIN sync_things came USING (kind)
               WHERE kind = 'profile' AND came.id = :came AND ours.changes > 0
               AND ours.id IN (SELECT value FROM json_each(:rivals))
               AND (ours.clock, ours.device) > (came.clock, came.device)"""
    is_overruled = session.row(later, came=value["request_id"], rivals=sorted(rivals)) is not None
    if request is None or request["state"] != "applied" or is_overruled:
        sync.mark(session, Thing("profile", value["request_id"]))
        for thing in (Thing("profile", request_id) for request_id in rivals):
            if not sync.local_change(session, thing):
                sync.mark(session, thing)
        return
    for request_id in rivals:
        with sync.as_own_change(session):
            take_from_profile(session, request_id)
    take_from_profile(session, value["request_id"])
    _put(session, request, value["updated_at"])


def _put(session: Session, request: Row, updated_at: str) -> None:
    with decided_elsewhere(session, request["id"], request):
        says = {"field": request["field"], "value": request["new_value"]}
        session.insert("profile", **says, request_id=request["id"], updated_at=updated_at)


def take_from_profile(session: Session, request_id: str) -> None:
    """Remove the value that rests on a request."""
    with decided_elsewhere(session, request_id):
        sql = "DELETE FROM profile WHERE user_id = :user AND request_id = :id"
        session.run(sql, id=request_id)
