"""Does anybody ever see somebody else's memories? And is one's own found, with everybody in one
file?

Six people's chats (`data/memorybank/dev`) and what is learned of them stand in one store. Each
question is asked for the one who asks it, and, as a control, for each of the others. Counted: hits
of another person; the share of questions with a message that answers them among the first five
hits, and at the first place. Both bounds hold for the list that a turn shows and quotes
(`retrieve`, at most `prompt_memories` hits); the raw order of recall stands beside it, not held.

python -m benchmarks.isolation [--small] [--data ../shared/data]
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks import MISSED
from memapp import bootstrap
from memapp.domain.chat import Origin, Role
from memapp.domain.memory import Recalled
from memapp.domain.query import QueryRequest
from memapp.inference import Cancel
from memapp.runtime import Runtime
from memapp.services import chats
from memapp.services.embed import embed
from memapp.services.learning import learn
from memapp.services.recall import RecallRequest, answer_query, recall, retrieve
from memapp.store import chat, learning_queue

AT_5 = 0.90
AT_1 = 0.60
UNANSWERABLE = ("false_premise", "abstain")
SMALL_PEOPLE = 3


@dataclass(frozen=True)
class Question:
    user: str
    text: str
    evidence: frozenset[str]
    """Ids of the messages that answer it."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--small", action="store_true", help=f"the first {SMALL_PEOPLE} people only"
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args()
    folder = options.data / "memorybank/dev"
    if not folder.exists():
        print(f"skipped: no data at {options.data}")
        return 0
    dialogs = [json.loads(line) for line in (folder / "dialogs.jsonl").open(encoding="utf-8")]
    asked = [json.loads(line) for line in (folder / "questions.jsonl").open(encoding="utf-8")]
    people = list(dict.fromkeys(row["user"] for row in dialogs))[
        : SMALL_PEOPLE if options.small else None
    ]
    with tempfile.TemporaryDirectory() as home, closing(bootstrap.start(home=Path(home))) as first:
        first.embedding.fill(bootstrap.open_embedder(first))
        ids = {
            name: store(of(first, name), [row for row in dialogs if row["user"] == name])
            for name in people
        }
        questions = [
            read(row, ids[row["user"]])
            for row in asked
            if row["user"] in people and row["type"] not in UNANSWERABLE
        ]
        return report(first, people, [question for question in questions if question.evidence])


def of(runtime: Runtime, user: str) -> Runtime:
    """The same open file and models, for another person."""
    other = replace(runtime, user_id=user)
    other.embedding = runtime.embedding
    return other


def store(runtime: Runtime, dialogs: list[dict[str, Any]]) -> dict[tuple[str, int, str], str]:
    """Store one person's days as chats, learn from every message, and embed all. Returns the ids of
    the messages.
    """
    ids = {}
    for date in dict.fromkeys(row["date"] for row in dialogs):
        at = datetime.fromisoformat(date).replace(hour=9, tzinfo=UTC)
        with runtime.write() as session:
            thread = chat.create_thread(session, date, "companion", at)
        for row in (row for row in dialogs if row["date"] == date):
            at += timedelta(minutes=2)
            with runtime.write() as session:
                said = chat.add_message(
                    session, thread.id, Role.USER, row["user_text"], at, origin=Origin.TYPED
                )
                reply = chat.add_message(
                    session,
                    thread.id,
                    Role.ASSISTANT,
                    row["assistant_text"],
                    at,
                    origin=Origin.MODEL,
                )
                learning_queue.add(session, thread.id, said.id, at)
            ids[date, row["turn"], "user"], ids[date, row["turn"], "assistant"] = said.id, reply.id
    while pending := learning_queue.list_pending(runtime.read(), 200):
        for queued in pending:
            list(learn(runtime, queued))
    embed(runtime, Cancel())
    return ids


def read(row: dict[str, Any], ids: Mapping[tuple[str, int, str], str]) -> Question:
    named = [(turn["date"], turn["turn"], turn["side"]) for turn in row["evidence"]]
    return Question(
        row["user"], row["question"], frozenset(ids[key] for key in named if key in ids)
    )


@dataclass
class Found:
    """How often a turn that answers stood where."""

    first: int = 0
    among_5: int = 0

    def count(
        self, hits: Sequence[Recalled], sources: Mapping[str, set[str]], evidence: frozenset[str]
    ) -> None:
        said = [bool(({hit.id} | sources.get(hit.id, set())) & evidence) for hit in hits[:5]]
        self.first += said[:1] == [True]
        self.among_5 += any(said)


def report(runtime: Runtime, people: list[str], questions: list[Question]) -> int:
    conn = runtime.database.read()
    owned = "SELECT id, user_id FROM messages UNION ALL SELECT id, user_id FROM memories"
    owner = {row["id"]: row["user_id"] for row in conn.execute(owned)}
    sources: dict[str, set[str]] = {}
    for row in conn.execute("SELECT memory_id, message_id FROM memory_sources"):
        sources.setdefault(row["memory_id"], set()).add(row["message_id"])
    chat_of = {name: chats.new_thread(of(runtime, name)).id for name in people}
    recalled, shown = Found(), Found()
    seen = strangers = 0
    for question in questions:
        for name in people:
            mine = of(runtime, name)
            hits = recall(mine, RecallRequest(question.text, top_k=10))
            capability = mine.categories.capability("supervisor", name)
            bullets = answer_query(
                mine, capability, QueryRequest(agent="supervisor", query=question.text, top_k=10)
            ).memories
            in_turn = retrieve(mine, chat_of[name], question.text, (), []).hits
            ids = [*(hit.id for hit in (*hits, *in_turn)), *(bullet.id for bullet in bullets)]
            seen += len(ids)
            strangers += sum(owner[memory_id] != name for memory_id in ids)
            if name == question.user:
                recalled.count(hits, sources, question.evidence)
                shown.count(in_turn, sources, question.evidence)
    share = {"a turn": shown, "recall": recalled}
    print(f"{len(people)} people in one file, {len(questions)} questions, each asked by everyone")
    print(f"hits of another person                     {strangers} of {seen:,}   bound 0")
    for name, found in share.items():
        print(
            f"{name:8} finds an answer among the first 5  {found.among_5 / len(questions):.2f}",
            end="",
        )
        print(f"   at the first place {found.first / len(questions):.2f}")
    print(f"bounds for a turn: among the first 5 >= {AT_5:.2f}, at the first place >= {AT_1:.2f}")
    held = (
        not strangers
        and shown.among_5 >= AT_5 * len(questions)
        and shown.first >= AT_1 * len(questions)
    )
    print("held" if held else "MISSED")
    return 0 if held else MISSED


if __name__ == "__main__":
    sys.exit(main())
