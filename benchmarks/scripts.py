"""Search for words in their sentences, in scripts with and without spaces between words.

`made_up/scripts.json` has 60 words in eight scripts, each in one of 300 facts in all, and words
that no fact holds. The facts are stored as memories, and as messages of a chat; each word is typed
into the search by words and meaning (`memory`, `message`) and into find anything, which people see
while they type (`typed`). `first hit` counts the words whose sentence is found first. `same` counts
the pairs of unknown words for which something is found, and the same in the same order.

python -m benchmarks.scripts [--small] [--data ../shared/data]
"""

import argparse
import itertools
import json
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks import MADE_UP, MISSED, bundled_embedder
from memapp import bootstrap
from memapp.domain.chat import Origin, Role
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services import chats, curate, global_search
from memapp.services.embed import embed
from memapp.services.recall import RecallRequest, recall
from memapp.store import chat

FIRST_HIT = 0.95
WAYS = ("memory", "message", "typed")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--small", action="store_true", help="by words only, without the embedding model"
    )
    parser.add_argument("--data", help="not read: the words are in the repository")
    options = parser.parse_args()
    scripts = json.loads((MADE_UP / "scripts.json").read_text("utf-8"))
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(bootstrap.start(home=Path(folder))) as runtime,
    ):
        store(runtime, [text for script in scripts.values() for text in facts_of(script)])
        if options.small:
            return report(runtime, scripts)
        with closing(bundled_embedder()) as embedder:
            runtime.embedding.fill(embedder)
            embed(runtime, Cancel())
            return report(runtime, scripts)


def facts_of(script: dict[str, Any]) -> list[str]:
    """Return the facts of a script: one for each word that is asked for, and one of each kind for
    each of the others.
    """
    asked = [
        frame.format(word)
        for frame, word in zip(itertools.cycle(script["frames"]), script["asked"], strict=False)
    ]
    return asked + [frame.format(word) for frame in script["frames"] for word in script["others"]]


def store(runtime: Runtime, facts: list[str]) -> None:
    thread = chats.new_thread(runtime).id
    for text in facts:
        curate.add(runtime, text)
        with runtime.write() as session:
            chat.add_message(session, thread, Role.USER, text, session.now, origin=Origin.TYPED)


def found(runtime: Runtime, way: str, word: str) -> list[str]:
    if way == "typed":
        return [hit.snippet for hit in global_search.find(runtime, word, kinds=("memory",))]
    return [hit.text for hit in recall(runtime, RecallRequest(word, kinds=(way,)))]  # type: ignore[arg-type]


def report(runtime: Runtime, scripts: dict[str, Any]) -> int:
    print(f"{'first hit':12}" + "".join(f"{way:>10}" for way in WAYS))
    right = dict.fromkeys(WAYS, 0)
    for name, script in scripts.items():
        of_script = {
            way: sum(is_first(runtime, way, word) for word in script["asked"]) for way in WAYS
        }
        print(
            f"{name:12}"
            + "".join(f"{of_script[way]:>4} of {len(script['asked']):>2}" for way in WAYS)
        )
        right = {way: right[way] + of_script[way] for way in WAYS}
    asked = sum(len(script["asked"]) for script in scripts.values())
    print(
        f"{'all':12}"
        + "".join(f"{right[way] / asked:>10.3f}" for way in WAYS)
        + f"   bound {FIRST_HIT}"
    )
    unknown = [word for script in scripts.values() for word in script["unknown"]]
    lists = {way: [rows for word in unknown if (rows := found(runtime, way, word))] for way in WAYS}
    same = sum(
        combination == other
        for of_way in lists.values()
        for combination, other in itertools.combinations(of_way, 2)
    )
    some = sum(map(len, lists.values()))
    print(
        f"of {len(unknown)} unknown words: {some} searches of {len(WAYS) * len(unknown)} find "
        f"something, same {same}"
    )
    is_right = min(right.values()) / asked >= FIRST_HIT and not same
    if not is_right:
        print("MISSED: a bound", file=sys.stderr)
    return 0 if is_right else MISSED


def is_first(runtime: Runtime, way: str, word: str) -> bool:
    return any(word in text for text in found(runtime, way, word)[:1])


if __name__ == "__main__":
    sys.exit(main())
