"""The erasure of consent requests that repeat erased text, and of words in the profile.

Pending requests are withdrawn before they are deleted, as the schema demands. The profile changes
by an approved request only: the wish to erase words is the person's approval.
"""

from collections.abc import Collection, Sequence
from datetime import timedelta

from memapp.domain.changes import Actor, ProfileChanged
from memapp.domain.forget import Needles
from memapp.store import changes, consents
from memapp.store.forget.finding import searching
from memapp.store.session import Session

# The same text only; current and former values of the profile stay.
_SAME = "IN (SELECT value FROM json_each(:same))"
_SAYS_MEMORY = f"normalise(coalesce(nullif(memory, '') ->> 'text', '')) {_SAME}"
_SAYING = f"""SELECT id FROM consent_requests
              WHERE user_id = :user
              AND (normalise(new_value) {_SAME}
                   OR {_SAYS_MEMORY}
                   OR field = 'conflict' AND normalise(old_value) {_SAME})
              AND (state IN ('denied', 'expired', 'withdrawn')
                   OR state = 'applied' AND field = 'forgotten'
                   OR field = 'conflict'
                   OR state = 'pending' AND (:waiting OR expires_at < :now))"""  # noqa: S608
_EMPTY_MEMORY = f"""UPDATE consent_requests SET memory = ''
                    WHERE user_id = :user AND state = 'applied' AND {_SAYS_MEMORY}"""  # noqa: S608
_ONLY_FROM = """SELECT id FROM consent_requests
                WHERE user_id = :user AND state IN ('pending', 'denied', 'expired', 'withdrawn')
                AND id IN (SELECT request_id FROM request_evidence
                           WHERE message_id IN (SELECT value FROM json_each(:messages)))
                AND NOT EXISTS (SELECT 1 FROM request_evidence
                                WHERE request_id = consent_requests.id
                                AND message_id NOT IN (SELECT value FROM json_each(:messages)))"""
_MEMORY_HOLDS = """(holds(nullif(memory, '') ->> 'text')
                    OR holds(nullif(memory, '') ->> 'tags')
                    OR holds(nullif(memory, '') ->> 'instead_of'))"""
_HOLDING = f"""SELECT id FROM consent_requests
               WHERE user_id = :user
               AND (holds(old_value) OR holds(new_value) OR holds(quote) OR {_MEMORY_HOLDS})"""  # noqa: S608

_NO_FILE = """DELETE FROM imported_files
              WHERE user_id = :user
              AND NOT EXISTS (SELECT 1 FROM consent_requests WHERE file_id = imported_files.id)"""


def erase(session: Session, request_ids: Collection[str]) -> int:
    """Erase requests in any state; return their number."""
    steps = (
        """UPDATE consent_requests
           SET state = 'withdrawn', decided_at = :now, decided_by = 'person'
           WHERE user_id = :user AND state = 'pending'
           AND id IN (SELECT value FROM json_each(:ids))""",
        """UPDATE consent_requests SET state = 'applied'
           WHERE user_id = :user AND state = 'approved'
           AND id IN (SELECT value FROM json_each(:ids))""",
        """DELETE FROM consent_requests
           WHERE user_id = :user AND id IN (SELECT value FROM json_each(:ids))""",
    )
    erased = [session.run(sql, ids=request_ids).rowcount for sql in steps][-1]
    session.run(_NO_FILE)
    return erased


def erase_saying(session: Session, same: Collection[str], *, waiting: bool) -> int:
    """Erase the requests with one of these normal texts, pending ones only with `waiting`.

    An approved request loses the memory it brought.
    """
    saying = session.column(_SAYING, same=same, waiting=waiting)
    emptied = session.run(_EMPTY_MEMORY, same=same).rowcount
    return emptied + erase(session, saying)


def erase_read_from(session: Session, message_ids: Sequence[str]) -> int:
    """Erase the requests with no other evidence than these messages, unless approved."""
    return erase(session, session.column(_ONLY_FROM, messages=message_ids))


def erase_holding(session: Session, actor: Actor, words: Sequence[str]) -> int:
    """Erase the requests with these words, and the values of the profile with them."""
    with searching(session, words):
        request_ids = session.column(_HOLDING)
    holds = Needles(words).held_by
    rows = session.run(
        "SELECT field, value, request_id FROM profile WHERE user_id = :user"
    ).fetchall()
    changed = [row for row in rows if holds(row["value"]) or row["request_id"] in request_ids]
    removals = [
        _put_anew(session, actor, row["field"], row["value"], gone=holds(row["value"]))
        for row in changed
    ]
    erased = erase(session, request_ids)
    erase(session, removals)
    return len(changed) + erased


def _put_anew(session: Session, actor: Actor, field: str, value: str, *, gone: bool) -> str:
    """Remove a value, or put a new request behind it; return a new request with the words."""
    request_id = session.new_id()
    says = {"old_value": value, "new_value": ""} if gone else {"old_value": "", "new_value": value}
    lasts = {"created_at": session.now, "expires_at": session.now + timedelta(days=1)}
    session.insert(
        "consent_requests", id=request_id, field=field, proposer="person", **says, **lasts
    )
    consents.decide(session, request_id, "approved", "person")
    changes.apply(session, ProfileChanged(request_id), actor)
    return request_id if gone else ""
