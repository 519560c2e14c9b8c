"""What of this file travels to the person's other machines: the things that were changed, and the
entries that came of them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from memapp.domain.lessons.lesson import LESSON
from memapp.domain.sync import CHATS, KINDS, MOST_AHEAD, Clock, SyncEntry, Thing, ThingChange
from memapp.store.session import Session

KEYS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(KINDS, ("id",)),
    "recalls": ("message_id", "rank"),
    "episode_ends": ("thread_id",),
    "taken_back": ("message_id",),
    "profile": ("request_id",),
    "access_counts": ("memory_id",),
    "howto_ticks": ("memory_id", "step"),
    "agents": ("name",),
    "rubric": ("criterion",),
}
"""The columns by which a thing is known; its id joins them with colons."""
_MADE_HERE = frozenset(
    {
        "key",
        "user_id",
        "normal_text",
        "normal_rule",
        "context",
        "summed_to",
        "number",
        "vector",
        "model_id",
    }
)
"""Columns that each machine writes for itself."""
_AT = {
    **dict.fromkeys(
        (
            "imported_files",
            "messages",
            "context_cards",
            "predictions",
            "surprises",
            "relations",
            "rounds",
        ),
        "created_at",
    ),
    **dict.fromkeys(("threads", "memories", "profile", "lessons"), "updated_at"),
    "consent_requests": "coalesce(decided_at, created_at)",
    "access_counts": "last_accessed",
    "history": "ts",
}
"""When a thing was changed that is older than sync; no column says that of the others."""
_UNREADY = {"messages": "status = 'generating'", "surprises": "state = 'pending'"}
"""Rows that are still being worked on: they travel when that is done."""
_PARTS: Mapping[str, Mapping[str, str]] = {
    "memories": {
        "sources": "SELECT json_group_array(message_id) FROM memory_sources WHERE memory_id = o.id"
    },
    "consent_requests": {
        "evidence": """SELECT json_group_array(json_array(message_id, typed))
            FROM request_evidence WHERE request_id = o.id"""
    },
    "lessons": {
        "tags": "SELECT json_group_array(tag) FROM lesson_tags WHERE lesson_id = o.id",
        "triggers": """SELECT json_group_array(json_object(
                'tool', f.tool, 'scope', f.scope, 'shape', f.shape,
                'subject', f.subject, 'version', f.version, 'tags', f.tags))
            FROM lesson_triggers t JOIN fingerprints f ON f.id = t.fingerprint_id
            WHERE t.lesson_id = o.id""",
    },
    "rounds": {
        "dissents": """SELECT json_group_array(json_object(
                'agent', agent, 'text', text, 'citations', citations, 'depth', depth,
                'impact', impact, 'incorporated', incorporated, 'quote', quote,
                'created_at', created_at))
            FROM (SELECT * FROM dissents WHERE round_id = o.id ORDER BY number)"""
    },
}
"""What belongs to a row and stands in other tables."""
_VERSIONS = f"""SELECT iif(
                    o.memory_id GLOB '{LESSON}*',
                    (SELECT snapshot FROM lesson_versions WHERE id = o.meta ->> :name),
                    (SELECT snapshot FROM versions
                     WHERE id = iif(:name = 'old', o.old_ref, o.new_ref)))
                FROM history o WHERE o.user_id = :user AND o.id = :id"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Here:
    """This machine, and how far it is."""

    device: str
    memory: str
    number: int
    hash: bytes
    tidying: int
    told: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Unsent:
    """A change that the others do not know."""

    change: ThingChange
    changes: int
    """How often it was changed: what is changed while it travels waits again."""
    erased: bool = False


_ENDING = (
    "DELETE FROM sync_things",
    "DELETE FROM sync_entries",
    "DELETE FROM sync_erasures",
    "DELETE FROM sync_machine",
)

# This machine -------------------------------------------------------------------------------------


def here(session: Session) -> Here | None:
    """Return this machine; None where nothing is shared."""
    return session.record(Here, "SELECT * FROM sync_machine")


def is_shared(session: Session) -> bool:
    return session.row("SELECT 1 FROM sync_machine") is not None


def begin(session: Session, device: str, memory: str, start: bytes) -> None:
    """Share from now on all that there is, with the times at which it was changed."""
    sql = (
        "INSERT INTO sync_machine (only, device, memory, hash) VALUES (1, :device, :memory, :start)"
    )
    session.run(sql, device=device, memory=memory, start=start)
    for kind in KINDS:
        at = (
            f"CAST((julianday({_AT[kind]}) - 2440587.5) * 86400000 AS INTEGER)"
            if kind in _AT
            else "0"
        )
        named = " || ':' || ".join(KEYS[kind])
        marked = f"""INSERT INTO sync_things (kind, id, clock, device, changes)
                     SELECT :kind, {named}, {at}, :device, 1 FROM {kind} WHERE user_id = :user"""  # noqa: S608
        session.run(marked, kind=kind, device=device)


def end(session: Session) -> None:
    """Share nothing any more."""
    for sql in _ENDING:
        session.run(sql)


def note_told(session: Session, **told: Any) -> None:
    """Keep what the database said last, to be shown while it is away."""
    session.run("UPDATE sync_machine SET told = json_patch(told, :told)", told=told)


def note_lease(session: Session, until: int) -> None:
    session.run("UPDATE sync_machine SET tidying = :until", until=until)


# What waits ---------------------------------------------------------------------------------------


def mark(session: Session, thing: Thing) -> None:
    """Let a thing travel as it is now."""
    session.run("INSERT INTO sync_changed VALUES (:kind, :id)", kind=thing.kind, id=thing.id)


def count_waiting(session: Session) -> int:
    return int(session.value("SELECT count(*) FROM sync_things WHERE changes > 0"))


def is_waiting(session: Session, *, chats: bool = True) -> bool:
    """Say whether something waits that can go."""
    unready = " ".join(f"AND NOT (kind = '{kind}' AND {_unready(kind)})" for kind in _UNREADY)
    sql = f"""SELECT 1 FROM sync_things WHERE changes > 0 {unready}
              AND (:chats OR kind NOT IN (SELECT value FROM json_each(:of_chats))) LIMIT 1"""  # noqa: S608
    return session.row(sql, chats=chats, of_chats=list(CHATS)) is not None


def _unready(kind: str) -> str:
    return f"id IN (SELECT id FROM {kind} WHERE {_UNREADY[kind]})"  # noqa: S608


def is_erased(session: Session) -> bool:
    """Say whether something waits that an erasure touched."""
    return (
        session.row("SELECT 1 FROM sync_things WHERE changes > 0 AND erased = 1 LIMIT 1")
        is not None
    )


def waiting(session: Session, limit: int, *, chats: bool = True) -> list[Unsent]:
    """Return what waits, what others refer to first."""
    found: list[Unsent] = []
    for kind in KINDS:
        if kind in CHATS and not chats:
            continue
        unready = f"AND NOT {_unready(kind)}" if kind in _UNREADY else ""
        made = {"messages": "seq", "history": "number"}.get(kind)  # a reply comes after its message
        order = f"(SELECT {made} FROM {kind} o WHERE o.id = sync_things.id), id" if made else "id"  # noqa: S608
        sql = f"""SELECT id, clock, device, changes, erased FROM sync_things
                  WHERE kind = :kind AND changes > 0 {unready} ORDER BY {order} LIMIT :limit"""  # noqa: S608
        for row in session.run(sql, kind=kind, limit=limit - len(found)).fetchall():
            thing = Thing(kind, row["id"])
            change = ThingChange(
                thing, Clock(row["clock"], row["device"]), value_of(session, thing)
            )
            found.append(Unsent(change, row["changes"], bool(row["erased"])))
    return found


def local_change(session: Session, thing: Thing) -> ThingChange | None:
    """Return the change of a thing that other machines lack; None without one."""
    row = session.row(
        "SELECT clock, device FROM sync_things WHERE kind = :kind AND id = :id AND changes > 0",
        **_named(thing),
    )
    return (
        ThingChange(thing, Clock(row["clock"], row["device"]), value_of(session, thing))
        if row
        else None
    )


def value_of(session: Session, thing: Thing) -> dict[str, Any] | None:
    """Return the row of a thing by its columns, with its parts; None without one."""
    kind = thing.kind
    parts = "".join(f", ({sql}) AS part_{name}" for name, sql in _PARTS.get(kind, {}).items())
    sql = f"SELECT o.*{parts} FROM {kind} o WHERE o.user_id = :user AND {by_key(kind)}"  # noqa: S608
    row = session.row(sql, **key_of(thing))
    if row is None:
        return None
    value = {
        name: row[name]
        for name in row.keys()  # noqa: SIM118  # a row of SQLite iterates over its values
        if name not in _MADE_HERE and not name.startswith("part_")
    }
    for name in _PARTS.get(kind, {}):
        found = json.loads(row[f"part_{name}"])
        value[name] = found if kind == "rounds" else sorted(found, key=str)
    if kind == "history":
        for name in ("old", "new"):
            value[f"{name}_ref"] = session.value(_VERSIONS, name=name, id=thing.id)
    return value


def by_key(kind: str) -> str:
    """Return the condition by which a thing is found."""
    return " AND ".join(f"o.{name} = :{name}" for name in KEYS[kind])


def key_of(thing: Thing) -> dict[str, str]:
    keys = KEYS[thing.kind]
    return dict(zip(keys, thing.id.split(":") if len(keys) > 1 else [thing.id], strict=True))


def _named(thing: Thing) -> dict[str, str]:
    return {"kind": thing.kind, "id": thing.id}


# What is known ------------------------------------------------------------------------------------


def note_entries(session: Session, entries: Iterable[tuple[SyncEntry, Thing | None]]) -> None:
    """Note entries as carried out, or sent: the next comes behind them."""
    last = None
    for entry, thing in entries:
        about = thing or Thing("", "")
        sql = """INSERT OR REPLACE INTO sync_entries (number, device, kind, id, hash)
                 VALUES (:number, :device, :kind, :id, :hash)"""
        session.run(
            sql,
            number=entry.place.number,
            device=entry.place.device,
            hash=entry.hash,
            **_named(about),
        )
        last = entry
    if last is not None:
        soonest = int(session.now.timestamp() * 1000) + MOST_AHEAD
        sql = """UPDATE sync_machine SET number = :number, hash = :hash,
                     latest = max(latest, min(:clock, :soonest))
                 WHERE number < :number"""
        session.run(
            sql, number=last.place.number, hash=last.hash, clock=last.place.clock, soonest=soonest
        )


def note_known(session: Session, thing: Thing, clock: Clock) -> None:
    """Note what all machines know of a thing."""
    sql = """INSERT INTO sync_things (kind, id, clock, device, changes)
             VALUES (:kind, :id, :clock, :device, 0)
             ON CONFLICT DO UPDATE SET clock = excluded.clock, device = excluded.device,
                 changes = 0, erased = 0"""
    session.run(sql, clock=clock.at, device=clock.device, **_named(thing))


def note_sent(session: Session, sent: Sequence[Unsent]) -> None:
    """Note that the others can know what waited; what was changed again meanwhile waits on."""
    sql = """UPDATE sync_things SET changes = 0, erased = 0
             WHERE kind = :kind AND id = :id AND changes = :changes"""
    session.run_many(
        sql, [{**_named(unsent.change.thing), "changes": unsent.changes} for unsent in sent]
    )


def numbers_about(session: Session, things: Iterable[Thing]) -> list[int]:
    """Return the numbers of the entries about some things."""
    sql = "SELECT number FROM sync_entries WHERE kind = :kind AND id = :id"
    return [number for thing in things for number in session.column(sql, **_named(thing))]


def epochs(session: Session) -> set[int]:
    """Return the epochs that began so far."""
    return {1, *map(int, session.column("SELECT id FROM sync_entries WHERE kind = 'keys'"))}


def hashes(session: Session, first: int) -> dict[int, bytes]:
    return {
        row["number"]: row["hash"]
        for row in session.run(
            "SELECT number, hash FROM sync_entries WHERE number >= :first", first=first
        )
    }


def go_back(session: Session, number: int, start: bytes) -> int:
    """Let all that stood behind an entry wait again, since the database lost it; return how much
    that is.
    """
    sql = """UPDATE sync_things SET changes = changes + 1
             WHERE (kind, id) IN (SELECT kind, id FROM sync_entries WHERE number > :number)"""
    again = session.run(sql, number=number).rowcount
    session.run("DELETE FROM sync_entries WHERE number > :number", number=number)
    known = "SELECT hash FROM sync_entries WHERE number = :number"
    sql = f"UPDATE sync_machine SET number = :number, hash = coalesce(({known}), :start)"  # noqa: S608
    session.run(sql, number=number, start=start)
    return again


# Erasures -----------------------------------------------------------------------------------------


@contextmanager
def erasing(session: Session) -> Iterator[None]:
    """Mark what is changed meanwhile as touched by an erasure."""
    session.run("UPDATE sync_machine SET state = 'erasing'")
    yield
    session.run("UPDATE sync_machine SET state = ''")


def plan_erasure(session: Session, box: bytes) -> None:
    session.run("INSERT INTO sync_erasures (box) VALUES (:box)", box=box)


def planned_erasures(session: Session) -> dict[int, bytes]:
    return {
        row["id"]: row["box"]
        for row in session.run("SELECT id, box FROM sync_erasures ORDER BY id")
    }


def forget_erasures(session: Session, ids: Iterable[int]) -> None:
    session.run(
        "DELETE FROM sync_erasures WHERE id IN (SELECT value FROM json_each(:ids))", ids=list(ids)
    )


def last_erasure(session: Session) -> int:
    """Return the number of the last entry by which something was erased; 0 if none was."""
    return session.value("SELECT max(number) FROM sync_entries WHERE kind = 'erasure'") or 0
