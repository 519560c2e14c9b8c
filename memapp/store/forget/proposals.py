"""Erases the proposals that repeat what is erased, and takes words out of the profile.

What waits is withdrawn before it is deleted, as the schema demands. The profile changes by an approved patch only: the wish
that words be gone is the person's yes to one.
"""

import sqlite3
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from memapp.domain.changes import Actor, ProfileChanged
from memapp.domain.consent import Patch
from memapp.domain.duplicates import normalise
from memapp.domain.forget import Needles
from memapp.domain.profile_values import with_value, without
from memapp.store import changes, chat, consents
from memapp.store.forget.finding import searching
from memapp.store.rows import new_id, to_json, to_text

# `says` is true of the same text only. What stands or stood in the profile is left.
_SAYS_HELD = "says(json_extract(held, '$.text'))"
_SAYING = f"""SELECT id FROM patches WHERE user_id = :user AND (says(new_value) OR held <> '' AND {_SAYS_HELD})
              AND (state IN ('denied', 'expired', 'withdrawn') OR state = 'applied' AND field = 'forgotten'
                   OR state = 'pending' AND (:waiting OR expires_at < :now))"""  # noqa: S608
_EMPTY_HELD = f"UPDATE patches SET held = '' WHERE user_id = :user AND state = 'applied' AND held <> '' AND {_SAYS_HELD}"  # noqa: S608
_ONLY_FROM = """SELECT id FROM patches WHERE user_id = :user AND state IN ('pending', 'denied', 'expired', 'withdrawn')
                AND id IN (SELECT patch_id FROM patch_evidence WHERE message_id IN (SELECT value FROM json_each(:messages)))
                AND NOT EXISTS (SELECT 1 FROM patch_evidence WHERE patch_id = patches.id
                                AND message_id NOT IN (SELECT value FROM json_each(:messages)))"""
_HELD_HOLDS = "(holds(nullif(held, '') ->> 'text') OR holds(nullif(held, '') ->> 'tags'))"
_HOLDING = f"""SELECT id, {_HELD_HOLDS} AS held_too FROM patches
               WHERE user_id = :user AND (holds(old_value) OR holds(new_value) OR {_HELD_HOLDS})"""  # noqa: S608


def erase(conn: sqlite3.Connection, user_id: str, patch_ids: Collection[str], now: datetime) -> int:
    """Erase proposals in any state; return how many there were."""
    values = {"user": user_id, "ids": to_json(list(patch_ids)), "now": to_text(now)}
    conn.execute(
        """UPDATE patches SET state = 'withdrawn', decided_at = :now, decided_by = 'person'
           WHERE user_id = :user AND state = 'pending' AND id IN (SELECT value FROM json_each(:ids))""",
        values,
    )
    conn.execute(
        """UPDATE patches SET state = 'applied'
           WHERE user_id = :user AND state = 'approved' AND id IN (SELECT value FROM json_each(:ids))""",
        values,
    )
    gone = conn.execute("DELETE FROM patches WHERE user_id = :user AND id IN (SELECT value FROM json_each(:ids))", values)
    return gone.rowcount


def erase_saying(conn: sqlite3.Connection, user_id: str, same: Collection[str], now: datetime, *, waiting: bool) -> int:
    """Erase the proposals that say one of these normal texts, those in time only if told to; a yes forgets what it brought."""
    values = {"user": user_id, "waiting": waiting, "now": to_text(now)}
    conn.create_function("says", 1, lambda text: normalise(text or "") in same, deterministic=True)
    saying = [row["id"] for row in conn.execute(_SAYING, values)]
    emptied = conn.execute(_EMPTY_HELD, values).rowcount
    conn.create_function("says", 1, None)
    return emptied + erase(conn, user_id, saying, now)


def erase_read_from(conn: sqlite3.Connection, user_id: str, message_ids: Sequence[str], now: datetime) -> int:
    """Erase the proposals that were read from these messages alone, unless the person said yes."""
    rows = conn.execute(_ONLY_FROM, {"user": user_id, "messages": to_json(list(message_ids))})
    return erase(conn, user_id, [row["id"] for row in rows], now)


def erase_holding(conn: sqlite3.Connection, actor: Actor, words: Sequence[str], now: datetime) -> int:
    """Erase the proposals that hold the words, and the values of the profile that do.

    A proposal beside such a value, which does not hold them itself, waits on.
    """
    with searching(conn, words):
        found = {row["id"]: row["held_too"] for row in conn.execute(_HOLDING, {"user": actor.user_id})}
    holds = Needles(words).held_by
    fields = conn.execute("SELECT field, value, patch_id FROM profile WHERE user_id = ?", (actor.user_id,)).fetchall()
    changed = [one for one in fields if holds(one["value"]) or one["patch_id"] in found]
    for one in changed:
        _put_into_profile(conn, actor, one["field"], without(one["field"], one["value"], holds), now)
    for patch in consents.list_patches(conn, actor.user_id, state="pending"):
        if patch.id in found and not found[patch.id]:
            _wait_on(conn, patch, holds)
    return len(changed) + erase(conn, actor.user_id, found, now)


def _put_into_profile(conn: sqlite3.Connection, actor: Actor, field: str, value: str, now: datetime) -> None:
    """Take a field away, or let a new patch that does not hold the words stand behind it."""
    patch_id = new_id(now)
    conn.execute(
        """INSERT INTO patches (id, user_id, field, old_value, new_value, proposer, created_at, expires_at)
           VALUES (?, ?, ?, '', ?, 'person', ?, ?)""",
        (patch_id, actor.user_id, field, value, to_text(now), to_text(now + timedelta(days=1))),
    )
    consents.decide(conn, actor.user_id, patch_id, "approved", "person", now)
    changes.apply(conn, ProfileChanged(patch_id), actor, now)


def _wait_on(conn: sqlite3.Connection, patch: Patch, is_gone: Callable[[str], bool]) -> None:
    """Queue a proposal anew with what it adds and is not gone, if that is anything."""
    adds = without(patch.field, patch.addition, is_gone)
    if not adds:
        return
    says = consents.read_profile(conn, patch.user_id).get(patch.field, "")
    again = replace(patch, id=new_id(patch.created_at), old_value=says, new_value=with_value(patch.field, says, adds))
    consents.add_patch(conn, again, held=consents.held(conn, patch.user_id, patch.id))
    consents.copy_evidence(conn, patch.id, again.id)
    consents.snooze(conn, patch.user_id, again.id, patch.snoozed_until)
    for question in chat.still_there(conn, patch.user_id, [consents.question_of(conn, patch.user_id, patch.id)]):
        consents.mark_asked(conn, patch.user_id, again.id, question)
