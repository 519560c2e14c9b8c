"""Erasing for good inside one file: which columns can hold a person's words, and how each of them is cleaned.

Works on the open file and on a copy of it alike. What is left to do stands in `purge_todo`, so that a kill loses nothing.
The files around it, and the proof, are `store.traces`.
"""

import hashlib
import hmac
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from memapp.domain.changes import Actor, ProfileChanged, Purged
from memapp.domain.duplicates import normalise
from memapp.domain.forget import ERASED, Needles
from memapp.domain.text import one_line
from memapp.store import changes, chat
from memapp.store.images import text_of
from memapp.store.memories import get_memories
from memapp.store.rows import new_id, to_json, to_text


class How(StrEnum):
    """What becomes of a column when something is forgotten."""

    ROW = "the row is deleted"
    MARK = f"{ERASED} takes its place"
    EMPTY = "the value is emptied, or the row deleted"
    OWNER = "it is deleted, or made anew, with what it belongs to"
    REBUILT = "the index is written anew without it"
    SHORT = "stands there only until the work is done"
    WORDLESS = "never holds what a person or a model wrote"


REGISTRY: dict[str, How] = {
    "threads.title": How.MARK,
    "threads.persona": How.WORDLESS,
    "messages.text": How.MARK,
    "messages.context": How.OWNER,
    "messages.pasted": How.OWNER,
    "messages.model": How.WORDLESS,
    "messages.usage": How.WORDLESS,
    "messages_fts": How.REBUILT,
    "memories_fts": How.REBUILT,
    "predictions.text": How.EMPTY,
    "predictions.needed_info": How.EMPTY,
    "predictions.why": How.EMPTY,
    "memories.text": How.ROW,
    "memories.normal_text": How.ROW,
    "memories.tags": How.ROW,
    "memories.category": How.WORDLESS,
    "memories.reason": How.WORDLESS,
    "versions.image": How.ROW,
    "embeddings.vector": How.OWNER,
    "embeddings.model_id": How.WORDLESS,
    "recalls.why": How.ROW,
    "evidence.text": How.ROW,
    "events.op": How.WORDLESS,
    "events.category": How.WORDLESS,
    "events.meta": How.ROW,
    "supervisor_checkpoints.checkpoint_data": How.ROW,
    "drafts.text": How.ROW,
    "interface.name": How.WORDLESS,
    "interface.value": How.ROW,
    "history.meta": How.WORDLESS,
    "change_log.meta": How.ROW,
    "patches.old_value": How.ROW,
    "patches.new_value": How.ROW,
    "patches.held": How.ROW,
    "profile.value": How.ROW,
    "profile_fields.name": How.WORDLESS,
    "forgotten.fingerprint": How.WORDLESS,
    "forgotten_key.secret": How.WORDLESS,
    "purge_todo.value": How.SHORT,
}
"""Every column that could hold words; a test fails when one of the schema is missing here. Ids, times, and columns that take
one of a few listed values are not named."""

# What memapp wrote out of a memory and repeats its words. `holds` is a function of the connection: see `searching`.
_REPEATING = (
    """UPDATE predictions SET text = '', needed_info = '[]', why = '' WHERE user_id = :user AND surprised IS NOT NULL
       AND (holds(text) OR holds(needed_info) OR holds(why))""",
    "DELETE FROM predictions WHERE user_id = :user AND (holds(text) OR holds(needed_info) OR holds(why))",
    "DELETE FROM supervisor_checkpoints WHERE user_id = :user AND holds(checkpoint_data)",
    "DELETE FROM events WHERE user_id = :user AND holds(meta)",
    "DELETE FROM change_log WHERE user_id = :user AND holds(meta)",
    "DELETE FROM recalls WHERE message_id IN (SELECT id FROM messages WHERE user_id = :user) AND holds(why)",
)
# Where words stand that only somebody who wants them gone everywhere means; and the profile, see `_erase_patches`.
_ELSEWHERE = (
    "DELETE FROM drafts WHERE user_id = :user AND holds(text)",
    "DELETE FROM interface WHERE user_id = :user AND holds(value)",
    "UPDATE threads SET title = :mark WHERE user_id = :user AND holds(title)",
    "DELETE FROM evidence WHERE user_id = :user AND holds(text)",
    "DELETE FROM versions WHERE memory_id IN (SELECT id FROM memories WHERE user_id = :user) AND holds(image)",
)
# What was written while the memory stood in the prompt, or out of the messages that it came from.
_WITH_IT = """
    SELECT r.message_id AS id FROM recalls r JOIN messages m ON m.id = r.message_id
      WHERE m.user_id = :user AND r.owner_kind = 'memory' AND r.owner_id IN (SELECT value FROM json_each(:memories))
    UNION SELECT m.id FROM messages m JOIN memory_sources s ON s.message_id = m.reply_to
      WHERE m.user_id = :user AND s.memory_id IN (SELECT value FROM json_each(:memories))
    UNION SELECT m.id FROM messages m WHERE m.user_id = :user AND m.id IN (SELECT value FROM json_each(:messages))"""
_FOLLOWING = (
    f"""UPDATE predictions SET text = '', needed_info = '[]', why = ''
        WHERE user_id = :user AND surprised IS NOT NULL AND text <> ''
          AND (message_id IN ({_WITH_IT}) OR checked_by IN (SELECT message_id FROM memory_sources
               WHERE memory_id IN (SELECT value FROM json_each(:memories))))""",  # noqa: S608
    f"DELETE FROM predictions WHERE user_id = :user AND surprised IS NULL AND message_id IN ({_WITH_IT})",  # noqa: S608
    f"""DELETE FROM supervisor_checkpoints WHERE user_id = :user
        AND thread_id IN (SELECT thread_id FROM messages WHERE id IN ({_WITH_IT}))""",  # noqa: S608
    """DELETE FROM recalls WHERE owner_kind = 'memory' AND owner_id IN (SELECT value FROM json_each(:memories))
       OR owner_kind = 'message' AND owner_id IN (SELECT value FROM json_each(:messages))
       OR message_id IN (SELECT value FROM json_each(:messages))""",
    """UPDATE surprises SET state = 'nothing' WHERE user_id = :user AND state = 'pending'
       AND message_id IN (SELECT value FROM json_each(:messages))""",
)
_PATCHES = "FROM patches WHERE user_id = :user AND (holds(old_value) OR holds(new_value) OR holds(held))"
# What would bring the text of a memory back; not what stands or stood in the profile. `says` is true of the same text only.
_SAME = "(says(new_value) OR held <> '' AND says(json_extract(held, '$.text')))"
_WAYS_BACK = (
    """DELETE FROM versions WHERE memory_id IN (SELECT id FROM memories WHERE user_id = :user) AND says(text_of(image))""",
    f"""UPDATE patches SET state = 'withdrawn', decided_at = :now, decided_by = 'person'
        WHERE user_id = :user AND state = 'pending' AND {_SAME}""",  # noqa: S608
    f"""DELETE FROM patches WHERE user_id = :user AND {_SAME} AND (
        state IN ('denied', 'expired', 'withdrawn') OR state = 'applied' AND field = 'forgotten')""",  # noqa: S608
)


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be erased: memories and messages by id, and words wherever they stand."""

    memory_ids: tuple[str, ...] = ()
    message_ids: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Erased:
    memories: int
    messages: int
    others: int


# What is still to be done ----------------------------------------------------------------------------------------------


def plan(conn: sqlite3.Connection, user_id: str, job: Job) -> None:
    """Note what is to be erased, so that it is finished whatever happens."""
    rows = [("memory", id) for id in job.memory_ids] + [("message", id) for id in job.message_ids]
    rows += [("words", words) for words in job.words]
    conn.executemany(
        "INSERT INTO purge_todo (user_id, kind, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        [(user_id, kind, value) for kind, value in rows],
    )


def planned(conn: sqlite3.Connection, user_id: str) -> tuple[Job, bool]:
    """Return what is still to be erased, and whether anything at all is left to do."""
    rows = conn.execute("SELECT kind, value FROM purge_todo WHERE user_id = ?", (user_id,)).fetchall()
    kinds = {kind: tuple(row["value"] for row in rows if row["kind"] == kind) for kind in ("memory", "message", "words")}
    return Job(kinds["memory"], kinds["message"], kinds["words"]), bool(rows)


def mark_erased(conn: sqlite3.Connection, user_id: str) -> None:
    """Note that the rows are gone, and that the file is to be settled."""
    conn.execute("DELETE FROM purge_todo WHERE user_id = ?", (user_id,))
    conn.execute("INSERT INTO purge_todo (user_id, kind, value) VALUES (?, 'settle', '')", (user_id,))


def mark_settled(conn: sqlite3.Connection, user_id: str) -> None:
    conn.execute("DELETE FROM purge_todo WHERE user_id = ? AND kind = 'settle'", (user_id,))


# What was forgotten ----------------------------------------------------------------------------------------------------


def is_forgotten(conn: sqlite3.Connection, user_id: str, text: str) -> bool:
    """Tell whether the same was erased for good before."""
    key = conn.execute("SELECT secret FROM forgotten_key").fetchone()
    if key is None:
        return False
    values = (user_id, _fingerprint(key["secret"], text))
    return conn.execute("SELECT 1 FROM forgotten WHERE user_id = ? AND fingerprint = ?", values).fetchone() is not None


def _key(conn: sqlite3.Connection) -> bytes:
    """Return the key of this file's fingerprints; it is made when the first is needed."""
    conn.execute("INSERT INTO forgotten_key (one, secret) VALUES (1, ?) ON CONFLICT DO NOTHING", (secrets.token_bytes(32),))
    return bytes(conn.execute("SELECT secret FROM forgotten_key").fetchone()["secret"])


def _fingerprint(key: bytes, text: str) -> str:
    """Return HMAC-SHA256 of what a text says, whatever its case and punctuation (RFC 2104)."""
    return hmac.new(key, normalise(text).encode(), hashlib.sha256).hexdigest()


# Finding ---------------------------------------------------------------------------------------------------------------


@contextmanager
def searching(conn: sqlite3.Connection, texts: Iterable[str]) -> Iterator[None]:
    """Give the connection its function `holds(text)` for a while."""
    conn.create_function("holds", 1, Needles(texts).held_by, deterministic=True)
    try:
        yield
    finally:
        conn.create_function("holds", 1, None)


def with_absorbed(conn: sqlite3.Connection, user_id: str, memory_ids: Sequence[str]) -> tuple[str, ...]:
    """Return the memories that exist of these, and those that they took in: they say the same."""
    rows = conn.execute(
        """WITH RECURSIVE wanted (id) AS (
             SELECT id FROM memories WHERE user_id = :user AND id IN (SELECT value FROM json_each(:ids))
             UNION SELECT m.id FROM wanted w JOIN memories m ON m.merged_into = w.id AND m.merged_into <> ''
                   WHERE m.user_id = :user)
           SELECT id FROM wanted ORDER BY id""",
        {"user": user_id, "ids": to_json(list(memory_ids))},
    )
    return tuple(row["id"] for row in rows)


def said_in(conn: sqlite3.Connection, user_id: str, memory_ids: Sequence[str]) -> tuple[str, ...]:
    """Return the messages that memories came from, and the replies to them."""
    rows = conn.execute(
        """WITH said (id) AS (SELECT message_id FROM memory_sources WHERE memory_id IN (SELECT value FROM json_each(:ids)))
           SELECT id FROM messages WHERE user_id = :user AND (id IN said OR reply_to IN said) ORDER BY id""",
        {"user": user_id, "ids": to_json(list(memory_ids))},
    )
    return tuple(row["id"] for row in rows)


def texts_of(conn: sqlite3.Connection, user_id: str, memory_ids: Sequence[str]) -> tuple[str, ...]:
    """Return what memories say and said before."""
    values = {"user": user_id, "ids": to_json(list(memory_ids))}
    of_person = "FROM memories WHERE user_id = :user AND id IN (SELECT value FROM json_each(:ids))"
    said = [row["text"] for row in conn.execute(f"SELECT text {of_person}", values)]
    versions = conn.execute(f"SELECT image FROM versions WHERE memory_id IN (SELECT id {of_person})", values)  # noqa: S608
    return tuple(dict.fromkeys([*said, *(text_of(row["image"]) for row in versions)]))


def texts_of_messages(conn: sqlite3.Connection, user_id: str, message_ids: Sequence[str]) -> tuple[str, ...]:
    rows = conn.execute(
        "SELECT text FROM messages WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))",
        (user_id, to_json(list(message_ids))),
    )
    return tuple(row["text"] for row in rows)


def holding(conn: sqlite3.Connection, user_id: str, words: Sequence[str]) -> tuple[Job, int]:
    """Return which memories and messages hold any of some words, and how many other rows do."""
    values = {"user": user_id}
    with searching(conn, words):
        memories = conn.execute("SELECT id FROM memories WHERE user_id = :user AND (holds(text) OR holds(tags))", values)
        messages = conn.execute("SELECT id FROM messages WHERE user_id = :user AND holds(text)", values)
        found = Job(tuple(row["id"] for row in memories), tuple(row["id"] for row in messages))
        others = sum(conn.execute(_counted(sql), values).fetchone()[0] for sql in _OTHERS)
    return found, others


_OTHERS = (*_REPEATING[1:], *_ELSEWHERE, f"DELETE {_PATCHES}", "DELETE FROM profile WHERE user_id = :user AND holds(value)")


def _counted(sql: str) -> str:
    """Turn a statement that cleans into one that counts what it would clean."""
    if sql.startswith("UPDATE"):
        table, condition = sql.split()[1], sql.partition(" WHERE ")[2]
        return f"SELECT count(*) FROM {table} WHERE {condition}"  # noqa: S608
    return sql.replace("DELETE", "SELECT count(*)", 1)


# Erasing ---------------------------------------------------------------------------------------------------------------


def erase(conn: sqlite3.Connection, actor: Actor, job: Job, now: datetime, said: Sequence[str] = ()) -> Erased:
    """Erase everything of a job in the caller's transaction, which must be one of `Database.decide`.

    `said` is what the memories say in the open file, for a copy that may not have them. What the person wrote, and the
    memories of the same words, are touched by the person's wish only.
    """
    found, _ = holding(conn, actor.user_id, job.words) if job.words else (Job(), 0)
    memory_ids = with_absorbed(conn, actor.user_id, [*job.memory_ids, *found.memory_ids])
    message_ids = tuple(dict.fromkeys([*job.message_ids, *found.message_ids]))
    values = {"user": actor.user_id, "mark": ERASED, "memories": to_json(memory_ids), "messages": to_json(message_ids)}
    texts = {*said, *texts_of(conn, actor.user_id, memory_ids)}
    others = sum(conn.execute(sql, values).rowcount for sql in _FOLLOWING)
    with searching(conn, [*texts, *job.words]):
        others += sum(conn.execute(sql, values).rowcount for sql in _REPEATING)
    if job.words:
        with searching(conn, job.words):
            others += sum(conn.execute(sql, values).rowcount for sql in _ELSEWHERE) + _erase_patches(conn, actor, now)
    messages = chat.erase_messages(conn, actor.user_id, message_ids, ERASED)
    others += _erase_titles(conn, actor.user_id, messages)
    for memory in get_memories(conn, actor.user_id, memory_ids):
        changes.apply(conn, Purged(memory.id, _fingerprint(_key(conn), memory.text)), actor, now)
    _remember_wordings(conn, actor.user_id, texts, now)
    others += _erase_ways_back(conn, actor.user_id, texts, now) if actor.name == "person" else 0
    return Erased(len(memory_ids), len(messages), others)


def _remember_wordings(conn: sqlite3.Connection, user_id: str, texts: Iterable[str], now: datetime) -> None:
    """Remember what memories said before their last wording, too: it is not to be learned again."""
    conn.executemany(
        "INSERT INTO forgotten (user_id, fingerprint, ts) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        [(user_id, _fingerprint(_key(conn), text), to_text(now)) for text in texts],
    )


def _erase_ways_back(conn: sqlite3.Connection, user_id: str, texts: Iterable[str], now: datetime) -> int:
    """Erase the versions of other memories and the waiting proposals that say the same as what was erased."""
    same = {normalise(text) for text in texts} - {""}
    if not same:
        return 0
    values = {"user": user_id, "now": to_text(now)}
    conn.create_function("text_of", 1, text_of, deterministic=True)
    conn.create_function("says", 1, lambda text: normalise(text or "") in same, deterministic=True)
    versions, _, patches = (conn.execute(sql, values).rowcount for sql in _WAYS_BACK)
    conn.create_function("says", 1, None)
    conn.create_function("text_of", 1, None)
    return versions + patches


def _erase_titles(conn: sqlite3.Connection, user_id: str, messages: Iterable[tuple[str, str]]) -> int:
    """Take back the titles that were made from the beginning of a message."""
    count = 0
    for thread_id, text in messages:
        row = conn.execute(
            "SELECT title FROM threads WHERE user_id = ? AND id = ? AND titled_by = 'app'", (user_id, thread_id)
        ).fetchone()
        if row and one_line(text).startswith(row["title"].removesuffix("…")):
            count += conn.execute(
                "UPDATE threads SET title = ? WHERE user_id = ? AND id = ?", (ERASED, user_id, thread_id)
            ).rowcount
    return count


def _erase_patches(conn: sqlite3.Connection, actor: Actor, now: datetime) -> int:
    """Delete the proposals that hold the words, and the fields of the profile that do.

    The profile changes by an approved patch only: the wish that the words be gone is the person's yes to one.
    """
    values = {"user": actor.user_id, "ids": "[]", "now": to_text(now)}
    values["ids"] = to_json([row["id"] for row in conn.execute(f"SELECT id {_PATCHES}", values)])
    fields = conn.execute(
        """SELECT field, iif(holds(value), '', value) AS value FROM profile
           WHERE user_id = :user AND (holds(value) OR patch_id IN (SELECT value FROM json_each(:ids)))""",
        values,
    ).fetchall()
    for field in fields:
        _put_into_profile(conn, actor, field["field"], field["value"], now)
    conn.execute(
        """UPDATE patches SET state = 'withdrawn', decided_at = :now, decided_by = 'person'
           WHERE user_id = :user AND state = 'pending' AND id IN (SELECT value FROM json_each(:ids))""",
        values,
    )
    conn.execute(
        """UPDATE patches SET state = 'applied'
           WHERE user_id = :user AND state = 'approved' AND id IN (SELECT value FROM json_each(:ids))""",
        values,
    )
    gone = conn.execute("DELETE FROM patches WHERE user_id = :user AND id IN (SELECT value FROM json_each(:ids))", values)
    return len(fields) + gone.rowcount


def _put_into_profile(conn: sqlite3.Connection, actor: Actor, field: str, value: str, now: datetime) -> None:
    """Take a field away, or let a new patch that does not hold the words stand behind it."""
    patch_id = new_id(now)
    conn.execute(
        """INSERT INTO patches (id, user_id, field, old_value, new_value, proposer, created_at, expires_at)
           VALUES (?, ?, ?, '', ?, 'person', ?, ?)""",
        (patch_id, actor.user_id, field, value, to_text(now), to_text(now + timedelta(days=1))),
    )
    conn.execute(
        "UPDATE patches SET state = 'approved', decided_at = ?, decided_by = 'person' WHERE user_id = ? AND id = ?",
        (to_text(now), actor.user_id, patch_id),
    )
    changes.apply(conn, ProfileChanged(patch_id), actor, now)
