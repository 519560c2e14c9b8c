"""Are lessons recalled in a chat where a message is about doing something, and nowhere else?

Two hundred lessons are made of recorded errors, by failing and then working, and promoted. Thirty
messages about doing that were written for this ask for one of them each; then come the messages of
chats that are about people and their days, where any is one too many, and sentences of everyday
life that ask how something is done.

python -m benchmarks.lessons_in_chat [--data ../shared/data] [--show]
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import MADE_UP, MISSED
from memapp import bootstrap
from memapp.domain.lessons.fingerprint import words
from memapp.errors import UsageError
from memapp.runtime import Runtime
from memapp.services import chats, runs
from memapp.services.lessons import browse, curate
from memapp.services.lessons.recall import recall_lessons
from memapp.services.runs import Client
from memapp.tools.program import program
from memapp.tools.scripted import ScriptedTool

LESSONS = 200
LEAST_RIGHT, MOST_IN_TALK = 25, 0.01


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--small", action="store_true", help="not used: it takes a minute")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--show", action="store_true", help="print what was shown wrongly")
    options = parser.parse_args()
    errors = options.data / "thefuck_traces" / "dev" / "errors.jsonl"
    if not errors.exists():
        print("skipped: there are no recorded errors")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        runtime = bootstrap.start(home=Path(folder))
        _teach(runtime, _read(errors))
        missed = _about_doing(runtime, show=options.show)
        missed += sum(
            _talk(runtime, name, said, show=options.show) for name, said in _others(options.data)
        )
        runtime.close()
    return MISSED if missed else 0


def _read(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def _teach(runtime: Runtime, errors: list[dict[str, Any]]) -> None:
    """Let each command fail and its correction work; what is no lesson by itself is written down,
    up to two hundred.
    """
    for number, row in enumerate(errors):
        for action, output in (
            (row["command"], row["output"]),
            *((item, None) for item in (row["corrected"] or [])[:1]),
        ):
            tool = ScriptedTool(
                _program(action),
                f"place {number}",
                {} if output is None else {action: output or "failed"},
            )
            runs.attempt(runtime, tool, action, Client(task=str(number)))
    learned = len(browse.list_lessons(runtime, limit=LESSONS))
    for row in errors:
        for correct in row["corrected"] or []:
            if len(browse.list_lessons(runtime, limit=LESSONS)) < LESSONS:
                _write_down(runtime, row["command"], correct)
    lessons = browse.list_lessons(runtime, limit=LESSONS)
    curate.promote(runtime, *(lesson.id for lesson in lessons if lesson.status != "promoted"))
    print(f"{len(lessons)} lessons, {learned} of them learned")


def _write_down(runtime: Runtime, wrong: str, correct: str) -> None:
    try:
        curate.add(runtime, _program(wrong), "", wrong, correct)
    except UsageError:
        return  # there is one that says so


def _program(action: str) -> str:
    return program([*words(action)] or [""])


def _about_doing(runtime: Runtime, *, show: bool) -> int:
    asked = _read(MADE_UP / "doing.jsonl")
    lessons = {lesson.id: lesson for lesson in browse.list_lessons(runtime, limit=LESSONS)}
    thread_id, right = chats.new_thread(runtime).id, 0
    for item in asked:
        tool, parts = item["right"]
        found = [lessons[hit.id] for hit in recall_lessons(runtime, thread_id, item["said"])]
        is_right = any(
            each.tool == tool and any(part in each.correct for part in parts.split("|"))
            for each in found
        )
        right += is_right
        if show and not is_right:
            print(f"  {item['said']}: {[each.correct for each in found]}")
    print(
        f"about doing: the right lesson in {right} of "
        f"{len(asked)}{'  missed' if right < LEAST_RIGHT else ''}"
    )
    return right < LEAST_RIGHT


def _others(data: Path) -> Iterator[tuple[str, list[str]]]:
    cases = data / "messages" / "dev" / "cases.jsonl"
    talks = data / "synthetic_persona_chat" / "dev" / "chats.jsonl"
    if cases.exists():
        yield "messages", [turn for case in _read(cases) for turn in case["turns"]]
    if talks.exists():
        yield (
            "persona chats",
            [turn.partition(": ")[2] for talk in _read(talks) for turn in talk["conversation"]],
        )
    yield "everyday life", (MADE_UP / "not_doing.txt").read_text("utf-8").splitlines()


def _talk(runtime: Runtime, name: str, said: list[str], *, show: bool) -> int:
    thread_id = chats.new_thread(runtime).id
    shown = [(text, found) for text in said if (found := recall_lessons(runtime, thread_id, text))]
    for text, found in shown if show else ():
        print(f"  {text[:100]}: {[each.text for each in found]}")
    is_missed = len(shown) > MOST_IN_TALK * len(said)
    print(f"{name}: lessons in {len(shown)} of {len(said)}{'  missed' if is_missed else ''}")
    return is_missed


if __name__ == "__main__":
    sys.exit(main())
