"""The speed of each local model, and the cost of a process of its own.

For the bundled model, the default one where it is here, and each `--model`: prompt tokens and
generated tokens a second in this process, and in a child process as the app runs it, in turn in one
run. Timed as the app reads a reply: from the call to its first word, from there to its last, and
how long a cancelled prefill takes to end. Each prompt begins with another number, so that nothing
of it is reused.

python -m benchmarks.engine [--small] [--model FILE ...]
"""

import argparse
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from benchmarks import MISSED
from memapp import paths
from memapp.domain.prompt import Finished, Piece, Prompt, PromptTurn, Sampling
from memapp.inference import Cancel, ChatModel
from memapp.inference.bundled import bundled_model_path
from memapp.inference.child_model import ChildModel
from memapp.inference.llama import LlamaModel
from memapp.inference.quantise import prepare
from memapp.services.models import default_model_file

REPEATS, SMALL_REPEATS = 9, 3
PROMPT_WORDS = 200
REPLY = Sampling(max_tokens=64, temperature=0.7, grammar="root ::= [a-zA-Z ,.]{2000}")
"""A reply that goes on as long as it may, whatever the model."""
FIRST_LIMIT, SPEED_FLOOR, CANCEL_MS = 1.03, 0.97, 5.0


@dataclass
class Timings:
    """What was measured of a model in one place, one entry for each repeat."""

    prompt_speed: list[float] = field(default_factory=list)
    """Prompt tokens a second."""
    first: list[float] = field(default_factory=list)
    """Seconds to the first word."""
    speed: list[float] = field(default_factory=list)
    """Generated tokens a second."""
    cancel_ms: list[float] = field(default_factory=list)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--data", help="not used")
    parser.add_argument("--model", type=Path, action="append", default=[], help="another GGUF file")
    options = parser.parse_args()
    missed = False
    print(
        f"{'model':34}{'prompt/s':>10}{'tokens/s':>10}{'first x':>9}{'speed x':>9}{'cancel ms':>11}"
    )
    files = [bundled_model_path(), default_model_file(paths.locate()), *options.model]
    for file in filter(None, files):
        missed |= report(file, *measure(file, SMALL_REPEATS if options.small else REPEATS))
    print(f"{'goal':34}{'':20}{FIRST_LIMIT:9.2f}{SPEED_FLOOR:9.2f}{CANCEL_MS:11.1f}")
    return MISSED if missed else 0


def measure(file: Path, repeats: int) -> tuple[Timings, Timings]:
    """Return the timings of a model in this process, and in a child."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        cache = Path(folder)
        here = opened.enter_context(closing(LlamaModel(prepare(file, cache, lambda _: None))))
        child = opened.enter_context(closing(ChildModel(file, cache)))
        timings, numbers = (Timings(), Timings()), count()
        for repeat in range(repeats + 1):
            for model, timed in zip((here, child), timings, strict=True):
                time_reply(
                    model, next(numbers), timed if repeat else Timings()
                )  # the first is for warming up
                time_cancel(model, next(numbers), timed if repeat else Timings())
    return timings


def time_reply(model: ChatModel, number: int, timed: Timings) -> None:
    begun = time.perf_counter()
    first, finished = None, None
    for part in model.generate(prompt(number), REPLY, Cancel()):
        if isinstance(part, Piece):
            first = first or time.perf_counter()
        else:
            finished = part
    ended = time.perf_counter()
    assert first and isinstance(finished, Finished)
    timed.first.append(first - begun)
    timed.prompt_speed.append(finished.usage.prefill_tokens / (first - begun))
    timed.speed.append((finished.usage.decode_tokens - 1) / (ended - first))


def time_cancel(model: ChatModel, number: int, timed: Timings) -> None:
    """Cancel a call in the middle of its prompt."""
    cancel, moment = Cancel(), 0.0

    def stop() -> None:
        nonlocal moment
        moment = time.perf_counter()
        cancel.set()

    timer = threading.Timer(timed.first[-1] / 2 if timed.first else 0.05, stop)
    timer.start()
    for _ in model.generate(prompt(number), REPLY, cancel):
        pass
    timed.cancel_ms.append((time.perf_counter() - moment) * 1000)
    timer.join()


def prompt(number: int) -> Prompt:
    words = " ".join(words_from(number))
    return Prompt(
        f"Case {number}.",
        (PromptTurn("user", f"Tell a very long story with these words: {words}."),),
    )


def words_from(number: int) -> Iterator[str]:
    ship = ("ship", "crew", "storm", "rope", "harbour", "salt", "lantern", "map")
    return (ship[(number * 31 + at * at) % len(ship)] for at in range(PROMPT_WORDS))


def report(file: Path, here: Timings, child: Timings) -> bool:
    """Print the speed and the cost of a model in a child; return True if a bound was missed."""
    first = statistics.median(
        there / near for there, near in zip(child.first, here.first, strict=True)
    )
    speed = statistics.median(
        there / near for there, near in zip(child.speed, here.speed, strict=True)
    )
    cancelled = statistics.median(child.cancel_ms)
    missed = first > FIRST_LIMIT or speed < SPEED_FLOOR or cancelled > CANCEL_MS
    absolute = (
        f"{statistics.median(child.prompt_speed):10.1f}{statistics.median(child.speed):10.1f}"
    )
    print(
        f"{file.stem[:33]:34}{absolute}{first:9.3f}{speed:9.3f}{cancelled:11.1f}"
        f"{'  MISSED' if missed else ''}"
    )
    return missed


if __name__ == "__main__":
    sys.exit(main())
