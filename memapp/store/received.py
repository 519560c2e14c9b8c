"""What came from the person's other machines, carried out: rows as they were there, through the
guards that hold for any. Decisions and the profile are in `received_decisions`.

Only `services.sync` calls this, in a transaction of `Database.decide`. What is written here is
marked as known to all but for what settles two things of which only one can be: that is a change of
this machine.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from memapp.domain.changes import Actor, LessonMoved, Merged, Received
from memapp.domain.lessons.fingerprint import Fingerprint
from memapp.domain.lessons.lesson import LESSON, MERGED
from memapp.domain.memory import Memory, State
from memapp.domain.sync import KINDS, Thing, ThingChange
from memapp.store import changes, chat, fingerprints, received_decisions, records, snapshots, sync
from memapp.store.forget import consent_requests
from memapp.store.lessons import same_rule
from memapp.store.memories import find_same
from memapp.store.received_decisions import ACTOR, KEPT_DAYS, Row
from memapp.store.session import Rejected, Session

_PARKED = {"messages": "seq = -key", "lessons": "normal_rule = id"}
"""Puts rows out of each other's way that may change places."""


def carry_out(
    session: Session,
    came: Sequence[ThingChange],
    overruled: Mapping[Thing, str],
    names: Mapping[str, str],
) -> None:
    """Write what came together. `overruled` names the machine of those that take the place of a
    change of ours, `names` all machines.
    """
    for change in came:
        sync.note_known(session, change.thing, change.clock)
    session.run("UPDATE sync_machine SET state = 'applying'")
    ids = {kind: [c.thing.id for c in came if c.thing.kind == kind] for kind in KINDS}
    for kind, parked in _PARKED.items():
        sql = f"""UPDATE {kind} SET {parked}
                  WHERE user_id = :user
                  AND id IN (SELECT value FROM json_each(:ids))"""  # noqa: S608
        session.run(sql, ids=ids[kind])
    snapshots.set_aside(session, ids["memories"])
    in_order = sorted(came, key=lambda change: KINDS.index(change.thing.kind))
    for change in reversed(in_order):
        if change.value is None:
            _remove(session, change.thing)
    written = [(change, change.value) for change in in_order if change.value is not None]
    messages = [value for change, value in written if change.thing.kind == "messages"]
    _make_room_in_threads(session, messages)
    for change, value in written:
        with suppress(Rejected):  # of what was erased here, or of a chat that is not shared
            name = names.get(change.clock.device, "")
            _write(session, change.thing, value, name, overruled.get(change.thing, ""))
    with sync.as_own_change(session):
        received_decisions.discard_denied(session, ids["memories"])
    for thread_id in {value["thread_id"] for value in messages}:
        chat.refresh_contexts(session, thread_id)
    session.run("UPDATE sync_machine SET state = ''")


def note_overruled(session: Session, change: ThingChange, device: str) -> None:
    """Keep in the history what another machine made of a memory that ours overrules."""
    if change.thing.kind == "memories" and change.value:
        lost = Received(change.thing.id, _memory(change.value), device, stands=True)
        changes.apply(session, lost, ACTOR)


def _remove(session: Session, thing: Thing) -> None:
    match thing.kind:
        case "memories":
            changes.apply(session, Received(thing.id, None), ACTOR)
        case "profile":
            received_decisions.take_from_profile(session, thing.id)
        case "consent_requests":
            consent_requests.erase(session, [thing.id])
        case "history":
            pass  # it stays, without its versions
        case kind:
            sql = f"""DELETE FROM {kind} AS o
                      WHERE o.user_id = :user AND {sync.by_key(kind)}"""  # noqa: S608
            session.run(sql, **sync.key_of(thing))


def _write(session: Session, thing: Thing, value: Row, made_on: str, overruled_on: str) -> None:
    match thing.kind:
        case "memories":
            _write_memory(session, value, overruled_on)
        case "consent_requests":
            received_decisions.write_request(session, thing.id, value)
        case "profile":
            received_decisions.put_into_profile(session, value)
        case "lessons":
            _write_lesson(session, thing, value)
        case "history":
            _write_entry(session, thing.id, value, made_on)
        case "predictions":  # a surprise rests on the one that was here, and goes with it
            sql = """DELETE FROM predictions
                     WHERE user_id = :user AND message_id = :message_id AND source = :source
                     AND id <> :id"""
            session.run(sql, **value)
            _put(session, thing, value)
        case "rounds":
            _put(session, thing, value)
            sql = "DELETE FROM dissents WHERE user_id = :user AND round_id = :id"
            session.run(sql, id=thing.id)
            for dissent in value["dissents"]:
                session.insert("dissents", round_id=thing.id, **dissent)
        case _:
            _put(session, thing, value)


def _put(session: Session, thing: Thing, value: Row, **more: Any) -> None:
    """Write a row over the one of here, also where that has another id, as a relation of the same
    two memories; a column that this version has not is left out.
    """
    columns = sync.columns(session, thing.kind)
    session.put(thing.kind, **{name: value[name] for name in value if name in columns}, **more)


# Memories and lessons -----------------------------------------------------------------------------


def _memory(value: Row) -> Memory:
    return Memory(**records.read({"tags": "[]", **value}, Memory))


def _write_memory(session: Session, value: Row, overruled_on: str) -> None:
    """Write a memory, and merge into it a local one with the same text."""
    memory = _memory(value)
    is_live = memory.state is State.LIVE
    same = find_same(session, session.normalise(memory.text)) if is_live else None
    if same:
        snapshots.set_aside(session, [same])
    with received_decisions.decided_elsewhere(session, memory.id):
        changes.apply(session, Received(memory.id, memory, overruled_on), ACTOR)
    if same:
        with sync.as_own_change(session):
            changes.apply(session, Merged(same, memory.id, session.now + KEPT_DAYS), Actor("merge"))
        snapshots.put_among(session, same)


def _write_lesson(session: Session, thing: Thing, value: Row) -> None:
    normal = session.normalise(value["rule_text"])
    is_active = value["status"] != "archived" and value["purge_at"] is None
    if is_active and (same := same_rule(session, normal, value["tool"], value["scope"])):
        with sync.as_own_change(session):
            changes.apply(session, LessonMoved(same.id, "archived", MERGED), Actor("merge"))
    _put(session, thing, value, normal_rule=normal)
    for table in ("lesson_tags", "lesson_triggers"):
        session.run(f"DELETE FROM {table} WHERE user_id = :user AND lesson_id = :id", id=thing.id)  # noqa: S608
    for tag in value["tags"]:
        session.insert_new("lesson_tags", lesson_id=thing.id, tag=tag)
    for failure, same_as in value["triggers"]:
        kept = _keep_failure(session, failure)
        fingerprints.set_group(session, kept, _keep_failure(session, same_as) if same_as else "")
        session.insert_new("lesson_triggers", lesson_id=thing.id, fingerprint_id=kept)


def _keep_failure(session: Session, failure: Row) -> str:
    found = Fingerprint(**{name: failure[name] for name in Fingerprint._fields})
    return fingerprints.keep_fingerprint(session, found, json.loads(failure["tags"]))


# Chats --------------------------------------------------------------------------------------------


def _make_room_in_threads(session: Session, came: Sequence[Row]) -> None:
    """Let messages that nobody else knows of stand behind those that came, where both have the same
    place.
    """
    for thread_id in {value["thread_id"] for value in came}:
        places = [value["seq"] for value in came if value["thread_id"] == thread_id]
        later = """SELECT id, seq FROM messages
                   WHERE user_id = :user AND thread_id = :thread AND seq >= (
                       SELECT min(seq) FROM messages WHERE user_id = :user AND thread_id = :thread
                       AND seq IN (SELECT value FROM json_each(:places)))
                   ORDER BY seq DESC"""
        moved = session.run(later, thread=thread_id, places=places).fetchall()
        for message_id, seq in moved:  # the last first, so that none stands in the way of another
            further = seq + max(places) - moved[-1]["seq"] + 1
            session.alter("messages", message_id, seq=further)
            sync.mark(session, Thing("messages", message_id))


# The history --------------------------------------------------------------------------------------


def _write_entry(session: Session, entry_id: str, value: Row, made_on: str) -> None:
    """Add an entry of another machine's history, with the versions before and after, unless it is
    here.
    """
    if session.row("SELECT 1 FROM history WHERE user_id = :user AND id = :id", id=entry_id):
        return
    owner, meta = str(value["memory_id"]), {"machine": made_on} | json.loads(value["meta"])
    numbers = {
        name: value[name] and snapshots.keep_version(session, owner, value[name])
        for name in ("old_ref", "new_ref")
    }
    if owner.startswith(LESSON):
        meta |= {name: numbers[f"{name}_ref"] for name in ("old", "new") if name in meta}
        meta.pop("regrouped", None)  # the failures of here are known by other ids
        numbers = dict.fromkeys(numbers)
    said = ("id", "step", "undoes", "memory_id", "event", "actor", "thread_id", "ts")
    session.insert("history", **{name: value[name] for name in said}, **numbers, meta=meta)
