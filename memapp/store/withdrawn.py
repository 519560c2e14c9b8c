"""Messages that the person withdrew, and messages under a request that is pending or denied."""

from collections.abc import Iterable, Sequence

from memapp.domain.profile import Hint
from memapp.store.session import Session
from memapp.store.snapshots import NORMAL_TEXT

_TAUGHT = "(m.origin <> 'reflected' AND m.kind <> 'insight')"
"""SQL for a memory whose deletion also withdraws its messages, unlike an insight or an episode."""
# The second case: the person wrote something else in its place.
_NO_LONGER_HOLDS = f"""(
    m.state = 'soft_deleted' AND m.reason IN ('person', 'superseded', 'undone')
    OR EXISTS (SELECT 1 FROM history h JOIN versions ON versions.id = h.old_ref
               WHERE h.memory_id = m.id AND h.event = 'UPDATE' AND h.actor = 'person'
               AND NOT EXISTS (SELECT 1 FROM history u WHERE u.undoes = h.step)
               AND s.message_id IN (SELECT value FROM json_each(versions.snapshot, '$.sources'))
               AND {NORMAL_TEXT} NOT IN (m.normal_text,
                                         (SELECT {NORMAL_TEXT} FROM versions
                                          WHERE id = h.new_ref))))"""  # noqa: S608


def withdrawn(session: Session, message_ids: Sequence[str]) -> set[str]:
    """Return the messages whose fact the person deleted, corrected or withdrew."""
    # The last part: a reply may repeat a message that was taken back.
    sql = f"""SELECT s.message_id FROM memory_sources s JOIN memories m ON m.id = s.memory_id
              WHERE +m.user_id = :user AND {_TAUGHT} AND {_NO_LONGER_HOLDS}
              AND s.message_id IN (SELECT value FROM json_each(:ids))
              UNION
              SELECT message_id FROM taken_back
              WHERE message_id IN (SELECT value FROM json_each(:ids))
              UNION
              SELECT m.id FROM json_each(:ids) CROSS JOIN messages m ON m.id = value
              WHERE m.reply_to IN (SELECT message_id FROM taken_back)"""  # noqa: S608
    return set(session.column(sql, ids=message_ids))


def withdraw(session: Session, message_ids: Iterable[str]) -> list[str]:
    """Withdraw messages from evidence and from every chat; return those not withdrawn before."""
    return [
        message_id
        for message_id in message_ids
        if session.insert_new("taken_back", message_id=message_id)
    ]


def reinstate(session: Session, message_ids: Sequence[str]) -> None:
    """Reinstate withdrawn messages."""
    sql = """DELETE FROM taken_back
             WHERE user_id = :user AND message_id IN (SELECT value FROM json_each(:ids))"""
    session.run(sql, ids=message_ids)


def unread(session: Session, message_ids: Sequence[str]) -> dict[str, str]:
    """Return the texts of messages still to be learned from, or of the messages they answer."""
    sql = """SELECT i.value AS id, s.text
             FROM json_each(:ids) i
             CROSS JOIN messages m ON m.id = i.value
             CROSS JOIN messages s ON s.id IN (m.id, m.reply_to)
             CROSS JOIN surprises u ON u.message_id = s.id
             WHERE s.user_id = :user AND u.state IN ('pending', 'failed')"""
    return {row["id"]: row["text"] for row in session.run(sql, ids=message_ids)}


def unconfirmed(session: Session, message_ids: Sequence[str]) -> dict[str, list[Hint]]:
    """Return the pending or denied statements in messages, by message.

    A reply may repeat the message it answers, and a question of memapp its request. A message of an
    imported chat is pending until the last decision on that chat is an approval.
    """
    sql = """WITH said AS (
               SELECT value AS id, value AS source FROM json_each(:ids)
               UNION
               SELECT m.id, m.reply_to FROM json_each(:ids) CROSS JOIN messages m ON m.id = value
               WHERE m.reply_to IS NOT NULL),
             of_requests AS (
               SELECT said.id, said.source, e.request_id
               FROM said CROSS JOIN request_evidence e ON e.message_id = said.source
               UNION
               SELECT said.id, '', r.id
               FROM said CROSS JOIN consent_requests r ON r.asked_in = said.id)
             SELECT DISTINCT o.id, r.field, r.new_value AS value
             FROM of_requests o CROSS JOIN consent_requests r ON r.id = o.request_id
             WHERE r.user_id = :user AND r.state NOT IN ('approved', 'applied')
             AND r.field NOT IN ('chat', 'howto')
             AND NOT (r.field = 'forgotten'
                      AND EXISTS (SELECT 1
                                  FROM request_evidence s
                                  JOIN consent_requests a ON a.id = s.request_id
                                  WHERE s.message_id = o.source AND a.state = 'applied'
                                  AND a.field = r.field AND a.id > r.id
                                  AND a.new_value = r.new_value))
             UNION ALL
             SELECT m.id, 'chat', '' FROM json_each(:ids) CROSS JOIN messages m ON m.id = value
             WHERE m.user_id = :user AND m.origin = 'import'
             AND coalesce((SELECT r.state
                           FROM request_evidence e JOIN consent_requests r ON r.id = e.request_id
                           WHERE e.message_id = m.id AND r.field = 'chat'
                           ORDER BY r.state = 'pending' DESC, r.decided_at DESC, r.id DESC LIMIT 1),
                          '') <> 'applied'"""
    hints: dict[str, list[Hint]] = {}
    for row in session.run(sql, ids=message_ids):
        hints.setdefault(row["id"], []).append(Hint(row["field"], row["value"]))
    return hints


def keep_withdrawn(session: Session, memory_ids: Sequence[str], *, all_of_them: bool) -> None:
    """Save the withdrawn messages of facts that are about to be erased, or all their messages.

    A memory merged into one that stays still holds.
    """
    sql = f"""INSERT INTO taken_back (user_id, message_id)
              SELECT s.user_id, s.message_id
              FROM memory_sources s JOIN memories m ON m.id = s.memory_id
              WHERE +m.user_id = :user AND m.id IN (SELECT value FROM json_each(:ids)) AND {_TAUGHT}
              AND ({_NO_LONGER_HOLDS}
                   OR :all AND (m.merged_into = ''
                                OR m.merged_into IN (SELECT value FROM json_each(:ids))))
              ON CONFLICT DO NOTHING"""  # noqa: S608
    session.run(sql, ids=memory_ids, all=all_of_them)
