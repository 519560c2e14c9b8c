"""Fingerprints, by which failures are recognised, and which of them the person takes for the same."""

import json
from collections.abc import Mapping, Sequence

from memapp.domain.lessons.fingerprint import Fingerprint
from memapp.store.records import record
from memapp.store.session import Session


def keep_fingerprint(session: Session, found: Fingerprint, tags: Sequence[str]) -> str:
    """Return the id of a fingerprint, which is added if it is new."""
    about = found._asdict()
    session.insert_new(
        "fingerprints", id=session.new_id(), **about, tags=tags, created_at=session.now
    )
    sql = """SELECT id FROM fingerprints WHERE user_id = :user AND tool = :tool AND shape = :shape AND scope = :scope
             AND subject = :subject AND version = :version"""
    return str(session.value(sql, **about))


def get_fingerprint(session: Session, fingerprint_id: str) -> Fingerprint:
    """Return a fingerprint by its id. Raises `NotFound`."""
    sql = "SELECT * FROM fingerprints WHERE user_id = :user AND id = :id"
    return session.existing(Fingerprint, f"fingerprint {fingerprint_id}", sql, id=fingerprint_id)


def known(session: Session, found: Fingerprint) -> tuple[Fingerprint, tuple[str, ...]] | None:
    """Return a fingerprint that is kept, or the one that the person takes it for the same as, with
    the tags of its failures.
    """
    sql = """SELECT kept.* FROM fingerprints f JOIN fingerprints kept ON kept.id = coalesce(f.merged_into, f.id)
             WHERE f.user_id = :user AND f.tool = :tool AND f.shape = :shape AND f.scope = :scope AND f.subject = :subject
               AND f.version = :version"""
    row = session.row(sql, **found._asdict())
    return (record(Fingerprint, row), tuple(json.loads(row["tags"]))) if row else None


def nothing_recorded(session: Session) -> bool:
    """Say whether nothing was ever recorded, of failures and of what worked."""
    return session.row("SELECT 1 FROM runs WHERE user_id = :user LIMIT 1") is None


def merge_fingerprints(session: Session, fingerprint_ids: Sequence[str], *, into: str) -> None:
    """Take failures for the same as another, with those that were taken for the same as they."""
    sql = """UPDATE fingerprints SET merged_into = (SELECT coalesce(merged_into, id) FROM fingerprints WHERE id = :into)
             WHERE user_id = :user AND id <> :into AND coalesce(merged_into, id) IN (
                 SELECT coalesce(merged_into, id) FROM fingerprints WHERE id IN (SELECT value FROM json_each(:ids)))"""
    session.run(sql, ids=fingerprint_ids, into=into)


def part_fingerprints(session: Session, fingerprint_ids: Sequence[str]) -> None:
    """Take failures for different ones again."""
    sql = """UPDATE fingerprints SET merged_into = NULL WHERE user_id = :user AND merged_into IS NOT NULL
             AND (id IN (SELECT value FROM json_each(:ids)) OR merged_into IN (SELECT value FROM json_each(:ids)))"""
    session.run(sql, ids=fingerprint_ids)


def groups(session: Session, fingerprint_ids: Sequence[str]) -> dict[str, str]:
    """Return all fingerprints that are taken for the same as some, each with the one that it is
    taken for; empty for itself.
    """
    sql = """SELECT id, coalesce(merged_into, '') AS into_ FROM fingerprints
             WHERE user_id = :user AND coalesce(merged_into, id) IN (
                 SELECT coalesce(merged_into, id) FROM fingerprints WHERE id IN (SELECT value FROM json_each(:ids)))"""
    return {row["id"]: row["into_"] for row in session.run(sql, ids=fingerprint_ids)}


def regroup(session: Session, changed: Mapping[str, Sequence[str]]) -> None:
    """Take fingerprints for another than they are taken for now, which stands first; nothing of one
    where that is not so.
    """
    sql = """UPDATE fingerprints SET merged_into = nullif(:new, '')
             WHERE user_id = :user AND id = :id AND coalesce(merged_into, '') = :old"""
    session.run_many(
        sql, [{"id": item, "old": old, "new": new} for item, (old, new) in changed.items()]
    )
