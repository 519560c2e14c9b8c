"""The entry of the program: `memapp` and `python -m memapp`."""

import os
import signal
import sys


def main() -> None:
    """Run the command line, with the network switches of every library off before anything is imported."""
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY", "HF_DATASETS_OFFLINE"):
        os.environ[name] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.umask(0o077)
    for number in (signal.SIGHUP, signal.SIGTERM):  # else nothing is put in order on the way out
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    from memapp.cli import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
