"""A command under `memapp run` behaves as it would without: bytes, exit code, signals, colours and
questions.
"""

import fcntl
import os
import pty
import resource
import select
import signal
import subprocess
import sys
import termios
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import psutil
import pytest

from memapp.run import background
from memapp.tools import terminal
from tests.builders import until

MEMAPP = (sys.executable, "-m", "memapp")
ROOT = str(Path(__file__).parents[2])


def command(home: Path, *argv: str) -> list[str]:
    return [*MEMAPP, "--home", str(home), "run", "--", *argv]


@pytest.fixture(autouse=True)
def from_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", ROOT)


def on_a_terminal(argv: list[str], typed: bytes = b"", then: bytes = b"") -> tuple[int, bytes]:
    """Run a program on its own terminal; type at its question, and after its answer."""
    pid, terminal = pty.fork()
    if pid == 0:
        # whoever runs the tests in the background may ignore it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execvp(argv[0], argv)
    seen, until = b"", time.monotonic() + 30
    while time.monotonic() < until:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                data = os.read(terminal, 4096)
            except OSError:
                break
            if not data:
                break
            seen += data
        if typed and b"?" in seen:
            os.write(terminal, typed)
            typed, then = then, b""
            seen = seen.replace(b"?", b"!")
    os.close(terminal)  # what still waits for keys is ended
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen


@pytest.mark.parametrize("code", [0, 127])
def test_bytes_and_exit_code_pass_through(tmp_path: Path, code: int) -> None:
    source = (
        "import os, sys; d = sys.stdin.buffer.read(); os.write(1, d); os.write(2, b'e\\r\\n"
        f"\\xff'); sys.exit({code})"
    )
    given = bytes(range(256)) * 2000
    plain, under = (
        subprocess.run(argv, input=given, capture_output=True, timeout=60, cwd=tmp_path)
        for argv in (
            [sys.executable, "-c", source],
            command(tmp_path / "home", sys.executable, "-c", source),
        )
    )
    assert (under.returncode, under.stdout) == (plain.returncode, plain.stdout)
    assert under.stderr.startswith(plain.stderr)
    assert code or under.stderr == plain.stderr, "a success says nothing"
    background.wait(tmp_path / "home" / "cache")
    assert (tmp_path / "home" / "memapp.db").exists() is (code != 0), (
        "the store is opened after a failure only"
    )


def test_a_command_ended_by_a_signal_or_not_there_has_a_shells_code(tmp_path: Path) -> None:
    ended = [
        ["sh", "-c", f"kill -{signal.SIGTERM.value} $$"],
        ["there-is-no-such-program"],
        [str(tmp_path)],
    ]
    assert [terminal.run(argv).code for argv in ended] == [128 + signal.SIGTERM, 127, 126]


def test_of_a_program_that_is_not_there_the_same_is_said_as_by_a_shell(tmp_path: Path) -> None:
    for name, said in {
        "no-such-program": "command not found",
        "./vase": "No such file or directory",
    }.items():
        done = subprocess.run(
            command(tmp_path / "home", name), capture_output=True, text=True, cwd=tmp_path
        )
        assert done.stderr.startswith(f"{name}: {said}\n")


def test_ctrl_c_stops_the_loop_that_a_command_stands_in(tmp_path: Path) -> None:
    def ended(argv: list[str]) -> int:
        # whoever runs the tests may ignore it
        heeding = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
        return subprocess.run(argv, cwd=tmp_path, preexec_fn=heeding).returncode

    killed = ["sh", "-c", "kill -INT $$"]
    under = ended(command(tmp_path / "home", *killed))
    assert ended(killed) == under == -signal.SIGINT, (
        "a shell goes on after the exit code 130, and stops after the signal"
    )


def test_nobody_reads_on_and_the_command_ends_as_it_would(tmp_path: Path) -> None:
    shell = f"{' '.join(command(tmp_path / 'home', 'yes'))} | head -n 1"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, timeout=30, cwd=tmp_path)
    assert (done.stdout, done.stderr) == (b"y\n", b"")


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- >&- 2>&-", "2>/dev/full"])
def test_with_no_input_or_no_output_it_ends_as_it_would(tmp_path: Path, closed: str) -> None:
    asked = ["sh", "-c", "cat; echo $? out; echo err >&2; exit 3"]
    plain, under = (
        subprocess.run(
            ["sh", "-c", f'"$@" {closed}', "sh", *argv],
            capture_output=True,
            timeout=30,
            cwd=tmp_path,
        )
        for argv in (asked, command(tmp_path / "home", *asked))
    )
    assert (under.returncode, under.stdout) == (plain.returncode, plain.stdout)
    assert under.stderr.startswith(plain.stderr) and b"Traceback" not in under.stderr


@pytest.mark.parametrize("files", [8, 1200])
def test_with_few_files_or_many_it_ends_as_it_would(tmp_path: Path, files: int) -> None:
    def handles() -> None:
        if files > 1000:
            resource.setrlimit(resource.RLIMIT_NOFILE, (2048, 2048))
            for fd in range(3, files):
                os.dup2(0, fd)
        else:
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    argv = command(tmp_path / "home", "sh", "-c", "cat; exit 3")
    done = subprocess.run(
        argv, input=b"in", capture_output=True, close_fds=False, preexec_fn=handles
    )
    assert (done.returncode, done.stdout, b"Traceback" in done.stderr) == (3, b"in", False)
    assert (b"nothing will be recorded" in done.stderr) is (files < 1000)


def test_output_that_a_full_disk_does_not_take_is_no_success(tmp_path: Path) -> None:
    argv = ["sh", "-c", '"$@" >/dev/full', "sh", *command(tmp_path / "home", "echo", "a vase")]
    done = subprocess.run(argv, capture_output=True, timeout=30, cwd=tmp_path)
    assert (done.returncode, b"No space left" in done.stderr) == (1, True)


def test_a_script_without_a_first_line_is_run_as_a_shell_would(tmp_path: Path) -> None:
    (tmp_path / "vase").write_text("echo tall $1; exit 3\n")
    (tmp_path / "oven").write_bytes(b"\x01\0\x02")
    for name in ("vase", "oven"):
        (tmp_path / name).chmod(0o755)
    ran = terminal.run([str(tmp_path / "vase"), "blue"])
    assert (ran.code, ran.output) == (3, "tall blue\n")
    assert terminal.run([str(tmp_path / "oven")]).code == 126


def test_in_a_folder_that_is_gone_it_ends_as_it_would(tmp_path: Path) -> None:
    for code in (0, 3):
        script = f'mkdir gone; cd gone; rmdir ../gone; "$@" "exit {code}"'
        argv = ["sh", "-c", script, "sh", *command(tmp_path / "home", "sh", "-c")]
        done = subprocess.run(argv, capture_output=True, timeout=30, cwd=tmp_path)
        assert done.returncode == code and b"Traceback" not in done.stderr


def test_a_process_left_behind_does_not_keep_the_command(tmp_path: Path) -> None:
    began = time.monotonic()
    subprocess.run(
        command(tmp_path / "home", "sh", "-c", "sleep 30 & echo started"),
        capture_output=True,
        cwd=tmp_path,
    )
    assert time.monotonic() - began < 20


def test_colours_and_questions_work_on_a_terminal(tmp_path: Path) -> None:
    source = (
        "import sys; print(sys.stdin.isatty(), sys.stdout.isatty(), sys.stderr.isatty(), "
        "input('name?'))"
    )
    code, seen = on_a_terminal(command(tmp_path / "home", sys.executable, "-c", source), b"Mira\n")
    assert code == 0 and b"True True True Mira" in seen


def test_a_hint_has_a_line_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failing, working = (["sh", "-c", f"printf fire; exit {code}"] for code in (3, 0))
    for argv in (failing, working):
        subprocess.run(command(tmp_path / "home", *argv), capture_output=True)
        background.wait(tmp_path / "home" / "cache")
    assert b"fire\r\nmemapp: " in on_a_terminal(command(tmp_path / "home", *failing))[1]


def test_a_pager_at_the_end_of_a_pipe_gets_its_keys(tmp_path: Path) -> None:
    pager = (
        "import os, sys; lines = sys.stdin.read().split(); "
        "keys = open(os.ttyname(2) if os.isatty(2) else '/dev/tty');"
        "print(sys.stdout.isatty(), *lines, '?', flush=True); print('key', keys.readline().strip())"
    )
    argv = [
        "sh",
        "-c",
        'seq 3 | "$@"',
        "sh",
        *command(tmp_path / "home", sys.executable, "-c", pager),
    ]
    code, seen = on_a_terminal(argv, b"q\n")
    assert code == 0 and b"True 1 2 3" in seen and b"key q" in seen


def test_a_command_that_lets_go_of_its_terminal_keeps_its_code(tmp_path: Path) -> None:
    source = "import os, time; [os.close(fd) for fd in (0, 1, 2)]; time.sleep(0.3); os._exit(3)"
    assert on_a_terminal(command(tmp_path / "home", sys.executable, "-c", source))[0] == 3


def test_ctrl_z_stops_the_command_and_the_shell_wakes_it(tmp_path: Path) -> None:
    source = "print('?', flush=True); print('got', input())"
    script = 'set -m; "$@"; echo "stopped with $?, and now?"; fg > /dev/null; echo "ended with $?"'
    argv = ["bash", "-c", script, "bash", *command(tmp_path / "home", sys.executable, "-c", source)]
    code, seen = on_a_terminal(argv, b"\x1a", b"Mira\n")
    assert code == 0
    assert b"stopped with 148" in seen
    assert b"got Mira" in seen
    assert b"ended with 0" in seen


@pytest.mark.parametrize("keys", [b"", b"\x1a"])
def test_a_command_ends_with_memapp_stopped_or_not(tmp_path: Path, keys: bytes) -> None:
    sleeping = (
        "import os, time; open('pid', 'w').write(str(os.getpid())); print('?', flush=True); "
        "time.sleep(60)"
    )
    argv = [*command(tmp_path / "home", sys.executable, "-c", sleeping)]
    pid, master = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run where it is ignored
        os.chdir(tmp_path)
        os.execvp("bash", ["bash", "-c", 'set -m; "$@"; sleep 60', "bash", *argv])
    while b"?" not in os.read(master, 4096):
        pass
    asleep = psutil.Process(int((tmp_path / "pid").read_text()))
    os.write(master, keys)
    memapp = asleep.parent()
    assert memapp
    until(lambda: not keys or memapp.status() == psutil.STATUS_STOPPED)
    os.close(master)  # the terminal is closed
    os.waitpid(pid, 0)
    until(lambda: not asleep.is_running())


def test_in_the_background_a_command_leaves_the_keys_to_the_shell(tmp_path: Path) -> None:
    source = "import time; print('?', flush=True); time.sleep(1.5); print('done', flush=True)"
    script = (
        'set -m; "$@"; bg > /dev/null; echo "what?"; read -r said; echo "read $said"; wait; '
        'echo "ended with $?"'
    )
    argv = ["bash", "-c", script, "bash", *command(tmp_path / "home", sys.executable, "-c", source)]
    code, seen = on_a_terminal(argv, b"\x1a", b"Mira\n")
    assert code == 0 and b"read Mira" in seen and b"done" in seen and b"ended with 0" in seen


def _may_put_keys_back() -> bool:
    pid, _ = pty.fork()
    if pid == 0:
        with suppress(OSError):
            fcntl.ioctl(0, termios.TIOCSTI, b"x")
            os._exit(0)
        os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


@pytest.mark.skipif(not _may_put_keys_back(), reason="the system lets no program put keys back")
@pytest.mark.parametrize(
    "before", ["pass", "import tty; tty.setcbreak(0, 0)", "import sys; sys.stdin.readline()"]
)
def test_keys_the_command_did_not_read_are_for_the_shell(tmp_path: Path, before: str) -> None:
    source = f"import time; print('?', flush=True); {before}; time.sleep(0.7)"
    script = '"$@"; read -r said; echo "read <$said>"; read -r said; echo "read <$said>"'
    argv = ["bash", "-c", script, "bash", *command(tmp_path / "home", sys.executable, "-c", source)]
    typed = b"Mira\nJ\xc3\xb6rg\n"
    seen = on_a_terminal(argv, b"no\n" + typed if "readline" in before else typed)[1]
    assert b"read <Mira>" in seen and b"read <J\xc3\xb6rg>" in seen


def test_ctrl_c_reaches_the_command_and_leaves_no_trace(tmp_path: Path) -> None:
    source = (
        "import time\ntry:\n print('?', flush=True); time.sleep(30)\n"
        "except KeyboardInterrupt: print('stopped'); exit(130)"
    )
    code, seen = on_a_terminal(command(tmp_path / "home", sys.executable, "-c", source), b"\x03")
    assert code == 130 and b"stopped" in seen
    assert not (tmp_path / "home" / "memapp.db").exists()


def test_a_command_that_outlives_its_terminal_is_waited_for_to_its_end(tmp_path: Path) -> None:
    """As under nohup, where the end of the terminal ends nothing."""
    lasting = "import os, time; print('?', flush=True); time.sleep(2); open('done', 'w').write('')"
    pid, master = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os.chdir(tmp_path)
        os.execvp(sys.executable, command(tmp_path / "home", sys.executable, "-c", lasting))
    while b"?" not in os.read(master, 4096):
        pass
    os.close(master)
    os.waitpid(pid, 0)
    assert (tmp_path / "done").exists()
