"""The event loop draws and takes keys; the file is read and written on other threads."""

import threading
import traceback

import pytest

from memapp.services import curate
from memapp.store.database import Database
from tests.builders import word_list
from tests.ui.conftest import Seen

WALK = (
    *("f3", "j", "enter", "tab", "escape", "slash", "p", "escape", "space", "d", "u"),
    *word_list("f5 j r f4 j tab f7 tab f2 h i enter ctrl+f p escape ctrl+t"),
)


@pytest.fixture
def on_the_loop(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The places that ask for a connection on the thread of the test, which is the loop's."""
    asked: list[str] = []
    loop = threading.get_ident()

    for name in ("read", "write"):

        def seen(self: Database, *, real: object = getattr(Database, name)) -> object:
            if threading.get_ident() == loop:
                asked.append("".join(traceback.format_stack(limit=6)))
            return real(self)  # type: ignore[operator]

        monkeypatch.setattr(Database, name, seen)
    return asked


@pytest.mark.slow
async def test_no_key_asks_the_file_on_the_event_loop(seen: Seen, on_the_loop: list[str]) -> None:
    curate.add(seen.runtime, "User has a plan.")
    curate.add(seen.runtime, "User plays the piano.")
    assert on_the_loop, "a control: the test itself asks there"
    on_the_loop.clear()
    for key in WALK:
        await seen.pilot.press(key)
    await seen.settle()
    assert on_the_loop == []
