"""Relations between memories, written by `store.changes.apply` and by imports only."""

from collections.abc import Sequence

from memapp.domain.relation import Edge, Related
from memapp.store.scope import Scope
from memapp.store.session import Session


def related(session: Session, memory_id: str) -> list[Related]:
    """Return the live memories related to one, the strongest relation first."""
    sql = """SELECT o.id, o.text, r.strength, r.relation_type AS relation, r.created_at AS since
             FROM (SELECT to_id AS other, strength, relation_type, created_at FROM relations
                   WHERE from_id = :id
                   UNION ALL
                   SELECT from_id, strength, relation_type, created_at FROM relations
                   WHERE to_id = :id) r
             JOIN memories o ON o.id = r.other
             WHERE o.user_id = :user AND o.state = 'live'
             ORDER BY r.strength DESC, o.id"""
    return session.records(Related, sql, id=memory_id)


def edges_of(session: Session, scope: Scope, memory_ids: Sequence[str]) -> list[Edge]:
    """Return the relations from some memories to memories in scope."""
    # CROSS JOIN keeps the order of the tables, else everything in scope is read
    sql = f"""SELECT r.memory_id, r.to_id, r.strength
              FROM json_each(:ids) asked
              CROSS JOIN (SELECT from_id AS memory_id, to_id, strength FROM relations
                          WHERE relation_type = 'related_to'
                          UNION ALL
                          SELECT to_id, from_id, strength FROM relations
                          WHERE relation_type = 'related_to') r ON r.memory_id = asked.value
              CROSS JOIN memories o ON o.id = r.to_id
              WHERE {scope.where}
              ORDER BY r.strength DESC"""  # noqa: S608
    return session.records(Edge, sql, ids=memory_ids, **scope.values)


def pairs_of(session: Session, memory_id: str) -> set[str]:
    """Return the ids of all memories related to one, live or not."""
    sql = """SELECT to_id FROM relations WHERE user_id = :user AND from_id = :id
             UNION SELECT from_id FROM relations WHERE user_id = :user AND to_id = :id"""
    return set(session.column(sql, id=memory_id))


def resting_on(session: Session, memory_ids: Sequence[str]) -> list[str]:
    """Return the live insights with evidence in these memories, or in one merged into them."""
    sql = """WITH RECURSIVE gone (id) AS (
               SELECT value FROM json_each(:ids)
               UNION
               SELECT m.id FROM gone
               CROSS JOIN memories m ON m.merged_into = gone.id AND m.merged_into <> '')
             SELECT DISTINCT o.id
             FROM gone
             CROSS JOIN relations r ON r.to_id = gone.id
             CROSS JOIN memories o ON o.id = r.from_id
             WHERE r.relation_type = 'evidence' AND o.user_id = :user AND o.state = 'live'
             ORDER BY o.id"""
    return session.column(sql, ids=memory_ids)


def evidence_of(session: Session, memory_ids: Sequence[str]) -> dict[str, list[str]]:
    """Return the evidence of insights: the ids of memories, by insight."""
    evidence: dict[str, list[str]] = {memory_id: [] for memory_id in memory_ids}
    sql = """SELECT from_id, to_id
             FROM json_each(:ids) asked CROSS JOIN relations r ON r.from_id = asked.value
             WHERE r.user_id = :user AND r.relation_type = 'evidence'
             ORDER BY r.id"""
    for row in session.run(sql, ids=memory_ids):
        evidence[row["from_id"]].append(row["to_id"])
    return evidence
