"""Automatic backups, in idle time and on exit, and the restore of a damaged memory file."""

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
from memapp.store.file_copies import Copy as Copy  # re-exported for the screen's offer
from memapp.store.file_copies import noted
from memapp.store.lock import COPIES, held

log = logging.getLogger(__name__)

newest_sound = backups.newest_sound
QUICK_BYTES = 4 * 1024 * 1024
"""A file of this size is copied in a moment; the exit waits for no larger one."""


def run(
    runtime: Runtime, every: timedelta = EVERY, cancelled: Callable[[], bool] = lambda: False
) -> Path | None:
    """Write a backup if one is due, and return its path.

    None is written beside an erasure, whose words a copy would keep. A failure is only logged.
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
    """Write a backup if the memory file changed since the last one."""
    yield int(run(runtime, cancelled=cancel.is_set) is not None)


def waiting(runtime: Runtime) -> int:
    return int(backups.is_due(runtime.database, runtime.clock(), EVERY))


def before_leaving(runtime: Runtime) -> None:
    """Write a backup of a small memory file that changed since the last one."""
    with suppress(FileNotFoundError):
        if runtime.paths.database.stat().st_size <= QUICK_BYTES:
            run(runtime, timedelta(0))


def write_copy(runtime: Runtime, target: Path) -> None:
    """Write a copy of the memory file to a path of the person's choice. Raises `StoreError`."""
    with noted(runtime.database.path, target):
        runtime.database.backup(target)


def put_back(
    path: Path, backup: Path, tell: Callable[[str], object] = lambda _: None
) -> Path | None:
    """Restore the memory file from a backup; return the new path of the replaced file, if any.

    `tell` is called with a notice while another process holds the file. Raises `StoreError`.
    """
    return restore.put_in_place(path, backup, datetime.now(UTC), tell)
