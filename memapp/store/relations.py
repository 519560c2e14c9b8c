"""Relations: which memories are about related things. Only `store.changes.apply` writes them, and an import with its memories."""

from collections.abc import Sequence

from memapp.domain.relation import Edge, Related
from memapp.store.scope import Scope
from memapp.store.session import Session


def related(session: Session, memory_id: str) -> list[Related]:
    """Return the live memories that one is related to, the strongest relation first."""
    sql = """SELECT o.id, o.text, r.strength, r.relation_type AS relation, r.created_at AS since FROM (
                 SELECT to_id AS other, strength, relation_type, created_at FROM relations WHERE from_id = :id
                 UNION ALL SELECT from_id, strength, relation_type, created_at FROM relations WHERE to_id = :id) r
             JOIN memories o ON o.id = r.other WHERE o.user_id = :user AND o.state = 'live' ORDER BY r.strength DESC, o.id"""
    return session.records(Related, sql, id=memory_id)


def edges_of(session: Session, scope: Scope, memory_ids: Sequence[str]) -> list[Edge]:
    """Return the relations from any of these memories to whatever is in scope, each as seen from the memory asked for."""
    # Each CROSS JOIN keeps the order of the tables: else all that is in scope is gone through.
    sql = f"""SELECT r.memory_id, r.to_id, r.strength FROM json_each(:ids) asked CROSS JOIN (
                  SELECT from_id AS memory_id, to_id, strength FROM relations
                  UNION ALL SELECT to_id, from_id, strength FROM relations) r ON r.memory_id = asked.value
              CROSS JOIN memories o ON o.id = r.to_id WHERE {scope.where} ORDER BY r.strength DESC"""  # noqa: S608
    return session.records(Edge, sql, ids=memory_ids, **scope.values)


def pairs_of(session: Session, memory_id: str) -> set[str]:
    """Return the ids of all memories that one has a relation with, live or not."""
    sql = """SELECT to_id FROM relations WHERE user_id = :user AND from_id = :id
             UNION SELECT from_id FROM relations WHERE user_id = :user AND to_id = :id"""
    return set(session.column(sql, id=memory_id))
