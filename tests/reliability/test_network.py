"""A whole session with both bundled models opens no network socket, as the kernel sees it. The one
exception is the database that the person shares the memory through, after `memapp sync init`.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memapp.services.sync import keyring, machines
from tests.builders import make_runtime
from tests.conftest import OFFLINE
from tests.sync.conftest import PASSPHRASE, cheap_passphrases, postgres

__all__ = ["cheap_passphrases", "postgres"]
"""Fixtures."""
PORT = 9
"""Nobody answers there."""
traced = pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")


@pytest.fixture
def network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Network":
    for name in OFFLINE.split():
        monkeypatch.delenv(name)  # memapp sets them itself
    return Network(tmp_path)


class Network:
    """The network calls of commands, as the kernel sees them."""

    def __init__(self, folder: Path) -> None:
        self.home, self._trace = folder / "home", folder / "trace"

    def watch(self, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Run memapp, and note its network calls."""
        calls = ("-e", "trace=socket,connect,sendto", "-o", str(self._trace))
        follow = ["strace", "-f", "-qq", "-A", "--seccomp-bpf", *calls]
        memapp = [sys.executable, "-m", "memapp", "--home", str(self.home), *arguments]
        done = subprocess.run([*follow, *memapp], capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        return done

    def calls(self) -> list[str]:
        lines = self._trace.read_text().splitlines()
        return [line for line in lines if "AF_INET" in line or "AF_NETLINK" in line]


@pytest.mark.slow
@traced
def test_asking_learning_and_searching_open_no_network_socket(network: Network) -> None:
    for command in (
        ["ask", "I have a dog called Rex."],
        ["search", "dog"],
        ["doctor"],
        ["ask", "-c", "What is my dog called?"],
    ):
        assert network.watch(*command).stdout
    assert "Nothing is shared" in network.watch("sync", code=2).stderr
    assert network.calls() == []


@traced
def test_sync_connects_to_the_database_that_was_chosen_and_nothing_else_connects(
    network: Network, postgres: str
) -> None:
    runtime = make_runtime(network.home, embedder=False)
    machines.init(runtime, postgres, PASSPHRASE, "laptop", "guarded")
    path = keyring.path_of(runtime)
    elsewhere = {"url": f"postgresql://me@127.0.0.1:{PORT}/memory"}
    path.write_text(json.dumps(json.loads(path.read_text()) | elsewhere))
    runtime.close()
    network.watch("add", "I have a dog called Rex.")
    assert network.calls() == []
    assert "is away" in network.watch("sync", code=1).stderr
    connected = [line for line in network.calls() if "connect(" in line]
    assert connected
    for call in connected:
        assert re.search(rf"sin_port=htons\({PORT}\).*127\.0\.0\.1", call), call


@pytest.mark.slow
@traced
def test_the_watch_would_see_a_socket(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    code = "import socket; socket.socket(socket.AF_INET)"
    subprocess.run(
        ["strace", "-f", "-qq", "-e", "trace=socket", "-o", str(trace), sys.executable, "-c", code],
        check=True,
    )
    assert "AF_INET" in trace.read_text()
