"""Fingerprints, by which failures are recognised, and the groups that the person made of them."""

import json
from collections.abc import Mapping, Sequence

from memapp.domain.lessons.fingerprint import Fingerprint
from memapp.store.records import record
from memapp.store.session import Session


def keep_fingerprint(session: Session, fingerprint: Fingerprint, tags: Sequence[str]) -> str:
    """Return the id of a fingerprint, which is added if it is new."""
    about = fingerprint._asdict()
    session.insert_new(
        "fingerprints", id=session.new_id(), **about, tags=tags, created_at=session.now
    )
    sql = """SELECT id FROM fingerprints
             WHERE user_id = :user AND tool = :tool AND shape = :shape AND scope = :scope
             AND subject = :subject AND version = :version"""
    return str(session.value(sql, **about))


def get_fingerprint(session: Session, fingerprint_id: str) -> Fingerprint:
    """Return a fingerprint by its id. Raises `NotFound`."""
    sql = "SELECT * FROM fingerprints WHERE user_id = :user AND id = :id"
    return session.existing(Fingerprint, f"fingerprint {fingerprint_id}", sql, id=fingerprint_id)


def known(session: Session, fingerprint: Fingerprint) -> tuple[Fingerprint, tuple[str, ...]] | None:
    """Return a saved fingerprint, or the one it was merged into, with the tags of its failures."""
    sql = """SELECT kept.*
             FROM fingerprints f JOIN fingerprints kept ON kept.id = coalesce(f.merged_into, f.id)
             WHERE f.user_id = :user AND f.tool = :tool AND f.shape = :shape AND f.scope = :scope
             AND f.subject = :subject AND f.version = :version"""
    row = session.row(sql, **fingerprint._asdict())
    return (record(Fingerprint, row), tuple(json.loads(row["tags"]))) if row else None


def nothing_recorded(session: Session) -> bool:
    """Return True if no run was ever recorded."""
    return session.row("SELECT 1 FROM runs WHERE user_id = :user LIMIT 1") is None


def merge_fingerprints(session: Session, fingerprint_ids: Sequence[str], *, into: str) -> None:
    """Merge fingerprints, and those merged into them, into another."""
    sql = """UPDATE fingerprints
             SET merged_into = (SELECT coalesce(merged_into, id) FROM fingerprints WHERE id = :into)
             WHERE user_id = :user AND id <> :into
             AND coalesce(merged_into, id) IN (SELECT coalesce(merged_into, id)
                                               FROM fingerprints
                                               WHERE id IN (SELECT value FROM json_each(:ids)))"""
    session.run(sql, ids=fingerprint_ids, into=into)


def part_fingerprints(session: Session, fingerprint_ids: Sequence[str]) -> None:
    """Undo the merges of fingerprints."""
    sql = """UPDATE fingerprints SET merged_into = NULL
             WHERE user_id = :user AND merged_into IS NOT NULL
             AND (id IN (SELECT value FROM json_each(:ids))
                  OR merged_into IN (SELECT value FROM json_each(:ids)))"""
    session.run(sql, ids=fingerprint_ids)


def set_group(session: Session, fingerprint_id: str, into: str) -> None:
    """Merge a fingerprint into another one, or into none, as it is on another machine."""
    sql = (
        "UPDATE fingerprints SET merged_into = nullif(:into, '') WHERE user_id = :user AND id = :id"
    )
    session.run(sql, id=into, into="")
    session.run(sql, id=fingerprint_id, into=into)


def groups(session: Session, fingerprint_ids: Sequence[str]) -> dict[str, str]:
    """Return the fingerprints merged with any of these, each with its target; empty for none."""
    sql = """SELECT id, coalesce(merged_into, '') AS into_ FROM fingerprints
             WHERE user_id = :user
             AND coalesce(merged_into, id) IN (SELECT coalesce(merged_into, id)
                                               FROM fingerprints
                                               WHERE id IN (SELECT value FROM json_each(:ids)))"""
    return {row["id"]: row["into_"] for row in session.run(sql, ids=fingerprint_ids)}


def regroup(session: Session, changed: Mapping[str, Sequence[str]]) -> None:
    """Change the targets of merged fingerprints from old to new, where the old one still holds."""
    sql = """UPDATE fingerprints SET merged_into = nullif(:new, '')
             WHERE user_id = :user AND id = :id AND coalesce(merged_into, '') = :old"""
    rows = [
        {"id": fingerprint_id, "old": old, "new": new}
        for fingerprint_id, (old, new) in changed.items()
    ]
    session.run_many(sql, rows)
