"""A panel more is a screen of its own, a line among the modes, and style if it has any: keys and
palette know it then.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memapp import paths

SCREEN = '''"""Notes: a panel that a test adds."""

from textual.app import ComposeResult
from textual.widgets import Static

from memapp.ui.screens.mode import ModeScreen


class NotesScreen(ModeScreen):
    """One line."""

    MODE = "notes"

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield Static("Here are notes.", id="notes", markup=False)

    def look_again(self) -> None:
        self.query_one("#notes", Static).update("Here are the notes.")
'''
STYLE = "#notes { height: 3; padding: 1 2; }\n"
LINE = '    Mode("notes", "Notes", "F10", "What a test noted", "NotesScreen"),\n'
USED = """
import asyncio, sys
from pathlib import Path
from tests.ui.conftest import World

async def use():
    async with World(Path(sys.argv[1])).app() as seen:
        await seen.ready()
        await seen.press("f10")
        height = seen.app.screen.query_one("#notes").outer_size.height
        print("by key:", seen.app.current_mode, "Here are the notes." in seen.text(), height)
        await seen.press("f2", "ctrl+p", *"noted", until="What a test noted (F10)")
        await seen.settle()  # the list is made anew for each letter
        await seen.pilot.press("enter")
        await seen.settle(seen.in_mode("notes"))
        print("by the palette:", seen.app.current_mode, "[Notes]" in seen.text())

asyncio.run(use())
"""


@pytest.mark.slow
def test_a_panel_more_is_added_in_three_places(tmp_path: Path) -> None:
    checkout = Path(paths.__file__).parent.parent
    for name in (
        "memapp",
        "assets",
        "migrations",
        "models",
    ):  # with the byte code, so that nothing is compiled again
        shutil.copytree(checkout / name, tmp_path / name)
    modes = tmp_path / "memapp/ui/modes.py"
    before = modes.read_text("utf-8")
    added = {
        tmp_path / "memapp/ui/screens/notes.py": SCREEN,
        tmp_path / "assets/notes.tcss": STYLE,
        modes: before.replace('    Mode("models"', LINE + '    Mode("models"'),
    }
    for place, text in added.items():
        place.write_text(text, "utf-8")
    assert len(added) <= 3 and added[modes] != before
    (tmp_path / "tests").symlink_to(checkout / "tests")
    command = [sys.executable, "-c", USED, str(tmp_path / "home")]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines() == ["by key: notes True 3", "by the palette: notes True"], (
        done.stderr
    )
