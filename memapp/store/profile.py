"""The profile: what the person agreed to be known about them, by field."""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from memapp.domain.changes import ProfileChanged
from memapp.errors import UsageError
from memapp.store.history import Touched
from memapp.store.session import Session
from memapp.store.sqlite_errors import Row

_REPLACED = """SELECT value, request_id FROM profile
               WHERE user_id = :user AND field = :field
               AND (value IN (:old_value, :new_value)
                    OR :old_value = ''
                         AND (SELECT many FROM profile_fields WHERE name = :field) = 0)"""
"""Finds the row of the profile whose value a consent request replaces or removes."""


def read_profile(session: Session) -> dict[str, tuple[str, ...]]:
    """Return the profile of the person by field."""
    rows = session.run(
        "SELECT field, value FROM profile WHERE user_id = :user ORDER BY field, value"
    )
    return _by_field(rows)


def read_agreed(session: Session) -> dict[str, tuple[str, ...]]:
    """Return the profile, with the facts that the person approved and did not revoke."""
    sql = """SELECT DISTINCT field, new_value FROM consent_requests r
             WHERE user_id = :user AND field IN ('fact', 'forgotten') AND state = 'applied'
             AND NOT EXISTS (SELECT 1 FROM consent_requests o
                             WHERE o.user_id = r.user_id AND o.field = r.field
                             AND o.new_value = r.new_value AND o.state <> 'applied'
                             AND (o.id > r.id OR o.state = 'pending'))
             ORDER BY field"""
    return {**read_profile(session), **_by_field(session.run(sql))}


def _by_field(rows: Iterable[Row]) -> dict[str, tuple[str, ...]]:
    return {
        field: tuple(value for _, value in of_field)
        for field, of_field in groupby(rows, key=itemgetter(0))
    }


def change(session: Session, changed: ProfileChanged) -> list[Touched]:
    """Carry out an approved consent request; the guards of the schema refuse any other."""
    sql = """SELECT field, old_value, new_value FROM consent_requests
             WHERE user_id = :user AND id = :id AND state = 'approved'"""
    request = session.row(sql, id=changed.request_id)
    if request is None:
        raise UsageError("Only an approved change can be made to the profile.")
    before = session.row(_REPLACED, **request)
    if before is None and request["old_value"]:
        raise UsageError("The profile was changed again since then.", "Undo that first.")
    row = {
        "field": request["field"],
        "value": request["new_value"],
        "request_id": changed.request_id,
        "updated_at": session.now,
    }
    whose = "user_id = :user AND field = :field AND value = :before"
    if before is None:
        session.insert("profile", **row)
    elif request["new_value"]:
        sql = f"""UPDATE profile
                  SET value = :value, request_id = :request_id, updated_at = :updated_at
                  WHERE {whose}"""  # noqa: S608
        session.run(sql, before=before["value"], **row)
    else:
        sql = f"DELETE FROM profile WHERE {whose}"  # noqa: S608
        session.run(sql, field=request["field"], before=before["value"])
    meta = {"request_id": changed.request_id, "before": before["request_id"] if before else ""}
    return [Touched(changed.event, f"profile:{request['field']}", None, None, meta=meta)]
