"""Is what was talked about on a day told from that day's episode?

The chats of six people (`data/memorybank/dev`), each day a chat, rest; the job makes their episodes by rule. Each day is asked
for in three ways by its date, and by its weekday. Counted: answers whose first source is an episode of just that day; besides,
how many days have an episode, and whether each keeps the writing rules and has no word that was not said.

python -m benchmarks.episodes [--small] [--data ../shared/data] [--show]
"""

import argparse
import json
import sys
import tempfile
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks import MISSED
from benchmarks.isolation import of
from memapp import bootstrap
from memapp.domain.chat import Message, Origin, Role
from memapp.domain.memory import Memory
from memapp.inference import Cancel
from memapp.language.english.writing import check_episode
from memapp.runtime import Runtime
from memapp.services import episodes
from memapp.services.from_memory import known
from memapp.store import chat

FIRST = 0.85
SMALL_PEOPLE = 2
LATER = timedelta(days=3)
ASKED = ("What did we talk about on {day}?", "What did we do on {day}?", "What did we discuss on {day}?")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help=f"the first {SMALL_PEOPLE} people only")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--show", action="store_true", help="print the episodes, to be read")
    options = parser.parse_args()
    file = options.data / "memorybank/dev/dialogs.jsonl"
    if not file.exists():
        print(f"skipped: no data at {options.data}")
        return 0
    rows = [json.loads(line) for line in file.open(encoding="utf-8")]
    people = list(dict.fromkeys(row["user"] for row in rows))[: SMALL_PEOPLE if options.small else None]
    with tempfile.TemporaryDirectory() as home, closing(bootstrap.start(home=Path(home))) as runtime:
        runtime.embedding.fill(bootstrap.open_embedder(runtime))
        found = [one for name in people for one in asked_of(of(runtime, name), [row for row in rows if row["user"] == name])]
    return report(found, show=options.show)


def asked_of(runtime: Runtime, rows: list[dict[str, Any]]) -> list[tuple[str, Memory | None, str, list[bool]]]:
    """Return for each day of a person its episode, what was said, and which questions for it were answered from that first."""
    said = {
        day: store(runtime, day, [row for row in rows if row["date"] == day]) for day in dict.fromkeys(r["date"] for r in rows)
    }
    list(episodes.run(runtime, Cancel(), None))
    found = []
    for day, messages in said.items():
        made = episodes.episodes_of(runtime, messages)
        own = {one.id for one in made}
        answers = [answered_from(runtime, *question) for question in questions(date.fromisoformat(day))]
        text = " ".join([f"{date.fromisoformat(day):%A %-d %B %Y}", *(one.text for one in messages)])
        found.append((day, made[0] if made else None, text, [first in own for first in answers]))
    return found


def store(runtime: Runtime, day: str, rows: list[dict[str, Any]]) -> list[Message]:
    """Store a day as a chat; return the messages of the person."""
    at, said = datetime.fromisoformat(day).replace(hour=9, tzinfo=UTC), []
    with runtime.write() as session:
        thread = chat.create_thread(session, day, "companion", at)
        for row in rows:
            at += timedelta(minutes=2)
            said.append(chat.add_message(session, thread.id, Role.USER, row["user_text"], at, origin=Origin.TYPED))
            chat.add_message(session, thread.id, Role.ASSISTANT, row["assistant_text"], at, reply_to=said[-1].id)
    return said


def questions(day: date) -> list[tuple[str, datetime]]:
    """Return how a day is asked for, with when: by its date long after, and by its weekday soon after."""
    later = datetime(day.year, day.month, day.day, 12, tzinfo=UTC) + LATER
    by_date = [(one.format(day=f"{day:%B} {day.day}"), later + 30 * LATER) for one in ASKED]
    return [*by_date, (f"What did we talk about on {day:%A}?", later)]


def answered_from(runtime: Runtime, question: str, at: datetime) -> str:
    """Return the id of the first source of an answer, in a chat of its own that is gone afterwards."""
    with runtime.rehearse() as session:
        thread = chat.create_thread(session, "asked", "companion", at)
        message = chat.add_message(session, thread.id, Role.USER, question, at, origin=Origin.TYPED)
        answer = known(runtime, message, [])
    return answer.hits[0].id if answer and answer.hits else ""


def report(found: list[tuple[str, Memory | None, str, list[bool]]], *, show: bool) -> int:
    made = [(one, said) for _, one, said, _ in found if one]
    first = [one for _, _, _, answers in found for one in answers]
    whole = sum(not check_episode(one.text, said) for one, said in made)
    if show:
        print(
            "\n".join(
                f"refused: {check_episode(one.text, said)} {one.text}" for one, said in made if check_episode(one.text, said)
            )
        )
        print("\n".join(one.text for one, _ in made))
    print(f"days with an episode          {len(made)} of {len(found)}")
    print(f"written as the rules say, and only in words that were said   {whole} of {len(made)}")
    print(f"answers from the day's episode first   {sum(first) / len(first):.2f} of {len(first)}   bound {FIRST:.2f}")
    held = sum(first) >= FIRST * len(first) and whole == len(made)
    print("held" if held else "MISSED")
    return 0 if held else MISSED


if __name__ == "__main__":
    sys.exit(main())
