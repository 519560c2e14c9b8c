"""When the terminal is closed or the machine shut down, memapp keeps what was typed, and the demo
leaves nothing behind.
"""

import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path

import pytest

from memapp import bootstrap
from memapp.cli.demo import passing_folder
from memapp.services import chats

NO_MODEL = ("--server", "http://127.0.0.1:1/v1")


class Window:
    """A terminal of its own, with memapp in it."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._ours, theirs = pty.openpty()
        self.home, self.seen = folder / "home", b""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "memapp", "--home", str(self.home), *NO_MODEL, *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(
                0, termios.TIOCSCTTY, 0
            ),  # what is closed is this window, not that of the tests
            env={
                **os.environ,
                "TMPDIR": str(folder),
                "TERM": "xterm",
                "COLUMNS": "80",
                "LINES": "24",
            },
        )
        os.close(theirs)

    def write(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def until(self, condition: Callable[[bytes], bool]) -> None:
        """Show the output until the condition holds for the whole output."""
        for _ in range(300):
            if condition(self.seen):
                return
            if select.select([self._ours], [], [], 0.1)[0]:
                self.seen += os.read(self._ours, 65536)
        raise AssertionError(self.seen.decode(errors="replace")[-2000:])

    def close(self) -> None:
        os.close(self._ours)

    def terminate(self) -> None:
        """Ask for an end, as a shutdown does; the window goes on showing what comes."""
        self.process.terminate()
        while self.process.poll() is None:
            if select.select([self._ours], [], [], 0.1)[0]:
                try:
                    os.read(self._ours, 65536)
                except OSError:  # nobody writes there any more
                    break
        os.close(self._ours)


@pytest.mark.slow
def test_the_demo_leaves_nothing_behind_when_its_terminal_is_closed(tmp_path: Path) -> None:
    window = Window(tmp_path, "demo")
    window.until(lambda seen: b"Bruges" in seen)
    assert len(list(tmp_path.glob("memapp-demo-*"))) == 1
    window.close()
    assert window.process.wait(20) == 128 + signal.SIGHUP
    assert list(tmp_path.glob("memapp-demo-*")) == []


def test_what_was_typed_is_kept_when_the_machine_is_shut_down(tmp_path: Path) -> None:
    window = Window(tmp_path)
    window.until(lambda seen: b"Nothing leaves this machine" in seen)
    window.write("half a thought")
    window.until(lambda seen: b"thought" in seen)
    window.terminate()
    assert window.process.wait(20) == 128 + signal.SIGTERM
    runtime = bootstrap.start(home=window.home)
    assert chats.get_draft(runtime, "") == "half a thought"
    runtime.close()


@pytest.mark.slow
def test_after_a_stop_the_whole_screen_is_drawn_again_and_a_key_does_so_too(tmp_path: Path) -> None:
    window, drawn = Window(tmp_path), b"Nothing leaves this machine"
    window.until(lambda seen: drawn in seen)
    window.write("half a thought")
    window.until(lambda seen: b"thought" in seen)
    window.process.send_signal(signal.SIGTSTP)
    assert os.WIFSTOPPED(os.waitpid(window.process.pid, os.WUNTRACED)[1])
    for wake in (lambda: window.process.send_signal(signal.SIGCONT), lambda: window.write("\x0c")):
        window.seen = b""
        wake()
        window.until(lambda seen: drawn in seen and b"half a thought" in seen)
    window.terminate()
    assert window.process.wait(20) == 128 + signal.SIGTERM


def test_the_next_demo_clears_a_killed_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for name in (f"memapp-demo-{gone.pid}-x", f"memapp-demo-{os.getppid()}-y", "memapp-demo-notes"):
        (tmp_path / name).mkdir()
    with passing_folder():
        pass
    actual = {path.name for path in tmp_path.iterdir()}
    assert actual == {f"memapp-demo-{os.getppid()}-y", "memapp-demo-notes"}
