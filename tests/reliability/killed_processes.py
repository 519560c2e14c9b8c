"""Processes to be killed, forked because a new Python takes fifty times longer."""

import multiprocessing
import os
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from typing import Any

from tests.builders import word_list

_TESTS = tuple(
    word_list(
        "kill kill_changes kill_each_change kill_jobs kill_migration kill_transfer "
        "kill_turn processes"
    )
)
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    ["memapp.bootstrap", *(f"tests.reliability.test_{name}" for name in _TESTS)]
)


def begun(work: Callable[..., object], *arguments: Any) -> BaseProcess:
    """Start a process for some work, and return the process."""
    process = CONTEXT.Process(target=work, args=arguments)
    process.start()
    return process


def usually(few: int, *, thorough: int) -> int:
    """Return how often to try what happens by chance: seldom, or as often as was measured once,
    with THOROUGH=1.
    """
    return thorough if os.environ.get("THOROUGH") else few
