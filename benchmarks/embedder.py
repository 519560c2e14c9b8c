"""What does the bundled embedding model cost in llama.cpp, next to the same model in
sentence-transformers?

Both run in processes of their own as in the app. First each is asked for one vector, which it gives
when it has loaded: until then processor time counts. Then both embed in turns, one text at a time
and many, and at the end their memory counts. The form for llama.cpp is there already; how long
making it takes is printed beside.

python -m benchmarks.embedder [--small]
"""

import argparse
import statistics
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

from benchmarks import MISSED
from memapp import paths
from memapp.inference.bundled import bundled_embedder_path
from memapp.inference.embedder import ChildEmbedder, Source, bundled, in_folder

ROUNDS = 10
"""How often each text is embedded alone."""


class Cost(NamedTuple):
    cpu: float
    """Processor seconds of both processes until the first vector."""
    memory: float
    """Megabytes that the process holds at the end."""
    one_cpu: float
    """Processor milliseconds of its process for one text, the mean of all that are said in the
    sample chats.
    """
    one: float
    """Milliseconds that one of these texts is waited for, their median."""
    many: float
    """Milliseconds for each of many texts at once, long ones among them."""


BOUNDS = Cost(cpu=0.1, memory=0.3, one_cpu=0.5, one=0.5, many=1.0)
"""At most so many times what sentence-transformers takes."""
LEAST_COSINE = 0.9999


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--small", action="store_true", help="one run instead of five")
    parser.add_argument("--data", help="not used")
    runs = 1 if parser.parse_args().small else 5
    said = said_in_the_samples()
    texts = [*said, *(" ".join(said[:count]) for count in range(2, 12))]
    with tempfile.TemporaryDirectory() as cache:
        embedder, _, making = load(bundled(Path(cache)))
        embedder.close()
        measured = [
            measure((in_folder(bundled_embedder_path()), bundled(Path(cache))), said, texts)
            for _ in range(runs)
        ]
    theirs, ours = (
        Cost(*map(statistics.median, zip(*costs, strict=True)))
        for costs in list(zip(*measured, strict=True))[:2]
    )
    ratios = Cost(*(our / their for our, their in zip(ours, theirs, strict=True)))
    lowest = min(cosine for *_, cosine in measured)
    heads = ("ready, CPU s", "memory, MB", "one, CPU ms", "one text, ms", "of many, ms")
    print(f"{f'medians of {runs}':24}" + "".join(f"{head:>14}" for head in heads))
    for name, cost in (
        ("sentence-transformers", theirs),
        ("llama.cpp", ours),
        ("ratio", ratios),
        ("at most", BOUNDS),
    ):
        print(f"{name:24}" + "".join(f"{value:14.3f}" for value in cost))
    print(f"lowest cosine of {len(texts)} texts (at least {LEAST_COSINE}): {lowest:.6f}")
    print(f"ready the first time, with the conversion: {making:.3f} CPU s")
    missed = lowest < LEAST_COSINE or any(
        ratio > bound for ratio, bound in zip(ratios, BOUNDS, strict=True)
    )
    print("MISSED" if missed else "ok")
    return MISSED if missed else 0


def measure(
    sources: Sequence[Source], said: Sequence[str], texts: Sequence[str]
) -> tuple[Cost, Cost, float]:
    """Return what one life of each costs, and the lowest cosine of a text's two vectors."""
    loaded = [load(source) for source in sources]
    embedders = [embedder for embedder, _, _ in loaded]
    begun = [processor_seconds(child) for _, child, _ in loaded]
    one = [
        [seconds(embedder, [text]) for embedder in embedders]
        for _ in range(ROUNDS)
        for text in said
    ]
    one_cpu = [
        (processor_seconds(child) - begun[at]) / len(one) for at, (_, child, _) in enumerate(loaded)
    ]
    many = [
        [seconds(embedder, texts) / len(texts) for embedder in embedders] for _ in range(ROUNDS)
    ]
    theirs, ours = (embedder.embed(texts) for embedder in embedders)
    waited = [
        [1000 * statistics.median(times[at] for times in all_) for all_ in (one, many)]
        for at in range(len(loaded))
    ]
    costs = [
        Cost(cpu, child.memory_info().rss / 1e6, 1000 * one_cpu[at], *waited[at])
        for at, (_, child, cpu) in enumerate(loaded)
    ]
    for embedder in embedders:
        embedder.close()
    return costs[0], costs[1], float((theirs * ours).sum(axis=1).min())


def load(source: Source) -> tuple[ChildEmbedder, psutil.Process, float]:
    """Return the embedder when it has given a vector, its process, and the processor seconds of
    both processes until then.
    """
    before, begun = set(psutil.Process().children()), time.process_time()
    embedder = ChildEmbedder(source)
    embedder.embed(["ready"])
    (child,) = set(psutil.Process().children()) - before
    return embedder, child, processor_seconds(child) + time.process_time() - begun


def processor_seconds(process: psutil.Process) -> float:
    spent = process.cpu_times()
    return spent.user + spent.system


def seconds(embedder: ChildEmbedder, texts: Sequence[str]) -> float:
    begun = time.perf_counter()
    embedder.embed(texts)
    return time.perf_counter() - begun


def said_in_the_samples() -> list[str]:
    """Return the messages and facts of the sample chats."""
    chats = tomllib.loads(paths.bundled("assets", "samples.toml").read_text("utf-8"))["chat"]
    return [
        text
        for chat in chats
        for text in (*chat["messages"], *(fact["text"] for fact in chat["kept"]))
    ]


if __name__ == "__main__":
    sys.exit(main())
