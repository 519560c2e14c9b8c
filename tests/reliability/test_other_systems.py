"""Where modules of Linux and macOS are missing, as on Windows, memapp starts and remembers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

WITHOUT = """
import asyncio, importlib, os, signal, sys
import click, mcp.server, numpy, psutil, pydantic, textual.app, textual.widgets  # may need these

MISSING = {"fcntl", "termios", "pty", "tty", "resource"}

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in MISSING:
            raise ModuleNotFoundError(name)

for name in MISSING:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Missing())
for name in ("SIGHUP", "SIGWINCH", "SIGTSTP", "SIGCONT", "SIGSTOP"):
    delattr(signal, name)
"""
EVERY_MODULE = """
from pathlib import Path
for file in sorted(Path("memapp").rglob("*.py")):
    name = ".".join(file.with_suffix("").parts).removesuffix(".__init__")
    if name != "memapp.ui.terminal":  # imported where Textual takes its driver for Linux
        importlib.import_module(name)
"""
COMMANDS = """
from memapp.cli import run
for command in (["add", "I keep bees."], ["search", "bees"], ["config"], ["undo"], ["list"]):
    assert run(["--home", sys.argv[1], *command]) == 0, command
"""
WINDOW = """
from pathlib import Path
from memapp import bootstrap
from memapp.ui.app import MemappApp
home = Path(sys.argv[1])

async def look():
    app = MemappApp(lambda: bootstrap.start(home=home), home / "log")
    async with app.run_test() as pilot:
        for _ in range(400):
            await pilot.pause(0.05)
            if app.is_open:
                break
        assert app.is_open
        await pilot.press("ctrl+q")

asyncio.run(look())
"""


@pytest.mark.slow
def test_everything_is_imported_commands_run_and_the_window_opens(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT + COMMANDS + EVERY_MODULE + WINDOW, str(tmp_path / "home")],
        cwd=root,
        env={
            **os.environ,
            "PYTHONPATH": str(root),
            "TEXTUAL_DRIVER": "textual.drivers.headless_driver:HeadlessDriver",
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
