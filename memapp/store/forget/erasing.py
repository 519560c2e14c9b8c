"""The erasure of memories, messages and words with all that repeats them, and the fingerprints that
recognise them later.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memapp.domain.changes import Actor, LessonPurged, Purged, Updated
from memapp.domain.forget import ERASED
from memapp.domain.text import one_line
from memapp.store import changes, chat, search
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

# What was written while the memory, or a message that goes with it, stood in the prompt, or out of
# the messages it came from.
_WITH_IT = """
    SELECT r.message_id AS id FROM recalls r JOIN messages m ON m.id = r.message_id
      WHERE m.user_id = :user AND r.owner_id IN (SELECT value FROM json_each(CASE r.owner_kind WHEN 'memory' THEN :memories
                                                                             ELSE :messages END))
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
    """DELETE FROM recalls WHERE +user_id = :user AND (
         owner_kind = 'memory' AND owner_id IN (SELECT value FROM json_each(:memories))
         OR owner_kind = 'message' AND owner_id IN (SELECT value FROM json_each(:messages))
         OR message_id IN (SELECT value FROM json_each(:messages)))""",
    """UPDATE surprises SET state = 'nothing' WHERE user_id = :user AND state = 'pending'
       AND message_id IN (SELECT value FROM json_each(:messages))""",
)
# What would bring the text of a memory back. A memory that says so to this day keeps those: they
# give nothing away.
_SAME_VERSIONS = f"""DELETE FROM versions WHERE {NORMAL_TEXT} IN (SELECT value FROM json_each(:same))
    AND memory_id IN (SELECT id FROM memories WHERE user_id = :user AND normal_text <> {NORMAL_TEXT})"""  # noqa: S608
_VERSIONS_INSTEAD = f"""DELETE FROM versions
    WHERE memory_id IN (SELECT id FROM memories WHERE user_id = :user) AND holds({INSTEAD_OF})"""  # noqa: S608


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
    """Erase everything of a job in the caller's transaction, which must be one of
    `Database.decide`.

    `said` is what the memories say in the open file, for a copy that may not have them; `sent` what
    the messages say there, since the copy may hold one as a draft. What the person wrote, and the
    memories of the same words, are touched by the person's wish only.
    """
    found = holding(session, job.words) if job.words else PurgeJob()
    memory_ids = with_absorbed(session, [*job.memory_ids, *found.memory_ids])
    in_threads = chat.message_ids_of(session, job.thread_ids)
    message_ids = tuple(dict.fromkeys([*job.message_ids, *found.message_ids, *in_threads]))
    memory_ids = tuple(dict.fromkeys([*memory_ids, *made_of(session, memory_ids, message_ids)]))
    texts = {*said, *texts_of(session, memory_ids)}
    others = sum(
        session.run(sql, memories=memory_ids, messages=message_ids).rowcount for sql in _FOLLOWING
    )
    with searching(session, [*texts, *job.words]):
        others += sum(session.run(sql).rowcount for sql in REPEATING)
    if job.words:
        others += len(
            [
                changes.apply(session, LessonPurged(word), actor)
                for word in lessons_with(session, job.words)
            ]
        )
        with searching(session, job.words):
            others += sum(session.run(sql, mark=ERASED).rowcount for sql in ELSEWHERE)
        others += _erase_said_before(session, actor, job.words)
        others += consent_requests.erase_holding(session, actor, job.words)
    others += consent_requests.erase_read_from(session, [*job.message_ids, *in_threads])
    others += chat.erase_threads(session, job.thread_ids)
    messages = chat.erase_messages(session, message_ids)
    others += _erase_titles(session, messages)
    by_person = actor.name == "person"
    gone = [
        memory.id
        for memory in get_memories(session, memory_ids)
        if by_person or memory.reason == "person"
    ]
    remember_wordings(session, {*(said if by_person else ()), *texts_of(session, gone)})
    search.keep_taken_back(session, memory_ids, all_of_them=by_person)
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
    """Take what was said before from beside what holds in its place; return how many rows that
    were.
    """
    with searching(session, texts):
        beside = session.column(
            "SELECT id FROM memories WHERE user_id = :user AND holds(instead_of)"
        )
        for memory_id in beside:
            changes.apply(session, Updated(memory_id, instead_of=""), actor)
        return len(beside) + session.run(_VERSIONS_INSTEAD).rowcount


def _erase_drafts(session: Session, texts: Iterable[str]) -> int:
    """Erase the drafts that say just what was erased; one that says more is the person's own, and
    the receipt counts it.
    """
    same = {session.normalise(text) for text in texts}
    drafts = session.run("SELECT thread_id, text FROM drafts WHERE user_id = :user").fetchall()
    gone = [draft["thread_id"] for draft in drafts if session.normalise(draft["text"]) in same]
    return session.run(
        "DELETE FROM drafts WHERE user_id = :user AND thread_id IN (SELECT value FROM json_each(:ids))",
        ids=gone,
    ).rowcount


def _erase_titles(session: Session, messages: Iterable[tuple[str, str]]) -> int:
    """Take back the titles that were made from the beginning of a message."""
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
    """Tell whether the same was erased for good before."""
    key = session.value("SELECT secret FROM forgotten_key")
    sql = "SELECT 1 FROM forgotten WHERE user_id = :user AND fingerprint = :fingerprint"
    return (
        key is not None
        and session.row(sql, fingerprint=_fingerprint(session, key, text)) is not None
    )


def remember_wordings(session: Session, texts: Iterable[str]) -> None:
    """Remember what the person did not want, in each of its wordings: it is not to be learned again
    unasked.
    """
    for text in texts:
        session.insert_new(
            "forgotten", fingerprint=_fingerprint(session, _key(session), text), ts=session.now
        )


def let_be_known(session: Session, text: str) -> None:
    """Let the same be learned like anything else again: the person said yes to it."""
    fingerprint = _fingerprint(session, _key(session), text)
    session.run(
        "DELETE FROM forgotten WHERE user_id = :user AND fingerprint = :fingerprint",
        fingerprint=fingerprint,
    )


def _key(session: Session) -> bytes:
    """Return the key of this file's fingerprints; it is made when the first is needed."""
    new = secrets.token_bytes(32)
    session.run(
        "INSERT INTO forgotten_key (one, secret) VALUES (1, :secret) ON CONFLICT DO NOTHING",
        secret=new,
    )
    return bytes(session.value("SELECT secret FROM forgotten_key"))


def _fingerprint(session: Session, key: bytes, text: str) -> str:
    """Return HMAC-SHA256 of what a text says, whatever the forms and the order of its words (RFC
    2104).
    """
    return hmac.new(key, session.gist(text).encode(), hashlib.sha256).hexdigest()
