"""How soon does memapp paint its first frame, next to other terminal programs?

The programs are installed by hand, each in an environment of its own, and named with their command:
they are no dependency of memapp. Each starts in a terminal of 120x40 that answers as terminals do,
in a home folder of its own, in turn with the others. The time is from starting the process until 20
characters other than blanks are on the alternate screen. A program that is not there is skipped.

python -m benchmarks.first_paint [--small] harlequin=PATH elia=PATH oterm=PATH
"""

import argparse
import fcntl
import os
import pty
import re
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

GOAL = 0.5
"""The most of memapp's median beside that of each other program."""
LEAST_SHOWN = 20
GIVE_UP_SECONDS = 120.0
ALTERNATE = b"\x1b[?1049h"
_CONTROL = re.compile(
    rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]P_^].*?(?:\x07|\x1b\\)|\x1b[()].|\x1b.", re.DOTALL
)
ANSWERS = {
    b"\x1b[c": b"\x1b[?62;22c",
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b[16t": b"\x1b[6;20;10t",
    b"\x1b[14t": b"\x1b[4;800;1200t",
    b"\x1b[?2026$p": b"\x1b[?2026;2$y",
}
"""The answers of a terminal; without them, some programs wait for a time-out."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("programs", nargs="*", metavar="NAME=PATH")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--data", help="not used")
    options = parser.parse_args()
    commands = {"memapp": [sys.executable, "-m", "memapp"]}
    for program in options.programs:
        name, _, path = program.partition("=")
        if Path(path).is_file():
            commands[name] = [path]
        else:
            print(f"{name} is not there: skipped")
    times: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as folder:
        for number in range((3 if options.small else 10) + 1):
            for name, command in commands.items():
                taken = first_paint(command, Path(folder) / name)
                if number:  # the first is for the disk cache and the byte code
                    times[name].append(taken)
    return report({name: statistics.median(taken) for name, taken in times.items()})


def report(medians: dict[str, float]) -> int:
    ours, missed = medians["memapp"], False
    print(f"{'first frame, median':24} {'seconds':>8} {'memapp / it':>12}")
    for name, median in medians.items():
        bad = name != "memapp" and ours > GOAL * median
        missed |= bad
        print(f"{name:24} {median:8.3f} {ours / median:12.2f}{'  MISSED' if bad else ''}")
    print(f"{'goal':24} {'':8} {GOAL:12.2f}")
    return MISSED if missed else 0


def first_paint(command: list[str], home: Path) -> float:
    """Return the seconds from starting a command until the first frame on its screen."""
    home.mkdir(exist_ok=True)
    begun = time.perf_counter()
    child, terminal = pty.fork()
    if child == 0:
        os.environ |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "HOME": str(home)}
        os.execv(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 1200, 800))
    seen = b""
    try:
        while shown_in(seen) < LEAST_SHOWN:
            left = begun + GIVE_UP_SECONDS - time.perf_counter()
            if left <= 0 or not select.select([terminal], [], [], left)[0]:
                raise SystemExit(f"{command[0]!r} showed nothing: {seen[-500:]!r}")
            new = os.read(terminal, 65536)
            for question, answer in ANSWERS.items():
                if question in new:
                    os.write(terminal, answer)
            seen += new
        return time.perf_counter() - begun
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)


def shown_in(seen: bytes) -> int:
    """Return how many characters a program wrote on the alternate screen, without blanks."""
    shown = _CONTROL.sub(b"", seen.partition(ALTERNATE)[2]).decode("utf-8", "ignore")
    return len("".join(shown.split()))


if __name__ == "__main__":
    sys.exit(main())
