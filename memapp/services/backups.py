"""Backups that memapp makes by itself, in idle time and before it leaves, and putting one in place
of a damaged file.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memapp.domain.backups import EVERY
from memapp.domain.jobs import Pace
from memapp.errors import StoreError
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.store import backups, restore
from memapp.store.lock import COPIES, held
from memapp.store.place import Copy as Copy  # re-exported: the screen names the one it offers
from memapp.store.place import noted

log = logging.getLogger(__name__)

newest_sound = backups.newest_sound
QUICK_BYTES = 4 * 1024 * 1024
"""So large a file is copied in a moment; leaving never waits for a larger one."""


def run(
    runtime: Runtime, every: timedelta = EVERY, cancelled: Callable[[], bool] = lambda: False
) -> Path | None:
    """Write a backup if it is time to, and return it. Not beside an erasure: it would keep that. A
    failure is only logged.
    """
    if runtime.database.read_only:
        return None
    try:
        with held(runtime.database.path, COPIES) as mine:
            if mine:
                return backups.write_if_due(runtime.database, runtime.clock(), every, cancelled)
    except StoreError as error:
        log.warning("no backup was made: %s", type(error).__name__)
    return None


def run_job(runtime: Runtime, cancel: Cancel, _last: Pace | None) -> Iterator[int]:
    """Write a backup, if anything changed since the last."""
    yield int(run(runtime, cancelled=cancel.is_set) is not None)


def waiting(runtime: Runtime) -> int:
    return int(backups.is_due(runtime.database, runtime.clock(), EVERY))


def before_leaving(runtime: Runtime) -> None:
    """Write a backup of what changed since the last, if that takes a moment only, and the file is
    still there.
    """
    with suppress(FileNotFoundError):
        if runtime.paths.database.stat().st_size <= QUICK_BYTES:
            run(runtime, timedelta(0))


def write_copy(runtime: Runtime, target: Path) -> None:
    """Write a copy of the memory file to a place of the person's. Raises `StoreError`."""
    with noted(runtime.database.path, target):
        runtime.database.backup(target)


def put_back(
    path: Path, backup: Path, tell: Callable[[str], object] = lambda _: None
) -> Path | None:
    """Put a backup in place of the memory file; return where that went, if there was one. Raises
    `StoreError`.

    `tell` hears what is waited for.
    """
    return restore.put_in_place(path, backup, datetime.now(UTC), tell)
