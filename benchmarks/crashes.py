"""The cost for a person of a dying model process.

In the window, under tmux, and in `memapp ask`: a message is sent, and the model's process is killed
(SIGSEGV and SIGKILL in turn) at a random moment of the turn. Then the next message is sent.
Counted: messages that are not in the file, next messages without a whole reply, and, of the window,
terminals that do not take a command after it was left. The bundled model, or another.

python -m benchmarks.crashes [--small] [--model NAME|FILE | --server URL]
"""

import argparse
import os
import random
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks import MISSED, chat_model_flags, chat_model_options

ROUNDS, SMALL_ROUNDS = 50, 3
LONGEST_TURN = 2.0
"""Seconds within which the process is killed, counted from when the message was sent, or the model
begins to load for it.
"""
WAIT_SECONDS = 120.0
FIRST = "Please tell me a story about ship number {}."
NEXT = "And what about lighthouse number {}?"
CHILD = "inference.chat_child"
ROOT = Path(__file__).parents[1]


@dataclass
class Count:
    """What went wrong in so many rounds."""

    rounds: int = 0
    killed: int = 0
    """Rounds in which there was a process to kill."""
    lost: int = 0
    unanswered: int = 0
    terminals: int = 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[chat_model_options()],
    )
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--data", help="not used")
    options = parser.parse_args()
    rounds = SMALL_ROUNDS if options.small else ROUNDS
    chosen = [
        word for name, value in chat_model_flags(options).items() for word in (f"--{name}", value)
    ]
    ways = {"ask": ask} | ({"window": window} if shutil.which("tmux") else {})
    if "window" not in ways:
        print("window: skipped, there is no tmux")
    print(
        f"{'':10}{'rounds':>8}{'killed':>8}{'messages lost':>15}{'unanswered':>12}"
        f"{'terminals broken':>18}"
    )
    wrong = 0
    for name, way in ways.items():
        count = Count()
        for number in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                way(Path(folder), chosen, number, count)
            count.rounds += 1
        print(
            f"{name:10}{count.rounds:8}{count.killed:8}{count.lost:15}{count.unanswered:12}{count.terminals:18}"
        )
        wrong += count.lost + count.unanswered + count.terminals
    return MISSED if wrong else 0


def ask(home: Path, chosen: Sequence[str], number: int, count: Count) -> None:
    """Kill the model of one `memapp ask`, and ask again."""
    with subprocess.Popen(command(home, chosen, "ask", FIRST.format(number)), **QUIET) as asking:
        wait_until(lambda: chat_children(asking.pid) or asking.poll() is not None)
        kill_in_turn(asking.pid, number, count)
    subprocess.run(command(home, chosen, "ask", "-c", NEXT.format(number)), **QUIET)
    check(home, number, count)


def window(home: Path, chosen: Sequence[str], number: int, count: Count) -> None:
    """Kill the window's model, send the next message, close the window, and use the terminal."""
    with closing(Terminal(home)) as terminal:
        terminal.type(shlex.join(command(home, chosen)), "Enter")
        wait_until(lambda: "Write to memapp" in terminal.screen())
        wait_until(lambda: chat_children(terminal.pid))
        terminal.type(FIRST.format(number), "Enter")
        wait_until(lambda: messages(home))
        kill_in_turn(terminal.pid, number, count)
        wait_until(lambda: not any(status == "generating" for _, _, status in messages(home)))
        terminal.type(NEXT.format(number), "Enter")
        wait_until(lambda: len(messages(home)) == 4 and messages(home)[-1][2] != "generating")
        check(home, number, count)
        terminal.type("", "C-q")
        wait_until(lambda: not terminal.is_full_screen())
        terminal.type("echo usable-$((40 + 2))", "Enter")
        with suppress(TimeoutError):
            wait_until(lambda: "usable-42" in terminal.screen(), 10)
        count.terminals += "usable-42" not in terminal.screen() or terminal.is_full_screen()


def kill_in_turn(parent: int, number: int, count: Count) -> None:
    """Kill the model's process at a moment that the round's number decides."""
    chance = random.Random(number)
    time.sleep(chance.uniform(0, LONGEST_TURN))
    for child in chat_children(parent):
        os.kill(child.pid, (signal.SIGSEGV, signal.SIGKILL)[number % 2])
        count.killed += 1


def check(home: Path, number: int, count: Count) -> None:
    """Count what is missing of both messages and the second reply."""
    found = messages(home)
    said = [text for role, text, _ in found if role == "user"]
    count.lost += sum(text.format(number) not in said for text in (FIRST, NEXT))
    count.unanswered += (
        not found or found[-1][0] != "assistant" or found[-1][2] != "complete" or not found[-1][1]
    )


def chat_children(parent: int) -> list[psutil.Process]:
    found = []
    with suppress(psutil.NoSuchProcess):
        for child in psutil.Process(parent).children(recursive=True):
            with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                found += [child] if any(CHILD in part for part in child.cmdline()) else []
    return found


def messages(home: Path) -> list[tuple[str, str, str]]:
    """Return role, text and status of all messages, oldest first."""
    file = next(home.rglob("memapp.db"), None)
    if file is None:
        return []
    with (
        closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as conn,
        suppress(sqlite3.OperationalError),
    ):
        return conn.execute("SELECT role, text, status FROM messages ORDER BY seq").fetchall()
    return []


class Terminal:
    """A shell in tmux."""

    def __init__(self, home: Path) -> None:
        self._socket = str(home / "tmux")
        self._tmux(
            "new-session", "-d", "-s", "window", "-x", "100", "-y", "30", "-c", str(ROOT), "sh"
        )
        self.pid = int(self._tmux("display-message", "-p", "#{pane_pid}"))

    def type(self, text: str, *keys: str) -> None:
        if text:
            self._tmux("send-keys", "-l", text)
        for key in keys:
            self._tmux("send-keys", key)

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p")

    def is_full_screen(self) -> bool:
        """Return True if the window still has the alternate screen or the mouse."""
        return self._tmux("display-message", "-p", "#{alternate_on}#{mouse_any_flag}") != "00"

    def close(self) -> None:
        self._tmux("kill-server")

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", self._socket, *arguments], capture_output=True, text=True
        )
        return done.stdout.strip("\n")


QUIET = {
    "stdin": subprocess.DEVNULL,
    "stdout": subprocess.DEVNULL,
    "stderr": subprocess.DEVNULL,
    "cwd": ROOT,
}


def command(home: Path, chosen: Sequence[str], *arguments: str) -> list[str]:
    return [sys.executable, "-m", "memapp", "--home", str(home / "home"), *chosen, *arguments]


def wait_until(condition: Callable[[], object], seconds: float = WAIT_SECONDS) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.05)


if __name__ == "__main__":
    sys.exit(main())
