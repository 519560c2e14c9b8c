"""Work that nobody waits for is done all the same: one after the other, each in a process of its
own.
"""

import os
from functools import partial
from pathlib import Path

from memapp.run import background
from tests.builders import until


def test_it_is_done_in_its_order_while_the_caller_goes_on(tmp_path: Path) -> None:
    done, begin = tmp_path / "done", tmp_path / "begin"

    def add(number: int) -> None:
        until(begin.exists)
        with done.open("a") as file:
            file.write(f"{number} {os.getpid()}\n")

    background.do(tmp_path / "cache", partial(add, 0))
    assert not done.exists()
    begin.touch()
    background.do(tmp_path / "cache", partial(add, 1))
    background.wait(tmp_path / "cache")
    numbers, processes = zip(*(line.split() for line in done.read_text().splitlines()), strict=True)
    assert numbers == ("0", "1") and len({*processes, str(os.getpid())}) == 3


def test_nothing_is_waited_for_where_nothing_is_to_be_done(tmp_path: Path) -> None:
    background.wait(tmp_path)
    assert not list(tmp_path.iterdir())
