"""A whole session with both bundled models opens no network socket, as the kernel sees it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import OFFLINE


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_asking_learning_and_searching_open_no_network_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in OFFLINE.split():
        monkeypatch.delenv(name)  # memapp sets them itself
    trace = tmp_path / "trace"
    follow = [
        "strace",
        "-f",
        "-qq",
        "-A",
        "--seccomp-bpf",
        "-e",
        "trace=socket,connect,sendto",
        "-o",
        str(trace),
    ]
    memapp = [sys.executable, "-m", "memapp", "--home", str(tmp_path / "home")]
    for command in (
        ["ask", "I have a dog called Rex."],
        ["search", "dog"],
        ["doctor"],
        ["ask", "-c", "What is my dog called?"],
    ):
        done = subprocess.run([*follow, *memapp, *command], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout
    assert [
        line for line in trace.read_text().splitlines() if "AF_INET" in line or "AF_NETLINK" in line
    ] == []


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_the_watch_would_see_a_socket(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    code = "import socket; socket.socket(socket.AF_INET)"
    subprocess.run(
        ["strace", "-f", "-qq", "-e", "trace=socket", "-o", str(trace), sys.executable, "-c", code],
        check=True,
    )
    assert "AF_INET" in trace.read_text()
