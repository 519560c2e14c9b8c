"""Markers of open failures: who looks always sees a whole one."""

import time
from multiprocessing import get_context
from pathlib import Path

from memapp.tools.markers import is_open, mark


def _mark_for(home: dict[str, str], seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        mark(home, "/kiln", ["sh"], [])


def test_a_failure_is_open_while_another_process_marks_it_again(tmp_path: Path) -> None:
    home = {"home": str(tmp_path)}
    mark(home, "/kiln", ["sh"], [])
    other = get_context("spawn").Process(target=_mark_for, args=(home, 1.0))
    other.start()
    looked = []
    while other.is_alive():
        looked.append(is_open("sh", home, "/kiln"))
    other.join()
    assert len(looked) > 100 and all(looked)
    assert len(list((tmp_path / "cache" / "open").iterdir())) == 1, "nothing else is left beside it"
