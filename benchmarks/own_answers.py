"""Does memapp answer questions about a person's own life with a quotation of theirs?

Long conversations of two people (`data/locomo/dev`) become chats of one of them with a companion,
once for each; nothing is learned, so that only what was said can answer. The questions about that
person are put in their own words ("When did Ana move?": "When did I move?"), those that their own
turns answer and those that suppose what was never so. Counted is how often memapp answers by
itself, and whether one of at most two lines is from a turn that holds the answer; whose lines
answer nothing; and to what was never so, how often it shows something all the same. Those of
`benchmarks.locomo.CHECKED` stand apart.

python -m benchmarks.own_answers [--small] [--data ../shared/data] [--show]
"""

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks import bundled_embedder
from benchmarks.locomo import CHECKED, embed_all, finish
from memapp import bootstrap
from memapp.domain.chat import Origin, Role
from memapp.inference import Embedder
from memapp.runtime import Runtime
from memapp.services import chats
from memapp.services.recall import quotations
from memapp.store import chat

GOAL = 0.75
"""Of the questions that the person's own turns answer, as many with a line from one of these."""
OF_ONE_TURN, NEVER_SO = (2, 4), 5
"""The kinds of questions by their numbers in the data: of a time and of one thing; of what the
other one did, or nobody.
"""


@dataclass(frozen=True)
class Asked:
    text: str
    answering: frozenset[str]
    """Ids of the messages that hold the answer; none for what was never so."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", action="store_true", help="one conversation")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--show", action="store_true", help="print every answer")
    options = parser.parse_args()
    files = sorted((options.data / "locomo" / "dev").glob("*.json"))
    if not files:
        print(f"skipped: there is no locomo/dev in {options.data}")
        return 0
    counted = {"to tune on": Counter[str](), "to check on": Counter[str]()}
    with closing(bundled_embedder()) as embedder:
        for file in files[1:2] if options.small else files:
            data = json.loads(file.read_text("utf-8"))
            part = "to check on" if file.stem in CHECKED else "to tune on"
            for who, other in (
                (data["speaker_a"], data["speaker_b"]),
                (data["speaker_b"], data["speaker_a"]),
            ):
                counted[part] += ask_all(data, who, other, embedder, show=options.show)
    return report(counted)


def ask_all(
    data: dict[str, Any], who: str, other: str, embedder: Embedder, *, show: bool
) -> Counter[str]:
    with tempfile.TemporaryDirectory() as home:
        runtime = bootstrap.start(home=Path(home))
        runtime.embedding.fill(embedder)
        ids = _store(runtime, data, who)
        embed_all(runtime, embedder)
        counted = Counter[str]()
        for asked in questions(data, who, other, ids):
            thread = chats.new_thread(runtime).id
            with runtime.write() as session:
                message = chat.add_message(
                    session, thread, Role.USER, asked.text, runtime.clock(), origin=Origin.TYPED
                )
            quoted = quotations.quoted_answer(runtime, message)
            told = quoted.answer if quoted else None
            found = [hit.id for hit in told.hits] if told else []
            kind = "asked" if asked.answering else "never so"
            how = (
                "answering"
                if asked.answering & set(found)
                else "other"
                if found
                else "unknown"
                if told
                else "model"
            )
            counted.update([kind, f"{kind}: {how}"])
            chats.delete_thread(runtime, thread)
            if show:
                print(f"\n{how:9} {asked.text}\n{told.text if told else ''}", flush=True)
        runtime.database.close()
        return counted


def _store(runtime: Runtime, data: dict[str, Any], who: str) -> dict[str, str]:
    """Store a conversation as chats of one speaker; return the message id of each turn."""
    ids: dict[str, str] = {}
    for at, turns in sessions(data):
        with runtime.write() as session:
            thread = chat.create_thread(session, f"{at:%d %B}", "companion", at).id
            for minute, turn in enumerate(turns):
                role, origin = (
                    (Role.USER, Origin.TYPED)
                    if turn["speaker"] == who
                    else (Role.ASSISTANT, Origin.MODEL)
                )
                when = at + timedelta(minutes=minute)
                ids[turn["dia_id"]] = chat.add_message(
                    session, thread, role, turn["text"], when, origin=origin
                ).id
    return ids


def sessions(data: dict[str, Any]) -> Iterator[tuple[datetime, list[dict[str, Any]]]]:
    for number in range(1, 100):
        if isinstance(turns := data.get(f"session_{number}"), list):
            at = datetime.strptime(data[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
            yield at.replace(tzinfo=UTC), turns


def questions(data: dict[str, Any], who: str, other: str, ids: dict[str, str]) -> Iterator[Asked]:
    """Yield the questions about one of the two and not the other."""
    speaker = {turn["dia_id"]: turn["speaker"] for _, turns in sessions(data) for turn in turns}
    for item in data["qa"]:
        text, evidence = (
            item["question"],
            re.findall(r"D\d+:\d+", " ".join(item.get("evidence", ()))),
        )
        is_of_one = re.search(rf"\b{who}\b", text) and not re.search(rf"\b{other}\b", text)
        if not is_of_one or not evidence or not {*evidence} <= ids.keys():
            continue
        if item["category"] == NEVER_SO:
            yield Asked(of_oneself(text, who), frozenset())
        elif item["category"] in OF_ONE_TURN and all(speaker[turn] == who for turn in evidence):
            yield Asked(of_oneself(text, who), frozenset(ids[turn] for turn in evidence))


def of_oneself(question: str, who: str) -> str:
    """Return a question about somebody as they would ask it themselves."""
    for pattern, instead in (
        (rf"\b{who}'s\b", "my"), (rf"\b[Dd]oes {who}\b", "do I"), (rf"\bis {who}\b", "am I"),
        (rf"\bhas {who}\b", "have I"),
        (rf"\b{who} has\b", "I have"), (rf"\b{who} is\b", "I am"), (rf"\b{who}\b", "I"),
        (r"\b(?:his|her)\b", "my"),
        (r"\b(?:him|her)self\b", "myself"),
    ):  # fmt: skip
        question = re.sub(pattern, instead, question)
    return question[:1].upper() + question[1:]


def report(counted: dict[str, Counter[str]]) -> int:
    rows = (
        "asked: answering",
        "asked: other",
        "asked: unknown",
        "asked: model",
        "never so: other",
        "never so: unknown",
    )
    print(f"{'':20}" + "".join(f"{part:>14}" for part in counted))
    for row in ("asked", *rows[:4], "never so", *rows[4:]):
        print(f"{row:20}" + "".join(f"{counter[row]:14}" for counter in counted.values()))
    total = sum(counted.values(), Counter[str]())
    share = total["asked: answering"] / total["asked"]
    print(f"{'shown to never so':20}{total['never so: other'] / total['never so']:14.3f}")
    print(f"{'answering':20}{share:14.3f}   goal {GOAL:.2f}")
    return finish([f"own answers: {share:.3f}, not {GOAL}"] if share < GOAL else [])


if __name__ == "__main__":
    sys.exit(main())
