"""A child process for native code, so that a crash there harms neither the app nor the data.

Both sides send frames of bytes, each with its length in front, over one socket. The child is
killed, not asked, since it keeps nothing that could be lost; and it ends by itself when the socket
closes, however its parent ended.
"""

import math
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection

LOADING = 0
"""The call number for loading a chat model."""
SEND_SECONDS = 60.0
"""How long sending waits for a child that does not read."""


class Child:
    """One run of a child process.

    One thread may send while another receives; `kill` may be called by any.
    """

    def __init__(
        self,
        program: Sequence[str],
        arguments: Sequence[str] = (),
        *,
        send_seconds: float = SEND_SECONDS,
    ) -> None:
        """Start a Python program: a path, or `-c` and code.

        The program gets the number of its end of the socket, then the arguments. Raises `OSError`.
        """
        ours, theirs = socket.socketpair()
        ours.setsockopt(
            socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", math.ceil(send_seconds), 0)
        )
        # Not multiprocessing: its spawn runs the parent's __main__ again (memapp's command line, or
        # pytest), and its resource tracker is one more process. -P keeps our own modules from
        # hiding others. With a session of its own, the terminal's signals (ctrl+c, hang-up) reach
        # the parent alone, which may still have something to save.
        self._process = subprocess.Popen(
            [sys.executable, "-P", *program, str(theirs.fileno()), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        self.pipe = Connection(ours.detach())

    @property
    def pid(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        """End the process, while other threads may wait for its answer."""
        self._process.kill()

    def end(self) -> str:
        """End the process, wait until it is gone, and return how it ended: "SIGSEGV", "exit 1"."""
        self._process.kill()
        code = self._process.wait()
        self.pipe.close()
        return signal.Signals(-code).name if code < 0 else f"exit {code}"
