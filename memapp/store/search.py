"""The search of the indexes, by full text, meaning and spelling, for the candidates of ranking.

Only live rows of the person take part, before a limit cuts anything off.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial

from memapp.domain import ranking
from memapp.domain.ranking import Candidate
from memapp.store.full_text import as_phrase, match_any
from memapp.store.records import record
from memapp.store.scope import Scope
from memapp.store.session import Session
from memapp.store.sqlite_errors import Row
from memapp.store.vectors import NOTHING_ALIKE, Likeness

FACTS_BY_WORDS = 50
MESSAGES_BY_WORDS = 200
"""More than facts, since a message may match by its neighbours."""
LIKELY_ENOUGH = 8
"""The matches read, as a multiple of those wanted: reading all rows would double the time."""
BY_MEANING = 50
MISSPELT_AMONG = 1000
"""The number of newest facts compared with a word that no fact contains."""
MISSPELT_LETTERS = 4
"""Shorter words would fuzzily match almost any text."""
TEXT_CHARS = 2000
"""The part of a message that is compared and shown."""
CONTEXT_WEIGHT = 0.4
"""The weight of a word next to a message, less than one in it."""
TAG_WEIGHT = 0.5

# CROSS JOIN keeps the order of the tables, else the planner reads every row of the person.
_MEMORIES_BY_WORDS = """SELECT o.key, f.score
                        FROM (SELECT rowid, -bm25(memories_fts, 1.0, :weight) AS score
                              FROM memories_fts
                              WHERE memories_fts MATCH :query
                              ORDER BY score DESC LIMIT :among) f
                        CROSS JOIN memories o ON o.key = f.rowid
                        WHERE {where}
                        ORDER BY f.score DESC LIMIT :limit"""
_MEMORIES_BY_KEY = """SELECT o.key, 'memory' AS kind, o.id, o.text, o.category, o.importance,
                             o.pinned, o.created_at AS at, o.kind = 'insight' AS is_insight,
                             o.origin = 'import' AS is_imported,
                             o.valid_until,
                             (SELECT group_concat(value, char(10))
                              FROM (SELECT value FROM json_each(o.tags)
                                    UNION ALL
                                    SELECT value FROM json_each(o.steps))) AS around
                      FROM json_each(:keys) asked CROSS JOIN memories o ON o.key = asked.value
                      WHERE {where}"""
_UNKNOWN = """
    SELECT asked.key FROM json_each(:phrases) asked
    WHERE NOT EXISTS (SELECT 1
                      FROM memories_fts CROSS JOIN memories o ON o.key = memories_fts.rowid
                      WHERE memories_fts MATCH asked.value AND {where})"""
_NEWEST_MEMORIES = """
    SELECT o.key, o.text, o.tags FROM memories o WHERE {where} ORDER BY o.id DESC LIMIT :limit"""
_MESSAGES_BY_WORDS = """SELECT o.key, f.score
                        FROM (SELECT rowid, -bm25(messages_fts, 1.0, :weight) AS score
                              FROM messages_fts
                              WHERE messages_fts MATCH :query
                              ORDER BY score DESC LIMIT :among) f
                        CROSS JOIN messages o ON o.key = f.rowid
                        WHERE o.user_id = :user AND o.active = 1
                        AND (:commands OR o.origin <> 'command')
                        AND EXISTS (SELECT 1 FROM threads t
                                    WHERE t.id = o.thread_id AND t.deleted_at IS NULL)
                        ORDER BY f.score DESC LIMIT :limit"""
_MESSAGES_BY_KEY = """SELECT o.key, 'message' AS kind, o.id, o.thread_id, o.seq, o.role AS said_by,
                             substr(o.text, 1, :chars) AS text, o.context AS around,
                             o.created_at AS at, o.origin = 'import' AS is_imported
                      FROM json_each(:keys) asked CROSS JOIN messages o ON o.key = asked.value
                      WHERE o.user_id = :user AND o.active = 1
                      AND o.status IN ('complete', 'stopped', 'interrupted')
                      AND EXISTS (SELECT 1 FROM threads t
                                  WHERE t.id = o.thread_id AND t.deleted_at IS NULL)"""


def search_memories(
    session: Session,
    scope: Scope,
    words: Sequence[str],
    *,
    likeness: Likeness = NOTHING_ALIKE,
    unfinished: bool = False,
    newest: "NewestFacts | None" = None,
) -> list[Candidate]:
    """Return the facts in scope that match a word, nearly match, or are alike. Unordered.

    Searches at one moment may share the `newest` facts.
    """
    by_words_sql = _MEMORIES_BY_WORDS.format(where=scope.where)
    fixed = {**scope.values, "weight": TAG_WEIGHT}
    by_words = _scores(
        session,
        "memories_fts",
        by_words_sql,
        match_any(words, unfinished=unfinished),
        FACTS_BY_WORDS,
        fixed,
    )
    newest = newest or NewestFacts(session, scope)
    misspelt = {} if unfinished else newest.misspelt(words)
    by_key_sql = _MEMORIES_BY_KEY.format(where=scope.where)
    rows = _rows(session, by_key_sql, scope.values, likeness, {*by_words, *misspelt})
    return _candidates(rows, likeness, bm25=by_words, misspelt=misspelt)


class NewestFacts:
    """The newest facts in scope, for words that no fact contains; read at the first such word."""

    def __init__(self, session: Session, scope: Scope) -> None:
        self._session = session
        self._scope = scope
        self._by_word: dict[str, list[int]] = {}
        """The keys of the facts that nearly match a word."""

    def misspelt(self, words: Sequence[str]) -> dict[int, float]:
        """Return the facts that nearly match unknown words, with the share of these among all."""
        long_words = [word for word in words if len(word) >= MISSPELT_LETTERS]
        if new := [word for word in long_words if word not in self._by_word]:
            self._compare(new)
        held = Counter(key for word in long_words for key in self._by_word[word])
        return {key: count / len(words) for key, count in held.items()}

    def _compare(self, words: Sequence[str]) -> None:
        where, values = self._scope.where, self._scope.values
        sql = _UNKNOWN.format(where=where)
        places = self._session.column(sql, phrases=list(map(as_phrase, words)), **values)
        self._by_word.update((word, []) for word in words)
        if unknown := [words[place] for place in places]:
            keys, texts = self._texts
            for word, place in ranking.which_hold(texts, unknown):
                self._by_word[unknown[word]].append(keys[place])

    @cached_property
    def _texts(self) -> tuple[list[int], list[str]]:
        sql = _NEWEST_MEMORIES.format(where=self._scope.where)
        rows = self._session.run(sql, limit=MISSPELT_AMONG, **self._scope.values).fetchall()
        return [row["key"] for row in rows], [
            f"{row['text']} {row['tags']}".lower() for row in rows
        ]


def search_messages(
    session: Session,
    words: Sequence[str],
    *,
    likeness: Likeness = NOTHING_ALIKE,
    unfinished: bool = False,
    commands: bool = False,
) -> list[Candidate]:
    """Return messages of existing chats that match a word, stand beside one, or are alike.

    Commands and their output are included only with `commands`.
    """
    fixed = {"user": session.user_id, "weight": CONTEXT_WEIGHT, "commands": commands}
    by_words = _scores(
        session,
        "messages_fts",
        _MESSAGES_BY_WORDS,
        match_any(words, unfinished=unfinished),
        MESSAGES_BY_WORDS,
        fixed,
    )
    rows = _rows(session, _MESSAGES_BY_KEY, {"user": session.user_id}, likeness, by_words)
    return _candidates(rows, likeness, bm25=by_words)


def _candidates(
    rows: Mapping[int, Row], likeness: Likeness, **scores: Mapping[int, float]
) -> list[Candidate]:
    """Return the rows as candidates, with their scores by name."""
    return [
        record(
            Candidate,
            row,
            cosine=likeness.of(key),
            **{name: by_key.get(key, 0.0) for name, by_key in scores.items()},
        )
        for key, row in rows.items()
    ]


def sources_of(session: Session, memory_ids: Sequence[str]) -> dict[str, set[str]]:
    """Return the ids of the source messages of each fact."""
    sources: dict[str, set[str]] = {memory_id: set() for memory_id in memory_ids}
    sql = """SELECT s.memory_id, s.message_id
             FROM json_each(:ids) asked CROSS JOIN memory_sources s ON s.memory_id = asked.value
             WHERE s.user_id = :user"""
    for row in session.run(sql, ids=memory_ids):
        sources[row["memory_id"]].add(row["message_id"])
    return sources


def _scores(
    session: Session,
    index: str,
    sql: str,
    query: str | None,
    limit: int,
    fixed: Mapping[str, object],
) -> dict[int, float]:
    """Return keys with their bm25, negated so that more is better.

    Visible rows are searched among the best matches, and among all of them if those are too few.
    """
    if query is None:
        return {}
    search = partial(session.run, sql, query=query, limit=limit, **fixed)
    scores = {row["key"]: row["score"] for row in search(among=LIKELY_ENOUGH * limit)}
    more = f"SELECT 1 FROM {index} WHERE {index} MATCH :query LIMIT 1 OFFSET :among"  # noqa: S608
    if len(scores) < limit and session.value(more, query=query, among=LIKELY_ENOUGH * limit):
        scores = {row["key"]: row["score"] for row in search(among=-1)}
    return scores


def _rows(
    session: Session,
    sql: str,
    fixed: Mapping[str, object],
    likeness: Likeness,
    matches: Iterable[int],
) -> dict[int, Row]:
    """Return the live rows of the matches and of the most similar ones, by key.

    A vector may belong to a deleted chat: then more are read.
    """
    keys, asked = set(matches), BY_MEANING
    while True:
        nearest = likeness.nearest(asked, ranking.LEAST_COSINE)
        rows = {
            row["key"]: row
            for row in session.run(sql, chars=TEXT_CHARS, keys=[*keys, *nearest], **fixed)
        }
        alive = [key for key in nearest if key in rows]
        if len(alive) >= BY_MEANING or len(nearest) < asked:
            wanted = keys.union(alive[:BY_MEANING])
            return {key: row for key, row in rows.items() if key in wanted}
        asked *= 4
