"""The erasure of memories, messages and words with all repetitions, and their fingerprints."""

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memapp.domain.changes import Actor, LessonPurged, Purged, Updated
from memapp.domain.forget import ERASED
from memapp.domain.text import one_line
from memapp.store import changes, chat, withdrawn
from memapp.store.forget import consent_requests
from memapp.store.forget.columns import ELSEWHERE, REPEATING
from memapp.store.forget.finding import (
    holding,
    lessons_with,
    made_of,
    searching,
    texts_of,
    with_absorbed,
)
from memapp.store.forget.purge_jobs import PurgeJob
from memapp.store.memories import get_memories
from memapp.store.session import Session
from memapp.store.snapshots import INSTEAD_OF, NORMAL_TEXT

# Replies written with the memory, or an erased message, in the prompt, and replies to its sources.
_WITH_IT = """SELECT r.message_id AS id FROM recalls r JOIN messages m ON m.id = r.message_id
              WHERE m.user_id = :user
              AND r.owner_id IN (SELECT value
                                 FROM json_each(CASE r.owner_kind WHEN 'memory' THEN :memories
                                                                  ELSE :messages END))
              UNION
              SELECT m.id FROM messages m JOIN memory_sources s ON s.message_id = m.reply_to
              WHERE m.user_id = :user AND s.memory_id IN (SELECT value FROM json_each(:memories))
              UNION
              SELECT m.id FROM messages m
              WHERE m.user_id = :user AND m.id IN (SELECT value FROM json_each(:messages))"""
_FOLLOWING = (
    f"""UPDATE predictions SET text = '', needed_info = '[]', why = ''
        WHERE user_id = :user AND surprised IS NOT NULL AND text <> ''
          AND (message_id IN ({_WITH_IT}) OR checked_by IN (SELECT message_id FROM memory_sources
               WHERE memory_id IN (SELECT value FROM json_each(:memories))))""",  # noqa: S608
    f"""DELETE FROM predictions
        WHERE user_id = :user AND surprised IS NULL AND message_id IN ({_WITH_IT})""",  # noqa: S608
    f"""DELETE FROM supervisor_checkpoints WHERE user_id = :user
        AND thread_id IN (SELECT thread_id FROM messages WHERE id IN ({_WITH_IT}))""",  # noqa: S608
    """DELETE FROM recalls WHERE +user_id = :user AND (
         owner_kind = 'memory' AND owner_id IN (SELECT value FROM json_each(:memories))
         OR owner_kind = 'message' AND owner_id IN (SELECT value FROM json_each(:messages))
         OR message_id IN (SELECT value FROM json_each(:messages)))""",
    """UPDATE surprises SET state = 'nothing' WHERE user_id = :user AND state = 'pending'
       AND message_id IN (SELECT value FROM json_each(:messages))""",
)
# Versions that an undo would restore. A memory that still has the text keeps its versions.
_SAME_VERSIONS = f"""DELETE FROM versions
                     WHERE {NORMAL_TEXT} IN (SELECT value FROM json_each(:same))
                     AND memory_id IN (SELECT id FROM memories
                                       WHERE user_id = :user
                                       AND normal_text <> {NORMAL_TEXT})"""  # noqa: S608
_VERSIONS_INSTEAD = f"""DELETE FROM versions
    WHERE memory_id IN (SELECT id FROM memories WHERE user_id = :user)
    AND holds({INSTEAD_OF})"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Erased:
    memories: int
    messages: int
    others: int


def erase(
    session: Session,
    actor: Actor,
    job: PurgeJob,
    said: Sequence[str] = (),
    sent: Sequence[str] = (),
) -> Erased:
    """Erase everything of a job in the caller's transaction, one of `Database.decide`.

    `said` has the texts of the memories in the open file, for a copy that may lack them; `sent`
    those of the messages, which a copy may have as drafts. The person's messages, and other
    memories with the same words, are erased on the person's wish only.
    """
    matching = holding(session, job.words) if job.words else PurgeJob()
    memory_ids = with_absorbed(session, [*job.memory_ids, *matching.memory_ids])
    in_threads = chat.message_ids_of(session, job.thread_ids)
    message_ids = tuple(dict.fromkeys([*job.message_ids, *matching.message_ids, *in_threads]))
    memory_ids = tuple(dict.fromkeys([*memory_ids, *made_of(session, memory_ids, message_ids)]))
    texts = {*said, *texts_of(session, memory_ids)}
    others = sum(
        session.run(sql, memories=memory_ids, messages=message_ids).rowcount for sql in _FOLLOWING
    )
    with searching(session, [*texts, *job.words]):
        others += sum(session.run(sql).rowcount for sql in REPEATING)
    if job.words:
        lesson_ids = lessons_with(session, job.words)
        for lesson_id in lesson_ids:
            changes.apply(session, LessonPurged(lesson_id), actor)
        others += len(lesson_ids)
        with searching(session, job.words):
            others += sum(session.run(sql, mark=ERASED).rowcount for sql in ELSEWHERE)
        others += _erase_said_before(session, actor, job.words)
        others += consent_requests.erase_holding(session, actor, job.words)
    others += consent_requests.erase_read_from(session, [*job.message_ids, *in_threads])
    others += chat.erase_threads(session, job.thread_ids)
    messages = chat.erase_messages(session, message_ids)
    others += _erase_titles(session, messages)
    by_person = actor.name == "person"
    rejected = [
        memory.id
        for memory in get_memories(session, memory_ids)
        if by_person or memory.reason == "person"
    ]
    remember_wordings(session, {*(said if by_person else ()), *texts_of(session, rejected)})
    withdrawn.keep_withdrawn(session, memory_ids, all_of_them=by_person)
    for memory_id in memory_ids:
        changes.apply(session, Purged(memory_id), actor)
    same = {session.normalise(text) for text in texts} - {""}
    others += consent_requests.erase_saying(session, same, waiting=by_person)
    if by_person:
        others += session.run(_SAME_VERSIONS, same=same).rowcount
        others += _erase_said_before(session, actor, texts)
        others += _erase_drafts(session, [*texts, *sent, *(text for _, text in messages)])
    return Erased(len(memory_ids), len(messages) + len(in_threads), others)


def _erase_said_before(session: Session, actor: Actor, texts: Iterable[str]) -> int:
    """Erase texts from the earlier wording kept with memories; return the number of rows."""
    with searching(session, texts):
        beside = session.column(
            "SELECT id FROM memories WHERE user_id = :user AND holds(instead_of)"
        )
        for memory_id in beside:
            changes.apply(session, Updated(memory_id, instead_of=""), actor)
        return len(beside) + session.run(_VERSIONS_INSTEAD).rowcount


def _erase_drafts(session: Session, texts: Iterable[str]) -> int:
    """Erase the drafts that equal an erased text.

    A draft with more text stays, and is counted in the receipt.
    """
    same = {session.normalise(text) for text in texts}
    drafts = session.run("SELECT thread_id, text FROM drafts WHERE user_id = :user").fetchall()
    erased = [draft["thread_id"] for draft in drafts if session.normalise(draft["text"]) in same]
    sql = """DELETE FROM drafts
             WHERE user_id = :user AND thread_id IN (SELECT value FROM json_each(:ids))"""
    return session.run(sql, ids=erased).rowcount


def _erase_titles(session: Session, messages: Iterable[tuple[str, str]]) -> int:
    """Erase the chat titles made from the beginning of a message."""
    count = 0
    for thread_id, text in messages:
        title = session.value(
            "SELECT title FROM threads WHERE user_id = :user AND id = :id AND titled_by = 'app'",
            id=thread_id,
        )
        if title and one_line(text).startswith(title.removesuffix("…")):
            chat.rename_thread(session, thread_id, ERASED, "app")
            count += 1
    return count


# What was forgotten -------------------------------------------------------------------------------


def is_forgotten(session: Session, text: str) -> bool:
    """Return True if the same text was erased for good before."""
    sql = """SELECT 1 FROM forgotten
             WHERE user_id = :user AND fingerprint IN (SELECT value FROM json_each(:any))"""
    return session.row(sql, any=_fingerprints(session, text)) is not None


def remember_wordings(session: Session, texts: Iterable[str]) -> None:
    """Save the fingerprints of erased texts, which are not to be learned again unasked."""
    for text in texts:
        fingerprint = _fingerprint(session, _key(session), text)
        session.insert_new("forgotten", fingerprint=fingerprint, ts=session.now)


def let_be_known(session: Session, text: str) -> None:
    """Delete the fingerprints of a text that the person approved again."""
    sql = """DELETE FROM forgotten
             WHERE user_id = :user AND fingerprint IN (SELECT value FROM json_each(:any))"""
    session.run(sql, any=_fingerprints(session, text))


def _fingerprints(session: Session, text: str) -> list[str]:
    """Return the fingerprints of a text by the key of this file, and by those of other machines."""
    sql = """SELECT lower(hex(secret)) FROM forgotten_key
             UNION SELECT made_with FROM forgotten WHERE user_id = :user AND made_with <> ''"""
    return [_fingerprint(session, bytes.fromhex(secret), text) for secret in session.column(sql)]


def _key(session: Session) -> bytes:
    """Return the key of this file's fingerprints, created when first needed."""
    new = secrets.token_bytes(32)
    session.run(
        "INSERT INTO forgotten_key (one, secret) VALUES (1, :secret) ON CONFLICT DO NOTHING",
        secret=new,
    )
    return bytes(session.value("SELECT secret FROM forgotten_key"))


def _fingerprint(session: Session, key: bytes, text: str) -> str:
    """Return the HMAC-SHA256 of the gist of a text (RFC 2104)."""
    return hmac.new(key, session.gist(text).encode(), hashlib.sha256).hexdigest()
