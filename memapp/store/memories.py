"""The memories of a person, read-only. `store.changes.apply` is the only writer."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import fields
from typing import Any

from memapp.domain.filters import ALL_LIVE, MemoryFilter, Sort
from memapp.domain.memory import Memory, State
from memapp.domain.ranking import words_of
from memapp.errors import NotFound
from memapp.store.encoding import begin_of
from memapp.store.full_text import as_phrase
from memapp.store.scope import Scope
from memapp.store.session import Session

NAMING_AMONG = 1000
MOST_OVERFLOWING = 50
"""The number of memories moved to the trash at a time."""
COLUMNS = tuple(field.name for field in fields(Memory) if field.name != "sources")
"""Each field of a memory is a column of the same name; older snapshots take a new field's default.
"""
_WHOLE = """o.*, (SELECT json_group_array(message_id) FROM (SELECT message_id FROM memory_sources
                  WHERE memory_id = o.id AND user_id = o.user_id ORDER BY message_id)) AS sources"""
"""All of a memory: its row `o`, and its sources."""


def get_memory(session: Session, memory_id: str) -> Memory:
    memories = get_memories(session, [memory_id])
    if not memories:
        raise NotFound(f"There is no memory {memory_id}.")
    return memories[0]


def get_memories(session: Session, ids: Collection[str]) -> list[Memory]:
    """Return the person's memories in the order of `ids`."""
    sql = f"""SELECT {_WHOLE} FROM json_each(:ids) asked CROSS JOIN memories o ON o.id = asked.value
              WHERE o.user_id = :user ORDER BY asked.key"""  # noqa: S608
    return session.records(Memory, sql, ids=ids)


def list_memories(
    session: Session,
    wanted: MemoryFilter = ALL_LIVE,
    sort: Sort = Sort.NEWEST,
    *,
    limit: int | None = 200,
    offset: int = 0,
) -> list[Memory]:
    """Return a page of the memories that match a filter; all of them without a limit."""
    source, values = _filtered(wanted)
    order = _ORDERS[sort]
    if source.startswith("memories_fts"):
        # in the order of the index, which is that of time, nothing need be sorted
        order = _INDEX_ORDERS.get(sort, order)
    sql = (
        f"SELECT {_WHOLE} FROM {source} ORDER BY {order} LIMIT coalesce(:limit, -1) OFFSET :offset"  # noqa: S608
    )
    return session.records(Memory, sql, limit=limit, offset=offset, **values)


def unpinned_texts_naming(session: Session, phrase: str, limit: int) -> dict[str, str]:
    """Return the texts of unpinned live memories with a phrase, by id, shortest first.

    Thousands may contain the name of somebody's town, so only the oldest and the newest thousand
    are read.
    """
    if not words_of(phrase):
        return {}
    sql = """SELECT o.id, o.text
             FROM (SELECT *
                   FROM (SELECT rowid FROM memories_fts
                         WHERE memories_fts MATCH :query
                         ORDER BY rowid LIMIT :among)
                   UNION
                   SELECT *
                   FROM (SELECT rowid FROM memories_fts
                         WHERE memories_fts MATCH :query
                         ORDER BY rowid DESC LIMIT :among)) naming
             CROSS JOIN memories o ON o.key = naming.rowid
             WHERE o.user_id = :user AND o.state = 'live' AND o.pinned = 0
             ORDER BY length(o.text), o.id LIMIT :limit"""
    return {
        row["id"]: row["text"]
        for row in session.run(sql, query=as_phrase(phrase), among=NAMING_AMONG, limit=limit)
    }


def list_learned_from(session: Session, message_ids: Sequence[str]) -> list[Memory]:
    """Return the live memories that have any of these messages as a source, oldest first."""
    # `+` keeps the index on the person out, by which all memories would be read
    sql = f"""SELECT {_WHOLE} FROM memories o
              WHERE +o.user_id = :user AND o.state = 'live'
              AND o.id IN (SELECT memory_id FROM memory_sources
                           WHERE message_id IN (SELECT value FROM json_each(:ids)))
              ORDER BY o.id"""  # noqa: S608
    return session.records(Memory, sql, ids=message_ids)


def list_trashed_from(session: Session, message_id: str) -> list[Memory]:
    """Return the memories in the trash that have a message as a source."""
    sql = f"""SELECT {_WHOLE} FROM memories o
              WHERE +o.user_id = :user AND o.state = 'soft_deleted'
              AND o.id IN (SELECT memory_id FROM memory_sources
                            WHERE message_id = :message)"""  # noqa: S608
    return session.records(Memory, sql, message=message_id)


def list_taken_in(session: Session, memory_id: str) -> list[Memory]:
    """Return the memories that were merged into another."""
    sql = f"""SELECT {_WHOLE} FROM memories o
              WHERE o.user_id = :user AND o.state = 'merged'
              AND o.merged_into = :id"""  # noqa: S608
    return session.records(Memory, sql, id=memory_id)


def count_memories(session: Session, wanted: MemoryFilter = ALL_LIVE) -> int:
    """Return the number of memories that match a filter."""
    source, values = _filtered(wanted)
    return int(session.value(f"SELECT count(*) FROM {source}", **values))  # noqa: S608


_ORDERS = {
    Sort.NEWEST: "o.id DESC",
    Sort.OLDEST: "o.id",
    Sort.IMPORTANT: "o.pinned DESC, o.importance DESC, o.id DESC",
    Sort.USED: "(SELECT uses FROM access_counts u WHERE u.memory_id = o.id) DESC, o.id DESC",
    Sort.CHANGED: "o.updated_at DESC, o.id DESC",
}

_INDEX_ORDERS = {Sort.NEWEST: "memories_fts.rowid DESC", Sort.OLDEST: "memories_fts.rowid"}


def _filtered(wanted: MemoryFilter) -> tuple[str, dict[str, Any]]:
    """Return the tables and conditions of a filter as SQL, with named values."""
    given: dict[str, tuple[str, Any]] = {
        "state": ("o.state = :state" if wanted.state else "o.purge_at IS NOT NULL", wanted.state),
        "category": ("o.category = :category", wanted.category),
        "kind": ("o.kind = :kind", wanted.kind),
        "pinned": ("o.pinned = :pinned", wanted.pinned),
        "after": ("o.created_at >= :after", begin_of(wanted.after) if wanted.after else None),
        "before": ("o.created_at < :before", begin_of(wanted.before) if wanted.before else None),
    }
    used = {
        name: pair for name, pair in given.items() if pair[1] not in (None, "") or name == "state"
    }
    conditions = ["o.user_id = :user", *(condition for condition, _ in used.values())]
    values = {name: value for name, (_, value) in used.items()}
    for number, tag in enumerate(wanted.tags):
        conditions.append(
            f"""EXISTS (SELECT 1 FROM json_each(o.tags)
                        WHERE casefold(value) = casefold(:tag{number}))"""  # noqa: S608
        )
        values[f"tag{number}"] = tag
    table = "memories o"
    query = _all_of(wanted) if wanted.state is State.LIVE else ""
    if query:
        table = "memories_fts JOIN memories o ON o.key = memories_fts.rowid"
        conditions.append("memories_fts MATCH :query")
        values["query"] = query
    for number, word in enumerate((*wanted.words, *wanted.phrases)):
        if not query or not words_of(word):  # the index knows words only, no signs
            conditions.append(f"instr(casefold(o.text), casefold(:word{number})) > 0")
            values[f"word{number}"] = word
    return f"{table} WHERE {' AND '.join(conditions)}", values


def _all_of(wanted: MemoryFilter) -> str:
    """Return a full-text query for every word and phrase, and the words of the tags."""
    whole = [as_phrase(part) for part in (*wanted.phrases, *wanted.words[:-1]) if words_of(part)]
    typed = [as_phrase(word, unfinished=True) for word in wanted.words[-1:] if words_of(word)]
    tags = [f"tags : {as_phrase(tag)}" for tag in wanted.tags if words_of(tag)]
    return " AND ".join([*tags, *whole, *typed])


def ids_of(session: Session, keys: Collection[int]) -> dict[int, str]:
    """Return the ids of live memories by their keys."""
    sql = """SELECT o.key, o.id
             FROM json_each(:keys) asked CROSS JOIN memories o ON o.key = asked.value
             WHERE o.user_id = :user AND o.state = 'live'"""
    return {row["key"]: row["id"] for row in session.run(sql, keys=list(keys))}


def newest_keys(session: Session, limit: int) -> list[int]:
    """Return the keys of the newest live memories, newest first."""
    sql = """SELECT key FROM memories
             WHERE user_id = :user AND state = 'live'
             ORDER BY id DESC LIMIT :limit"""
    return session.column(sql, limit=limit)


def categories_in_use(session: Session) -> set[str]:
    sql = """SELECT DISTINCT category FROM memories
             WHERE user_id = :user AND state = 'live' AND category <> ''"""
    return set(session.column(sql))


def in_scope(
    session: Session, scope: Scope, limit: int, sort: Sort = Sort.IMPORTANT
) -> list[Memory]:
    """Return the live memories in a scope: pinned and important first, then the newest."""
    sql = f"""SELECT {_WHOLE} FROM memories o
              WHERE {scope.where}
              ORDER BY {_ORDERS[sort]} LIMIT :limit"""  # noqa: S608
    return session.records(Memory, sql, limit=limit, **scope.values)


def ids_in_scope(session: Session, scope: Scope, is_wanted: Callable[[str], bool]) -> list[str]:
    """Return the ids of the live memories in a scope whose text is wanted."""
    sql = f"SELECT o.id, o.text FROM memories o WHERE {scope.where}"  # noqa: S608
    return [memory_id for memory_id, text in session.run(sql, **scope.values) if is_wanted(text)]


def get_in_scope(session: Session, scope: Scope, memory_id: str) -> Memory | None:
    """Return a live memory in a scope; None without one."""
    sql = f"SELECT {_WHOLE} FROM memories o WHERE o.id = :id AND {scope.where}"  # noqa: S608
    return session.record(Memory, sql, id=memory_id, **scope.values)


def overflowing(session: Session, max_facts: int) -> list[str]:
    """Return the memories beyond `max_facts`: the least important, of these the oldest; at most 50.

    Only unpinned memories that memapp learned by itself count.
    """
    learned = """memories
                 WHERE user_id = :user AND state = 'live' AND pinned = 0
                 AND origin IN ('distilled', 'said')"""
    sql = f"""SELECT id FROM {learned} ORDER BY importance, id
              LIMIT max(0, min((SELECT count(*) FROM {learned}) - :max_facts,
                               :limit))"""  # noqa: S608
    return session.column(sql, max_facts=max_facts, limit=MOST_OVERFLOWING)


def find_same(session: Session, normal_text: str) -> str | None:
    """Return the id of the live memory with the same normalised text."""
    memory_id: str | None = session.value(
        "SELECT id FROM memories WHERE user_id = :user AND state = 'live' AND normal_text = :text",
        text=normal_text,
    )
    return memory_id


def row_of(memory: Memory) -> dict[str, Any]:
    """Return the row of a memory, without its person and its normal text."""
    return {name: getattr(memory, name) for name in COLUMNS}
