"""Consent requests, their evidence, and the decisions on them.

Requests may be added at any time. Everything else that writes here needs the connection of
`Database.decide()`; triggers of the schema check each step once more.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from memapp.domain.changes import Actor, Event, is_memapp
from memapp.domain.consent import ConsentRequest, Decider, ImportedFile
from memapp.domain.history import Entry
from memapp.domain.memory import Memory
from memapp.domain.profile import Hint
from memapp.store import history, snapshots
from memapp.store.events import IN_BACKGROUND, WHILE_CHATTING, Node, add_event
from memapp.store.history import Touched
from memapp.store.session import Session

_REQUESTS = """SELECT p.*,
                      (SELECT json_group_array(message_id)
                       FROM (SELECT message_id FROM request_evidence
                             WHERE request_id = p.id
                             ORDER BY message_id)) AS evidence
               FROM consent_requests p"""

_PENDING = """p.user_id = :user AND p.state = 'pending' AND p.expires_at >= :now
              AND coalesce(p.snoozed_until, '') <= :now
              AND (p.field <> 'conflict'
                   OR (SELECT count(*) FROM memories m
                       WHERE m.user_id = p.user_id AND m.state = 'live'
                       AND m.normal_text IN (normalise(p.old_value), normalise(p.new_value))) = 2)
              AND NOT (p.proposer GLOB 'client:*'
                       AND EXISTS (SELECT 1 FROM memories m
                                   WHERE m.user_id = p.user_id AND m.state = 'live'
                                   AND m.normal_text = normalise(p.new_value)))"""
"""SQL for a request that can be decided now.

A conflict can be decided while both memories are live; a proposal of an agent, until the person
states the same.
"""

_FILES = """SELECT f.id, f.name, sum(p.field <> 'chat') AS facts, sum(p.field = 'chat') AS chats,
                   min(p.created_at) AS created_at, min(p.expires_at) AS expires_at
            FROM imported_files f CROSS JOIN consent_requests p ON p.file_id = f.id
            WHERE f.user_id = :user"""

_PROPOSED = (
    *("id", "field", "old_value", "new_value", "proposer", "created_at", "expires_at", "quote"),
)
_BY_AGENT = "proposer GLOB 'client:*'"
"""SQL for a request by another program: without effect until the person decides."""

# Requests -----------------------------------------------------------------------------------------


def add_request(session: Session, request: ConsentRequest, *, memory: Memory | None = None) -> None:
    """Add a pending request, with the memory that depends on it.

    Raises `sqlite3.IntegrityError` for a field that does not exist. Evidence is added by
    `add_evidence`.
    """
    proposed = {name: getattr(request, name) for name in _PROPOSED}
    held = snapshots.write_memory(memory) if memory else ""
    session.insert("consent_requests", **proposed, file_id=request.file_id or None, memory=held)


def add_evidence(session: Session, request_id: str, message_id: str, *, typed: bool) -> None:
    """Add a message as evidence for a pending or denied request; a message counts once."""
    sql = """INSERT INTO request_evidence (user_id, request_id, message_id, typed)
             SELECT user_id, id, :message, :typed FROM consent_requests
             WHERE id = :request
             AND NOT EXISTS (SELECT 1 FROM request_evidence
                             WHERE request_id = :request AND message_id = :message)"""
    session.run(sql, request=request_id, message=message_id, typed=typed)


def add_chat(session: Session, request_id: str, thread_id: str) -> None:
    """Add all messages of a chat as evidence for a request."""
    sql = """INSERT INTO request_evidence (user_id, request_id, message_id, typed)
             SELECT user_id, :request, id, 0 FROM messages
             WHERE user_id = :user AND thread_id = :thread"""
    session.run(sql, request=request_id, thread=thread_id)


def copy_evidence(session: Session, from_id: str, to_id: str) -> None:
    """Copy the evidence of a request to another."""
    sql = """INSERT INTO request_evidence (user_id, request_id, message_id, typed)
             SELECT user_id, :to, message_id, typed FROM request_evidence
             WHERE request_id = :from_id"""
    session.run(sql, to=to_id, from_id=from_id)


def drop_evidence(session: Session, message_ids: Sequence[str]) -> None:
    """Remove messages from the evidence of pending requests."""
    sql = """DELETE FROM request_evidence
             WHERE message_id IN (SELECT value FROM json_each(:messages))
             AND request_id IN (SELECT id FROM consent_requests
                                WHERE user_id = :user AND state = 'pending')"""
    session.run(sql, messages=message_ids)


def said_in(session: Session, request_ids: Sequence[str]) -> list[str]:
    """Return the messages that are evidence for requests, except for current profile values."""
    sql = """SELECT DISTINCT message_id FROM request_evidence
             WHERE user_id = :user
             AND request_id IN (SELECT r.id FROM consent_requests r
                                WHERE r.field <> 'chat'
                                AND r.id IN (SELECT value FROM json_each(:ids))
                                AND NOT EXISTS (SELECT 1 FROM profile
                                                WHERE user_id = :user AND field = r.field
                                                AND value = r.new_value))"""
    return session.column(sql, ids=request_ids)


def withheld(session: Session) -> list[Hint]:
    """Return the pending and denied values, without those of imported files, agents and how-tos.

    Other words for a known fact are left out too.
    """
    sql = f"""SELECT DISTINCT field, new_value AS value FROM consent_requests r
              WHERE user_id = :user AND state IN ('pending', 'denied', 'expired')
              AND file_id IS NULL AND NOT {_BY_AGENT} AND new_value <> ''
              AND field NOT IN ('forgotten', 'conflict', 'howto', 'rubric')
              AND NOT (field = 'fact' AND old_value <> '' AND proposer <> 'rules')"""  # noqa: S608
    return session.records(Hint, sql)


def signals(session: Session, request_id: str) -> list[tuple[str, bool]]:
    """Return the active messages that support a request, each with True if it was typed there."""
    sql = """SELECT m.id, e.typed FROM request_evidence e JOIN messages m ON m.id = e.message_id
             WHERE m.user_id = :user AND e.request_id = :request AND m.active = 1"""
    return [(row["id"], bool(row["typed"])) for row in session.run(sql, request=request_id)]


def memory_of(session: Session, request_id: str) -> Memory | None:
    """Return the memory that depends on a request."""
    sql = """SELECT memory AS snapshot, memory ->> 'id' AS memory_id FROM consent_requests
             WHERE user_id = :user AND id = :id AND memory <> ''"""
    row = session.row(sql, id=request_id)
    return snapshots.of_row(row).memory if row else None


def waited_with(session: Session, text: str) -> list[Hint]:
    """Return the values on whose approval a memory with this text depends, or depended."""
    sql = f"""SELECT DISTINCT field, new_value AS value FROM consent_requests
              WHERE user_id = :user AND memory <> '' AND memory ->> 'text' = :text
              AND state <> 'withdrawn' AND new_value <> ''
              AND field NOT IN ('chat', 'conflict', 'howto') AND NOT {_BY_AGENT}"""  # noqa: S608
    return session.records(Hint, sql, text=text)


def texts_brought_by(session: Session, field: str, value: str) -> set[str]:
    """Return the texts of the memories that depended on a value."""
    sql = """SELECT memory ->> 'text' FROM consent_requests
             WHERE user_id = :user AND field = :field AND new_value = :value AND memory <> ''"""
    return set(session.column(sql, field=field, value=value))


def question_of(session: Session, request_id: str) -> str:
    """Return the id of memapp's question about a request; empty if there was none."""
    sql = "SELECT asked_in FROM consent_requests WHERE user_id = :user AND id = :id"
    return session.value(sql, id=request_id) or ""


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
    """Return requests, newest first, filtered by any of state, field, proposer, evidence and value.

    `like` is a GLOB pattern for the new value in small letters; a value that is not all ASCII fits
    any. `value` is the new value to the letter.
    """
    # `+` keeps the index on the person out: one message has few requests, found by their ids
    said_in = """+p.user_id = :user
                 AND p.id IN (SELECT request_id FROM request_evidence
                              WHERE message_id = :message)"""
    sql = f"""{_REQUESTS} WHERE {said_in if message_id else "p.user_id = :user"}
              AND (:state = '' OR p.state = :state) AND (:proposer = '' OR p.proposer = :proposer)
              AND (:field = '' OR p.field = :field)
              AND (:like = '*' OR lower(p.new_value) GLOB :like OR p.new_value GLOB '*[^ -~]*')
              {"AND p.field = :field AND p.new_value = :value" if value else ""}
              ORDER BY p.id DESC"""
    given = {"state": state, "field": field, "message": message_id}
    return session.records(ConsentRequest, sql, **given, like=like, value=value, proposer=proposer)


def list_pending(session: Session, *, limit: int | None = None) -> list[ConsentRequest]:
    """Return the requests that can be decided now, newest first, without those of files."""
    sql = f"""{_REQUESTS}
              WHERE {_PENDING} AND p.file_id IS NULL
              ORDER BY p.id DESC LIMIT coalesce(:limit, -1)"""
    return session.records(ConsentRequest, sql, limit=limit)


def count_pending(session: Session) -> int:
    """Return the number of questions that can be decided now; a file counts as one."""
    sql = (
        f"SELECT count(DISTINCT coalesce(p.file_id, p.id)) FROM consent_requests p WHERE {_PENDING}"  # noqa: S608
    )
    return int(session.value(sql))


def asleep(session: Session) -> list[ConsentRequest]:
    """Return the snoozed requests, the next to wake first; one for each file."""
    sql = f"""{_REQUESTS}
              WHERE p.user_id = :user AND p.state = 'pending' AND p.expires_at >= :now
              AND p.snoozed_until > :now
              GROUP BY coalesce(p.file_id, p.id) ORDER BY p.snoozed_until, p.id DESC"""
    return session.records(ConsentRequest, sql)


def among(
    session: Session, request_ids: Sequence[str], *, asleep: bool = False
) -> list[ConsentRequest]:
    """Return the pending ones of some requests, newest first, or only the snoozed ones."""
    sql = f"""{_REQUESTS}
              WHERE p.user_id = :user AND p.state = 'pending'
              AND p.id IN (SELECT value FROM json_each(:ids))
              AND (NOT :asleep OR p.snoozed_until > :now)
              ORDER BY p.id DESC"""  # noqa: S608
    return session.records(ConsentRequest, sql, ids=request_ids, asleep=asleep)


# Imported files -----------------------------------------------------------------------------------


def add_file(session: Session, file_id: str, name: str) -> None:
    session.insert("imported_files", id=file_id, name=name, created_at=session.now)


def get_file(session: Session, file_id: str) -> ImportedFile | None:
    """Return an imported file with its open questions; None if there are none."""
    sql = f"{_FILES} AND f.id = :file AND {_PENDING} GROUP BY f.id"
    return session.record(ImportedFile, sql, file=file_id)


def file_name(session: Session, file_id: str) -> str:
    sql = "SELECT name FROM imported_files WHERE user_id = :user AND id = :file"
    return str(session.value(sql, file=file_id))


def list_files(session: Session) -> list[ImportedFile]:
    """Return the imported files with open questions, newest first."""
    sql = f"{_FILES} AND {_PENDING} GROUP BY f.id ORDER BY f.id DESC"
    return session.records(ImportedFile, sql)


def list_of_file(
    session: Session, file_id: str, *, limit: int | None = None, offset: int = 0
) -> list[ConsentRequest]:
    """Return the open requests of a file: the profile's first, then in the file's order."""
    sql = f"""{_REQUESTS}
              WHERE p.file_id = :file AND {_PENDING}
              ORDER BY p.field IN ('fact', 'chat'), p.id
              LIMIT coalesce(:limit, -1) OFFSET :offset"""
    return session.records(ConsentRequest, sql, file=file_id, limit=limit, offset=offset)


def ids_of_file(session: Session, file_id: str) -> list[str]:
    """Return the ids of all pending requests of a file."""
    sql = """SELECT id FROM consent_requests
             WHERE user_id = :user AND file_id = :file AND state = 'pending'"""
    return session.column(sql, file=file_id)


def asked_or_denied(session: Session, since: datetime) -> list[tuple[str, str, str | None]]:
    """Return the field and value of pending and newly denied requests.

    A pending one comes with the text of its memory, a denied one with None.
    """
    sql = f"""SELECT field, new_value,
                     iif(state = 'denied', NULL,
                         coalesce(nullif(memory, '') ->> 'text', '')) AS text
              FROM consent_requests
              WHERE user_id = :user AND NOT {_BY_AGENT}
              AND (state = 'denied' AND decided_at > :since
                   OR state = 'pending' AND expires_at >= :now)
              ORDER BY state = 'pending'"""  # noqa: S608
    return [tuple(row) for row in session.run(sql, since=since)]


def due_requests(session: Session) -> list[ConsentRequest]:
    """Return the pending requests that expired."""
    sql = f"{_REQUESTS} WHERE p.user_id = :user AND p.state = 'pending' AND p.expires_at < :now"
    return session.records(ConsentRequest, sql)


def decide(
    session: Session,
    request_id: str,
    state: Literal["approved", "denied", "withdrawn", "expired"],
    decided_by: Decider,
) -> None:
    """Set the final state of a pending request.

    Raises `sqlite3.IntegrityError` for an unasked or late approval.
    """
    session.alter(
        "consent_requests", request_id, state=state, decided_by=decided_by, decided_at=session.now
    )


def mark_applied(session: Session, request_id: str) -> None:
    """Close an approved request without a profile change; the schema closes all others."""
    session.alter("consent_requests", request_id, state="applied")


def mark_asked(session: Session, request_id: str, message_id: str) -> None:
    """Save the message in which memapp asked about a request."""
    session.alter("consent_requests", request_id, asked_in=message_id)


def snooze(session: Session, request_id: str, until: datetime | None) -> None:
    """Hide a request until a time; None shows the request again."""
    session.alter("consent_requests", request_id, snoozed_until=until)


def asked_in(session: Session, message_id: str) -> ConsentRequest | None:
    """Return the request that a message asks about: of its copies the pending or last decided one.

    A copy is not always the one with the last id: ids follow a clock that may have been wrong.
    """
    decided = """SELECT max(number) FROM history
                 WHERE +user_id = p.user_id AND memory_id = 'profile:' || p.field
                 AND meta ->> 'request_id' = p.id"""
    sql = f"""{_REQUESTS} WHERE p.user_id = :user AND p.asked_in = :message
              ORDER BY p.state = 'pending' DESC, ({decided}) DESC, p.id DESC LIMIT 1"""
    return session.record(ConsentRequest, sql, message=message_id)


def messages_since_question(session: Session, thread_id: str) -> int | None:
    """Return the number of the person's messages since memapp's last question in a thread.

    None without a question. Replaced messages do not count.
    """
    asked = """SELECT max(m.seq) FROM consent_requests p JOIN messages m ON m.id = p.asked_in
               WHERE p.user_id = :user AND m.thread_id = :thread AND m.active = 1"""
    seq = session.value(asked, thread=thread_id)
    if seq is None:
        return None
    sql = """SELECT count(*) FROM messages
             WHERE user_id = :user AND thread_id = :thread AND role = 'user' AND active = 1
             AND seq > :seq"""
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
    """Add a decision that changes no profile to the history.

    Decisions are `denied`, `snoozed`, `withdrawn`, `expired` and `reopened`.
    """
    meta = {"request_id": request.id, "decision": decision}
    if reason:
        meta["reason"] = reason
    touched = Touched(Event.PROFILE, f"profile:{request.field}", None, None, meta=meta)
    history.record(session, actor, actor.step, touched, undoes=undoes)
    node: Node = IN_BACKGROUND if is_memapp(actor.name) else WHILE_CHATTING
    thread_id = actor.thread_id or None
    add_event(session, node, "consent", "ok", thread_id=thread_id, category="profile", meta=meta)


def entries_about(session: Session, request: ConsentRequest) -> list[Entry]:
    """Return the history entries of a request, newest first."""
    entries = history.list_entries(session, subject_id=f"profile:{request.field}", limit=None)
    return [entry for entry in entries if entry.meta.get("request_id") == request.id]


def list_standing(session: Session) -> list[ConsentRequest]:
    """Return the requests behind the current values of the profile."""
    sql = f"""{_REQUESTS} JOIN profile r ON r.request_id = p.id
              WHERE r.user_id = :user
              ORDER BY r.field, r.value"""
    return session.records(ConsentRequest, sql)
