"""Threads, messages, drafts and context cards.

Functions that write take the session of an open write; functions that read take any.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from itertools import islice

from memapp.domain.chat import Message, MessageStatus, Origin, Role, Thread
from memapp.domain.forget import ERASED
from memapp.domain.prompt import Usage
from memapp.domain.text import clean
from memapp.errors import NotFound
from memapp.store import leases
from memapp.store.encoding import new_id
from memapp.store.session import Session

CONTEXT_CHARS = 500
"""How much of each neighbour goes into a message's `context` column."""
PROMPTS_AMONG = 2000
"""The number of newest messages read by `typed_prompts`."""

# Threads ------------------------------------------------------------------------------------------


def create_thread(
    session: Session, title: str, persona: str, now: datetime, trust_level: float | None = None
) -> Thread:
    thread = Thread(new_id(now), title, persona, now, now, trust_level=trust_level)
    session.insert("threads", **asdict(thread))
    return thread


def get_thread(session: Session, thread_id: str) -> Thread:
    sql = "SELECT * FROM threads WHERE user_id = :user AND id = :id"
    return session.existing(Thread, f"chat {thread_id}", sql, id=thread_id)


def list_threads(
    session: Session, matching: str = "", *, limit: int | None = 200, deleted: bool = False
) -> list[Thread]:
    """Return chats, newest first, or deleted ones, last deleted first; all without a limit.

    `matching` is searched for in titles.
    """
    which = "deleted_at IS NOT NULL" if deleted else "deleted_at IS NULL"
    order = "deleted_at" if deleted else "updated_at"
    sql = f"""SELECT * FROM threads WHERE user_id = :user AND {which}
              AND (:matching = '' OR instr(casefold(title), casefold(:matching)) > 0)
              ORDER BY {order} DESC, id DESC LIMIT coalesce(:limit, -1)"""  # noqa: S608
    return session.records(Thread, sql, matching=clean(matching), limit=limit)


def rename_thread(session: Session, thread_id: str, title: str, titled_by: str) -> None:
    """Set the title; the app never replaces a title chosen by the person."""
    sql = """UPDATE threads SET title = :title, titled_by = :by
             WHERE user_id = :user AND id = :id AND (titled_by = 'app' OR :by = 'person')"""
    session.run(sql, id=thread_id, title=title, by=titled_by)


def set_thread_deleted(session: Session, thread_id: str, deleted_at: datetime | None) -> None:
    """Hide a thread; None shows the thread again."""
    session.alter("threads", thread_id, deleted_at=deleted_at)


WENT_ON = """(SELECT origin FROM messages
              WHERE user_id = :user AND thread_id = value AND role = 'user'
              ORDER BY seq DESC LIMIT 1) = 'typed'"""
"""SQL for an imported thread, the `value` of a list, in which the person typed since."""


def went_on_with(session: Session, thread_ids: Sequence[str]) -> list[str]:
    """Return those imported threads in which the person typed since."""
    return session.column(f"SELECT value FROM json_each(:ids) WHERE {WENT_ON}", ids=thread_ids)  # noqa: S608


def message_ids_of(session: Session, thread_ids: Sequence[str]) -> tuple[str, ...]:
    """Return every message of some threads, inactive ones too."""
    sql = """SELECT id FROM messages
             WHERE user_id = :user AND thread_id IN (SELECT value FROM json_each(:ids))"""
    return tuple(session.column(sql, ids=thread_ids))


def erase_threads(session: Session, thread_ids: Sequence[str]) -> int:
    """Delete threads with all their rows; return the number of threads and drafts."""
    erased = {}
    for table, column in _OF_THREADS.items():
        sql = f"""DELETE FROM {table}
                  WHERE user_id = :user
                  AND {column} IN (SELECT value FROM json_each(:ids))"""  # noqa: S608
        erased[table] = session.run(sql, ids=thread_ids).rowcount
    return erased["drafts"] + erased["threads"]


_OF_THREADS = {
    "thread_revision": "thread_id",
    "change_told": "thread_id",
    "drafts": "thread_id",
    "threads": "id",
}
"""Tables with rows of a thread that no foreign key deletes, the threads themselves last."""

# Messages -----------------------------------------------------------------------------------------


def add_message(
    session: Session,
    thread_id: str,
    role: Role,
    text: str,
    now: datetime,
    *,
    status: MessageStatus = MessageStatus.COMPLETE,
    origin: Origin = Origin.MODEL,
    pasted: Sequence[tuple[int, int]] = (),
    unprompted: bool = False,
    reply_to: str | None = None,
    model: str = "",
) -> Message:
    last = (
        "SELECT coalesce(max(seq), 0) FROM messages WHERE user_id = :user AND thread_id = :thread"
    )
    seq = session.value(last, thread=thread_id) + 1
    about = (role, text, status, origin, now, tuple(pasted), unprompted, reply_to, True, model)
    message = Message(new_id(now), thread_id, seq, *about)
    row = {name: value for name, value in asdict(message).items() if name != "usage"}
    session.insert("messages", **row)
    session.alter("threads", thread_id, updated_at=now)
    _refresh_context(session, thread_id, seq)
    return message


def save_partial(session: Session, message_id: str, text: str) -> None:
    """Save the text of a reply so far, which stays `generating`."""
    sql = """UPDATE messages SET text = :text
             WHERE user_id = :user AND id = :id AND status = 'generating'"""
    session.run(sql, id=message_id, text=text)


def finish_message(
    session: Session, message_id: str, text: str, status: MessageStatus, usage: Usage, model: str
) -> None:
    """Save the final text, status, usage and model of a reply."""
    sql = """UPDATE messages SET text = :text, status = :status, usage = :usage, model = :model
             WHERE user_id = :user AND id = :id RETURNING thread_id, seq"""
    row = session.row(
        sql, id=message_id, text=text, status=status, usage=asdict(usage), model=model
    )
    if row is None:
        raise NotFound(f"There is no message {message_id}.")
    _refresh_context(session, row["thread_id"], row["seq"])


def answering(thread_id: str) -> str:
    """Return the name of the lease of the process that answers in a chat."""
    return f"answer in {thread_id}"


def abandoned(session: Session) -> list[str]:
    """Return the ids of replies that nobody writes any more, since their process died."""
    sql = "SELECT id, thread_id FROM messages WHERE user_id = :user AND status = 'generating'"
    rows = session.run(sql).fetchall()
    return [row["id"] for row in rows if not leases.owner_of(session, answering(row["thread_id"]))]


def interrupt_abandoned(session: Session) -> int:
    """Mark the replies of dead processes as interrupted; return their number."""
    sql = """UPDATE messages SET status = 'interrupted'
             WHERE user_id = :user AND id IN (SELECT value FROM json_each(:ids))"""
    return session.run(sql, ids=abandoned(session)).rowcount


def set_active(session: Session, message_ids: Sequence[str], active: bool) -> None:
    """Take messages out of the conversation, or bring them back, without deleting them."""
    sql = """UPDATE messages SET active = :active
             WHERE user_id = :user AND id IN (SELECT value FROM json_each(:ids))
             RETURNING thread_id, seq"""
    for row in session.run(sql, ids=message_ids, active=active).fetchall():
        _refresh_context(session, row["thread_id"], row["seq"])


def put_last(session: Session, message: Message) -> Message:
    """Move a message to the end of its thread; return the moved message."""
    sql = """UPDATE messages
             SET seq = (SELECT max(seq) + 1 FROM messages
                        WHERE user_id = :user AND thread_id = :thread)
             WHERE user_id = :user AND id = :id
             RETURNING seq"""
    last = session.value(sql, thread=message.thread_id, id=message.id)
    for seq in (message.seq, last):
        _refresh_context(session, message.thread_id, seq)
    return replace(message, seq=last)


def erase_messages(session: Session, message_ids: Sequence[str]) -> list[tuple[str, str]]:
    """Replace messages by `ERASED`, also in their neighbours' context; return thread and text."""
    sql = """SELECT id, thread_id, text FROM messages
             WHERE user_id = :user AND text NOT IN ('', :mark)
             AND id IN (SELECT value FROM json_each(:ids))"""
    rows = session.run(sql, ids=message_ids, mark=ERASED).fetchall()
    # former neighbours too: a retried or edited message keeps its old context
    beside = """SELECT seq FROM messages
                WHERE user_id = :user AND thread_id = :thread AND instr(context, :text) > 0"""
    for row in rows:
        session.alter("messages", row["id"], text=ERASED, pasted=())
        for seq in session.column(
            beside, thread=row["thread_id"], text=row["text"][:CONTEXT_CHARS]
        ):
            _refresh_context(session, row["thread_id"], seq)
    return [(row["thread_id"], row["text"]) for row in rows]


def get_message(session: Session, message_id: str) -> Message:
    sql = "SELECT * FROM messages WHERE user_id = :user AND id = :id"
    return session.existing(Message, f"message {message_id}", sql, id=message_id)


def get_messages(session: Session, message_ids: Iterable[str]) -> list[Message]:
    """Return the messages that exist, in the order of the ids."""
    sql = """SELECT m.* FROM json_each(:ids) asked JOIN messages m ON m.id = asked.value
             WHERE m.user_id = :user
             ORDER BY asked.key"""
    return session.records(Message, sql, ids=message_ids)


def answered_by(session: Session, message_ids: Iterable[str], by: Iterable[str]) -> list[str]:
    """Return those messages whose current reply is by one of the models."""
    sql = """SELECT reply_to FROM messages
             WHERE user_id = :user AND active = 1
             AND reply_to IN (SELECT value FROM json_each(:ids))
             AND model IN (SELECT value FROM json_each(:by))"""
    return session.column(sql, ids=message_ids, by=by)


def still_there(session: Session, message_ids: Iterable[str]) -> list[str]:
    """Return the ids of messages that exist, in the given order."""
    sql = """SELECT m.id FROM json_each(:ids) asked JOIN messages m ON m.id = asked.value
             WHERE m.user_id = :user
             ORDER BY asked.key"""
    return session.column(sql, ids=message_ids)


def list_messages(
    session: Session,
    thread_id: str,
    *,
    before: int | None = None,
    limit: int | None = 100,
    commands: bool = False,
) -> list[Message]:
    """Return the last `limit` active messages, or all, before number `before`, oldest first.

    Commands and their output are included only with `commands`.
    """
    sql = """SELECT * FROM messages WHERE user_id = :user AND thread_id = :thread AND active = 1
             AND (:before IS NULL OR seq < :before) AND (:commands OR origin <> 'command')
             ORDER BY seq DESC LIMIT coalesce(:limit, -1)"""
    return session.records(
        Message, sql, thread=thread_id, before=before, limit=limit, commands=commands
    )[::-1]


def said_in(
    session: Session, year: int | None, month: int, day: int | None, limit: int = 200
) -> list[Message]:
    """Return the person's last `limit` messages of a local day or month, oldest first."""
    sql = """SELECT messages.* FROM messages JOIN threads ON threads.id = messages.thread_id
             WHERE messages.user_id = :user AND threads.deleted_at IS NULL AND role = 'user'
             AND active = 1 AND origin <> 'command'
             AND strftime('%m', messages.created_at, 'localtime') = printf('%02d', :month)
             AND (:year IS NULL
                  OR strftime('%Y', messages.created_at, 'localtime') = printf('%04d', :year))
             AND (:day IS NULL
                  OR strftime('%d', messages.created_at, 'localtime') = printf('%02d', :day))
             ORDER BY messages.key DESC LIMIT :limit"""
    return session.records(Message, sql, year=year, month=month, day=day, limit=limit)[::-1]


def messages_from(session: Session, thread_id: str, seq: int) -> list[Message]:
    """Return the active messages from `seq` on, oldest first."""
    sql = """SELECT * FROM messages
             WHERE user_id = :user AND thread_id = :thread AND active = 1 AND seq >= :seq
             ORDER BY seq"""
    return session.records(Message, sql, thread=thread_id, seq=seq)


def replaced_by(session: Session, message: Message) -> list[Message]:
    """Return the person's messages that were replaced by a message, oldest first.

    They left the conversation just before it.
    """
    sql = """SELECT * FROM messages
             WHERE user_id = :user AND thread_id = :thread AND role = 'user' AND active = 0
             AND seq < :seq
             AND seq > coalesce((SELECT max(seq) FROM messages
                                 WHERE user_id = :user AND thread_id = :thread AND active = 1
                                 AND seq < :seq), 0)
             ORDER BY seq"""
    return session.records(Message, sql, thread=message.thread_id, seq=message.seq)


def variants(session: Session, user_message_id: str) -> list[Message]:
    """Return every reply to one message, retried ones too, oldest first."""
    sql = "SELECT * FROM messages WHERE user_id = :user AND reply_to = :id ORDER BY seq"
    return session.records(Message, sql, id=user_message_id)


def last_usages(session: Session, model: str, limit: int = 20) -> list[Usage]:
    """Return the usage of the last replies of a model, newest first."""
    sql = """SELECT * FROM messages WHERE user_id = :user AND role = 'assistant' AND model = :model
             ORDER BY key DESC LIMIT :limit"""
    return [message.usage for message in session.records(Message, sql, model=model, limit=limit)]


def typed_prompts(session: Session, limit: int = 200) -> list[str]:
    """Return the texts typed last, newest first, once each; none erased or of a deleted chat."""
    sql = """SELECT text FROM messages
             WHERE user_id = :user AND role = 'user' AND origin IN ('typed', 'command')
             AND text <> :mark
             AND EXISTS (SELECT 1 FROM threads t WHERE t.id = thread_id AND t.deleted_at IS NULL)
             ORDER BY key DESC LIMIT :among"""
    return list(islice(dict.fromkeys(session.column(sql, mark=ERASED, among=PROMPTS_AMONG)), limit))


_BESIDE = "p.thread_id = messages.thread_id AND p.active = 1 AND p.origin <> 'command' AND p.seq"
_CONTEXT = f"""UPDATE messages
               SET context = coalesce((SELECT substr(p.text, 1, :n) FROM messages p
                                       WHERE {_BESIDE} < messages.seq
                                       ORDER BY p.seq DESC LIMIT 1), '')
                             || char(10)
                             || coalesce((SELECT substr(p.text, 1, :n) FROM messages p
                                          WHERE {_BESIDE} > messages.seq
                                          ORDER BY p.seq LIMIT 1), '')
               WHERE user_id = :user AND thread_id = :thread
               AND status <> 'generating'"""  # noqa: S608
"""A message's context is the text just before and after it, without commands."""


def _refresh_context(session: Session, thread_id: str, seq: int) -> None:
    """Rewrite the context of a message and of its neighbours."""
    beside = """FROM messages
                WHERE user_id = :user AND thread_id = :thread AND active = 1 AND origin <> 'command'
                AND seq"""
    sql = f"""{_CONTEXT}
              AND seq IN (:seq, (SELECT max(seq) {beside} < :seq),
                          (SELECT min(seq) {beside} > :seq))"""
    session.run(sql, thread=thread_id, seq=seq, n=CONTEXT_CHARS)


def refresh_contexts(session: Session, thread_id: str) -> None:
    """Rewrite the context of every message of a thread."""
    session.run(_CONTEXT, thread=thread_id, n=CONTEXT_CHARS)


# Drafts and context cards -------------------------------------------------------------------------


def save_draft(session: Session, thread_id: str, text: str) -> None:
    """Save the draft of a thread ('' for a new thread); an empty text deletes the draft."""
    if text:
        session.put("drafts", thread_id=thread_id, text=text, updated_at=session.now)
    else:
        sql = "DELETE FROM drafts WHERE user_id = :user AND thread_id = :thread"
        session.run(sql, thread=thread_id)


def get_draft(session: Session, thread_id: str) -> str:
    sql = "SELECT text FROM drafts WHERE user_id = :user AND thread_id = :thread"
    return session.value(sql, thread=thread_id) or ""


def add_context_card(session: Session, thread_id: str, text: str) -> None:
    session.insert(
        "context_cards", id=session.new_id(), thread_id=thread_id, text=text, created_at=session.now
    )


def list_context_cards(session: Session, thread_id: str) -> list[str]:
    sql = "SELECT text FROM context_cards WHERE user_id = :user AND thread_id = :thread ORDER BY id"
    return session.column(sql, thread=thread_id)
