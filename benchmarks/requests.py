"""How many requests to the memory are read rightly, and what else is taken for one?

`made_up/requests/held.jsonl` holds requests as different people would type them, and messages that only sound like one. What is
asked for (`i`) is right where it is the same kind, and whole where what it is about (`c`) is the same too. No reader of requests
was written with these in sight.

python -m benchmarks.requests [--show]
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import MADE_UP, bundled_embedder
from memapp.domain.memory_request import MemoryRequest
from memapp.language.english.memory_request import by_likeness, read_request

SAME = {"mend": "wrong", "allow": "remember"}
"""Kinds that are told apart by more than their kind: a wrong with what is right, a remember that says yes."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print what was read otherwise than meant")
    parser.add_argument("--set", default="held", help="which file of made_up/requests")
    options = parser.parse_args()
    rows = [json.loads(line) for line in (MADE_UP / "requests" / f"{options.set}.jsonl").open(encoding="utf-8")]
    embedder = bundled_embedder()
    try:
        vectors = embedder.embed([row["t"] for row in rows])
    finally:
        embedder.close()
    for by in ("wording alone", "wording and likeness"):
        print(by)
        measure(rows, None if by == "wording alone" else vectors, show=options.show and by != "wording alone")
    return 0


def measure(rows: Sequence[dict[str, Any]], vectors: NDArray[np.float32] | None, *, show: bool) -> None:
    counts: Counter[str] = Counter()
    for at, row in enumerate(rows):
        found = read_request(row["t"])
        said = outcome(row, found if found or vectors is None else by_likeness(row["t"], vectors[at]))
        counts[said] += 1
        if show and said not in ("right", "none"):
            print(f"{said:12} {row['i']:9} {row['t']}")
    wanted = sum(row["i"] != "none" for row in rows)
    print(f"  requests {wanted}: right {counts['right']}, other content {counts['content']}, ", end="")
    print(f"other kind {counts['kind']}, not read {counts['missed']}")
    print(f"  look-alikes {len(rows) - wanted}: taken for a request {counts['false']}")


def outcome(row: dict[str, Any], found: MemoryRequest | None) -> str:
    if row["i"] == "none":
        return "false" if found else "none"
    if found is None:
        return "missed"
    if not alike(found.kind, row["i"], row["c"]):
        return "kind"
    return "right" if bare(found.content) == bare(row["c"]) else "content"


def alike(kind: str, wanted: str, about: str) -> bool:
    """Say whether a kind does what is wanted: what was said last is withdrawn by any word for it."""
    kind, wanted = SAME.get(kind, kind), SAME.get(wanted, wanted)
    return kind == wanted or (not about and {kind, wanted} == {"forget", "off"})


def bare(text: str) -> str:
    return text.strip(" .,!?:;-()").casefold().removeprefix("that ")


if __name__ == "__main__":
    sys.exit(main())
