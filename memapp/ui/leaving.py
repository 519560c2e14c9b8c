"""Leaving when the system asks: the terminal was closed, or the machine is shut down."""

import asyncio
import os
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memapp.ui.app import MemappApp


def heed_signals(app: "MemappApp") -> None:
    """Let SIGHUP and SIGTERM end the app as its own key does, with everything kept."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGHUP, signal.SIGTERM):
        loop.add_signal_handler(number, _leave, app, number)


def _leave(app: "MemappApp", number: signal.Signals) -> None:
    if number is signal.SIGHUP:
        nowhere = os.open(os.devnull, os.O_WRONLY)  # writing to a terminal that is gone would fail, and could wait for ever
        for stream in (1, 2):
            os.dup2(nowhere, stream)
    app.leave(128 + number)
