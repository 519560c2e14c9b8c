"""Learning from messages in other languages than English, and finding them again.

Each file of `made_up/languages` holds messages as people type them, with what must be kept, must
wait for a yes, or must never be known, as in `benchmarks.reading`; each is typed into a store of
its own, and `right language` counts where its common words tell its language. Then all are typed
into one store, and `asked` counts the questions about them that a quotation from the right message
answers, and `never told` those about nothing of them that are answered with a quotation all the
same. So does `told` with other questions, which use other words than what was told. `requests`
counts what is understood of what is asked of the memory, and `false` the messages and questions
that are taken for such a request. `in passing` counts what the words alone hear in the sentences of
`made_up/languages/in_passing`, each kind beside one that comes near it; no model is asked.

python -m benchmarks.languages [FILE ...] [--show] [--only reading|questions|requests|passing]
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import MADE_UP
from benchmarks.reading import (
    Case,
    Score,
    in_any,
    judge,
    live_through,
    models,
    remembering,
    report,
    show,
)
from memapp.domain.chat import Origin, Role
from memapp.domain.memory import OwnAnswer
from memapp.inference import Cancel, ChatModel, Embedder
from memapp.language import requests
from memapp.language.questions import asked_about
from memapp.language.sentence import is_for_now, is_sensitive
from memapp.language.word_file import WordFile, words, words_of
from memapp.runtime import Runtime
from memapp.services import chats, upkeep
from memapp.services.recall import quotations
from memapp.services.turn import take_turn
from memapp.store import chat, memories


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "files", nargs="*", type=Path, default=sorted((MADE_UP / "languages").glob("*.json"))
    )
    parser.add_argument(
        "--show", action="store_true", help="print what is wrong, and what each message left"
    )
    parser.add_argument(
        "--only",
        choices=("reading", "questions", "requests", "passing"),
        default="",
        help="measure nothing else",
    )
    options = parser.parse_args()
    files = {path.stem: json.loads(path.read_text("utf-8")) for path in options.files}
    scores: dict[str, Score] = {}
    if options.only in ("", "requests"):
        for code, file in files.items():
            ask_memory(code, file, shows=options.show)
    if options.only in ("", "passing"):
        for code in files:
            hear_in_passing(code, shows=options.show)
    with models() as (model, embedder):
        if options.only in ("", "questions"):
            for code, file in files.items():
                ask_all(code, file, model, embedder, shows=options.show)
        if options.only in ("", "reading"):
            scores = {
                code: read_all(code, file, model, embedder, shows=options.show)
                for code, file in files.items()
            }
    return report(scores) if scores else 0


def read_all(
    code: str, file: dict[str, Any], model: ChatModel, embedder: Embedder, *, shows: bool
) -> Score:
    cases = list(read_cases(code, file))
    right = sum(words_of(case.turns[0]).code == code for case in cases)
    print(f"{code}: right language {right} of {len(cases)}")
    total = Score()
    for case in cases:
        known = live_through(case, model, embedder)
        score, wrong = judge(case, known)
        total += score
        if shows:
            show(case, known, wrong)
    return total


def read_cases(code: str, file: dict[str, Any]) -> Iterator[Case]:
    for at, row in enumerate(file["messages"], start=1):
        keep, wait = (tuple(row[name]) for name in ("keep", "wait"))
        yield Case(f"{code}-{at:02}", code, (row["text"],), keep, wait, (), tuple(row["never"]), ())


def ask_all(
    code: str, file: dict[str, Any], model: ChatModel, embedder: Embedder, *, shows: bool
) -> None:
    messages, told = (
        [row["text"] for row in file["messages"]],
        [row["told"] for row in file["questions"]],
    )
    asked = {row["asked"]: messages[row["message"] - 1] for row in file["asked"]}
    others = {row["asked"]: row["must"] for row in file["questions"]}
    with tempfile.TemporaryDirectory() as home, remembering(Path(home), model, embedder) as runtime:
        tell(runtime, messages)
        found = {
            question: quotation(runtime, question) for question in [*asked, *file["never_told"]]
        }
        right = [
            item for item, message in asked.items() if message in said_in(runtime, found[item])
        ]
        shown = [
            question
            for question in file["never_told"]
            if (answer := found[question]) and answer.hits
        ]
        unknown = [
            question for question in asked if (answer := found[question]) and not answer.hits
        ]
    with tempfile.TemporaryDirectory() as home, remembering(Path(home), model, embedder) as runtime:
        tell(runtime, told)
        answers = {question: quotation(runtime, question) for question in others}
        held = [
            item
            for item, must in others.items()
            if (answer := answers[item]) and in_any(must, [answer.text])
        ]
    print(
        f"{code}: asked {len(right)} of {len(asked)}, not told {len(unknown)}; "
        f"told {len(held)} of {len(others)}; "
        f"never told {len(shown)} of {len(file['never_told'])} shown",
        flush=True,
    )
    if shows:
        for question, answer in [*found.items(), *answers.items()]:
            mark = (
                "  "
                if question in [*right, *held]
                or (question in file["never_told"] and question not in shown)
                else "! "
            )
            print(f"{mark}{question}\n      {answer.text if answer else None}", flush=True)


def tell(runtime: Runtime, texts: Sequence[str]) -> None:
    """Type each text in a chat of its own, and learn from it."""
    for text in texts:
        thread = chats.new_thread(runtime).id
        for _ in take_turn(runtime, thread, text):
            pass
        for _ in upkeep.work(runtime, thread, Cancel()):
            pass


def quotation(runtime: Runtime, text: str) -> OwnAnswer | None:
    """Return memapp's own answer to a question in a new chat; None where the model answers."""
    thread = chats.new_thread(runtime).id
    with runtime.write() as session:
        message = chat.add_message(
            session, thread, Role.USER, text, runtime.clock(), origin=Origin.TYPED
        )
    quoted = quotations.quoted_answer(runtime, message)
    chats.delete_thread(runtime, thread)
    return quoted.answer if quoted else None


def said_in(runtime: Runtime, answer: OwnAnswer | None) -> set[str]:
    """Return the messages quoted by an answer, and the sources of quoted memories."""
    ids = {
        source
        for hit in (answer.hits if answer else ())
        for source in sources(runtime, hit.id, hit.kind)
    }
    return {message.text for message in chat.get_messages(runtime.read(), list(ids))}


def sources(runtime: Runtime, id: str, kind: str) -> Sequence[str]:
    return (
        [id]
        if kind == "message"
        else [
            source
            for found in memories.get_memories(runtime.read(), [id])
            for source in found.sources
        ]
    )


def ask_memory(code: str, file: dict[str, Any], *, shows: bool) -> None:
    """Print how many requests are understood, and how much else is taken for one."""
    heard = {row["text"]: requests.asked(row["text"], words(code)) for row in file["requests"]}
    right = [
        row for row in file["requests"] if (one := heard[row["text"]]) and one.kind == row["kind"]
    ]
    others = [row["text"] for row in file["messages"] if not row["never"]]
    others += [row[part] for row in file["questions"] for part in ("told", "asked")]
    others += [row["asked"] for row in file["asked"]] + file["never_told"]
    false = [
        other
        for other in others
        if (request := requests.asked(other, words(code))) and request.kind != "know"
    ]
    print(
        f"{code}: requests {len(right)} of {len(heard)}, false {len(false)} of {len(others)}",
        flush=True,
    )
    if shows:
        for row in file["requests"]:
            if row not in right:
                print(f"! {row['kind']:9}{row['text']}\n      {heard[row['text']]}")
        for text in false:
            print(f"! false    {text}\n      {requests.asked(text, words(code))}")


def hear_in_passing(code: str, *, shows: bool) -> None:
    """Print of each kind of sentence how many are heard as what they are."""
    rows = json.loads((MADE_UP / "languages" / "in_passing" / f"{code}.json").read_text("utf-8"))
    of = words(code)
    right: dict[str, Callable[[str], bool]] = {
        "sensitive": lambda text: is_sensitive(text, of),
        "ordinary": lambda text: not is_sensitive(text, of),
        "for_now": lambda text: is_for_now(text, of),
        "lasting": lambda text: not is_for_now(text, of),
        "about_oneself": lambda text: asked_about(text, of) in ("own", "perhaps"),
        "about_anything": lambda text: asked_about(text, of) not in ("own", "perhaps"),
        "forget": lambda text: _forgets(text, of),
        "no_request": lambda text: not _forgets(text, of),
    }
    wrong = {
        kind: [row for row in rows[kind] if not is_right(row)] for kind, is_right in right.items()
    }
    counts = ", ".join(
        f"{kind} {len(rows[kind]) - len(missed)} of {len(rows[kind])}"
        for kind, missed in wrong.items()
    )
    print(f"{code}: in passing, {counts}", flush=True)
    if shows:
        for kind, text in ((kind, text) for kind, missed in wrong.items() for text in missed):
            print(f"! {kind:15}{text}")


def _forgets(text: str, of: WordFile) -> bool:
    request = requests.asked(text, of)
    return request is not None and request.kind == "forget"


if __name__ == "__main__":
    sys.exit(main())
