"""How much of a long reply is spent computing it, and how much on everything around that?

One reply of 512 tokens from the bundled model, read as the app reads it: on another thread, piece by piece. The share is the
time inside `llama_decode` of the reply's tokens, of the time from its first token to its last. Repeats are interleaved: greedy,
and sampled with a repeat penalty as in a chat.

python -m benchmarks.engine [--small]
"""

import argparse
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from benchmarks import MISSED
from memapp.domain.prompt import Finished, Prompt, PromptTurn, Sampling
from memapp.inference import Cancel
from memapp.inference.bundled import bundled_model_path
from memapp.inference.llama import LlamaModel
from memapp.inference.native import Context
from memapp.inference.quantise import prepare

TOKENS = 512
REPEATS = 5
SHARE_GOAL = 0.97
PROMPT = Prompt("You are a storyteller.", (PromptTurn("user", "Tell me a very long story about a ship and its crew."),))
KINDS = {
    "greedy": Sampling(max_tokens=TOKENS),
    "sampled": Sampling(max_tokens=TOKENS, temperature=0.7, repeat_penalty=1.1),
}


class Stopwatch:
    """Adds up the time that a context computes single tokens."""

    def __init__(self, context: Context) -> None:
        self.seconds = 0.0
        self.steps = 0
        self._decode = context.lib.llama_decode
        context.lib.llama_decode = self.decode

    def decode(self, handle: object, batch: object) -> int:
        started = time.perf_counter()
        status = int(self._decode(handle, batch))
        if batch.n_tokens == 1:  # type: ignore[attr-defined]
            self.seconds += time.perf_counter() - started
            self.steps += 1
        return status


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="one short reply of each kind")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        model = LlamaModel(prepare(bundled_model_path(), Path(cache), lambda _: None))
        with closing(model):
            shares = measure(model, 1 if options.small else REPEATS)
    print(f"{'reply':10}{'tokens/s':>10}{'share of time computing':>26}{'lowest':>9}{'highest':>9}")
    for kind, rows in shares.items():
        speed, share = (statistics.median(column) for column in zip(*rows, strict=True))
        print(f"{kind:10}{speed:10.1f}{share:26.3f}{min(row[1] for row in rows):9.3f}{max(row[1] for row in rows):9.3f}")
    failed = [kind for kind, rows in shares.items() if statistics.median(row[1] for row in rows) < SHARE_GOAL]
    for kind in failed:
        print(f"MISSED: less than {SHARE_GOAL} of a {kind} reply is spent computing")
    return MISSED if failed else 0


def measure(model: LlamaModel, repeats: int) -> dict[str, list[tuple[float, float]]]:
    """Return tokens per second and the share of computing, for each repeat of each kind."""
    rows: dict[str, list[tuple[float, float]]] = {kind: [] for kind in KINDS}
    watch = Stopwatch(model._context)
    for _ in range(repeats):
        for kind, sampling in KINDS.items():
            watch.seconds, watch.steps = 0.0, 0
            *_, finished = model.generate(PROMPT, sampling, Cancel())
            assert isinstance(finished, Finished)
            seconds = finished.usage.seconds - finished.usage.first_token_seconds
            rows[kind].append((watch.steps / seconds, watch.seconds / seconds))
    return rows


if __name__ == "__main__":
    sys.exit(main())
