"""The entry of the program: `memapp` and `python -m memapp`."""

import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn


def main() -> None:
    """Run the command line, with the network switches of all libraries off.

    `memapp run` goes first: its command gets signals, umask and environment unchanged. So does the
    hook, since an agent waits for it.
    """
    from memapp.run import arguments

    if command_line := arguments.read_run(sys.argv[1:]):
        from memapp.run import command

        sys.exit(command.main(command_line))
    if "hook" in sys.argv:
        options = arguments.read_hook(sys.argv[1:])
        if options is not None:
            from memapp.run import hook

            gc.disable()  # an agent waits, and the process ends in a moment
            _end(hook.main(options))
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
    for number in {hang_up, signal.SIGTERM}:  # otherwise memapp ends uncleanly
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    from memapp.cli import run

    sys.exit(run(sys.argv[1:]))


def _fill_streams() -> None:
    """Open the null device for closed standard streams, whose numbers files would get instead."""
    while (number := os.open(os.devnull, os.O_RDWR)) < 3:
        setattr(
            sys, ("stdin", "stdout", "stderr")[number], os.fdopen(number, "w" if number else "r")
        )
    os.close(number)


def _end(code: int) -> NoReturn:
    """Exit at once; a tidy exit takes as long as a start."""
    with suppress(AttributeError, OSError, ValueError):  # the stream is closed
        sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
