"""Running one command with everything passed through: output, exit code, signals, colours, keys.

At a terminal the command gets a terminal of its own, else pipes. The beginning and the end of the
output are kept. On the standard library alone, so that the command starts at once.
"""

import errno
import os
import select
import signal
import time
from contextlib import suppress
from typing import NoReturn

from memapp.tools.result import NOT_FOUND, NOT_RUNNABLE, Ran

with suppress(ImportError):  # Windows: `memapp run` is refused there
    import fcntl
    import pty
    import termios
    import tty

HEAD_BYTES, TAIL_BYTES = 4096, 12_288
"""How much of the beginning and the end of an output is kept."""
CHUNK = 65_536
LOOK_SECONDS = 0.2
"""How often a command in the background is checked for its end."""
_HEARD = tuple(
    getattr(signal, name)
    for name in ("SIGCHLD", "SIGINT", "SIGWINCH", "SIGCONT")
    if hasattr(signal, name)
)


class Kept:
    """The beginning and the end of an output."""

    def __init__(self) -> None:
        self.head = self.tail = b""
        self.size = 0

    def add(self, data: bytes) -> None:
        self.size += len(data)
        room = HEAD_BYTES - len(self.head)
        self.head += data[:room]
        self.tail = (self.tail + data[room:])[-TAIL_BYTES:] if len(data) > room else self.tail

    def text(self) -> str:
        return (self.head + self.tail).decode("utf-8", "replace")

    def marked(self) -> str:
        """Return the text, with a note where bytes were left out."""
        left_out = self.size - len(self.head) - len(self.tail)
        mark = f"\n… {left_out:,} bytes left out …\n".encode() if left_out else b""
        return (self.head + mark + self.tail).decode("utf-8", "replace")


def run(argv: list[str]) -> Ran:
    """Run a command to its end, on the terminal, pipes or files of memapp itself."""
    if not hasattr(os, "fork"):
        raise SystemExit("memapp: commands run on Linux and macOS only. Run it without memapp.")
    began, kept = time.monotonic(), Kept()
    try:
        wires = _Wires()
        alarm, wake = os.pipe()
    except OSError as error:  # too many open files: run the command all the same
        os.write(2, f"memapp: nothing will be recorded: {error.strerror}\n".encode())
        _become(argv, None)
    previous = {number: signal.getsignal(number) for number in _HEARD}
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # the end of the command interrupts the wait
    heard = signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    pid = os.fork()
    if pid == 0:
        _become(argv, wires)
    wires.begin()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl+c belongs to the command
    signal.signal(signal.SIGWINCH, lambda *_: wires.resize())
    signal.signal(signal.SIGCONT, lambda *_: wires.come_back())
    try:
        code = _attend(pid, wires, kept, alarm)
    finally:
        wires.end()
        signal.set_wakeup_fd(heard)
        for number, handler in previous.items():
            signal.signal(number, handler)
        os.close(alarm)
        os.close(wake)
    interrupted = code == -signal.SIGINT
    return Ran(
        exit_code(code), kept.text(), time.monotonic() - began, wires.lost, interrupted=interrupted
    )


class _Wires:
    """The input and output of the command."""

    def __init__(self) -> None:
        self.missing = _fill_missing()
        self.lost = ""
        ttys = [os.isatty(fd) for fd in range(3)]
        self.is_interactive = ttys[0] and ttys[1] and os.tcgetpgrp(0) == os.getpgrp()
        self.given: dict[int, int] = {}
        """The files of the command by descriptor; otherwise it shares memapp's own."""
        self.opened: list[int] = []
        """memapp's ends."""
        self.sources: dict[int, int] = {}
        """The descriptors to read output from, and to write it to."""
        self.master = self.slave = -1
        for fd in {1, 2} - self.missing:
            if ttys[fd] and (self.is_interactive or (fd == 2 and ttys[0])):
                self.given[fd] = self._terminal(fd)
            elif fd == 2 or not ttys[fd]:  # a pager needs the terminal itself, for its keys
                read, write = os.pipe()
                self.opened.append(read)
                self.given[fd], self.sources[read] = write, fd
        if self.is_interactive:
            self.given[0] = self.given[1]
        self._mode = termios.tcgetattr(0) if self.is_interactive else None
        self.has_keys = False
        """True while keys go to the command: neither stopped nor in the background."""

    def _terminal(self, fd: int) -> int:
        """Return the command's end of a terminal like the person's own, made once."""
        if self.master >= 0:
            return self.slave
        self.master, self.slave = pty.openpty()
        self.opened += self.master, self.slave
        self.sources[self.master], self.shown_on = fd, fd
        mode = termios.tcgetattr(fd)
        if not self.is_interactive:
            mode[1] &= ~termios.OPOST  # done by the person's terminal
        termios.tcsetattr(self.slave, termios.TCSANOW, mode)
        self.resize()
        return self.slave

    def resize(self) -> None:
        if self.master >= 0:
            with suppress(OSError):  # the person's terminal was closed
                size = fcntl.ioctl(self.shown_on, termios.TIOCGWINSZ, b"\0" * 8)
                fcntl.ioctl(self.master, termios.TIOCSWINSZ, size)

    def begin(self) -> None:
        """Close the command's ends, except the terminal's, and pass on every key."""
        for fd in set(self.given.values()) - {self.slave}:
            os.close(fd)
        self.come_back()

    def come_back(self) -> None:
        """Take the keys, if the terminal is in the foreground again."""
        with suppress(OSError, termios.error):  # closed terminal: found when keys are read
            if self._mode is not None and os.tcgetpgrp(0) == os.getpgrp():
                self.has_keys = True
                tty.setraw(0, termios.TCSADRAIN)  # keeps what was typed ahead
                self.resize()

    def step_back(self) -> None:
        """Leave the keys to the shell."""
        if self._mode is not None and self.has_keys:
            with suppress(termios.error):
                termios.tcsetattr(0, termios.TCSADRAIN, self._mode)
            self.has_keys = False

    def lose_keys(self) -> None:
        """Stop reading keys and tell the command: the person's terminal was closed."""
        os.write(self.master, b"\x04")
        self._mode, self.has_keys, self.is_interactive = None, False, False

    def give_back(self) -> None:
        """Return unread keys to the shell, where the system allows it."""
        mode = termios.tcgetattr(self.slave)
        mode[3] &= ~termios.ICANON
        mode[6][termios.VMIN] = mode[6][termios.VTIME] = 0
        termios.tcsetattr(self.slave, termios.TCSANOW, mode)
        with suppress(OSError):
            for key in os.read(self.slave, CHUNK):
                fcntl.ioctl(0, termios.TIOCSTI, bytes([key]))

    def end(self) -> None:
        if self.has_keys:
            self.give_back()
        self.step_back()
        for fd in self.opened:
            os.close(fd)

    def close(self, source: int) -> None:
        """Close an output; a terminal stays, since closing it would end the command."""
        del self.sources[source]
        if source != self.master:
            self.opened.remove(source)
            os.close(source)


def _fill_missing() -> set[int]:
    """Open the null device for closed standard streams; return their descriptors."""
    missing: set[int] = set()
    while (fd := os.open(os.devnull, os.O_RDWR)) < 3:
        missing.add(fd)
    os.close(fd)
    return missing


def _become(argv: list[str], wires: _Wires | None) -> NoReturn:
    """Replace this process by the command."""
    try:
        for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        if wires:
            _connect(wires)
        try:
            os.execvp(argv[0], argv)
        except OSError as error:
            from shutil import which  # slow to import

            script = which(argv[0]) if error.errno == errno.ENOEXEC else None
            if script is None or _is_binary(script):
                raise
            # A script without a #! line: run it as a shell does.
            os.execv("/bin/sh", ["sh", script, *argv[1:]])
    except BaseException as error:
        is_missing = isinstance(error, FileNotFoundError)
        is_unknown = is_missing and "/" not in argv[0]
        reason = "command not found" if is_unknown else getattr(error, "strerror", error)
        os.write(2, f"{argv[0]}: {reason}\n".encode(errors="replace"))
        os._exit(NOT_FOUND if is_missing else NOT_RUNNABLE)


def _is_binary(path: str) -> bool:
    with open(path, "rb") as file:  # noqa: PTH123
        return b"\0" in file.read(128)


def _connect(wires: _Wires) -> None:
    """Connect the command to its ends, and close the streams that were closed."""
    if wires.is_interactive:
        os.setsid()
    for fd, given in wires.given.items():
        os.dup2(given, fd)
    if wires.is_interactive:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        _lead()
    for fd in wires.missing:
        os.close(fd)


def _lead() -> None:
    """Lead the session of the command, and stop and end with it; return in the command's process.

    The command could not lead the session itself: the system would not stop it on ctrl+z.
    """
    pid = os.fork()
    if pid == 0:
        heeded = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, heeded)
        return
    # Includes memapp's end of the terminal: when memapp closes that, this process shall end.
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    while os.WIFSTOPPED(status := os.waitpid(pid, os.WUNTRACED)[1]):
        os.kill(os.getpid(), signal.SIGSTOP)
        os.killpg(pid, signal.SIGCONT)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the command left its own core
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [-code])
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(exit_code(code))


def _attend(pid: int, wires: _Wires, kept: Kept, alarm: int) -> int:
    """Pass everything on until the command ends; return its exit code, below 0 for a signal."""
    code: int | None = None
    while True:
        waited_for = (
            [*wires.sources]
            if code is not None
            else [*wires.sources, alarm, *([0] if wires.has_keys else [])]
        )
        is_background = wires.is_interactive and not wires.has_keys
        ready = _ready(
            waited_for, 0 if code is not None else LOOK_SECONDS if is_background else None
        )
        if is_background:
            wires.come_back()  # `fg` of a running command sends no signal
        for fd in ready:
            _pass_on(fd, wires, kept)
        if code is not None and not ready:
            return code  # a child of the command may keep the terminal open
        if code is None:
            changed, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
            if changed and os.WIFSTOPPED(status):
                _stop(pid, wires)
            elif changed:
                code = os.waitstatus_to_exitcode(status)


def _ready(waited_for: list[int], seconds: float | None) -> list[int]:
    """Return the descriptors that can be read, as soon as there is one."""
    try:
        return select.select(waited_for, [], [], seconds)[0]
    except ValueError:  # a descriptor above 1023
        poll = select.poll()  # not first, since it cannot wait for terminals on every system
        for fd in waited_for:
            poll.register(fd, select.POLLIN)
        return [fd for fd, _ in poll.poll(None if seconds is None else 1000 * seconds)]


def _stop(pid: int, wires: _Wires) -> None:
    """Stop together with the command, as the shell expects; return when both continue."""
    wires.step_back()
    os.kill(0, signal.SIGTSTP)
    wires.come_back()
    os.kill(pid, signal.SIGCONT)


def _pass_on(fd: int, wires: _Wires, kept: Kept) -> None:
    try:
        data = os.read(fd, CHUNK)
    except OSError:  # the terminal was closed
        data = b""
    if fd == 0 and data:
        os.write(wires.master, data)
    elif fd == 0:
        wires.lose_keys()
    elif fd in wires.sources:
        kept.add(data)
        error = _write(wires.sources[fd], data)
        if error or not data:
            wires.close(fd)  # the next write of the command fails, as it should
        if error and not isinstance(error, BrokenPipeError):
            wires.lost = str(error.strerror)


def _write(fd: int, data: bytes) -> OSError | None:
    """Write all data; return the error if that fails."""
    while data:
        try:
            data = data[os.write(fd, data) :]
        except BlockingIOError:  # another program made the terminal non-blocking
            select.select([], [fd], [])
        except OSError as error:
            return error
    return None


def exit_code(code: int) -> int:
    """Return an exit code as a shell does: above 128 for a signal."""
    return 128 - code if code < 0 else code
