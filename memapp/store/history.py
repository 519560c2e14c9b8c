"""The history: every change of a memory with the versions before and after, and undoable steps."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from memapp.domain.changes import Actor, ChangeEvent, Event
from memapp.domain.history import AGENT, IMPORT, ROUND, RUBRIC, Entry, Step, Version
from memapp.domain.lessons.lesson import LESSON
from memapp.domain.memory import Memory, State
from memapp.errors import Damaged, NotFound
from memapp.store import chat, snapshots
from memapp.store.session import Session
from memapp.store.snapshots import Snapshot
from memapp.store.sqlite_errors import Row

_VERSION = "id, memory_id, CAST(snapshot AS BLOB) AS snapshot"
"""Bytes are read whatever is damaged in them."""
_ENTRY = """number, step, undoes, memory_id AS subject_id, event, old_ref AS before,
            new_ref AS after, actor, thread_id, meta, ts AS at"""
_OF_LESSON = f"h.memory_id GLOB '{LESSON}*'"
_NOT_ERASED = f"(h.event = 'ADD' OR h.old_ref IS NOT NULL OR {_OF_LESSON})"
"""SQL for an entry with its version before; `store.changes` skips all others."""
# The second part: a field without a value, or a value of several that is not there. An entry is
# found by its memory (`+h.user_id`), however long the history is.
_REACHED = """reached (memory_id, value, number) AS (
    SELECT 'profile:' || field, value, 9223372036854775807 FROM profile
    WHERE user_id = :user
    UNION
    SELECT 'profile:' || name, '', 9223372036854775807 FROM profile_fields f
    WHERE many OR NOT EXISTS (SELECT 1 FROM profile WHERE user_id = :user AND field = f.name)
    UNION
    SELECT h.memory_id, coalesce(before.new_value, ''), h.number
    FROM reached
    JOIN history h ON h.memory_id = reached.memory_id AND h.number < reached.number
    JOIN consent_requests ON consent_requests.id = h.meta ->> 'request_id'
                          AND consent_requests.new_value = reached.value
    LEFT JOIN consent_requests before ON before.id = h.meta ->> 'before'
    WHERE +h.user_id = :user AND h.undoes IS NULL AND h.meta ->> 'decision' IS NULL
    AND (coalesce(h.meta ->> 'before', '') = '' OR before.id IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM history u WHERE u.undoes = h.step))"""
"""SQL for the changes of the profile that can be reverted: no later value was erased."""

_BY_UPKEEP = """h.undoes IS NULL AND h.event <> 'LINK'
                AND substr(h.actor, 1, instr(h.actor || ':', ':') - 1)
                    IN ('rules', 'model', 'merge', 'lifecycle')
                AND (h.thread_id = ''
                     OR h.memory_id IN (SELECT id FROM memories
                                        WHERE user_id = :user AND origin = 'reflected'))"""
"""SQL for an entry of a background job, and not of learning from a message."""
_STANDS = f"""CASE WHEN h.event = 'PROFILE'
                   THEN EXISTS (SELECT 1 FROM consent_requests WHERE id = h.meta ->> 'request_id')
                        AND (h.meta ->> 'decision' IS NOT NULL
                             OR h.number IN (SELECT number FROM reached))
                   WHEN h.event = 'UNSAY'
                   THEN NOT EXISTS (SELECT 1 FROM history o
                                    WHERE o.step = h.step AND instr(o.memory_id, ':') = 0
                                    AND NOT EXISTS (SELECT 1 FROM memories
                                                    WHERE id = o.memory_id))
                   WHEN {_OF_LESSON}
                   THEN EXISTS (SELECT 1 FROM lessons
                                WHERE id = substr(h.memory_id, {len(LESSON) + 1}))
                   ELSE instr(h.memory_id, ':') > 0
                        OR {_NOT_ERASED} AND EXISTS (SELECT 1 FROM memories
                                                     WHERE id = h.memory_id) END"""  # noqa: S608
"""SQL for an entry whose memory, lesson or value was not erased since."""


@dataclass(frozen=True)
class Touched:
    """A memory, or another subject, that a change touched, with its snapshots."""

    event: Event
    subject_id: str
    """As in `Entry`."""
    before: Snapshot | None
    after: Snapshot | None
    """None if the memory was erased; then the snapshot before is not kept either."""
    meta: Mapping[str, Any] = field(default_factory=dict)

    @property
    def was(self) -> Memory | None:
        return self.before.memory if self.before else None

    @property
    def now(self) -> Memory | None:
        return self.after.memory if self.after else None

    @property
    def became(self) -> ChangeEvent:
        """Return the change log's event for the new state of the memory."""
        was, now = (
            memory is not None and memory.state is State.LIVE for memory in (self.was, self.now)
        )
        return "updated" if was == now else "restored" if now else "soft_deleted"

    @property
    def logged(self) -> ChangeEvent:
        """Return the change log's event; for an undo the one of the new state."""
        return self.became if self.event is Event.UNDO else self.event.logged

    @property
    def is_news(self) -> bool:
        """Return True if chats are told: not of lessons, agents, tags, or trash that is purged."""
        if self.subject_id.startswith((LESSON, AGENT, RUBRIC, ROUND)):
            return False
        was, now = self.was, self.now
        if was is None or self.event is Event.MERGE:
            return True
        if now is None:
            return was.state is State.LIVE
        return self.became != "updated" or was.text != now.text

    @property
    def category(self) -> str:
        """Return the category of the memory."""
        if self.event is Event.PROFILE:
            return "profile"
        memory = self.now or self.was
        return memory.category if memory else ""


def next_revision(session: Session) -> int:
    """Add one to the person's revision and return it."""
    sql = """INSERT INTO thread_revision (user_id, thread_id, rev) VALUES (:user, '', 1)
             ON CONFLICT DO UPDATE SET rev = rev + 1 RETURNING rev"""
    return int(session.value(sql))


def record(
    session: Session, actor: Actor, step: str, touched: Touched, *, undoes: str = ""
) -> None:
    """Write one entry, and its two versions unless they exist."""
    subject_id, event = touched.subject_id, touched.event
    old_ref, new_ref = (
        (None, None) if event in (Event.PURGE, Event.PROFILE) else _versions(session, touched)
    )
    row: dict[str, Any] = {"step": step, "undoes": undoes or None, "memory_id": subject_id}
    row |= {"event": event, "old_ref": old_ref, "new_ref": new_ref, "meta": touched.meta}
    row |= {"actor": actor.name, "thread_id": actor.thread_id, "ts": session.now}
    session.insert("history", id=session.new_id(), **row)


def list_entries(
    session: Session, subject_id: str = "", *, before: int | None = None, limit: int | None = 200
) -> list[Entry]:
    """Return the entries of one subject or of all, newest first, before the entry `before`."""
    # `+` keeps the index on the person out: one memory has few entries, found by its own index
    whose = "memory_id = :subject AND +user_id = :user" if subject_id else "user_id = :user"
    sql = f"""SELECT {_ENTRY} FROM history
              WHERE {whose} AND number < coalesce(:before, 9223372036854775807)
              ORDER BY number DESC LIMIT coalesce(:limit, -1)"""  # noqa: S608
    return session.records(Entry, sql, subject=subject_id, before=before, limit=limit)


def last_number(session: Session) -> int:
    """Return the number of the newest entry; 0 if there is none."""
    return session.value("SELECT max(number) FROM history WHERE user_id = :user") or 0


def entries_of_step(session: Session, step: str) -> list[Entry]:
    """Return the entries of one step in the order in which they were made."""
    sql = f"""SELECT {_ENTRY} FROM history WHERE user_id = :user AND step = :step
              ORDER BY number"""  # noqa: S608
    return session.records(Entry, sql, step=step)


def count_upkeep(session: Session, after: int) -> dict[str, int]:
    """Return the number of background changes since an entry, by event, or kind if added."""
    sql = f"""SELECT iif(h.event = 'ADD', m.kind, h.event) AS what, count(*) AS times
              FROM history h LEFT JOIN memories m ON m.id = h.memory_id AND m.user_id = :user
              WHERE h.user_id = :user AND h.number > :after AND {_BY_UPKEEP} AND what IS NOT NULL
                    AND (h.event <> 'MERGE' OR h.meta ->> 'into' IS NOT NULL)
              GROUP BY what ORDER BY what"""  # noqa: S608
    return {row["what"]: row["times"] for row in session.run(sql, after=after)}


def overruled(session: Session, after: int) -> list[tuple[str, str]]:
    """Return the requests, and the machine, that were decided otherwise on that machine first.

    Of what came after an entry; the person's own decision came second, and does not count.
    """
    sql = """SELECT DISTINCT r.id, came.meta ->> 'machine'
             FROM history came
             JOIN history own ON own.memory_id = came.memory_id
                 AND own.meta ->> 'request_id' = came.meta ->> 'request_id'
             JOIN consent_requests r ON r.id = came.meta ->> 'request_id'
                 AND (r.state = 'applied') = (own.meta ->> 'decision' IS 'denied')
             WHERE came.user_id = :user AND came.number > :after AND came.event = 'PROFILE'
             AND came.meta ->> 'machine' IS NOT NULL AND own.meta ->> 'machine' IS NULL
             AND coalesce(own.meta ->> 'decision', '') IN ('', 'approved', 'denied')
             AND coalesce(came.meta ->> 'decision', '') IN (
                 SELECT value FROM json_each(iif(own.meta ->> 'decision' IS 'denied',
                                                 '["", "approved"]', '["denied", "withdrawn"]')))"""
    return [(request_id, machine) for request_id, machine in session.run(sql, after=after)]


def undoable_steps(
    session: Session, limit: int = 50, *, step: str = "", by_upkeep: bool = False
) -> list[Step]:
    """Return the steps that can be undone, latest first, or one certain step if it can be.

    A step is described by its first entry, and by one on a message only if it has no other.

    Left out: links (they follow from the texts), undone steps, undo itself, erasures, steps with an
    erased memory or profile value, and steps before such a value.
    """
    # newest entry first, each step at its last entry, so that reading ends once there are enough
    whose = "h.step = :step AND +h.user_id = :user" if step else "h.user_id = :user"
    whose += f" AND {_BY_UPKEEP}" if by_upkeep else ""
    sql = f"""WITH RECURSIVE {_REACHED},
              undoable AS NOT MATERIALIZED (
                SELECT h.number, h.step, h.memory_id, h.event, h.actor FROM history h
                WHERE {whose} AND h.undoes IS NULL AND h.event NOT IN ('LINK', 'PURGE')
                AND NOT EXISTS (SELECT 1 FROM history u WHERE u.undoes = h.step)
                AND NOT EXISTS (SELECT 1 FROM history p WHERE p.step = h.step AND p.event = 'PURGE')
                AND {_STANDS}),
              done AS (
                SELECT last.number,
                       (SELECT number FROM undoable WHERE step = last.step
                        ORDER BY event = 'UNSAY', number LIMIT 1) AS first,
                       (SELECT meta FROM history
                        WHERE step = last.step AND actor = 'import'
                        AND memory_id GLOB :imports) AS brought
                FROM undoable last
                WHERE NOT EXISTS (SELECT 1 FROM undoable later
                                  WHERE later.step = last.step AND later.number > last.number)
                ORDER BY last.number DESC LIMIT :limit)
              SELECT h.step AS id, h.event, h.memory_id AS subject_id,
                     coalesce(m.text, l.rule_text) AS text,
                     iif(m.origin = 'reflected', m.kind, '') AS kind, h.actor,
                     (SELECT count(DISTINCT memory_id) FROM undoable
                      WHERE step = h.step AND (actor = 'import' OR event = h.event)) AS memories,
                     h.ts AS at, coalesce(v.snapshot ->> 'pinned', 0) AS pinned,
                     h.meta ->> 'reason' AS reason,
                     coalesce(done.brought ->> '$.facts', 0) AS facts,
                     coalesce(json_array_length(done.brought, '$.threads'), 0) AS chats,
                     (SELECT count(*) FROM json_each(done.brought, '$.threads')
                      WHERE {chat.WENT_ON}) AS kept
              FROM done
              CROSS JOIN history h ON h.number = done.first
              LEFT JOIN memories m ON m.id = h.memory_id
              LEFT JOIN versions v ON v.id = h.new_ref
              LEFT JOIN lessons l ON l.id = substr(h.memory_id, {len(LESSON) + 1}) AND {_OF_LESSON}
              ORDER BY done.number DESC"""  # noqa: S608
    return session.records(Step, sql, limit=limit, step=step, imports=f"{IMPORT}*")


def is_reached(session: Session, entry: Entry) -> bool:
    """Return True if a decision can still be reverted after later ones.

    A decision that changed no profile always can.
    """
    if "decision" in entry.meta:
        return True
    sql = f"WITH RECURSIVE {_REACHED} SELECT 1 FROM reached WHERE number = :number"  # noqa: S608
    return session.row(sql, number=entry.number) is not None


def was_undone(session: Session, step: str) -> bool:
    return (
        session.row("SELECT 1 FROM history WHERE user_id = :user AND undoes = :step", step=step)
        is not None
    )


def went_with_import(session: Session, thread_id: str) -> bool:
    """Return True if a thread was deleted by the undo of its import."""
    sql = """SELECT 1 FROM threads t
             WHERE t.user_id = :user AND t.id = :thread AND t.deleted_at IS NOT NULL
             AND EXISTS (SELECT 1 FROM history h, json_each(h.meta, '$.threads') came
                         WHERE h.user_id = :user AND h.memory_id GLOB :imports AND h.undoes IS NULL
                         AND came.value = :thread
                         AND EXISTS (SELECT 1 FROM history u WHERE u.undoes = h.step))"""
    return session.row(sql, thread=thread_id, imports=f"{IMPORT}*") is not None


def changed_since(session: Session, entry: Entry) -> bool:
    """Return True if a later step changed the same memory and still holds.

    Links do not count: they follow from the texts.
    """
    sql = f"""SELECT 1 FROM history h
              WHERE +h.user_id = :user AND h.memory_id = :memory AND h.number > :number
              AND h.step <> :step AND h.undoes IS NULL AND h.event <> 'LINK' AND {_NOT_ERASED}
              AND NOT EXISTS (SELECT 1 FROM history u WHERE u.undoes = h.step)"""  # noqa: S608
    return (
        session.row(sql, memory=entry.subject_id, number=entry.number, step=entry.step) is not None
    )


def get_version(session: Session, number: int) -> Version:
    """Return a version by its number. Raises `NotFound`."""
    sql = f"SELECT {_VERSION} FROM versions WHERE id = :number AND user_id = :user"  # noqa: S608
    row = session.row(sql, number=number)
    if row is None:
        raise NotFound(f"There is no version {number}.")
    return _version_of(row)


def list_versions(session: Session, memory_id: str) -> list[Version]:
    """Return the versions of a memory, oldest first."""
    sql = f"""SELECT {_VERSION} FROM versions
              WHERE memory_id = :memory AND +user_id = :user
              ORDER BY id"""  # noqa: S608
    return [_version_of(row) for row in session.run(sql, memory=memory_id)]


def texts_from(session: Session, message_id: str) -> list[str]:
    """Return every text, past or present, of the memories with a message as a source."""
    sql = """SELECT v.* FROM memory_sources s JOIN versions v ON v.memory_id = s.memory_id
             WHERE s.message_id = :message AND +s.user_id = :user"""
    return [snapshots.of_row(row).memory.text for row in session.run(sql, message=message_id)]


def snapshot_of(session: Session, number: int) -> Snapshot:
    (row,) = session.run(
        "SELECT memory_id, snapshot FROM versions WHERE user_id = :user AND id = :number",
        number=number,
    )
    return snapshots.of_row(row)


def check_versions(session: Session) -> None:
    """Read every version, and every memory of a consent request. Raises `Damaged`."""
    sql = """SELECT memory_id, snapshot FROM versions
             WHERE user_id = :user
             UNION ALL
             SELECT memory ->> 'id', memory FROM consent_requests
             WHERE user_id = :user AND memory <> ''"""
    for row in session.run(sql):
        snapshots.of_row(row)


def _version_of(row: Row) -> Version:
    """Return a version, with a placeholder for damaged text, so the rest stays readable."""
    try:
        memory = snapshots.of_row(row).memory
    except Damaged:
        empty: dict[str, Any] = {"tags": (), "category": "", "importance": 0, "sources": ()}
        damaged = "[this version is damaged]"
        return Version(row["id"], row["memory_id"], damaged, **empty, pinned=False, state="")
    values = {
        field.name: getattr(memory, field.name)
        for field in fields(Version)
        if field.name not in ("id", "memory_id")
    }
    return Version(row["id"], row["memory_id"], **values)


def _versions(session: Session, touched: Touched) -> Iterator[int | None]:
    """Yield the numbers of the versions before and after, reusing the last one if unchanged.

    A new memory has none before.
    """
    sql = """SELECT id, snapshot FROM versions
             WHERE +user_id = :user AND memory_id = :memory
             ORDER BY id DESC LIMIT 1"""
    insert = """INSERT INTO versions (user_id, memory_id, snapshot)
                VALUES (:user, :memory, :snapshot)
                RETURNING id, snapshot"""
    last = session.row(sql, memory=touched.subject_id) if touched.before else None
    for snapshot in (touched.before, touched.after):
        written = snapshot and snapshots.write(snapshot)
        if written and (last is None or last["snapshot"] != written):
            last = session.row(insert, memory=touched.subject_id, snapshot=written)
        yield last["id"] if written and last else None
