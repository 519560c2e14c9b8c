"""Downloads of models, each agreed to with its host, size and licence, and their removal.

Nothing else makes memapp connect to a machine that the person did not name; and it is a process of its own that does.
"""

import logging
from collections.abc import Iterator
from pathlib import Path

from memapp.domain.text import did_you_mean
from memapp.errors import MemappError, UsageError
from memapp.inference import Cancel, download
from memapp.runtime import Runtime
from memapp.services import models
from memapp.services.models import ModelChoice

log = logging.getLogger(__name__)


def find(runtime: Runtime, name: str) -> ModelChoice:
    """Return the model of the list that can be downloaded under this name. Raises `UsageError` if there is none."""
    choices = models.list_models(runtime)
    offered = [one.name for one in choices if one.remote]
    chosen = next((one for one in choices if one.name == name), None)
    if chosen is None:
        raise UsageError(f"There is no model {name!r} in memapp's list.", did_you_mean(name, offered, "See `memapp models`."))
    if chosen.remote is None:
        raise UsageError(f"{name} is here already.", f"Use it: memapp models use {name}")
    return chosen


def terms(choice: ModelChoice) -> str:
    """Return what the person agrees to by downloading a model: the host, the size, the licence, and what the host sees."""
    assert choice.remote
    host = choice.remote.host
    stores = "".join(f" (it may send on to its stores, hosts of {one})" for one in download.stores(host))
    size = f"{choice.bytes / 1e9:.1f} GB" if choice.bytes >= 1e9 else f"{choice.bytes / 1e6:.0f} MB"
    checked = "" if choice.remote.sha256 else " Its hash is not known here: only damage on the way would be noticed."
    small = " It needs more memory than is free now." if choice.fit == "too big" else ""
    return (
        f"This connects memapp to {host}{stores} and fetches {choice.remote.file}: {size},"
        f" licence {choice.licence}, as on {choice.remote.source}.{checked}{small}"
        f" {host} sees your network address and which file it is, and nothing you wrote."
        " memapp connects for nothing else."
    )


def get_model(runtime: Runtime, name: str, cancel: Cancel) -> Iterator[int]:
    """Download a model of the list; yield how many bytes have arrived, again and again.

    The person must have agreed to its `terms`. When it is cancelled, what has arrived is kept for the next time. Raises
    `UsageError` if there is none of this name, else `ModelError`.
    """
    remote = find(runtime, name).remote
    assert remote
    log.info("downloading %s from %s", remote.file, remote.host)
    runtime.downloading_from = remote.host
    try:
        yield from download.download(remote, runtime.paths.downloads, cancel)
    finally:
        runtime.downloading_from = ""
    log.info("the download of %s ended", remote.file)


def is_ours(choice: ModelChoice) -> bool:
    """Say whether memapp downloaded some of a model, so that it may remove that."""
    return choice.kept_by == models.MEMAPP or choice.arrived > 0


def files_of(runtime: Runtime, name: str) -> list[Path]:
    """Return what memapp downloaded of a model, all or a part of it. Raises `UsageError` for what another put on this disk."""
    choices = models.list_models(runtime)
    chosen = next((one for one in choices if one.name == name), None)
    if chosen is None:
        ours = [one.name for one in choices if one.kept_by == models.MEMAPP]
        raise UsageError(f"There is no model {name!r}.", did_you_mean(name, ours, "See `memapp models`."))
    if chosen.remote is not None:
        found = download.parts(chosen.remote.file, runtime.paths.downloads)
    elif chosen.kept_by == models.MEMAPP and chosen.path is not None:
        found = [chosen.path, *download.parts(chosen.path.name, runtime.paths.downloads)]
    else:
        keeper = {"": "It came with memapp", models.YOU: "It is a file of yours"}.get(chosen.kept_by)
        raise UsageError(f"memapp did not download {name}.", f"{keeper or f'It belongs to {chosen.kept_by}: remove it there'}.")
    if not found:
        raise UsageError(f"Nothing of {name} is here.")
    if runtime.settings.model == str(chosen.path):
        raise UsageError(f"{name} is the model that answers.", "Choose another first.")
    return found


def remove_model(runtime: Runtime, name: str) -> int:
    """Remove what memapp downloaded of a model; return how many bytes that was. Raises `UsageError`."""
    removed = 0
    for path in files_of(runtime, name):
        try:
            removed += path.stat().st_size
            path.unlink()
        except OSError as error:
            raise MemappError(f"{path} cannot be removed: {error.strerror}.") from None
    return removed
