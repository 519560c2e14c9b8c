"""What of this file travels to the person's other machines: the things that were changed, and the
entries that came of them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
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
    "forgotten": ("fingerprint",),
}
"""The columns by which a thing is known; its id joins them with colons."""
_MADE_HERE = frozenset({
    *("key", "user_id", "normal_text", "normal_rule", "context", "summed_to", "number"),
    *("vector", "model_id"),
})  # fmt: skip
"""Columns that each machine writes for itself."""
_TIMES = ("updated_at", "decided_at", "last_accessed", "created_at", "ts")
"""Columns that say when a thing was changed that is older than sync, the best first."""
_UNREADY = {
    "messages": "id IN (SELECT id FROM messages WHERE status = 'generating')",
    "surprises": "id IN (SELECT id FROM surprises WHERE state = 'pending')",
}
"""Rows that are still being worked on: they travel when that is done."""
_FAILURE = """json_object(
    'tool', {0}.tool, 'scope', {0}.scope, 'shape', {0}.shape,
    'subject', {0}.subject, 'version', {0}.version, 'tags', {0}.tags)"""
_VERSION = f"""SELECT json_quote(iif(
        o.memory_id GLOB '{LESSON}*',
        (SELECT snapshot FROM lesson_versions WHERE id = o.meta ->> '{{0}}'),
        (SELECT snapshot FROM versions WHERE id = o.{{0}}_ref)))"""  # noqa: S608
_PARTS: Mapping[str, Mapping[str, str]] = {
    "memories": {
        "sources": """SELECT json_group_array(message_id)
            FROM (SELECT * FROM memory_sources WHERE memory_id = o.id ORDER BY message_id)"""
    },
    "consent_requests": {
        "evidence": """SELECT json_group_array(json_array(message_id, typed))
            FROM (SELECT * FROM request_evidence WHERE request_id = o.id ORDER BY message_id)"""
    },
    "lessons": {
        "tags": """SELECT json_group_array(tag)
            FROM (SELECT * FROM lesson_tags WHERE lesson_id = o.id ORDER BY tag)""",
        "triggers": f"""SELECT json_group_array(json(failure)) FROM (
            SELECT json_array({_FAILURE.format("f")},
                              json(iif(g.id IS NULL, NULL, {_FAILURE.format("g")}))) AS failure
            FROM lesson_triggers t JOIN fingerprints f ON f.id = t.fingerprint_id
            LEFT JOIN fingerprints g ON g.id = f.merged_into
            WHERE t.lesson_id = o.id ORDER BY failure)""",  # noqa: S608
    },
    "rounds": {
        "dissents": """SELECT json_group_array(json_object(
                'agent', agent, 'text', text, 'citations', citations, 'depth', depth,
                'impact', impact, 'incorporated', incorporated, 'quote', quote,
                'created_at', created_at))
            FROM (SELECT * FROM dissents WHERE round_id = o.id ORDER BY number)"""
    },
    "forgotten": {
        "made_with": """SELECT json_quote(coalesce(
            nullif(o.made_with, ''), (SELECT lower(hex(secret)) FROM forgotten_key)))"""
    },
    "history": {"old_ref": _VERSION.format("old"), "new_ref": _VERSION.format("new")},
}
"""What belongs to a row and stands in other tables, as JSON."""
WORDED = Thing("erasure", "worded")
"""An entry by which something was erased, as long as it says what."""


@dataclass(frozen=True, slots=True)
class Here:
    """This machine, and how far it is."""

    device: str
    number: int
    hash: bytes
    told: Mapping[str, Any]
    """What the database said last."""


@dataclass(frozen=True, slots=True)
class Unsent:
    """A change that the others do not know."""

    change: ThingChange
    changes: int
    """How often it was changed: what is changed while it travels waits again."""
    erased: bool = False


# This machine -------------------------------------------------------------------------------------


def here(session: Session) -> Here | None:
    """Return this machine; None where nothing is shared."""
    return session.record(Here, "SELECT * FROM sync_machine")


def is_shared(session: Session) -> bool:
    return session.row("SELECT 1 FROM sync_machine") is not None


def begin(session: Session, device: str, start: bytes) -> None:
    """Share from now on all that there is, with the times at which it was changed."""
    sql = "INSERT INTO sync_machine (only, device, hash) VALUES (1, :device, :start)"
    session.run(sql, device=device, start=start)
    for kind in KINDS:
        times = [f"julianday({name})" for name in _TIMES if name in columns(session, kind)]
        at = f"(coalesce({', '.join([*times, 'NULL', '2440587.5'])}) - 2440587.5) * 86400000"
        marked = f"""INSERT INTO sync_things (kind, id, clock, device, changes)
                     SELECT :kind, {" || ':' || ".join(KEYS[kind])}, CAST({at} AS INTEGER),
                            :device, 1 FROM {kind} WHERE user_id = :user"""  # noqa: S608
        session.run(marked, kind=kind, device=device)


def end(session: Session) -> None:
    """Share nothing any more."""
    session.run("DELETE FROM sync_things")
    session.run("DELETE FROM sync_entries")
    session.run("DELETE FROM sync_erasures")
    session.run("DELETE FROM sync_machine")


def note_told(session: Session, **told: Any) -> None:
    """Keep what the database said last, to be shown while it is away."""
    session.run("UPDATE sync_machine SET told = json_patch(told, :told)", told=told)


# What waits ---------------------------------------------------------------------------------------


@contextmanager
def as_own_change(session: Session) -> Iterator[None]:
    """Carry out what follows here from what came, so that the others hear of it."""
    session.run("UPDATE sync_machine SET state = ''")
    try:
        yield
    finally:
        session.run("UPDATE sync_machine SET state = 'applying'")


def mark(session: Session, thing: Thing) -> None:
    """Let a thing travel as it is now, besides what came."""
    with as_own_change(session):
        session.run("INSERT INTO sync_changed VALUES (:kind, :id)", **asdict(thing))


def back_date(session: Session, thing: Thing, at: str) -> None:
    """Let a change that is made again count as made when it was made first."""
    sql = """UPDATE sync_things SET clock = CAST((julianday(:at) - 2440587.5) * 86400000 AS INTEGER)
             WHERE kind = :kind AND id = :id"""
    session.run(sql, at=at, **asdict(thing))


def count_waiting(session: Session) -> int:
    return int(session.value("SELECT count(*) FROM sync_things WHERE changes > 0"))


def is_erased(session: Session) -> bool:
    """Return True if something waits that an erasure touched."""
    sql = "SELECT 1 FROM sync_things WHERE changes > 0 AND erased = 1 LIMIT 1"
    return session.row(sql) is not None


def waiting(session: Session, limit: int, *, chats: bool = True) -> list[Unsent]:
    """Return what waits, what others refer to first."""
    found: list[Unsent] = []
    for kind in (kind for kind in KINDS if chats or kind not in CHATS):
        made = {"messages": "seq", "history": "number"}.get(kind)  # a reply comes after its message
        order = f"(SELECT {made} FROM {kind} o WHERE o.id = t.id)," if made else ""  # noqa: S608
        sql = f"""SELECT id, clock, device, changes, erased FROM sync_things t
                  WHERE kind = :kind AND changes > 0
                  AND NOT ({_UNREADY.get(kind, "false")})
                  ORDER BY {order} id LIMIT :limit"""  # noqa: S608
        for row in session.run(sql, kind=kind, limit=limit - len(found)).fetchall():
            thing, clock = Thing(kind, row["id"]), Clock(row["clock"], row["device"])
            change = ThingChange(thing, clock, value_of(session, thing))
            found.append(Unsent(change, row["changes"], bool(row["erased"])))
    return found


def local_change(session: Session, thing: Thing) -> ThingChange | None:
    """Return the change of a thing that other machines lack; None without one."""
    row = session.row(
        "SELECT clock, device FROM sync_things WHERE kind = :kind AND id = :id AND changes > 0",
        **asdict(thing),
    )
    return ThingChange(thing, Clock(*row), value_of(session, thing)) if row else None


def value_of(session: Session, thing: Thing) -> dict[str, Any] | None:
    """Return the row of a thing by its columns, with its parts; None without one."""
    kind, parts = thing.kind, _PARTS.get(thing.kind, {})
    more = "".join(f", ({sql}) AS part_{name}" for name, sql in parts.items())
    sql = f"SELECT o.*{more} FROM {kind} o WHERE o.user_id = :user AND {by_key(kind)}"  # noqa: S608
    row = session.row(sql, **key_of(thing))
    if row is None:
        return None
    value = {name: item for name, item in dict(row).items() if name not in _MADE_HERE}
    return value | {name: json.loads(value.pop(f"part_{name}")) for name in parts}


def columns(session: Session, kind: str) -> set[str]:
    return {
        name
        for name, *_ in session.run(f"SELECT * FROM {kind} LIMIT 0").description  # noqa: S608
    }


def by_key(kind: str) -> str:
    """Return the condition by which a thing is found."""
    return " AND ".join(f"o.{name} = :{name}" for name in KEYS[kind])


def key_of(thing: Thing) -> dict[str, str]:
    keys = KEYS[thing.kind]
    return dict(zip(keys, thing.id.split(":") if len(keys) > 1 else [thing.id], strict=True))


# What is known ------------------------------------------------------------------------------------


def note_entries(session: Session, entries: Iterable[tuple[SyncEntry, Thing | None]]) -> None:
    """Note entries as carried out, or sent: the next comes behind them."""
    place = None
    for entry, thing in entries:
        place, about = entry.place, asdict(thing or Thing("", ""))
        sql = """INSERT OR REPLACE INTO sync_entries (number, kind, id, hash)
                 VALUES (:number, :kind, :id, :hash)"""
        session.run(sql, number=place.number, hash=entry.hash, **about)
    if place is not None:
        soonest = int(session.now.timestamp() * 1000) + MOST_AHEAD
        sql = """UPDATE sync_machine SET number = :number, hash = :hash,
                     latest = max(latest, min(:clock, :soonest))
                 WHERE number < :number"""
        session.run(sql, number=place.number, hash=entry.hash, clock=place.clock, soonest=soonest)


def note_known(session: Session, thing: Thing, clock: Clock) -> None:
    """Note what all machines know of a thing."""
    sql = """INSERT INTO sync_things (kind, id, clock, device, changes)
             VALUES (:kind, :id, :at, :device, 0)
             ON CONFLICT DO UPDATE SET clock = excluded.clock, device = excluded.device,
                 changes = 0, erased = 0"""
    session.run(sql, **asdict(clock), **asdict(thing))


def note_sent(session: Session, sent: Sequence[Unsent]) -> None:
    """Note that the others can know what waited; what was changed again meanwhile waits on."""
    sql = """UPDATE sync_things SET changes = 0, erased = 0
             WHERE kind = :kind AND id = :id AND changes = :changes"""
    session.run_many(
        sql, [{**asdict(unsent.change.thing), "changes": unsent.changes} for unsent in sent]
    )


def numbers_about(session: Session, things: Iterable[Thing]) -> list[int]:
    """Return the numbers of the entries about some things."""
    sql = "SELECT number FROM sync_entries WHERE kind = :kind AND id = :id"
    return [number for thing in things for number in session.column(sql, **asdict(thing))]


def epochs(session: Session) -> set[int]:
    """Return the epochs that began so far."""
    return {1, *map(int, session.column("SELECT id FROM sync_entries WHERE kind = 'keys'"))}


def hashes(session: Session) -> dict[int, bytes]:
    return dict(session.run("SELECT number, hash FROM sync_entries").fetchall())


def go_back(session: Session, number: int, start: bytes) -> int:
    """Let all that stood behind an entry wait again, since the database lost it; return how much
    that is. With an erasure that was lost the words are in the database again: it is done anew.
    """
    sql = """UPDATE sync_things SET changes = changes + 1, erased = EXISTS (
                 SELECT 1 FROM sync_entries WHERE number > :number AND kind = 'erasure')
             WHERE (kind, id) IN (SELECT kind, id FROM sync_entries WHERE number > :number)"""
    again = session.run(sql, number=number).rowcount
    session.run("DELETE FROM sync_entries WHERE number > :number", number=number)
    known = "SELECT hash FROM sync_entries WHERE number = :number"
    sql = f"""UPDATE sync_machine
              SET number = :number, hash = coalesce(({known}), :start)"""  # noqa: S608
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
    return dict(session.run("SELECT id, box FROM sync_erasures ORDER BY id").fetchall())


def forget_erasures(session: Session, ids: Iterable[int]) -> None:
    session.run(
        "DELETE FROM sync_erasures WHERE id IN (SELECT value FROM json_each(:ids))", ids=list(ids)
    )


def last_erasure(session: Session) -> int:
    """Return the number of the last entry by which something was erased; 0 if none was."""
    return session.value("SELECT max(number) FROM sync_entries WHERE kind = 'erasure'") or 0


def worded_erasures(session: Session, up_to: int) -> list[int]:
    """Return the numbers of the erasures, up to an entry, that still say what they erased."""
    sql = """SELECT number FROM sync_entries
             WHERE kind = 'erasure' AND id = :worded AND number <= :up_to"""
    return session.column(sql, worded=WORDED.id, up_to=up_to)


def note_emptied(session: Session, numbers: Iterable[int]) -> None:
    """Note the erasures whose entries do not say any more what they erased."""
    sql = """UPDATE sync_entries SET id = ''
             WHERE kind = 'erasure' AND number IN (SELECT value FROM json_each(:numbers))"""
    session.run(sql, numbers=list(numbers))
