"""What came from the person's other machines, carried out: rows as they were there, through the
guards that hold for any.

Only `services.sync` calls this, in a transaction of `Database.decide`. What is written here is
marked as known to all but for what settles two things of which only one can be: that is a change of
this machine.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

from memapp.domain.changes import Actor, Event, LessonMoved, Merged, Received, Reverted, SoftDeleted
from memapp.domain.consent import BESIDE_PROFILE
from memapp.domain.lessons.fingerprint import Fingerprint
from memapp.domain.lessons.lesson import LESSON, MERGED
from memapp.domain.memory import Memory, State
from memapp.domain.sync import KINDS, Thing, ThingChange
from memapp.errors import UsageError
from memapp.store import (
    changes,
    chat,
    consents,
    fingerprints,
    history,
    profile,
    records,
    snapshots,
    sync,
)
from memapp.store.forget import consent_requests
from memapp.store.memories import find_same, get_memories
from memapp.store.session import Rejected, Session

KEPT_DAYS = timedelta(days=30)
_ONCE = {
    "predictions": "message_id = :message_id AND source = :source",
    "surprises": "message_id = :message_id",
    "relations": """min(from_id, to_id) = min(:from_id, :to_id)
                    AND max(from_id, to_id) = max(:from_id, :to_id)
                    AND relation_type = :relation_type""",
}
"""What there can be only one of, whatever its id: the one that came takes the place of the other.
"""
_PARKED = {"messages": "seq = -key", "lessons": "normal_rule = id"}
"""Puts rows out of each other's way that may change places."""

Row = Mapping[str, Any]


def carry_out(
    session: Session,
    came: Sequence[ThingChange],
    actor: Actor,
    overruled: Mapping[Thing, str],
    names: Mapping[str, str],
) -> None:
    """Write what came together. `overruled` names the machine of those that take the place of a
    change of ours.
    """
    session.run("UPDATE sync_machine SET state = 'applying'")
    for kind, parked in _PARKED.items():
        ids = [thing_change.thing.id for thing_change in came if thing_change.thing.kind == kind]
        sql = f"""UPDATE {kind} SET {parked}
                  WHERE user_id = :user AND id IN (SELECT value FROM json_each(:ids))"""  # noqa: S608
        session.run(sql, ids=ids)
    snapshots.set_aside(
        session,
        [thing_change.thing.id for thing_change in came if thing_change.thing.kind == "memories"],
    )
    in_order = sorted(came, key=lambda one: KINDS.index(one.thing.kind))
    for change in reversed(
        [thing_change for thing_change in in_order if thing_change.value is None]
    ):
        _remove(session, change.thing, actor)
    _make_room_in_threads(
        session,
        [
            thing_change.value
            for thing_change in in_order
            if thing_change.thing.kind == "messages" and thing_change.value
        ],
    )
    for change in in_order:
        if change.value is not None:
            with suppress(
                Rejected
            ):  # of something that was erased here, or of a chat that is not shared
                if change.thing.kind == "history":
                    _write_entry(
                        session, change.thing.id, change.value, names.get(change.clock.device, "")
                    )
                else:
                    _write(
                        session, change.thing, change.value, actor, overruled.get(change.thing, "")
                    )
    session.run(
        "UPDATE consent_requests SET state = 'applied' WHERE user_id = :user AND state = 'approved'"
    )
    for thread_id in {
        thing_change.value["thread_id"]
        for thing_change in in_order
        if thing_change.thing.kind == "messages" and thing_change.value
    }:
        chat.refresh_contexts(session, thread_id)
    session.run("UPDATE sync_machine SET state = ''")


def note_overruled(session: Session, change: ThingChange, actor: Actor, device: str) -> None:
    """Keep in the history what another machine made of a memory that ours overrules."""
    if change.thing.kind == "memories" and change.value:
        changes.apply(
            session, Received(change.thing.id, _memory(change.value), device, stands=True), actor
        )


def _remove(session: Session, thing: Thing, actor: Actor) -> None:
    match thing.kind:
        case "memories":
            changes.apply(session, Received(thing.id, None), actor)
        case "profile":
            for row in session.run(
                "SELECT field, value FROM profile WHERE user_id = :user AND request_id = :id",
                id=thing.id,
            ).fetchall():
                _take_from_profile(session, row["field"], row["value"])
        case "consent_requests":
            consent_requests.erase(session, [thing.id])
        case "history":
            pass  # it stays, without its versions
        case kind:
            sql = f"DELETE FROM {kind} AS o WHERE o.user_id = :user AND {sync.by_key(kind)}"  # noqa: S608
            session.run(sql, **sync.key_of(thing))


def _write(session: Session, thing: Thing, value: Row, actor: Actor, overruled_on: str) -> None:
    match thing.kind:
        case "memories":
            _write_memory(session, value, actor, overruled_on)
        case "consent_requests":
            _write_request(session, thing.id, value)
        case "profile":
            _put_into_profile(session, value)
        case "lessons":
            _write_lesson(session, thing, value)
        case "rounds":
            _upsert(session, thing, value)
            session.run(
                "DELETE FROM dissents WHERE user_id = :user AND round_id = :id", id=thing.id
            )
            for dissent in value["dissents"]:
                session.insert("dissents", round_id=thing.id, **dissent)
        case kind:
            if kind in _ONCE:
                sql = f"DELETE FROM {kind} WHERE user_id = :user AND id <> :id AND {_ONCE[kind]}"  # noqa: S608
                session.run(sql, **value)
            _upsert(session, thing, value)


def _upsert(session: Session, thing: Thing, value: Row, **more: Any) -> None:
    """Write a row; a column that this version has not is left out."""
    columns = {pair[0] for pair in session.run(f"SELECT * FROM {thing.kind} LIMIT 0").description}  # noqa: S608
    row = {name: item for name, item in value.items() if name in columns} | more
    names, keys = ", ".join(row), ", ".join(sync.KEYS[thing.kind])
    keys = f"user_id, {keys}" if thing.kind in ("agents", "rubric") else keys
    places = ", ".join(f":{name}" for name in row)
    updates = ", ".join(f"{name} = excluded.{name}" for name in row)
    sql = f"""INSERT INTO {thing.kind} (user_id, {names}) VALUES (:user, {places})
              ON CONFLICT ({keys}) DO UPDATE SET {updates}"""  # noqa: S608
    session.run(sql, **row)


# Memories and lessons -----------------------------------------------------------------------------


def _memory(value: Row) -> Memory:
    return Memory(**records.read({"tags": "[]", **value}, Memory))


def _write_memory(session: Session, value: Row, actor: Actor, overruled_on: str) -> None:
    """Write a memory, and merge into it a local one with the same text."""
    memory = _memory(value)
    same = (
        find_same(session, session.normalise(memory.text)) if memory.state is State.LIVE else None
    )
    if same and same != memory.id:
        snapshots.set_aside(session, [same])
    changes.apply(session, Received(memory.id, memory, overruled_on), actor)
    if same and same != memory.id:
        _as_own_change(session, Merged(same, memory.id, session.now + KEPT_DAYS))
        snapshots.put_among(session, same)


def _as_own_change(session: Session, change: Merged | LessonMoved) -> None:
    """Carry out what follows here from what came, so that the others hear of it."""
    session.run("UPDATE sync_machine SET state = ''")
    changes.apply(session, change, Actor("merge"))
    session.run("UPDATE sync_machine SET state = 'applying'")


def _write_lesson(session: Session, thing: Thing, value: Row) -> None:
    normal = session.normalise(value["rule_text"])
    if value["status"] != "archived" and value["purge_at"] is None:
        sql = """SELECT id FROM lessons
                 WHERE user_id = :user AND normal_rule = :normal AND tool = :tool AND scope = :scope
                 AND id <> :id AND status <> 'archived' AND purge_at IS NULL"""
        same = session.value(
            sql, normal=normal, tool=value["tool"], scope=value["scope"], id=thing.id
        )
        if same:
            _as_own_change(session, LessonMoved(same, "archived", MERGED))
    _upsert(session, thing, value, normal_rule=normal)
    for table in ("lesson_tags", "lesson_triggers"):
        session.run(f"DELETE FROM {table} WHERE user_id = :user AND lesson_id = :id", id=thing.id)  # noqa: S608
    for tag in value["tags"]:
        session.insert_new("lesson_tags", lesson_id=thing.id, tag=tag)
    for item in value["triggers"]:
        found = Fingerprint(**{name: item[name] for name in Fingerprint._fields})
        kept = fingerprints.keep_fingerprint(session, found, json.loads(item["tags"]))
        session.insert_new("lesson_triggers", lesson_id=thing.id, fingerprint_id=kept)


# Chats --------------------------------------------------------------------------------------------


def _make_room_in_threads(session: Session, came: Sequence[Row]) -> None:
    """Let messages that nobody else knows of stand behind those that came, where both have the same
    place.
    """
    for thread_id in {item["thread_id"] for item in came}:
        places = [item["seq"] for item in came if item["thread_id"] == thread_id]
        sql = """SELECT min(seq) FROM messages
                 WHERE user_id = :user AND thread_id = :thread
                 AND seq IN (SELECT value FROM json_each(:places))"""
        first = session.value(sql, thread=thread_id, places=places)
        if first is None:
            continue
        later = """SELECT id FROM messages
                   WHERE user_id = :user AND thread_id = :thread AND seq >= :first
                   ORDER BY seq DESC"""
        moved = session.column(later, thread=thread_id, first=first)
        for message_id in moved:  # the last first, so that none stands in the way of another
            sql = "UPDATE messages SET seq = seq + :by WHERE user_id = :user AND id = :id"
            session.run(sql, id=message_id, by=max(places) - first + 1)
            sync.mark(session, Thing("messages", message_id))


# Consent requests and the profile -----------------------------------------------------------------


def _write_request(session: Session, request_id: str, value: Row) -> None:
    """Write a consent request with its decision, the way that any goes: it waits first, and is
    decided then.
    """
    row = session.row(
        "SELECT state, decided_at, memory FROM consent_requests WHERE user_id = :user AND id = :id",
        id=request_id,
    )
    if row is not None and row["decided_at"] and row["decided_at"] != value["decided_at"]:
        _take_back(session, request_id)  # what was decided elsewhere was decided first
        row = None
    if row is None:
        proposed = (
            "id",
            "field",
            "old_value",
            "new_value",
            "memory",
            "proposer",
            "file_id",
            "quote",
            "created_at",
            "expires_at",
        )
        session.insert("consent_requests", **{name: value[name] for name in proposed})
    elif not row["decided_at"]:
        session.run(
            "DELETE FROM request_evidence WHERE user_id = :user AND request_id = :id", id=request_id
        )
    for message_id, typed in value["evidence"]:
        with suppress(Rejected):
            consents.add_evidence(session, request_id, message_id, typed=bool(typed))
    session.alter("consent_requests", request_id, snoozed_until=value["snoozed_until"])
    if row is None or not row["decided_at"]:
        with suppress(Rejected):  # it was asked in no chat, or in one that is not shared
            session.alter("consent_requests", request_id, asked_in=value["asked_in"])
        if value["decided_at"]:
            _decide(session, request_id, value)
    elif row["memory"] and not value["memory"]:
        session.alter("consent_requests", request_id, memory="")


def _decide(session: Session, request_id: str, value: Row) -> None:
    state = "approved" if value["state"] == "applied" else value["state"]
    decided = {"decided_by": value["decided_by"], "decided_at": value["decided_at"]}
    sql = """INSERT INTO sync_decisions (request_id, decided_by, decided_at)
             VALUES (:id, :decided_by, :decided_at)"""
    session.run(sql, id=request_id, **decided)
    try:
        session.alter("consent_requests", request_id, state=state, **decided)
    finally:
        session.run("DELETE FROM sync_decisions")
    if value["field"] in BESIDE_PROFILE and state == "approved":
        consents.mark_applied(session, request_id)


def _take_back(session: Session, request_id: str) -> None:
    """Undo a decision that came second, and delete the request so that it can be written as it was
    decided first.

    What the profile said before comes back, and so does what memories were. The others hear of it.
    """
    session.run("UPDATE sync_machine SET state = ''")
    decided = """SELECT step, meta ->> 'before' AS before FROM history
                 WHERE user_id = :user AND event = 'PROFILE' AND meta ->> 'request_id' = :id
                 ORDER BY number DESC LIMIT 1"""
    entry = session.row(decided, id=request_id)
    sql = "SELECT field, value FROM profile WHERE user_id = :user AND request_id = :id"
    for row in session.run(sql, id=request_id).fetchall():
        _take_from_profile(session, row["field"], row["value"])
    before = (
        sync.value_of(session, Thing("consent_requests", entry["before"] or "")) if entry else None
    )
    if before and before["new_value"] and not profile.request_behind(session, before["field"]):
        _put_into_profile(
            session, {"field": before["field"], "value": before["new_value"], **_behind(before)}
        )
    if entry:
        _revert(session, entry["step"])
    session.run("DELETE FROM consent_requests WHERE user_id = :user AND id = :id", id=request_id)
    session.run("UPDATE sync_machine SET state = 'applying'")


def _revert(session: Session, step: str) -> None:
    """Take back what followed from a decision; of what was changed again since, what it made known
    goes to the trash.
    """
    purge_at, of_step = session.now + KEPT_DAYS, history.entries_of_step(session, step)
    try:
        changes.apply(session, Reverted(step, purge_at), Actor("sync"))
    except UsageError:
        known = [
            entry.memory_id
            for entry in of_step
            if entry.is_of_memory and entry.event in (Event.ADD, Event.RESTORE)
        ]
        for memory in get_memories(session, known):
            if memory.state is State.LIVE:
                changes.apply(session, SoftDeleted(memory.id, "person", purge_at), Actor("sync"))


def _behind(request: Row) -> dict[str, Any]:
    """Return what a row of the profile says of the request behind it: it was carried out when it
    was decided.
    """
    return {"request_id": request["id"], "updated_at": request["decided_at"]}


def _put_into_profile(session: Session, value: Row) -> None:
    """Let the profile say what it says on another machine, by the request of there; in a field with
    one value it is the one.
    """
    request_id, field, says = value["request_id"], value["field"], value["value"]
    many = session.value("SELECT many FROM profile_fields WHERE name = :field", field=field)
    request = sync.value_of(session, Thing("consent_requests", request_id))
    if request is None or request["state"] not in ("approved", "applied"):
        sql = "SELECT request_id FROM profile WHERE user_id = :user AND field = :field"
        for stands in (
            request_id,
            *session.column(sql, field=field),
        ):  # it was denied first: the others hear what stands
            sync.mark(session, Thing("profile", stands))
        return
    sql = """SELECT value, request_id FROM profile
             WHERE user_id = :user AND field = :field AND (NOT :many OR value = :says)"""
    there = session.run(sql, field=field, many=many, says=says).fetchall()
    if any(row["request_id"] == request_id and row["value"] == says for row in there):
        return
    for row in there:
        _take_from_profile(session, field, row["value"])
    if request["state"] == "applied":
        session.run(
            "DELETE FROM consent_requests WHERE user_id = :user AND id = :id", id=request_id
        )
        _write_request(session, request_id, request)
    row = {
        "field": field,
        "value": says,
        "request_id": request_id,
        "updated_at": value["updated_at"],
    }
    if not request["old_value"]:
        session.insert("profile", **row)
        return
    before = _say_yes(session, field, "", request["old_value"])
    session.insert("profile", **(row | {"value": request["old_value"], "request_id": before}))
    sql = """UPDATE profile SET value = :value, request_id = :request_id, updated_at = :updated_at
             WHERE user_id = :user AND field = :field AND value = :before"""
    session.run(sql, before=request["old_value"], **row)
    session.run("DELETE FROM consent_requests WHERE user_id = :user AND id = :id", id=before)


def _take_from_profile(session: Session, field: str, says: str) -> None:
    request_id = _say_yes(session, field, says, "")
    session.run(
        "DELETE FROM profile WHERE user_id = :user AND field = :field AND value = :says",
        field=field,
        says=says,
    )
    session.run("DELETE FROM consent_requests WHERE user_id = :user AND id = :id", id=request_id)


def _say_yes(session: Session, field: str, old: str, new: str) -> str:
    """Return a request with the person's yes of another machine, for a change that leaves no
    request behind.
    """
    request_id = session.new_id()
    lasts = {"created_at": session.now, "expires_at": session.now + timedelta(days=1)}
    session.insert(
        "consent_requests",
        id=request_id,
        field=field,
        old_value=old,
        new_value=new,
        proposer="person",
        **lasts,
    )
    consents.decide(session, request_id, "approved", "person")
    return request_id


# The history --------------------------------------------------------------------------------------


def _write_entry(session: Session, entry_id: str, value: Row, made_on: str) -> None:
    """Add an entry of another machine's history, with the versions before and after, unless it is
    here.
    """
    if session.row("SELECT 1 FROM history WHERE user_id = :user AND id = :id", id=entry_id):
        return
    owner = str(value["memory_id"])
    is_lesson = owner.startswith(LESSON)
    numbers = {name: _version(session, owner, value[name]) for name in ("old_ref", "new_ref")}
    meta = {"machine": made_on} | json.loads(value["meta"])
    if is_lesson:
        meta |= {name: numbers[f"{name}_ref"] for name in ("old", "new") if name in meta}
        meta.pop("regrouped", None)  # the failures of here are known by other ids
        numbers = dict.fromkeys(numbers)
    said = ("id", "step", "undoes", "memory_id", "event", "actor", "thread_id", "ts")
    session.insert("history", **{name: value[name] for name in said}, **numbers, meta=meta)


def _version(session: Session, owner: str, snapshot: str | None) -> int | None:
    """Return the number of a version, the last one where that says the same."""
    table, column, owner_id = "versions", "memory_id", owner
    if owner.startswith(LESSON):
        table, column, owner_id = "lesson_versions", "lesson_id", owner.removeprefix(LESSON)
    if snapshot is None:
        return None
    sql = f"SELECT id, snapshot FROM {table} WHERE {column} = :owner ORDER BY id DESC LIMIT 1"  # noqa: S608
    last = session.row(sql, owner=owner_id)
    if last is not None and last["snapshot"] == snapshot:
        return int(last["id"])
    sql = f"""INSERT INTO {table} (user_id, {column}, snapshot)
              VALUES (:user, :owner, :snapshot) RETURNING id"""  # noqa: S608
    return int(session.value(sql, owner=owner_id, snapshot=snapshot))
