"""The entry of the program: `memapp` and `python -m memapp`."""

import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn


def main() -> None:
    """Run the command line, with the network switches of every library off before anything is
    imported.

    A command under `memapp run` goes first: it gets signals, umask and environment as they are. So
    does what waits for an agent.
    """
    from memapp import light_run

    wanted = light_run.read(sys.argv[1:])
    if wanted:
        sys.exit(light_run.main(wanted))
    if "hook" in sys.argv:
        from memapp import light_hook

        options = light_hook.read(sys.argv[1:])
        if options is not None:
            gc.disable()  # an agent waits, and all of this is gone in a moment
            _end(light_hook.main(options))
    _fill_streams()
    import signal

    for name in (
        "HF_HUB_OFFLINE",
        "TRANSFORMERS_OFFLINE",
        "HF_HUB_DISABLE_TELEMETRY",
        "HF_DATASETS_OFFLINE",
    ):
        os.environ[name] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.umask(0o077)
    hang_up = getattr(signal, "SIGHUP", signal.SIGTERM)  # Windows has none
    for number in {hang_up, signal.SIGTERM}:  # else nothing is put in order on the way out
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    from memapp.cli import run

    sys.exit(run(sys.argv[1:]))


def _fill_streams() -> None:
    """Put nothing in the place of standard streams that are closed, lest a file that is opened next
    gets their number.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) < 3:
        setattr(
            sys, ("stdin", "stdout", "stderr")[number], os.fdopen(number, "w" if number else "r")
        )
    os.close(number)


def _end(code: int) -> NoReturn:
    """End at once: nothing is left to be put in order, and to take a process down tidily takes as
    long as to start one.
    """
    with suppress(AttributeError, OSError, ValueError):  # there is none, or nobody reads it
        sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
