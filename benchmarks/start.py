"""How soon does memapp show its first picture, next to a Textual program that says hello?

Both run in a terminal of their own, one after the other, many times; the time is from starting the
process until its first words are on the screen. A third run lists what was imported by then: no
model library, no database, no numpy.

python -m benchmarks.start [--small]
"""

import argparse
import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from pathlib import Path

from benchmarks import MISSED

GOAL = 1.6
HELLO = """
from textual.app import App
from textual.widgets import Static
class Hello(App):
    def compose(self):
        yield Static("hello there")
Hello().run()
"""
PROBE = """
import sys
from pathlib import Path
from memapp.ui.app import MemappApp
class Probe(MemappApp):
    def post_display_hook(self):
        with open(sys.argv[1], "w") as out:
            out.write(" ".join(sys.modules))
        self.exit()
Probe(lambda: None, Path(sys.argv[1]).parent).run()
"""
LATE = (
    "llama_cpp",
    "sentence_transformers",
    "torch",
    "transformers",
    "numpy",
    "sqlite_utils",
    "memapp.services",
    "memapp.store",
)
GIVE_UP_SECONDS = 60.0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--data", help="not used")
    runs = 5 if parser.parse_args().small else 15
    with tempfile.TemporaryDirectory() as folder:
        hello = [sys.executable, "-c", HELLO]
        memapp = [sys.executable, "-m", "memapp", "--home", folder]
        for command, words in ((hello, b"hello there"), (memapp, b" memapp ")):
            first_paint(command, words)  # once for the disk cache and the byte code
        times = [
            (first_paint(hello, b"hello there"), first_paint(memapp, b" memapp "))
            for _ in range(runs)
        ]
        early = imported_early(Path(folder) / "modules")
    ratio = statistics.median(ours for _, ours in times) / statistics.median(
        theirs for theirs, _ in times
    )
    print(f"{'first paint, median of ' + str(runs):32} {'seconds':>8}")
    print(f"{'hello world in Textual':32} {statistics.median(theirs for theirs, _ in times):8.3f}")
    print(f"{'memapp':32} {statistics.median(ours for _, ours in times):8.3f}")
    print(f"{'ratio (at most ' + str(GOAL) + ')':32} {ratio:8.2f}")
    print(f"imported before it, of {', '.join(LATE)}: {', '.join(early) or 'none'}")
    missed = ratio > GOAL or bool(early)
    print("MISSED" if missed else "ok")
    return MISSED if missed else 0


def first_paint(command: list[str], words: bytes) -> float:
    """Return the seconds from starting the command in a terminal of 120x40 until the words are on
    its screen.
    """
    begun = time.perf_counter()
    child, terminal = pty.fork()
    if child == 0:
        os.environ |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        os.execv(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    seen = b""
    try:
        while words not in seen:
            left = begun + GIVE_UP_SECONDS - time.perf_counter()
            if left <= 0 or not select.select([terminal], [], [], left)[0]:
                raise SystemExit(
                    f"{command[-1]!r} showed nothing within {GIVE_UP_SECONDS:.0f} seconds"
                )
            seen += os.read(terminal, 65536)
        return time.perf_counter() - begun
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)


def imported_early(report: Path) -> list[str]:
    """Return which of the late modules were imported when the first picture was drawn."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-c", PROBE, str(report)])
    while True:
        try:
            if not os.read(terminal, 65536):
                break
        except OSError:
            break
    os.waitpid(child, 0)
    os.close(terminal)
    modules = set(report.read_text("utf-8").split())
    return [text for text in LATE if text in modules]


if __name__ == "__main__":
    sys.exit(main())
