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
from typing import Any

from benchmarks import MADE_UP
from memapp.language.english.memory_request import read_request

SAME = {"mend": "wrong", "allow": "remember"}
"""Kinds that are told apart by more than their kind: a wrong with what is right, a remember that says yes."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print what was read otherwise than meant")
    parser.add_argument("--set", default="held", help="which file of made_up/requests")
    options = parser.parse_args()
    rows = [json.loads(line) for line in (MADE_UP / "requests" / f"{options.set}.jsonl").open(encoding="utf-8")]
    counts: Counter[str] = Counter()
    for row in rows:
        said = outcome(row)
        counts[said] += 1
        if options.show and said != "right":
            print(f"{said:12} {row['i']:9} {row['t']}")
    wanted = sum(row["i"] != "none" for row in rows)
    print(f"requests {wanted}: right {counts['right']}, other content {counts['content']}, ", end="")
    print(f"other kind {counts['kind']}, not read {counts['missed']}")
    print(f"look-alikes {len(rows) - wanted}: taken for a request {counts['false']}")
    return 0


def outcome(row: dict[str, Any]) -> str:
    found = read_request(row["t"])
    if row["i"] == "none":
        return "false" if found else "none"
    if found is None:
        return "missed"
    if found.kind != SAME.get(row["i"], row["i"]):
        return "kind"
    return "right" if _bare(found.content) == _bare(row["c"]) else "content"


def _bare(text: str) -> str:
    return text.strip(" .,!?:;-").casefold()


if __name__ == "__main__":
    sys.exit(main())
