"""Leases: a task that one process at a time does with a file.

The owner renews a lease while it works; the lease of a dead process ends.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from secrets import token_hex

from memapp.errors import StoreError
from memapp.store.session import Session

Writing = Callable[[], AbstractContextManager[Session]]
"""Begins a write: `Runtime.write`."""
LEASE_SECONDS = 15.0
RENEWED_SECONDS = 4.0
LOOK_SECONDS = 0.05
_STANDS = "until > :now AND until <= :now + :whole"
"""SQL for a valid lease. One that ends too late is of a clock that ran ahead, and does not count.
"""


def take(session: Session, name: str, owner: str) -> bool:
    """Take a lease, or renew it, unless another owner has it; return True on success."""
    sql = f"""INSERT INTO leases (name, owner, until) VALUES (:name, :owner, :now + :whole)
              ON CONFLICT DO UPDATE SET owner = excluded.owner, until = excluded.until
              WHERE leases.owner = excluded.owner OR NOT ({_STANDS})"""  # noqa: S608
    return session.run(sql, name=name, owner=owner, **_now()).rowcount == 1


def owner_of(session: Session, name: str) -> str:
    """Return the owner of a lease; empty if it is free."""
    sql = f"SELECT owner FROM leases WHERE name = :name AND {_STANDS}"  # noqa: S608
    return session.value(sql, name=name, **_now()) or ""


def release(session: Session, name: str, owner: str) -> None:
    """Release a lease, unless another owner has it by now."""
    session.run("DELETE FROM leases WHERE name = :name AND owner = :owner", name=name, owner=owner)


@contextmanager
def hold(writing: Writing, name: str, seconds: float = 0.0) -> Iterator[bool]:
    """Hold a lease until the end of the block; yield False if it was not free in time."""
    owner, end = token_hex(8), time.monotonic() + seconds
    while not (mine := _taken(writing, name, owner)) and time.monotonic() < end:
        time.sleep(LOOK_SECONDS)
    if not mine:
        yield False
        return
    try:
        with renewed(writing, name, owner):
            yield True
    finally:
        with suppress(StoreError), writing() as session:
            release(session, name, owner)


@contextmanager
def renewed(writing: Writing, name: str, owner: str) -> Iterator[None]:
    """Renew a lease regularly until the end of the block."""
    over = threading.Event()
    threading.Thread(
        target=_renew, args=(writing, name, owner, over), name="memapp-lease", daemon=True
    ).start()
    try:
        yield
    finally:
        over.set()


def _renew(writing: Writing, name: str, owner: str, over: threading.Event) -> None:
    # if the file was closed or cannot be written, the lease ends by itself
    with suppress(StoreError):
        while not over.wait(RENEWED_SECONDS):
            _taken(writing, name, owner, over)


def _taken(writing: Writing, name: str, owner: str, over: threading.Event | None = None) -> bool:
    with writing() as session:
        return not (over and over.is_set()) and take(session, name, owner)


def _now() -> dict[str, float]:
    return {"now": time.time(), "whole": LEASE_SECONDS}
