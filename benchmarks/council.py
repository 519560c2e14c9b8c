"""Which faults do the council's model-free reviewers see, and do they leave sound answers alone?

- planted: into a sound answer that says again a name, a number or somebody close from one of 200
  memories, another one is put;
- prose: for the same memories, a contradiction in an answer that somebody wrote who knew nothing of
  the rules, by kinds;
- answers: claims that nothing supports, questions left unanswered, what was said before, and sums,
  30 of each, with a sound answer beside each.

All rows were written for this, by somebody who had not seen the program (`made_up/council`); the
rules were fitted to them.

python -m benchmarks.council [--small] [--data ../shared/data]
"""

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks import MADE_UP, MISSED, bundled_embedder
from memapp.domain.changes import Actor, Created
from memapp.domain.chat import Role
from memapp.inference import Cancel
from memapp.language import review
from memapp.language.grounding import names_in, numbers_in
from memapp.language.review import Material
from memapp.language.word_file import words_of
from memapp.runtime import Runtime
from memapp.services import chats, council, embed
from memapp.store import changes, chat
from tests.builders import fact, make_runtime

Row = Mapping[str, Any]
FOUND, OBJECTED = 0.5, 0.05
"""What is held; .9 of what is planted was wanted, and is out of reach of rules (see
benchmarks/README.md).
"""
SMALL = 60
BY: Mapping[str, tuple[str, ...]] = {
    "unsupported": ("Evidence", "Consistency"),
    "unanswered": ("Completeness",),
    "repeated": ("Brevity",),
    "sum": ("Accuracy",),
}
"""Whose objection it is, by the kind of flaw."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--small", action="store_true", help=f"{SMALL} of the 200 memories are asked about"
    )
    parser.add_argument("--data", type=Path, help="not read: the rows are in the repository")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        runtime = make_runtime(Path(home), embedder=False)
        runtime.embedding.fill(bundled_embedder())
        missed = memories(runtime, options.small) + answers()
        runtime.close()
    for text in missed:
        print(f"MISSED: {text}", file=sys.stderr)
    return MISSED if missed else 0


def memories(runtime: Runtime, small: bool) -> list[str]:
    rows = list(read("memories"))
    with runtime.write() as session:
        for row in rows:
            changes.apply(
                session, Created(fact(row["memory"], session.now, category="notes")), Actor("rules")
            )
    embed.embed(runtime, Cancel())
    asked = rows[:: len(rows) // SMALL] if small else rows
    planted = {row["memory"]: plant(row, rows) for row in asked}
    found, kinds, objected = 0, Counter[str](), 0
    for row in asked:
        if text := planted[row["memory"]]:
            found += any(
                objection.criterion in BY["unsupported"]
                for objection in reviewed(runtime, row["question"], text)
            )
        claims = [
            objection.quote
            for objection in reviewed(runtime, row["question"], row["flawed"])
            if objection.criterion in BY["unsupported"]
        ]
        kinds[row["kind"]] += any(
            row["claim"].strip(" .") in claim or claim.strip(" .") in row["claim"]
            for claim in claims
        )
        objected += bool(reviewed(runtime, row["question"], row["sound"]))
    of = Counter(row["kind"] for row in asked)
    named = sum(map(bool, planted.values()))
    print(f"planted: {found} of {named} found ({found / named:.3f})")
    print(
        f"prose: {sum(kinds.values())} of {len(asked)} found:",
        ", ".join(f"{kind} {kinds[kind]}/{of[kind]}" for kind in of),
    )
    print(f"sound: {objected} of {len(asked)} objected to ({objected / len(asked):.3f})")
    return [
        *([f"planted found {found / named:.3f} of {FOUND}"] if found < FOUND * named else []),
        *(
            [f"sound objected to {objected / len(asked):.3f} of {OBJECTED}"]
            if objected > OBJECTED * len(asked)
            else []
        ),
    ]


def answers() -> list[str]:
    found, of, objected, rows = Counter[str](), Counter[str](), 0, list(read("answers"))
    for row in rows:
        flawed, sound = (review.objections(seen(row, row[which])) for which in ("flawed", "sound"))
        of[row["kind"]] += 1
        found[row["kind"]] += any(objection.criterion in BY[row["kind"]] for objection in flawed)
        objected += bool(sound)
    print(
        "answers:",
        ", ".join(f"{kind} {found[kind]}/{of[kind]}" for kind in of),
        f"found; {objected} of {len(rows)} sound objected to",
    )
    return (
        [f"sound answers objected to {objected / len(rows):.3f}"]
        if objected > OBJECTED * len(rows)
        else []
    )


def seen(row: Row, answer: str) -> Material:
    quotes = {note: f"You told me today: “{note}”" for note in row["notes"]}
    return Material(row["question"], answer, quotes, (), row["earlier"])


def reviewed(runtime: Runtime, question: str, answer: str) -> list[review.Objection]:
    """Return the objections of the rules to an answer, with the notes found among all memories."""
    thread = chats.new_thread(runtime).id
    with runtime.write() as session:
        message = chat.add_message(session, thread, Role.USER, question, session.now)
    return review.objections(council.material(runtime, message, answer)[0])


def plant(row: Row, rows: list[Row]) -> str:
    """Return the sound answer with another name, number or person in the place of one from the
    memory; empty without any.
    """
    memory, sound, words = row["memory"], row["sound"], words_of(row["memory"])
    for kind in (
        lambda text: names_in(text),
        lambda text: numbers_in(text, words),
        lambda text: review.people_in(text, words),
    ):
        ours = [text for text in kind(memory) if re.search(rf"\b{re.escape(text)}\b", sound)]
        others = [text for other in rows for text in kind(other["memory"]) if other is not row]
        if ours and (
            others := [
                other
                for other in others
                if other.casefold() not in f"{memory} {sound} {row['question']}".casefold()
            ]
        ):
            return re.sub(rf"\b{re.escape(ours[0])}\b", others[len(memory) % len(others)], sound)
    return ""


def read(name: str) -> Iterator[Row]:
    with (MADE_UP / "council" / f"{name}.jsonl").open() as file:
        yield from map(json.loads, file)


if __name__ == "__main__":
    sys.exit(main())
