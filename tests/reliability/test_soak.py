"""Hundreds of turns, cancelled and left now and then, cost no more memory, files or log in the end
than in the beginning.
"""

import subprocess
import sys

import pytest

from tests.reliability.killed_processes import usually

TURNS = usually(150, thorough=10_000)


@pytest.mark.slow
def test_a_long_sitting_holds_every_bound_of_the_benchmark() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.soak", "--turns", str(TURNS)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
