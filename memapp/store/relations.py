"""Relations: which memories are about related things. Only `store.changes.apply` writes them, and an import with its memories."""

from collections.abc import Sequence

from memapp.domain.relation import Edge, Related
from memapp.store.encoding import to_json, to_time
from memapp.store.scope import Scope
from memapp.store.session import Session


def related(session: Session, memory_id: str) -> list[Related]:
    """Return the live memories that one is related to, the strongest relation first."""
    rows = session.conn.execute(
        """SELECT o.id, o.text, r.strength, r.relation_type, r.created_at FROM (
               SELECT to_id AS other, strength, relation_type, created_at FROM relations WHERE from_id = :id
               UNION ALL SELECT from_id, strength, relation_type, created_at FROM relations WHERE to_id = :id) r
           JOIN memories o ON o.id = r.other WHERE o.user_id = :user AND o.state = 'live' ORDER BY r.strength DESC, o.id""",
        {"id": memory_id, "user": session.user_id},
    )
    return [Related(row["id"], row["text"], row["strength"], row["relation_type"], to_time(row["created_at"])) for row in rows]


def edges_of(session: Session, scope: Scope, memory_ids: Sequence[str]) -> list[Edge]:
    """Return the relations from any of these memories to whatever is in scope, each as seen from the memory asked for."""
    rows = session.conn.execute(  # each CROSS JOIN keeps the order of the tables: else all that is in scope is gone through
        f"""SELECT r.one, r.other, r.strength FROM json_each(:ids) asked CROSS JOIN (
                SELECT from_id AS one, to_id AS other, strength FROM relations
                UNION ALL SELECT to_id, from_id, strength FROM relations) r ON r.one = asked.value
            CROSS JOIN memories o ON o.id = r.other WHERE {scope.where} ORDER BY r.strength DESC""",  # noqa: S608
        {**scope.values, "ids": to_json(list(memory_ids))},
    )
    return [Edge(row["one"], row["other"], row["strength"]) for row in rows]


def pairs_of(session: Session, memory_id: str) -> set[str]:
    """Return the ids of all memories that one has a relation with, live or not."""
    rows = session.conn.execute(
        """SELECT to_id AS other FROM relations WHERE user_id = :user AND from_id = :id
           UNION SELECT from_id FROM relations WHERE user_id = :user AND to_id = :id""",
        {"user": session.user_id, "id": memory_id},
    )
    return {row["other"] for row in rows}
