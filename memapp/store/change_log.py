"""The change log: the changes of memories that a chat, or an agent, was not told yet.

Changes up to a chat's revision are settled; later changes that the chat was told are listed in
`change_told`. Agents read the log by `memory.query`.
"""

from collections.abc import Sequence

from memapp.domain.changes import Actor, Event
from memapp.domain.delta import Logged
from memapp.store.history import Touched
from memapp.store.scope import Scope
from memapp.store.session import Session

WINDOW = 60
"""The number of newest changes that are told at most: an import of thousands is not."""
_NEWS = """c.event IN ('created', 'updated', 'merged', 'deleted', 'soft_deleted', 'restored',
                       'profile')
           AND c.meta ->> 'news'"""
KEPT = 1000
"""The number of revisions kept in the log; the history keeps all."""
CUT_EVERY = 100


def log_change(session: Session, actor: Actor, revision: int, touched: Touched) -> None:
    """Log a change under the person's revision; now and then, delete old entries."""
    meta = {"category": touched.category, "news": touched.is_news}
    if touched.event is Event.PROFILE:
        meta |= {"first": _is_first(session, touched), "request": touched.meta["request_id"]}
    about = {"thread_id": actor.thread_id, "memory_id": touched.subject_id, "meta": meta}
    row = {"id": session.new_id(), "rev": revision, "event": touched.logged, "ts": session.now}
    session.insert("change_log", **row, **about)
    if revision % CUT_EVERY == 0:
        sql = "DELETE FROM change_log WHERE user_id = :user AND rev <= :old"
        session.run(sql, old=revision - KEPT)


def _is_first(session: Session, touched: Touched) -> bool:
    """Return True if a change gave a field of the profile its first value."""
    sql = "SELECT count(*) FROM profile WHERE user_id = :user AND 'profile:' || field = :field"
    return bool(not touched.meta["before"] and session.value(sql, field=touched.subject_id) == 1)


def revision(session: Session, thread_id: str = "") -> int:
    """Return the person's revision, or with a thread the revision the thread was told up to.

    A new chat starts at the current revision.
    """
    sql = """SELECT rev FROM thread_revision
             WHERE user_id = :user AND thread_id IN (:thread, '')
             ORDER BY thread_id DESC"""
    return session.value(sql, thread=thread_id) or 0


def begin(session: Session, thread_id: str) -> None:
    """Start a new chat at the current revision: only later changes are news to it."""
    session.insert_new("thread_revision", thread_id=thread_id, rev=revision(session))


def untold(session: Session, scope: Scope, thread_id: str) -> list[Logged]:
    """Return the changes in a chat's scope that the chat was not told yet, newest first.

    A memory that is not live comes without its text, and so does an empty field of the profile.
    """
    # An import replaces no memory, and its step is too large to be read for each of its memories.
    sql = f"""SELECT c.id, c.rev AS revision, c.memory_id AS subject_id,
                     coalesce(m.text, p.says, '') AS text,
                     coalesce(a.category, c.meta ->> 'category') AS category,
                     CASE WHEN c.event <> 'profile' THEN c.event
                          WHEN c.meta ->> 'first' THEN 'created'
                          WHEN p.says IS NULL THEN 'deleted'
                          ELSE 'updated' END AS event,
                     coalesce(a.importance, iif(c.event = 'profile', 2, 1)) AS importance,
                     (SELECT json_group_array(message_id)
                      FROM (SELECT message_id FROM memory_sources
                            WHERE memory_id = c.memory_id
                            UNION
                            SELECT message_id FROM request_evidence
                            WHERE request_id = c.meta ->> 'request')) AS sources,
                     (SELECT old.memory_id FROM history new JOIN history old ON old.step = new.step
                      WHERE c.event = 'created' AND new.memory_id = c.memory_id
                      AND new.event = 'ADD' AND new.actor <> 'import'
                      AND old.meta ->> 'reason' = 'superseded') AS replaces
              FROM change_log c
              LEFT JOIN memories a ON a.id = c.memory_id
              LEFT JOIN (SELECT field, group_concat(value, '; ') AS says FROM profile
                         WHERE user_id = :user
                         GROUP BY field) p ON 'profile:' || p.field = c.memory_id
              LEFT JOIN (SELECT o.id, o.text FROM memories o
                         WHERE {scope.where}) m ON m.id = c.memory_id
              WHERE c.user_id = :user AND c.rev > :seen AND {_NEWS}
              AND (a.id IS NULL OR a.state <> 'live' OR m.id IS NOT NULL)
              AND (:any_category
                   OR coalesce(a.category, c.meta ->> 'category')
                      IN (SELECT value FROM json_each(:categories)))
              AND NOT EXISTS (SELECT 1 FROM change_told t
                              WHERE t.thread_id = :thread AND t.change_id = c.id)
              ORDER BY c.rev DESC, c.rowid DESC"""  # noqa: S608
    # changes up to this revision are no longer news
    old = f"""SELECT rev FROM change_log c
              WHERE user_id = :user AND {_NEWS}
              ORDER BY rev DESC LIMIT 1 OFFSET :window"""  # noqa: S608
    seen = max(revision(session, thread_id), session.value(old, window=WINDOW) or 0)
    given = {"categories": "[]", "any_category": scope.categories is None, **scope.values}
    return session.records(Logged, sql, thread=thread_id, seen=seen, **given)


def settle(session: Session, scope: Scope, thread_id: str, change_ids: Sequence[str]) -> None:
    """Mark changes as told to a chat; when none is left, move the chat to the current revision."""
    begin(session, thread_id)
    told = """INSERT INTO change_told (user_id, thread_id, change_id)
              SELECT user_id, :thread, id FROM change_log
              WHERE user_id = :user AND id IN (SELECT value FROM json_each(:ids))
              ON CONFLICT DO NOTHING"""
    session.run(told, thread=thread_id, ids=change_ids)
    if not untold(session, scope, thread_id):
        session.put("thread_revision", thread_id=thread_id, rev=revision(session))
        forget = "DELETE FROM change_told WHERE user_id = :user AND thread_id = :thread"
        session.run(forget, thread=thread_id)
