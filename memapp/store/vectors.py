"""Embeddings in the file, and exact nearest-neighbour search over a cached matrix of them.

A matrix holds one person's vectors of one kind from one model. It follows the file: before each
search it adds new rows and drops deleted ones.
"""

import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from memapp.domain.memory import OwnerKind
from memapp.store.database import Database
from memapp.store.session import Session

Vectors = NDArray[np.float32]

EMBEDDED_CHARS = 2000
"""A sentence model reads about 256 tokens; more text would only be copied around."""
LOADED_AT_ONCE = 4096

_WAITING = {
    "memory": """SELECT o.key, substr(trim(o.instead_of || ' ' || o.text), 1, :chars) AS text
                 FROM memories o
                 WHERE o.user_id = :user AND o.state = 'live'
                 AND NOT EXISTS (SELECT 1 FROM embeddings e
                                 WHERE e.owner_kind = 'memory' AND e.model_id = :model
                                 AND e.owner_key = o.key)
                 ORDER BY o.key DESC LIMIT :limit""",
    "message": """SELECT o.key, substr(o.text, 1, :chars) AS text FROM messages o
                  WHERE o.user_id = :user AND o.active = 1
                  AND o.status IN ('complete', 'stopped', 'interrupted') AND o.text <> ''
                  AND o.origin <> 'command'
                  AND NOT EXISTS (SELECT 1 FROM embeddings e
                                  WHERE e.owner_kind = 'message' AND e.model_id = :model
                                  AND e.owner_key = o.key)
                  ORDER BY o.key DESC LIMIT :limit""",
}
_TEXT = {
    "memory": """SELECT substr(trim(instead_of || ' ' || text), 1, :chars) FROM memories
                 WHERE key = :key AND state = 'live'""",
    "message": "SELECT substr(text, 1, :chars) FROM messages WHERE key = :key AND active = 1",
}
_BY_ID = {
    kind: f"""
        SELECT o.id, e.vector FROM json_each(:ids) asked CROSS JOIN {table} o ON o.id = asked.value
        JOIN embeddings e ON e.owner_kind = :kind AND e.model_id = :model AND e.owner_key = o.key
        WHERE o.user_id = :user AND e.user_id = :user"""  # noqa: S608
    for kind, table in (("memory", "memories"), ("message", "messages"))
}
_OWNED = "FROM embeddings WHERE user_id = :user AND owner_kind = :kind AND model_id = :model"
_NEW = """SELECT number, owner_key, vector FROM embeddings
          WHERE number > :last AND user_id = :user AND owner_kind = :kind AND model_id = :model
          ORDER BY number"""


def waiting(session: Session, kind: OwnerKind, model_id: str, limit: int) -> list[tuple[int, str]]:
    """Return key and text of rows without a vector of this model, newest first."""
    rows = session.run(_WAITING[kind], chars=EMBEDDED_CHARS, model=model_id, limit=limit)
    return [(row["key"], row["text"]) for row in rows]


def count_waiting(session: Session, kind: OwnerKind, model_id: str) -> int:
    """Return the number of rows without a vector of this model."""
    sql = f"SELECT count(*) FROM ({_WAITING[kind]})"  # noqa: S608
    return int(session.value(sql, chars=0, model=model_id, limit=-1))


def save(
    session: Session,
    kind: OwnerKind,
    model_id: str,
    embedded: Sequence[tuple[int, str]],
    vectors: Vectors,
) -> list[int]:
    """Store the vectors for rows returned by `waiting`; return their keys.

    Rows that were edited or deleted meanwhile are left out.
    """
    rows = [
        (session.user_id, kind, key, model_id, len(vector), vector.tobytes())
        for (key, text), vector in zip(embedded, np.asarray(vectors, dtype="<f4"), strict=True)
        if session.value(_TEXT[kind], chars=EMBEDDED_CHARS, key=key) == text
    ]
    sql = """INSERT OR REPLACE INTO embeddings (user_id, owner_kind, owner_key, model_id, dimension,
                                                vector)
             VALUES (?, ?, ?, ?, ?, ?)"""
    session.conn.executemany(sql, rows)
    return [row[2] for row in rows]


def of_owners(
    session: Session, kind: OwnerKind, model_id: str, ids: Sequence[str]
) -> dict[str, Vectors]:
    """Return the vectors of facts or messages by id, where they have one."""
    rows = session.run(_BY_ID[kind], kind=kind, model=model_id, ids=ids)
    return {row["id"]: np.frombuffer(row["vector"], dtype="<f4") for row in rows}


@dataclass(frozen=True)
class Likeness:
    """The cosine of one vector with every vector of a matrix."""

    keys: NDArray[np.int64]
    cosines: Vectors
    places: dict[int, int]
    """The index of each key in `keys`."""

    def of(self, key: int) -> float:
        """Return the cosine of one owner, 0 if it has no vector."""
        place = self.places.get(key)
        return float(self.cosines[place]) if place is not None else 0.0

    def nearest(self, limit: int, least: float = -1.0) -> list[int]:
        """Return the most similar keys, best first, down to a cosine of `least`."""
        places = np.flatnonzero(self.cosines >= least)
        if limit < len(places):
            places = places[np.argpartition(-self.cosines[places], limit)[:limit]]
        ordered = places[np.argsort(-self.cosines[places], kind="stable")]
        return [int(key) for key in self.keys[ordered]]


NOTHING_ALIKE = Likeness(np.empty(0, np.int64), np.empty(0, np.float32), {})


class Matrix:
    """One person's vectors of one kind and model, in memory. Thread-safe."""

    def __init__(self, user_id: str, kind: OwnerKind, model_id: str) -> None:
        self.user_id = user_id
        self.kind = kind
        self.model_id = model_id
        self._lock = threading.Lock()
        self._vectors: Vectors = np.empty((0, 0), np.float32)
        self._keys: NDArray[np.int64] = np.empty(0, np.int64)
        self._places: dict[int, int] = {}
        """Replaced, never changed: running searches keep the one they were given."""
        self._last = 0
        self._deleted: int | None = None
        self._followed: tuple[int, int] | None = None

    def __len__(self) -> int:
        return len(self._places)

    def likeness(self, session: Session, vector: Vectors) -> Likeness:
        """Compare a unit-length vector with every vector that the file holds now."""
        return self._compare(session, vector[np.newaxis], _in_one_thread)[0]

    def likenesses(self, session: Session, rows: Vectors) -> list[Likeness]:
        """Compare many vectors at once, on all cores: for idle time, in a quarter of the time."""
        return self._compare(session, rows, lambda stored, new: new @ stored.T)

    def _compare(
        self, session: Session, rows: Vectors, multiply: Callable[[Vectors, Vectors], Vectors]
    ) -> list[Likeness]:
        with self._lock:
            self._follow(session)
            size = len(self._places)
            if size == 0 or self._vectors.shape[1] != rows.shape[1]:
                return [NOTHING_ALIKE] * len(rows)
            cosines = multiply(self._vectors[:size], np.asarray(rows, dtype=np.float32))
            keys = self._keys[:size].copy()
            return [Likeness(keys, cosine, self._places) for cosine in cosines]

    def _follow(self, session: Session) -> None:
        state = (id(session.conn), session.value("PRAGMA data_version"))
        if state != self._followed:
            self._take_in(session)
            self._followed = state

    def _take_in(self, session: Session) -> None:
        owner = {"user": self.user_id, "kind": self.kind, "model": self.model_id}
        # Asked first, so that the next search sees what is added or deleted meanwhile.
        last = session.value("SELECT max(number) FROM embeddings")
        deleted = session.value("SELECT count FROM deleted_embeddings")
        new = session.run(_NEW, last=self._last, **owner)
        while rows := new.fetchmany(LOADED_AT_ONCE):
            self._append(rows)
        self._last = last or 0
        if self._deleted not in (None, deleted):
            self._places = self._places.copy()
            for key in self._places.keys() - session.column(f"SELECT owner_key {_OWNED}", **owner):
                self._drop(key)
        self._deleted = deleted

    def _append(self, rows: Sequence[sqlite3.Row]) -> None:
        if not rows:
            return
        added = np.frombuffer(b"".join(row["vector"] for row in rows), dtype="<f4").reshape(
            len(rows), -1
        )
        size = len(self._places)
        self._places = self._places.copy()
        if size + len(rows) > len(self._keys):
            self._grow(max(2 * len(self._keys), size + len(rows)), added.shape[1])
        for row, vector in zip(rows, added, strict=True):
            place = self._places.setdefault(row["owner_key"], len(self._places))
            self._keys[place], self._vectors[place] = row["owner_key"], vector

    def _grow(self, room: int, dimension: int) -> None:
        size = len(self._places)
        vectors, keys = np.empty((room, dimension), np.float32), np.empty(room, np.int64)
        if size:
            vectors[:size], keys[:size] = self._vectors[:size], self._keys[:size]
        self._vectors, self._keys = vectors, keys

    def _drop(self, key: int) -> None:
        """Move the last vector into the gap, and leave nothing of the dropped one in memory."""
        place, last = self._places.pop(key), len(self._places)
        if place != last:
            moved = int(self._keys[last])
            self._keys[place], self._vectors[place] = moved, self._vectors[last]
            self._places[moved] = place
        self._vectors[last] = 0.0


def _in_one_thread(stored: Vectors, rows: Vectors) -> Vectors:
    """Multiply without `@`, whose threads wait for cores that the language model holds.

    One thread is as fast as the memory.
    """
    product: Vectors = np.einsum("ij,kj->ki", stored, rows)
    return product


_matrices: WeakKeyDictionary[Database, dict[tuple[str, OwnerKind, str], Matrix]] = (
    WeakKeyDictionary()
)
_opening = threading.Lock()


def matrix(database: Database, user_id: str, kind: OwnerKind, model_id: str) -> Matrix:
    """Return the matrix of an open file, which lives as long as the `Database`."""
    with _opening:
        of_database = _matrices.setdefault(database, {})
        return of_database.setdefault((user_id, kind, model_id), Matrix(user_id, kind, model_id))


def let_go(database: Database) -> None:
    """Free the matrices of a file; the next search reads them again."""
    with _opening:
        _matrices.pop(database, None)
