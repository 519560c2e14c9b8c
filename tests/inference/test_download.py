"""Downloads against a site on this machine: what is agreed to is fetched and checked, and nothing
else is.
"""

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memapp.errors import ModelError
from memapp.inference import Cancel, download, download_child
from memapp.inference.download import RemoteFile
from tests.builders import until, word_list

from . import tiny_gguf
from .hub import COMMIT, Hub, serving

FILE = "tiny.gguf"


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A model of some megabytes: a tiny one, and padding behind it."""
    whole = tiny_gguf.write(tmp_path_factory.mktemp("model") / FILE, tiny_gguf.CHATML).read_bytes()
    return whole + os.urandom(3_000_000)


@pytest.fixture
def site(content: bytes) -> Iterator[Hub]:
    with serving(content) as opened:
        yield opened


def wanted(site: Hub, **other: Any) -> RemoteFile:
    return RemoteFile(site.source, FILE, len(site.content), **other)


def fetch(site: Hub, folder: Path, cancel: Cancel | None = None, **other: Any) -> list[int]:
    return list(download.download(wanted(site, **other), folder, cancel or Cancel()))


def get(source: str, folder: Path, size: int = 1) -> None:
    list(download.download(RemoteFile(source, FILE, size), folder, Cancel()))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_arrives_is_checked_and_lies_in_the_folder(
    site: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in word_list("HF_TOKEN HF_ENDPOINT HTTPS_PROXY http_proxy HF_HUB_USER_AGENT_ORIGIN"):
        monkeypatch.setenv(name, "http://127.0.0.1:1/secret")
    folder = tmp_path / "new" / "models"
    arrived = fetch(site, folder, sha256=site.etag)
    assert (arrived[0], arrived[-1]) == (0, len(site.content))
    assert arrived == sorted(arrived)
    assert len(arrived) > 5
    assert (folder / FILE).read_bytes() == site.content
    assert names(folder) == [FILE]
    path = f"/owner/name/resolve/{{}}/{FILE}"
    assert site.asked == [("HEAD", path.format("main"), ""), ("GET", path.format(COMMIT), "")]
    assert not any("secret" in text for text in site.told)
    assert not {"authorization", "cookie"} & site.told
    assert list(Path.home().iterdir()) == [], "the library leaves nothing elsewhere"


def test_a_connection_that_breaks_is_taken_up_again(site: Hub, tmp_path: Path) -> None:
    third = len(site.content) * 3 // 10
    site.cut = [third]
    fetch(site, tmp_path, sha256=site.etag)
    assert (tmp_path / FILE).read_bytes() == site.content
    first, second = site.ranges
    begun = int(second.removeprefix("bytes=").removesuffix("-"))
    assert first == "" and third - 300_000 < begun <= third


@pytest.mark.parametrize("ends", ["cancelled", "closed"])
def test_a_stopped_download_goes_on_where_it_was(site: Hub, tmp_path: Path, ends: str) -> None:
    site.hold.set()
    cancel = Cancel()
    with closing(download.download(wanted(site), tmp_path, cancel)) as running:
        arrived = next(number for number in running if number > 500_000)
        if ends == "cancelled":
            threading.Timer(0.05, cancel.set).start()
            assert [number for number in running if number < arrived] == []
    site.hold.clear()
    (part,) = download.parts(FILE, tmp_path)
    assert arrived <= part.stat().st_size < len(site.content)
    kept = part.stat().st_size
    assert fetch(site, tmp_path, sha256=site.etag)[0] == kept
    assert site.ranges[-1] == f"bytes={kept}-"
    assert (tmp_path / FILE).read_bytes() == site.content
    assert names(tmp_path) == [FILE]


def test_a_site_without_ranges_sends_the_whole_file_again(site: Hub, tmp_path: Path) -> None:
    site.cut, site.knows_ranges = [900_000], False
    fetch(site, tmp_path, sha256=site.etag)
    assert (tmp_path / FILE).read_bytes() == site.content


def test_another_file_than_the_list_means_is_not_fetched(site: Hub, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="another file than the list"):
        fetch(site, tmp_path, sha256="0" * 64)
    with pytest.raises(ModelError, match=r"has [\d,]+ bytes, not the [\d,]+ that you agreed to"):
        get(site.source, tmp_path, 9_000_000)
    assert site.ranges == [] and names(tmp_path) == []


def test_what_arrives_with_another_hash_is_removed(site: Hub, tmp_path: Path) -> None:
    site.etag = hashlib.sha256(b"what the site says").hexdigest()
    with pytest.raises(ModelError, match=r"its hash is another. It was removed"):
        fetch(site, tmp_path)
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    "damage", [lambda good: b"<html>" + good[6:], lambda good: good[:20_000] + bytes(2000)]
)
def test_what_is_no_model_is_removed(
    content: bytes, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    with (
        serving(damage(content)) as site,
        pytest.raises(ModelError, match=r"no whole GGUF model file. It was removed"),
    ):
        site.etag = "not-a-sha256"
        fetch(site, tmp_path)
    assert names(tmp_path) == []


def test_a_site_that_sends_more_than_agreed_is_stopped(content: bytes, tmp_path: Path) -> None:
    with (
        serving(content + content, size=len(content)) as site,
        pytest.raises(ModelError, match="It was not fetched"),
    ):
        get(site.source, tmp_path, len(content))
    assert FILE not in names(tmp_path)


def test_stores_that_were_agreed_to_are_followed_and_others_not(
    site: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(site.content) as store:
        site.sends_on_to = f"http://localhost:{store.port}"
        with pytest.raises(
            ModelError, match=r"127.0.0.1 sent memapp on to localhost, which nobody agreed to"
        ):
            fetch(site, tmp_path)
        assert store.asked == []
        monkeypatch.setitem(download.STORES, "127.0.0.1", ("localhost",))
        fetch(site, tmp_path, sha256=site.etag)
        assert [text for text, _, _ in store.asked] == ["GET"], (
            "what the file is says the site itself"
        )
    assert (tmp_path / FILE).read_bytes() == site.content


@pytest.mark.slow
def test_a_site_that_sends_on_behind_ones_back_leads_nowhere(site: Hub, tmp_path: Path) -> None:
    with serving(site.content) as store:
        site.sends_on_to, site.head_only = f"http://localhost:{store.port}", True
        with pytest.raises(ModelError, match=r"connection to 127.0.0.1 failed"):
            fetch(site, tmp_path)
        assert store.asked == []


def test_only_hosts_below_the_stores_are_stores() -> None:
    asked = {"host": "huggingface.co", "stores": download.stores("huggingface.co")}
    allowed = download_child._hosts(asked)
    stores = "huggingface.co cas-bridge.xethub.hf.co us-east-1.aws.cdn.hf.co cdn-lfs.hf.co"
    others = "huggingface.co.example.org nothf.co evil.example 127.0.0.1 localhost"
    assert all(map(allowed, word_list(stores)))
    assert not any(map(allowed, [*word_list(others), ""]))
    assert download.stores("example.org") == ()


def test_what_a_site_answers_is_said(site: Hub, tmp_path: Path) -> None:
    for status, said in (
        (404, r"has no file tiny\.gguf any more"),
        (403, "signed in"),
        (500, r"an error \(500\)"),
    ):
        site.status = status
        with pytest.raises(ModelError, match=said):
            fetch(site, tmp_path)


def test_a_site_that_is_not_there_is_said(site: Hub, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"connection to 127.0.0.1 failed.*the next try goes on"):
        get("http://127.0.0.1:1/owner/name", tmp_path)
    with pytest.raises(ModelError, match="no address that starts with https"):
        get("http://example.org/owner/name", tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(ModelError, match="cannot be made: Not a directory"):
        fetch(site, tmp_path / "file" / "models")


def test_a_download_goes_through_the_proxy_that_was_written_down(
    site: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    behind = RemoteFile("http://127.0.0.1:1/owner/name", FILE, len(site.content), sha256=site.etag)
    list(download.download(behind, tmp_path, Cancel(), f"http://localhost:{site.port}"))
    assert (tmp_path / FILE).read_bytes() == site.content
    assert site.asked[0][:2] == ("HEAD", f"http://127.0.0.1:1/owner/name/resolve/main/{FILE}")


def test_a_failed_connection_says_what_to_set_where_others_use_a_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "http://name:secret@proxy.example:3128")
    with pytest.raises(ModelError) as raised:
        get("http://127.0.0.1:1/owner/name", tmp_path)
    assert raised.value.advice == (
        "HTTPS_PROXY names a proxy here, which memapp goes through only when you say so:"
        " memapp config set download_proxy ADDRESS. What has arrived is kept: "
        "the next try goes on from there."
    )


def child_with(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, patch: str) -> None:
    """Let the child be changed before it begins."""
    program = tmp_path / "patched.py"
    real = Path(download_child.__file__)
    program.write_text(
        f"import sys; sys.path.insert(0, {str(real.parent)!r})\n"
        f"import download_child, shutil, os\n{patch}\ndownload_child.main()\n",
        "utf-8",
    )
    monkeypatch.setattr(download_child, "__file__", str(program))


FREE = "shutil.disk_usage = lambda _: type('Usage', (), {'free': %s})"


def test_a_disk_with_too_little_room_is_told_before_anything_is_fetched(
    site: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child_with(monkeypatch, tmp_path, FREE % "200_000_500")
    with pytest.raises(ModelError, match="too little room"):
        fetch(site, tmp_path / "models")
    assert site.ranges == [] and names(tmp_path / "models") == []


def test_a_disk_that_fills_up_meanwhile_keeps_room_for_the_memory(
    site: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child_with(monkeypatch, tmp_path, f"left = [10**9] * 4 + [0] * 99\n{FREE % 'left.pop(0)'}")
    with pytest.raises(ModelError, match="The disk is full"):
        fetch(site, tmp_path / "models")
    (part,) = download.parts(FILE, tmp_path / "models")
    assert part.stat().st_size > 0


def test_a_full_disk_gets_its_room_back(
    site: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))"
    raised = (
        "import errno, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "download_child.NO_ROOM += (errno.EFBIG,)"
    )
    child_with(monkeypatch, tmp_path, f"{limit}\n{raised}")
    with pytest.raises(ModelError, match="The disk is full"):
        fetch(site, tmp_path / "models")
    assert names(tmp_path / "models") == []


def test_two_do_not_write_to_one_file(site: Hub, tmp_path: Path) -> None:
    site.hold.set()
    with closing(download.download(wanted(site), tmp_path, Cancel())) as running:
        next(number for number in running if number > 0)
        with pytest.raises(ModelError, match=r"Another memapp is downloading tiny\.gguf"):
            fetch(site, tmp_path)
    site.hold.clear()


def test_the_child_ends_with_its_parent(site: Hub, tmp_path: Path) -> None:
    site.hold.set()
    asked = {"source": site.source, "host": "127.0.0.1", "stores": (), "file": FILE, "commit": ""}
    asked |= {"folder": str(tmp_path), "bytes": len(site.content), "sha256": ""}
    asked |= {"wheels": None, "proxy_host": ""}
    program = [sys.executable, "-P", download_child.__file__]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL}
    with subprocess.Popen(program, env=download._environment(), text=True, **pipes) as child:
        assert child.stdin
        child.stdin.write(json.dumps(asked) + "\n")
        child.stdin.flush()
        until(lambda: site.ranges)
        assert child.poll() is None
        child.stdin.close()
        assert child.wait(10) == 0
    site.hold.clear()
