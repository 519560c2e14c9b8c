"""`make run` and `make test` on a fresh machine: installation, and messages on failure.

The real script runs in a copy of the project, with stand-ins for Python, the compiler and df on its
PATH.
"""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent
TOOLS = ("sh", "dirname", "cat", "cksum", "rm", "mkdir", "df", "du", "awk", "uname", "cp")

PYTHON = f"""#!/bin/sh
case "$*" in
    "-m venv"*) mkdir -p .venv/bin; cp "$0" .venv/bin/python; echo "${{0##*/}} $*" >>calls ;;
    "-m "*) echo "$*" >>calls; [ ! -e pip-fails ] ;;
    *) exec {sys.executable} "$@" ;;
esac
"""
OLD_PYTHON = "#!/bin/sh\nexit 1\n"
NO_VENV_PYTHON = f"""#!/bin/sh
case "$*" in *ensurepip*) exit 1 ;; *) exec {sys.executable} "$@" ;; esac
"""
WORKS = "#!/bin/sh\nexit 0\n"


class Machine:
    """A project folder, and a PATH with only the stand-ins of a test."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.project = folder / "project"
        self.bin.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(str(shutil.which(tool)))
        (self.project / ".ci").mkdir(parents=True)
        for name in (".ci/setup", "Makefile", "pyproject.toml"):
            shutil.copy(ROOT / name, self.project / name)

    def has(self, tool: str, script: str) -> None:
        path = self.bin / tool
        path.unlink(missing_ok=True)
        path.write_text(script)
        path.chmod(0o755)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.project,
            env={"PATH": str(self.bin)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )

    def set_up(self, *extra: str) -> subprocess.CompletedProcess[str]:
        return self.run("/bin/sh", ".ci/setup", *extra)

    def calls(self) -> list[str]:
        """Return what was called with Python since the last look."""
        log = self.project / "calls"
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines

    def installed(self) -> list[str]:
        """Return what pip was last asked for: the last word of each call."""
        return [call.split()[-1] for call in self.calls() if call.startswith("-m pip install")]


@pytest.fixture
def bare(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def machine(bare: Machine) -> Machine:
    """A machine with all that is needed."""
    bare.has("python3.11", PYTHON)
    bare.has("c++", WORKS)
    bare.has("uname", "#!/bin/sh\necho Linux\n")
    return bare


def only_sentence(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("memapp: ")
    assert lines[0].endswith("then run make again.")
    return lines[0]


def without_python(machine: Machine) -> None:
    (machine.bin / "python3.11").unlink()


def with_an_old_python(machine: Machine) -> None:
    without_python(machine)
    machine.has("python3", OLD_PYTHON)


def without_venv(machine: Machine) -> None:
    machine.has("python3.11", NO_VENV_PYTHON)


def without_a_compiler(machine: Machine) -> None:
    (machine.bin / "c++").unlink()


def with_a_compiler_that_is_an_empty_shell(machine: Machine) -> None:
    machine.has("c++", OLD_PYTHON)


def with_a_full_disk(machine: Machine) -> None:
    machine.has(
        "df",
        (
            "#!/bin/sh\necho Filesystem 1024-blocks Used Available Capacity Mounted\n"
            "echo /dev/x 9 9 512000 9% /\n"
        ),
    )


@pytest.mark.parametrize(
    ("lacking", "words"),
    [
        (without_python, "Python 3.11 or newer is needed"),
        (with_an_old_python, "Python 3.11 or newer is needed"),
        (without_venv, "sudo apt install python3."),
        (without_a_compiler, "A C++ compiler is needed"),
        (with_a_compiler_that_is_an_empty_shell, "A C++ compiler is needed"),
        (with_a_full_disk, "3 GB of disk space and 512 MB are free"),
    ],
)
def test_what_is_missing_is_said_in_one_sentence(
    machine: Machine, lacking: Callable[[Machine], None], words: str
) -> None:
    lacking(machine)
    done = machine.set_up()
    assert words in only_sentence(done)
    assert not (machine.project / ".venv").exists()


def test_make_says_the_same(machine: Machine) -> None:
    without_a_compiler(machine)
    done = machine.run(str(shutil.which("make")), "run")
    assert done.returncode == 2
    assert "A C++ compiler is needed" in done.stderr.splitlines()[0]


def test_the_newest_python_is_taken(machine: Machine) -> None:
    machine.has("python3.13", PYTHON)
    machine.has("python3", PYTHON)
    machine.set_up()
    assert machine.calls()[0] == "python3.13 -m venv --clear .venv"


def test_an_old_python_is_passed_over(machine: Machine) -> None:
    machine.has("python3.13", OLD_PYTHON)
    machine.set_up()
    assert machine.calls()[0].startswith("python3.11 -m venv")


def test_the_second_start_installs_nothing(machine: Machine) -> None:
    assert machine.set_up().returncode == 0
    assert machine.installed()
    again = machine.set_up()
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    assert machine.calls() == []


def test_make_run_starts_the_app_and_make_test_runs_the_tests(machine: Machine) -> None:
    make = str(shutil.which("make"))
    machine.run(make, "test")
    assert machine.calls()[-1] == "-m pytest"
    machine.run(make, "run")
    assert machine.calls() == ["-m memapp models get --default --yes", "-m memapp"]


def test_make_run_starts_the_app_without_the_model_too(machine: Machine) -> None:
    machine.set_up()
    machine.calls()
    (machine.project / "pip-fails").touch()
    machine.run(str(shutil.which("make")), "run")
    assert machine.calls() == ["-m memapp models get --default --yes", "-m memapp"]


def test_the_tests_bring_their_own_tools(machine: Machine) -> None:
    machine.set_up()
    assert machine.installed()[-1] == "."
    machine.set_up("dev")
    assert machine.installed()[-1] == ".[dev]"
    machine.set_up()
    assert machine.installed() == []


def test_a_changed_requirement_is_installed_and_the_tools_stay(machine: Machine) -> None:
    machine.set_up("dev")
    machine.calls()
    with (machine.project / "pyproject.toml").open("a") as file:
        file.write("# another dependency\n")
    machine.set_up()
    assert machine.installed()[-1] == ".[dev]"


def test_a_moved_folder_is_installed_again(machine: Machine) -> None:
    machine.set_up()
    machine.calls()
    machine.project = machine.project.rename(machine.project.with_name("moved"))
    machine.set_up()
    assert machine.installed()[-1] == "."


def test_an_environment_whose_python_is_gone_is_made_anew(machine: Machine) -> None:
    machine.set_up()
    machine.calls()
    (machine.project / ".venv/bin/python").unlink()
    machine.set_up()
    assert machine.calls()[0].startswith("python3.11 -m venv --clear")


def test_linux_gets_the_cpu_build_of_torch_before_anything_else(machine: Machine) -> None:
    machine.set_up()
    assert "--index-url https://download.pytorch.org/whl/cpu" in machine.calls()[1]
    machine.set_up("dev")
    assert machine.installed()[0].endswith("+cpu")


def test_a_mac_gets_torch_as_it_is(machine: Machine) -> None:
    machine.has("uname", "#!/bin/sh\necho Darwin\n")
    machine.set_up()
    assert machine.installed() == ["."]


def test_a_failed_installation_is_told_and_tried_again(machine: Machine) -> None:
    (machine.project / "pip-fails").touch()
    assert "see the lines above" in only_sentence(machine.set_up())
    (machine.project / "pip-fails").unlink()
    machine.calls()
    assert machine.set_up().returncode == 0
    assert machine.installed()[-1] == "."


def test_a_disk_that_filled_up_while_installing_is_told(machine: Machine) -> None:
    (machine.project / "pip-fails").touch()
    machine.set_up()
    with_a_full_disk(machine)
    machine.calls()
    assert "3 GB of disk space and 512 MB are free" in only_sentence(machine.set_up())
    assert machine.calls() == []


def test_an_installation_that_is_nearly_done_needs_less_room(machine: Machine) -> None:
    (machine.project / "pip-fails").touch()
    machine.set_up()
    with_a_full_disk(machine)
    machine.has("du", "#!/bin/sh\necho 2600000 .venv\n")
    (machine.project / "pip-fails").unlink()
    assert machine.set_up().returncode == 0


def test_a_failed_installation_on_a_mac_is_told_too(machine: Machine) -> None:
    machine.has("uname", "#!/bin/sh\necho Darwin\n")
    (machine.project / "pip-fails").touch()
    done = machine.set_up()
    assert done.returncode == 1
    assert done.stderr.startswith("memapp: The installation stopped")
