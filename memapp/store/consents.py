"""Proposed changes of the profile, the decisions on them, and the profile itself.

Requests may be added at any time. Everything else that writes here needs the connection of
`Database.decide()`; triggers of the schema check each step once more.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Literal

from memapp.domain.changes import Actor, Event, is_memapp
from memapp.domain.consent import ConsentRequest, Decider, ImportedFile
from memapp.domain.history import Entry
from memapp.domain.memory import Memory
from memapp.domain.profile import Hint
from memapp.store import history, snapshots
from memapp.store.events import Node, add_event
from memapp.store.history import Touched
from memapp.store.session import Session

_REQUESTS = """SELECT p.*, (SELECT json_group_array(message_id) FROM (
                   SELECT message_id FROM request_evidence WHERE request_id = p.id ORDER BY message_id)) AS evidence
               FROM consent_requests p"""

_PENDING = """p.user_id = :user AND p.state = 'pending' AND p.expires_at >= :now
              AND coalesce(p.snoozed_until, '') <= :now
              AND (p.field <> 'conflict' OR (SELECT count(*) FROM memories m WHERE m.user_id = p.user_id AND m.state = 'live'
                                             AND m.normal_text IN (normalise(p.old_value), normalise(p.new_value))) = 2)
              AND NOT (p.proposer GLOB 'client:*' AND EXISTS (SELECT 1 FROM memories m WHERE m.user_id = p.user_id
                       AND m.state = 'live' AND m.normal_text = normalise(p.new_value)))"""
"""Which of two memories holds is asked as long as both are live; whether what an agent brought,
until the person said it.
"""

_FILES = """SELECT f.id, f.name, sum(p.field <> 'chat') AS facts, sum(p.field = 'chat') AS chats, min(p.created_at) AS created_at,
                   min(p.expires_at) AS expires_at
            FROM imported_files f CROSS JOIN consent_requests p ON p.file_id = f.id WHERE f.user_id = :user"""

_PROPOSED = (
    "id",
    "field",
    "old_value",
    "new_value",
    "proposer",
    "created_at",
    "expires_at",
    "quote",
)
_BY_AGENT = "proposer GLOB 'client:*'"
"""SQL for a request of another program: it says nothing of what the person said, and bears on
nothing until they decide.
"""

# Requests -----------------------------------------------------------------------------------------


def add_request(session: Session, request: ConsentRequest, *, memory: Memory | None = None) -> None:
    """Queue a request, with the memory that waits with it.

    Raises `sqlite3.IntegrityError` for a field that does not exist. Evidence is added by
    `add_evidence`.
    """
    proposed = {name: getattr(request, name) for name in _PROPOSED}
    held = snapshots.write_memory(memory) if memory else ""
    session.insert("consent_requests", **proposed, file_id=request.file_id or None, memory=held)


def add_evidence(session: Session, request_id: str, message_id: str, *, typed: bool) -> None:
    """Note a message that says what a request proposes that waits or was denied; one message counts
    once.
    """
    sql = """INSERT INTO request_evidence (user_id, request_id, message_id, typed)
             SELECT user_id, id, :message, :typed FROM consent_requests WHERE id = :request
             AND NOT EXISTS (SELECT 1 FROM request_evidence WHERE request_id = :request AND message_id = :message)"""
    session.run(sql, request=request_id, message=message_id, typed=typed)


def add_chat(session: Session, request_id: str, thread_id: str) -> None:
    """Note all messages of a chat as what a request is about."""
    sql = """INSERT INTO request_evidence (user_id, request_id, message_id, typed)
             SELECT user_id, :request, id, 0 FROM messages WHERE user_id = :user AND thread_id = :thread"""
    session.run(sql, request=request_id, thread=thread_id)


def copy_evidence(session: Session, from_id: str, to_id: str) -> None:
    """Give a request the evidence of another."""
    sql = """INSERT INTO request_evidence (user_id, request_id, message_id, typed)
             SELECT user_id, :to, message_id, typed FROM request_evidence WHERE request_id = :from_id"""
    session.run(sql, to=to_id, from_id=from_id)


def drop_evidence(session: Session, message_ids: Sequence[str]) -> None:
    """Let messages say nothing any more for the requests that wait."""
    sql = """DELETE FROM request_evidence WHERE message_id IN (SELECT value FROM json_each(:messages))
             AND request_id IN (SELECT id FROM consent_requests WHERE user_id = :user AND state = 'pending')"""
    session.run(sql, messages=message_ids)


def said_in(session: Session, request_ids: Sequence[str]) -> list[str]:
    """Return the messages that say what some requests propose."""
    sql = """SELECT DISTINCT message_id FROM request_evidence WHERE user_id = :user
             AND request_id IN (
                 SELECT r.id FROM consent_requests r WHERE r.field <> 'chat' AND r.id IN (SELECT value FROM json_each(:ids))
                 AND NOT EXISTS (SELECT 1 FROM profile WHERE user_id = :user AND field = r.field AND value = r.new_value))"""
    return session.column(sql, ids=request_ids)


def withheld(session: Session) -> list[Hint]:
    """Return the values that wait or were denied, but for those of files, which no message here
    stated, how-tos, and other words for what is known.
    """
    sql = f"""SELECT DISTINCT field, new_value AS value FROM consent_requests r
             WHERE user_id = :user AND state IN ('pending', 'denied', 'expired') AND file_id IS NULL AND NOT {_BY_AGENT}
             AND new_value <> '' AND field NOT IN ('forgotten', 'conflict', 'howto', 'rubric')
             AND NOT (field = 'fact' AND old_value <> '' AND proposer <> 'rules')"""  # noqa: S608
    return session.records(Hint, sql)


def signals(session: Session, request_id: str) -> list[tuple[str, bool]]:
    """Return the active messages that support a request, each with whether the person typed it
    there.
    """
    sql = """SELECT m.id, e.typed FROM request_evidence e JOIN messages m ON m.id = e.message_id
             WHERE m.user_id = :user AND e.request_id = :request AND m.active = 1"""
    return [(row["id"], bool(row["typed"])) for row in session.run(sql, request=request_id)]


def memory_of(session: Session, request_id: str) -> Memory | None:
    """Return the memory that waits with a request."""
    sql = """SELECT memory AS snapshot, memory ->> 'id' AS memory_id FROM consent_requests
             WHERE user_id = :user AND id = :id AND memory <> ''"""
    row = session.row(sql, id=request_id)
    return snapshots.of_row(row).memory if row else None


def waited_with(session: Session, text: str) -> list[Hint]:
    """Return what a memory of these words waits for, or waited for until the person decided, or let
    the time pass.
    """
    sql = f"""SELECT DISTINCT field, new_value AS value FROM consent_requests
             WHERE user_id = :user AND memory <> '' AND memory ->> 'text' = :text AND state <> 'withdrawn'
             AND new_value <> '' AND field NOT IN ('chat', 'conflict', 'howto') AND NOT {_BY_AGENT}"""  # noqa: S608
    return session.records(Hint, sql, text=text)


def texts_brought_by(session: Session, field: str, value: str) -> set[str]:
    """Return the texts of the memories that waited with a value."""
    sql = """SELECT memory ->> 'text' FROM consent_requests
             WHERE user_id = :user AND field = :field AND new_value = :value AND memory <> ''"""
    return set(session.column(sql, field=field, value=value))


def question_of(session: Session, request_id: str) -> str:
    """Return the id of the message in which memapp asked about a request; empty if it never asked."""
    return (
        session.value(
            "SELECT asked_in FROM consent_requests WHERE user_id = :user AND id = :id",
            id=request_id,
        )
        or ""
    )


def get_request(session: Session, request_id: str) -> ConsentRequest:
    sql = f"{_REQUESTS} WHERE p.user_id = :user AND p.id = :id"
    return session.existing(ConsentRequest, f"request {request_id}", sql, id=request_id)


def list_requests(
    session: Session,
    *,
    state: str = "",
    field: str = "",
    message_id: str = "",
    like: str = "*",
    value: str = "",
    proposer: str = "",
) -> list[ConsentRequest]:
    """Return requests, newest first, of one state or of all, with a message as evidence or with
    any.

    `like` is a GLOB pattern for the new value in small letters; a value that is not all ASCII fits
    any. `value` is the new value to the letter.
    """
    # With the plus, the few requests of one message are found by their ids, and not among all of
    # the person's.
    said_in = "+p.user_id = :user AND p.id IN (SELECT request_id FROM request_evidence WHERE message_id = :message)"
    sql = f"""{_REQUESTS} WHERE {said_in if message_id else "p.user_id = :user"}
              AND (:state = '' OR p.state = :state) AND (:proposer = '' OR p.proposer = :proposer)
              AND (:field = '' OR p.field = :field)
              AND (:like = '*' OR lower(p.new_value) GLOB :like OR p.new_value GLOB '*[^ -~]*')
              {"AND p.field = :field AND p.new_value = :value" if value else ""}
              ORDER BY p.id DESC"""
    given = {
        "state": state,
        "field": field,
        "message": message_id,
        "like": like,
        "value": value,
        "proposer": proposer,
    }
    return session.records(ConsentRequest, sql, **given)


def list_pending(session: Session, *, limit: int | None = None) -> list[ConsentRequest]:
    """Return the requests that can be decided now, newest first: neither snoozed nor past their
    time, nor of a file.
    """
    sql = f"{_REQUESTS} WHERE {_PENDING} AND p.file_id IS NULL ORDER BY p.id DESC LIMIT coalesce(:limit, -1)"
    return session.records(ConsentRequest, sql, limit=limit)


def count_pending(session: Session) -> int:
    """Return how many questions can be decided now; a file is one."""
    sql = (
        f"SELECT count(DISTINCT coalesce(p.file_id, p.id)) FROM consent_requests p WHERE {_PENDING}"  # noqa: S608
    )
    return int(session.value(sql))


def asleep(session: Session) -> list[ConsentRequest]:
    """Return the requests that were put off, the next to wake first; of a file one."""
    sql = f"""{_REQUESTS} WHERE p.user_id = :user AND p.state = 'pending' AND p.expires_at >= :now AND p.snoozed_until > :now
              GROUP BY coalesce(p.file_id, p.id) ORDER BY p.snoozed_until, p.id DESC"""
    return session.records(ConsentRequest, sql)


def among(
    session: Session, request_ids: Sequence[str], *, asleep: bool = False
) -> list[ConsentRequest]:
    """Return those of some requests that wait, newest first, or only those that were put off."""
    sql = f"""{_REQUESTS} WHERE p.user_id = :user AND p.state = 'pending' AND p.id IN (SELECT value FROM json_each(:ids))
              AND (NOT :asleep OR p.snoozed_until > :now) ORDER BY p.id DESC"""  # noqa: S608
    return session.records(ConsentRequest, sql, ids=request_ids, asleep=asleep)


# Imported files -----------------------------------------------------------------------------------


def add_file(session: Session, file_id: str, name: str) -> None:
    session.insert("imported_files", id=file_id, name=name, created_at=session.now)


def get_file(session: Session, file_id: str) -> ImportedFile | None:
    """Return a file with what of it can be decided now; None if nothing can."""
    sql = f"{_FILES} AND f.id = :file AND {_PENDING} GROUP BY f.id"
    return session.record(ImportedFile, sql, file=file_id)


def file_name(session: Session, file_id: str) -> str:
    return str(
        session.value(
            "SELECT name FROM imported_files WHERE user_id = :user AND id = :file", file=file_id
        )
    )


def list_files(session: Session) -> list[ImportedFile]:
    """Return the files of which something can be decided now, newest first."""
    sql = f"{_FILES} AND {_PENDING} GROUP BY f.id ORDER BY f.id DESC"
    return session.records(ImportedFile, sql)


def list_of_file(
    session: Session, file_id: str, *, limit: int | None = None, offset: int = 0
) -> list[ConsentRequest]:
    """Return the requests of a file that can be decided now: what is of the profile first, and in
    the order of the file.
    """
    sql = f"""{_REQUESTS} WHERE p.file_id = :file AND {_PENDING} ORDER BY p.field IN ('fact', 'chat'), p.id
              LIMIT coalesce(:limit, -1) OFFSET :offset"""
    return session.records(ConsentRequest, sql, file=file_id, limit=limit, offset=offset)


def ids_of_file(session: Session, file_id: str) -> list[str]:
    """Return the ids of all requests of a file that nobody decided on."""
    sql = "SELECT id FROM consent_requests WHERE user_id = :user AND file_id = :file AND state = 'pending'"
    return session.column(sql, file=file_id)


def asked_or_denied(session: Session, since: datetime) -> list[tuple[str, str, str | None]]:
    """Return the field and value of what waits, with the text of its memory, and of what was denied
    since then, with None.
    """
    sql = f"""SELECT field, new_value, iif(state = 'denied', NULL, coalesce(nullif(memory, '') ->> 'text', '')) AS text
             FROM consent_requests WHERE user_id = :user AND NOT {_BY_AGENT}
             AND (state = 'denied' AND decided_at > :since OR state = 'pending' AND expires_at >= :now)
             ORDER BY state = 'pending'"""  # noqa: S608
    return [tuple(row) for row in session.run(sql, since=since)]


def due_requests(session: Session) -> list[ConsentRequest]:
    """Return the pending requests whose time is over."""
    sql = f"{_REQUESTS} WHERE p.user_id = :user AND p.state = 'pending' AND p.expires_at < :now"
    return session.records(ConsentRequest, sql)


def decide(
    session: Session,
    request_id: str,
    state: Literal["approved", "denied", "withdrawn", "expired"],
    decided_by: Decider,
) -> None:
    """Set the final state of a waiting request. Raises `sqlite3.IntegrityError` for an unasked or
    late approval.
    """
    session.alter(
        "consent_requests", request_id, state=state, decided_by=decided_by, decided_at=session.now
    )


def mark_applied(session: Session, request_id: str) -> None:
    """End an approved request that changes no profile; one that does is marked by the schema."""
    session.alter("consent_requests", request_id, state="applied")


def mark_asked(session: Session, request_id: str, message_id: str) -> None:
    """Note the message in which memapp itself asked about a request."""
    session.alter("consent_requests", request_id, asked_in=message_id)


def snooze(session: Session, request_id: str, until: datetime | None) -> None:
    """Keep a request out of sight for a while; None shows it again."""
    session.alter("consent_requests", request_id, snoozed_until=until)


def asked_in(session: Session, message_id: str) -> ConsentRequest | None:
    """Return the request that a message asks about, whatever became of it; of its copies the one
    that waits, or was decided last.

    A copy is not always the one with the last id: that is of the time at which it was made, by a
    clock that may have been wrong.
    """
    decided = """SELECT max(number) FROM history
                 WHERE +user_id = p.user_id AND memory_id = 'profile:' || p.field AND meta ->> 'request_id' = p.id"""
    sql = f"""{_REQUESTS} WHERE p.user_id = :user AND p.asked_in = :message
              ORDER BY p.state = 'pending' DESC, ({decided}) DESC, p.id DESC LIMIT 1"""
    return session.record(ConsentRequest, sql, message=message_id)


def messages_since_question(session: Session, thread_id: str) -> int | None:
    """Return how many messages of the person followed the last question of memapp in a thread; None
    if there is none.

    One that left the conversation with words that were replaced does not count.
    """
    asked = """SELECT max(m.seq) FROM consent_requests p JOIN messages m ON m.id = p.asked_in
               WHERE p.user_id = :user AND m.thread_id = :thread AND m.active = 1"""
    seq = session.value(asked, thread=thread_id)
    if seq is None:
        return None
    sql = """SELECT count(*) FROM messages
             WHERE user_id = :user AND thread_id = :thread AND role = 'user' AND active = 1 AND seq > :seq"""
    return int(session.value(sql, thread=thread_id, seq=seq))


# The audit ----------------------------------------------------------------------------------------


def note_decision(
    session: Session,
    actor: Actor,
    request: ConsentRequest,
    decision: str,
    *,
    undoes: str = "",
    reason: str = "",
) -> None:
    """Write a decision that changes no profile into the history: `denied`, `snoozed`, `withdrawn`,
    `expired`, `reopened`.
    """
    meta = {
        "request_id": request.id,
        "decision": decision,
        **({"reason": reason} if reason else {}),
    }
    touched = Touched(Event.PROFILE, f"profile:{request.field}", None, None, meta=meta)
    history.record(session, actor, actor.step, touched, undoes=undoes)
    node: Node = "worker" if is_memapp(actor.name) else "hotpath"
    thread_id = actor.thread_id or None
    add_event(session, node, "consent", "ok", thread_id=thread_id, category="profile", meta=meta)


def entries_about(session: Session, request: ConsentRequest) -> list[Entry]:
    """Return what the history has of a request, newest first."""
    entries = history.list_entries(session, memory_id=f"profile:{request.field}", limit=None)
    return [entry for entry in entries if entry.meta.get("request_id") == request.id]


# The profile --------------------------------------------------------------------------------------


def read_profile(session: Session) -> dict[str, tuple[str, ...]]:
    """Return what is known of a person, by field."""
    rows = session.run(
        "SELECT field, value FROM profile WHERE user_id = :user ORDER BY field, value"
    )
    return {
        field: tuple(value for _, value in same) for field, same in groupby(rows, key=itemgetter(0))
    }


def agreed(session: Session) -> dict[str, tuple[str, ...]]:
    """Return the profile, and beside it the facts that a person said yes to and did not take back."""
    sql = """SELECT DISTINCT field, new_value FROM consent_requests r
             WHERE user_id = :user AND field IN ('fact', 'forgotten') AND state = 'applied'
             AND NOT EXISTS (SELECT 1 FROM consent_requests o WHERE o.user_id = r.user_id AND o.field = r.field
                             AND o.new_value = r.new_value AND o.state <> 'applied' AND (o.id > r.id OR o.state = 'pending'))
             ORDER BY field"""
    facts = {
        field: tuple(value for _, value in same)
        for field, same in groupby(session.run(sql), key=itemgetter(0))
    }
    return {**read_profile(session), **facts}


def list_standing(session: Session) -> list[ConsentRequest]:
    """Return the requests by which the profile says what it says, one a value."""
    sql = f"{_REQUESTS} JOIN profile r ON r.request_id = p.id WHERE r.user_id = :user ORDER BY r.field, r.value"
    return session.records(ConsentRequest, sql)
