"""Threads, messages, drafts and context cards.

Functions that write take the connection of an open `Database.write()`; functions that read take any connection.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from itertools import islice

from memapp.domain.chat import Message, MessageStatus, Origin, Role, Thread
from memapp.domain.forget import ERASED
from memapp.domain.prompt import Usage
from memapp.errors import NotFound
from memapp.store import leases
from memapp.store.encoding import new_id, to_json, to_text, to_time
from memapp.store.failures import Row, from_row
from memapp.store.session import Session

CONTEXT_CHARS = 500
"""How much of each neighbour goes into a message's `context` column."""
PROMPTS_AMONG = 2000
"""So many messages, the newest, are read for what was typed last."""
_AS_IT_IS = ("id", "thread_id", "seq", "role", "text", "status", "origin", "unprompted", "reply_to", "model")

# Threads -------------------------------------------------------------------------------------------------------------


def create_thread(session: Session, title: str, persona: str, now: datetime, trust_level: float | None = None) -> Thread:
    thread = Thread(new_id(now), title, persona, now, now, trust_level=trust_level)
    session.conn.execute(
        "INSERT INTO threads (id, user_id, title, persona, trust_level, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (thread.id, session.user_id, title, persona, trust_level, to_text(now), to_text(now)),
    )
    return thread


def get_thread(session: Session, thread_id: str) -> Thread:
    row = session.conn.execute("SELECT * FROM threads WHERE user_id = ? AND id = ?", (session.user_id, thread_id)).fetchone()
    if row is None:
        raise NotFound(f"There is no chat {thread_id}.")
    return _thread(row)


def list_threads(
    session: Session, *, matching: str = "", limit: int | None = 200, offset: int = 0, deleted: bool = False
) -> list[Thread]:
    """Return chats, newest first, or those that are deleted, last first; all without a limit; `matching` is sought in titles."""
    which, order = ("deleted_at IS NOT NULL", "deleted_at") if deleted else ("deleted_at IS NULL", "updated_at")
    rows = session.conn.execute(
        f"""SELECT * FROM threads WHERE user_id = :user AND {which}
            AND (:matching = '' OR instr(casefold(title), casefold(:matching)) > 0)
            ORDER BY {order} DESC, id DESC LIMIT coalesce(:limit, -1) OFFSET :offset""",  # noqa: S608
        {"user": session.user_id, "matching": matching, "limit": limit, "offset": offset},
    )
    return [_thread(row) for row in rows]


def rename_thread(session: Session, thread_id: str, title: str, titled_by: str) -> None:
    """Set the title; one that the person chose is never replaced by the app."""
    session.conn.execute(
        "UPDATE threads SET title = ?, titled_by = ? WHERE user_id = ? AND id = ? AND (titled_by = 'app' OR ? = 'person')",
        (title, titled_by, session.user_id, thread_id, titled_by),
    )


def set_thread_deleted(session: Session, thread_id: str, deleted_at: datetime | None) -> None:
    """Hide a thread, or bring it back with None."""
    value = to_text(deleted_at) if deleted_at else None
    session.conn.execute("UPDATE threads SET deleted_at = ? WHERE user_id = ? AND id = ?", (value, session.user_id, thread_id))


def went_on_with(session: Session, thread_ids: Sequence[str]) -> list[str]:
    """Return those of some imported threads in which the person typed since."""
    rows = session.conn.execute(
        """SELECT value FROM json_each(?) WHERE (SELECT origin FROM messages WHERE user_id = ? AND thread_id = value
           AND role = 'user' ORDER BY seq DESC LIMIT 1) = 'typed'""",
        (to_json(list(thread_ids)), session.user_id),
    )
    return [row["value"] for row in rows]


def message_ids_of(session: Session, thread_ids: Sequence[str]) -> tuple[str, ...]:
    """Return every message of some threads, those that are not active too."""
    rows = session.conn.execute(
        "SELECT id FROM messages WHERE user_id = ? AND thread_id IN (SELECT value FROM json_each(?))",
        (session.user_id, to_json(list(thread_ids))),
    )
    return tuple(row["id"] for row in rows)


def erase_threads(session: Session, thread_ids: Sequence[str]) -> int:
    """Delete threads with all that belongs to them; return how many threads and drafts there were."""
    values = (session.user_id, to_json(list(thread_ids)))
    session.conn.execute(
        "DELETE FROM thread_revision WHERE user_id = ? AND thread_id IN (SELECT value FROM json_each(?))", values
    )
    session.conn.execute("DELETE FROM change_told WHERE user_id = ? AND thread_id IN (SELECT value FROM json_each(?))", values)
    drafts = session.conn.execute(
        "DELETE FROM drafts WHERE user_id = ? AND thread_id IN (SELECT value FROM json_each(?))", values
    )
    threads = session.conn.execute("DELETE FROM threads WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))", values)
    return drafts.rowcount + threads.rowcount


@from_row
def _thread(row: Row) -> Thread:
    return Thread(
        row["id"],
        row["title"],
        row["persona"],
        to_time(row["created_at"]),
        to_time(row["updated_at"]),
        to_time(row["deleted_at"]) if row["deleted_at"] else None,
        row["trust_level"],
    )


# Messages ------------------------------------------------------------------------------------------------------------


def add_message(
    session: Session,
    thread_id: str,
    role: Role,
    text: str,
    now: datetime,
    *,
    status: MessageStatus = MessageStatus.COMPLETE,
    origin: Origin,
    pasted: Sequence[tuple[int, int]] = (),
    unprompted: bool = False,
    reply_to: str | None = None,
    model: str = "",
) -> Message:
    """Append a message to a thread."""
    (seq,) = session.conn.execute(
        "SELECT coalesce(max(seq), 0) + 1 FROM messages WHERE user_id = ? AND thread_id = ?", (session.user_id, thread_id)
    ).fetchone()
    message = Message(
        new_id(now), thread_id, seq, role, text, status, origin, now, tuple(pasted), unprompted, reply_to, True, model
    )
    values = {
        "user_id": session.user_id,
        **{name: getattr(message, name) for name in _AS_IT_IS},
        "pasted": to_json(message.pasted),
    }
    session.conn.execute(
        """INSERT INTO messages (id, user_id, thread_id, seq, role, text, status, origin, pasted, unprompted, reply_to,
                                 model, created_at)
           VALUES (:id, :user_id, :thread_id, :seq, :role, :text, :status, :origin, :pasted, :unprompted, :reply_to,
                   :model, :created_at)""",
        {**values, "created_at": to_text(now)},
    )
    session.conn.execute(
        "UPDATE threads SET updated_at = ? WHERE user_id = ? AND id = ?", (to_text(now), session.user_id, thread_id)
    )
    _refresh_context(session, thread_id, seq)
    return message


def save_partial(session: Session, message_id: str, text: str) -> None:
    """Keep what a reply has so far; it stays `generating`."""
    session.conn.execute(
        "UPDATE messages SET text = ? WHERE user_id = ? AND id = ? AND status = 'generating'", (text, session.user_id, message_id)
    )


def finish_message(session: Session, message_id: str, text: str, status: MessageStatus, usage: Usage) -> None:
    """End a reply: its final text, how it ended and what it cost."""
    row = session.conn.execute(
        "UPDATE messages SET text = ?, status = ?, usage = ? WHERE user_id = ? AND id = ? RETURNING thread_id, seq",
        (text, status, to_json(asdict(usage)), session.user_id, message_id),
    ).fetchone()
    if row is None:
        raise NotFound(f"There is no message {message_id}.")
    _refresh_context(session, row["thread_id"], row["seq"])


def answering(thread_id: str) -> str:
    """Return the name of the lease of whoever answers in a chat."""
    return f"answer in {thread_id}"


def interrupt_unfinished(session: Session) -> int:
    """Mark replies that a crash left behind, in chats in which no process answers; return how many."""
    rows = session.conn.execute(
        "SELECT id, thread_id FROM messages WHERE user_id = ? AND status = 'generating'", (session.user_id,)
    ).fetchall()
    left = [row["id"] for row in rows if not leases.owner_of(session, answering(row["thread_id"]))]
    session.conn.executemany(
        "UPDATE messages SET status = 'interrupted' WHERE user_id = ? AND id = ?", [(session.user_id, id) for id in left]
    )
    return len(left)


def has_unfinished(session: Session) -> bool:
    """Say whether any reply is still being written, or was left behind."""
    found = session.conn.execute(
        "SELECT 1 FROM messages WHERE user_id = ? AND status = 'generating' LIMIT 1", (session.user_id,)
    ).fetchone()
    return found is not None


def set_active(session: Session, message_ids: Sequence[str], active: bool) -> None:
    """Take messages out of the conversation, or bring them back, without deleting them."""
    rows = session.conn.execute(
        """UPDATE messages SET active = ? WHERE user_id = ? AND id IN (SELECT value FROM json_each(?))
           RETURNING thread_id, seq""",
        (int(active), session.user_id, to_json(list(message_ids))),
    ).fetchall()
    for row in rows:
        _refresh_context(session, row["thread_id"], row["seq"])


def put_last(session: Session, message: Message) -> Message:
    """Move a message to the end of its thread, and return it as it stands there."""
    row = session.conn.execute(
        """UPDATE messages SET seq = (SELECT max(seq) + 1 FROM messages WHERE user_id = :user AND thread_id = :thread)
           WHERE user_id = :user AND id = :id RETURNING seq""",
        {"user": session.user_id, "thread": message.thread_id, "id": message.id},
    ).fetchone()
    for seq in (message.seq, row["seq"]):
        _refresh_context(session, message.thread_id, seq)
    return replace(message, seq=row["seq"])


def erase_messages(session: Session, message_ids: Sequence[str]) -> list[tuple[str, str]]:
    """Replace the text of messages by `ERASED`, also in their neighbours' context; return thread and old text of each."""
    rows = session.conn.execute(
        """SELECT id, thread_id, text FROM messages
           WHERE user_id = ? AND text NOT IN ('', ?) AND id IN (SELECT value FROM json_each(?))""",
        (session.user_id, ERASED, to_json(list(message_ids))),
    ).fetchall()
    for row in rows:
        session.conn.execute(
            "UPDATE messages SET text = ?, pasted = '[]' WHERE user_id = ? AND id = ?", (ERASED, session.user_id, row["id"])
        )
        # not only the neighbours of now: one that was retried or edited away keeps its old context
        beside = session.conn.execute(
            "SELECT seq FROM messages WHERE user_id = ? AND thread_id = ? AND instr(context, ?) > 0",
            (session.user_id, row["thread_id"], row["text"][:CONTEXT_CHARS]),
        ).fetchall()
        for neighbour in beside:
            _refresh_context(session, row["thread_id"], neighbour["seq"])
    return [(row["thread_id"], row["text"]) for row in rows]


def get_message(session: Session, message_id: str) -> Message:
    row = session.conn.execute("SELECT * FROM messages WHERE user_id = ? AND id = ?", (session.user_id, message_id)).fetchone()
    if row is None:
        raise NotFound(f"There is no message {message_id}.")
    return _message(row)


def still_there(session: Session, message_ids: Iterable[str]) -> list[str]:
    """Return those of these message ids that exist, in the given order."""
    rows = session.conn.execute(
        "SELECT m.id FROM json_each(?) asked JOIN messages m ON m.id = asked.value WHERE m.user_id = ? ORDER BY asked.key",
        (to_json(list(message_ids)), session.user_id),
    )
    return [row["id"] for row in rows]


def list_messages(session: Session, thread_id: str, *, before: int | None = None, limit: int | None = 100) -> list[Message]:
    """Return the last `limit` active messages, or all, before sequence number `before`, oldest first."""
    rows = session.conn.execute(
        """SELECT * FROM messages WHERE user_id = ? AND thread_id = ? AND active = 1 AND (? IS NULL OR seq < ?)
           ORDER BY seq DESC LIMIT coalesce(?, -1)""",
        (session.user_id, thread_id, before, before, limit),
    ).fetchall()
    return [_message(row) for row in reversed(rows)]


def messages_after(session: Session, thread_id: str, seq: int) -> list[Message]:
    """Return the active messages from `seq` on, oldest first."""
    rows = session.conn.execute(
        "SELECT * FROM messages WHERE user_id = ? AND thread_id = ? AND active = 1 AND seq >= ? ORDER BY seq",
        (session.user_id, thread_id, seq),
    )
    return [_message(row) for row in rows]


def variants(session: Session, user_message_id: str) -> list[Message]:
    """Return every reply to one message, the retried ones too, oldest first."""
    rows = session.conn.execute(
        "SELECT * FROM messages WHERE user_id = ? AND reply_to = ? ORDER BY seq", (session.user_id, user_message_id)
    )
    return [_message(row) for row in rows]


def last_usages(session: Session, model: str, limit: int = 20) -> list[Usage]:
    """Return what the last replies of a model cost, newest first."""
    rows = session.conn.execute(
        "SELECT usage FROM messages WHERE user_id = ? AND role = 'assistant' AND model = ? ORDER BY key DESC LIMIT ?",
        (session.user_id, model, limit),
    )
    return [_usage(row) for row in rows]


def typed_prompts(session: Session, limit: int = 200) -> list[str]:
    """Return what the person typed last, newest first, each text once; nothing that was erased, and of no deleted chat."""
    rows = session.conn.execute(
        """SELECT text FROM messages WHERE user_id = ? AND role = 'user' AND origin = 'typed' AND text <> ?
           AND EXISTS (SELECT 1 FROM threads t WHERE t.id = thread_id AND t.deleted_at IS NULL) ORDER BY key DESC LIMIT ?""",
        (session.user_id, ERASED, PROMPTS_AMONG),
    )
    return list(islice(dict.fromkeys(row["text"] for row in rows), limit))


_CONTEXT = """UPDATE messages SET context =
             coalesce((SELECT substr(p.text, 1, :n) FROM messages p WHERE p.thread_id = messages.thread_id
                       AND p.active = 1 AND p.seq < messages.seq ORDER BY p.seq DESC LIMIT 1), '') || char(10) ||
             coalesce((SELECT substr(f.text, 1, :n) FROM messages f WHERE f.thread_id = messages.thread_id
                       AND f.active = 1 AND f.seq > messages.seq ORDER BY f.seq LIMIT 1), '')
           WHERE user_id = :user AND thread_id = :thread AND status <> 'generating'"""
"""A message's context is what was said just before and after it."""


def _refresh_context(session: Session, thread_id: str, seq: int) -> None:
    """Write the context of one message anew, and of its neighbours: a change of one touches them too."""
    session.conn.execute(
        f"""{_CONTEXT} AND seq IN (:seq,
             (SELECT max(seq) FROM messages WHERE user_id = :user AND thread_id = :thread AND active = 1 AND seq < :seq),
             (SELECT min(seq) FROM messages WHERE user_id = :user AND thread_id = :thread AND active = 1 AND seq > :seq))""",  # noqa: S608
        {"user": session.user_id, "thread": thread_id, "seq": seq, "n": CONTEXT_CHARS},
    )


def refresh_contexts(session: Session, thread_id: str) -> None:
    """Write the context of every message of a thread anew."""
    session.conn.execute(_CONTEXT, {"user": session.user_id, "thread": thread_id, "n": CONTEXT_CHARS})


@from_row
def _message(row: Row) -> Message:
    return Message(
        id=row["id"],
        thread_id=row["thread_id"],
        seq=row["seq"],
        role=Role(row["role"]),
        text=row["text"],
        status=MessageStatus(row["status"]),
        origin=Origin(row["origin"]),
        created_at=to_time(row["created_at"]),
        pasted=tuple((start, end) for start, end in json.loads(row["pasted"])),
        unprompted=bool(row["unprompted"]),
        reply_to=row["reply_to"],
        active=bool(row["active"]),
        model=row["model"],
        usage=_usage(row),
    )


@from_row
def _usage(row: Row) -> Usage:
    return Usage(**json.loads(row["usage"]))


# Drafts and context cards --------------------------------------------------------------------------------------------


def save_draft(session: Session, thread_id: str, text: str, now: datetime) -> None:
    """Keep what is being typed in a thread ('' before there is one); empty text removes it."""
    if not text:
        session.conn.execute("DELETE FROM drafts WHERE user_id = ? AND thread_id = ?", (session.user_id, thread_id))
        return
    session.conn.execute(
        """INSERT INTO drafts (user_id, thread_id, text, updated_at) VALUES (?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET text = excluded.text, updated_at = excluded.updated_at""",
        (session.user_id, thread_id, text, to_text(now)),
    )


def get_draft(session: Session, thread_id: str) -> str:
    row = session.conn.execute(
        "SELECT text FROM drafts WHERE user_id = ? AND thread_id = ?", (session.user_id, thread_id)
    ).fetchone()
    return row["text"] if row else ""


def add_context_card(session: Session, thread_id: str, text: str, now: datetime) -> None:
    session.conn.execute(
        "INSERT INTO context_cards (id, user_id, thread_id, text, created_at) VALUES (?, ?, ?, ?, ?)",
        (new_id(now), session.user_id, thread_id, text, to_text(now)),
    )


def list_context_cards(session: Session, thread_id: str) -> list[str]:
    rows = session.conn.execute(
        "SELECT text FROM context_cards WHERE user_id = ? AND thread_id = ? ORDER BY id", (session.user_id, thread_id)
    )
    return [row["text"] for row in rows]
