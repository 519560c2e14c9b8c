"""The change log: which memories changed since a chat, or an agent of `memory.query`, was last told. Each is told once.

Everything up to a chat's revision is settled; later changes that it was told already are listed in `change_told`.
"""

import json
from collections.abc import Sequence
from datetime import datetime

from memapp.domain.changes import Actor, Event
from memapp.domain.delta import Logged
from memapp.store.encoding import new_id, to_json, to_text
from memapp.store.history import Touched
from memapp.store.scope import Scope
from memapp.store.session import Session

WINDOW = 60
"""Only this many of the newest changes are told, so that an import of thousands is not."""
_NEWS = "c.event IN ('created', 'updated', 'merged', 'deleted', 'soft_deleted', 'restored', 'profile') AND c.meta ->> 'news'"
KEPT = 1000
"""How many revisions the log keeps; the history keeps all."""
CUT_EVERY = 100


def log_change(session: Session, actor: Actor, revision: int, touched: Touched, now: datetime) -> None:
    """Log a change under the person's revision; now and then, delete entries too old to be told."""
    meta = {"category": touched.category, "news": touched.is_news}
    if touched.event is Event.PROFILE:
        meta |= {"first": _is_first(session, touched), "request": touched.meta["request_id"]}
    session.conn.execute(
        "INSERT INTO change_log (id, user_id, thread_id, rev, memory_id, event, meta, ts) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (new_id(now), actor.user_id, actor.thread_id, revision, touched.memory_id, touched.logged, to_json(meta), to_text(now)),
    )
    if revision % CUT_EVERY == 0:
        session.conn.execute("DELETE FROM change_log WHERE user_id = ? AND rev <= ?", (actor.user_id, revision - KEPT))


def _is_first(session: Session, touched: Touched) -> bool:
    """Tell whether a field of the profile said nothing before a change."""
    sql = "SELECT count(*) FROM profile WHERE user_id = ? AND 'profile:' || field = ?"
    return bool(not touched.meta["before"] and session.conn.execute(sql, (session.user_id, touched.memory_id)).fetchone()[0] == 1)


def revision(session: Session, thread_id: str = "") -> int:
    """Return the person's revision, or with a thread the one it was told up to; a new chat starts at the current one."""
    row = session.conn.execute(
        """SELECT coalesce((SELECT rev FROM thread_revision WHERE user_id = :user AND thread_id = :thread),
                           (SELECT rev FROM thread_revision WHERE user_id = :user AND thread_id = ''), 0) AS rev""",
        {"user": session.user_id, "thread": thread_id},
    ).fetchone()
    return int(row["rev"])


def begin(session: Session, thread_id: str) -> None:
    """Start a new chat at the current revision: only later changes are news to it."""
    session.conn.execute(
        "INSERT INTO thread_revision (user_id, thread_id, rev) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        (session.user_id, thread_id, revision(session)),
    )


def untold(session: Session, scope: Scope, thread_id: str) -> list[Logged]:
    """Return the changes a chat may see and was not told yet, newest first.

    A memory that is not live comes without its text, and so does a field of the profile that says nothing now.
    """
    # What an import brings takes nobody's place, and its step is too large to be read for each of its memories.
    rows = session.conn.execute(
        f"""SELECT c.id, c.rev, c.memory_id, coalesce(m.text, p.says, '') AS text,
                  coalesce(a.category, c.meta ->> 'category') AS category,
                  CASE WHEN c.event <> 'profile' THEN c.event WHEN c.meta ->> 'first' THEN 'created'
                       WHEN p.says IS NULL THEN 'deleted' ELSE 'updated' END AS event,
                  coalesce(a.importance, iif(c.event = 'profile', 2, 1)) AS importance,
                  (SELECT json_group_array(message_id) FROM (
                      SELECT message_id FROM memory_sources WHERE memory_id = c.memory_id
                      UNION SELECT message_id FROM request_evidence WHERE request_id = c.meta ->> 'request')) AS sources,
                  (SELECT old.memory_id FROM history new JOIN history old ON old.step = new.step
                   WHERE c.event = 'created' AND new.memory_id = c.memory_id AND new.event = 'ADD' AND new.actor <> 'import'
                     AND old.meta ->> 'reason' = 'superseded') AS replaces
           FROM change_log c
           LEFT JOIN memories a ON a.id = c.memory_id
           LEFT JOIN (SELECT field, group_concat(value, '; ') AS says FROM profile WHERE user_id = :user GROUP BY field) p
             ON 'profile:' || p.field = c.memory_id
           LEFT JOIN (SELECT o.id, o.text FROM memories o WHERE {scope.where}) m ON m.id = c.memory_id
           WHERE c.user_id = :user AND c.rev > :seen AND {_NEWS}
             AND (a.id IS NULL OR a.state <> 'live' OR m.id IS NOT NULL)
             AND (:any_category OR coalesce(a.category, c.meta ->> 'category') IN (SELECT value FROM json_each(:categories)))
             AND NOT EXISTS (SELECT 1 FROM change_told t WHERE t.thread_id = :thread AND t.change_id = c.id)
           ORDER BY c.rev DESC, c.rowid DESC""",  # noqa: S608
        {
            **{"categories": "[]", "any_category": scope.categories is None, **scope.values},
            **{"thread": thread_id, "seen": max(revision(session, thread_id), _too_old(session))},
        },
    )
    return [
        Logged(
            id=row["id"],
            revision=row["rev"],
            event=row["event"],
            memory_id=row["memory_id"],
            text=row["text"],
            category=row["category"],
            importance=row["importance"],
            sources=tuple(json.loads(row["sources"])),
            replaces=row["replaces"] or "",
        )
        for row in rows
    ]


def _too_old(session: Session) -> int:
    """Return the revision up to which changes are no news any more."""
    row = session.conn.execute(
        f"SELECT rev FROM change_log c WHERE user_id = ? AND {_NEWS} ORDER BY rev DESC LIMIT 1 OFFSET ?",  # noqa: S608
        (session.user_id, WINDOW),
    ).fetchone()
    return int(row["rev"]) if row else 0


def settle(session: Session, scope: Scope, thread_id: str, change_ids: Sequence[str]) -> None:
    """Mark changes as told to a chat; when none is left, move it to the current revision."""
    user_id = scope.user_id
    begin(session, thread_id)
    session.conn.executemany(
        """INSERT INTO change_told (user_id, thread_id, change_id)
           SELECT user_id, ?, id FROM change_log WHERE user_id = ? AND id = ? ON CONFLICT DO NOTHING""",
        [(thread_id, user_id, change_id) for change_id in change_ids],
    )
    if not untold(session, scope, thread_id):
        session.conn.execute(
            "UPDATE thread_revision SET rev = ? WHERE user_id = ? AND thread_id = ?",
            (revision(session), user_id, thread_id),
        )
        session.conn.execute("DELETE FROM change_told WHERE user_id = ? AND thread_id = ?", (user_id, thread_id))
