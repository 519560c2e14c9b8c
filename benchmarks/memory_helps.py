"""Do memories make a model's answers right?

Six people chat with a companion over ten dated days (`data/memorybank/dev`). Their messages are
stored day by day as memapp stores them, what lasts is learned, everything is embedded; then each
question is asked in a new chat. An answer passes when it holds the strings that the question
demands. Three ways in one run: without any memory, with memapp end to end, and with the turns that
hold the answer handed in, which is the most that memory could give. Of memapp's answers it is
counted which are quotations or say that nothing was told; each question is asked once more after
five turns of chit-chat; and what cannot be answered, since it was never told or told otherwise,
must not be claimed. Five more people are made up (`made_up/told/people.toml`): only memapp's
answers are counted of them, also to what is asked behind another question.

python -m benchmarks.memory_helps [--small] [--data ../shared/data] [--temperature T] [--show]
[--told]
"""

import argparse
import json
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks import MISSED, bundled_embedder, chat_model_options, open_chat_model
from memapp import paths, settings
from memapp.categories import load_categories
from memapp.domain.chat import FROM_MEMORY, Message, Origin, Role
from memapp.domain.memory import Recalled
from memapp.domain.prompt import Piece
from memapp.domain.turn_events import Accepted, Completed, Failed, Found, TurnEvent
from memapp.inference import Cancel, ChatModel, Embedder
from memapp.inference.embedder import ChildEmbedder
from memapp.language.normal_form import WORDING
from memapp.prompts import respond
from memapp.prompts.context import PromptContext
from memapp.prompts.personas import load_personas
from memapp.runtime import Runtime
from memapp.services import chats, upkeep
from memapp.services.turn import resend_turn, take_turn
from memapp.store import chat, learning_queue
from memapp.store.opening import open_database

CEILING_GOAL = 0.5
"""18 of the 36 questions that have an answer."""
SHARE_GOAL = 0.8
"""What memapp must reach of the ceiling."""
MEMAPP_GOAL = 0.88
"""32 of 36."""
MID_CHAT_GOAL = 0.83
"""30 of 36, after five turns of chit-chat."""
UNANSWERABLE = ("false_premise", "abstain")
CHIT_CHAT = (
    "hi, how is it going?",
    "the weather is awful today, rain all day.",
    "tell me a joke please",
    "haha ok. what is a good film for tonight?",
    "thanks, sounds nice.",
)
NEVER_TOLD = {
    "brother": "what is my brother called?",
    "berlin": "when did I move to Berlin?",
    "cat": "whats my cats name again?",
    "daughter": "how old is my daughter?",
    "smok": "why did I quit smoking?",
    "dentist": "when is my dentist appointment?",
}
"""Questions about what nobody told, each put to those in whose chats the word does not occur."""
_CLAIM = re.compile(r"(?:^|[.!?\"] )(?:yes|you|your)\b(?! told me| haven't told me)", re.IGNORECASE)
REPLY_TOKENS = 96
"""An answer is in its first sentences, or not in it."""
SMALL_PEOPLE = 1
TOLD = Path(__file__).parent / "made_up/told/people.toml"
TOLD_MONTH = datetime(2026, 3, 1, 10, tzinfo=UTC)


@dataclass(frozen=True)
class Turn:
    at: datetime
    user: str
    assistant: str


@dataclass(frozen=True)
class Question:
    text: str
    evidence: tuple[Recalled, ...]
    must: tuple[tuple[str, ...], ...]
    answerable: bool = True
    before: tuple[str, ...] = ()
    """What is asked in the same chat just before."""

    def passes(self, answer: str) -> bool:
        said = answer.lower().replace("’", "'")
        return all(any(wanted in said for wanted in group) for group in self.must)

    def is_claimed(self, answer: str) -> bool:
        """Say whether an answer claims something of the person that they never said."""
        return _CLAIM.search(answer) is not None and not (
            self.must and self.passes(answer) and "n't" not in answer
        )


@dataclass(frozen=True)
class Person:
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


@dataclass
class Score:
    without: int = 0
    memapp: int = 0
    ceiling: int = 0
    by_itself: int = 0
    """Questions that memapp answered without the model, in the two counts below right and wrong."""
    by_itself_right: int = 0
    mid_chat: int = 0
    mid_chat_by_itself: int = 0
    never_told: int = 0
    claims: int = 0
    """Answers to what cannot be answered that claim something all the same."""
    found: int = 0
    """Questions of which some evidence was among the hits in the prompt."""
    asked: int = 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[chat_model_options()],
    )
    parser.add_argument(
        "--small", action="store_true", help=f"the first {SMALL_PEOPLE} people only"
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument(
        "--temperature", type=float, default=None, help="instead of memapp's default"
    )
    parser.add_argument("--show", action="store_true", help="print every answer")
    parser.add_argument("--told", action="store_true", help="only the people who are made up")
    options = parser.parse_args()
    folder = options.data / "memorybank/dev"
    if not folder.exists():
        print(f"skipped: no data at {options.data}")
        return 0
    most = SMALL_PEOPLE if options.small else None
    people = [] if options.told else read_people(folder)[:most]
    chosen = {"reply_tokens": REPLY_TOKENS} | (
        {} if options.temperature is None else {"temperature": options.temperature}
    )
    score, told = Score(), Score()
    with models(options) as (model, embedder):
        for person, counted in [
            *((other, score) for other in people),
            *((other, told) for other in read_told()[:most]),
        ]:
            with remembering(person, model, embedder, chosen) as runtime:
                ask_all(runtime, person, counted, show=options.show)
    failures = [*([] if options.told else report(score)), *report_told(told)]
    for failure in failures:
        print(f"MISSED: {failure}")
    return MISSED if failures else 0


def read_told() -> list[Person]:
    """Return the invented people, with the required words of each answer."""
    people = []
    for person in tomllib.loads(TOLD.read_text(encoding="utf-8"))["people"]:
        turns = [
            Turn(TOLD_MONTH + timedelta(days=item["day"] - 1, minutes=minute), *said)
            for item in person["chats"]
            for minute, said in enumerate(item["said"])
        ]
        questions = [
            Question(
                item["asked"],
                (),
                tuple(map(tuple, item.get("must", ()))),
                answerable=not item.get("never"),
                before=tuple(item.get("before", ())),
            )
            for item in person["questions"]
        ]
        people.append(Person(tuple(turns), tuple(questions)))
    return people


def read_people(folder: Path) -> list[Person]:
    dialogs = [json.loads(line) for line in (folder / "dialogs.jsonl").open(encoding="utf-8")]
    questions = [json.loads(line) for line in (folder / "questions.jsonl").open(encoding="utf-8")]
    names = dict.fromkeys(row["user"] for row in dialogs)
    return [
        _person(
            [dialog for dialog in dialogs if dialog["user"] == name],
            [question for question in questions if question["user"] == name],
        )
        for name in names
    ]


def _person(dialogs: Sequence[dict[str, Any]], questions: Sequence[dict[str, Any]]) -> Person:
    rows = {(row["date"], row["turn"]): row for row in dialogs}
    turns = tuple(Turn(_when(row), row["user_text"], row["assistant_text"]) for row in dialogs)
    said = " ".join(f"{turn.user} {turn.assistant}" for turn in turns).lower()
    never_told = [
        Question(text, (), (), answerable=False)
        for word, text in NEVER_TOLD.items()
        if word not in said
    ]
    return Person(turns, (*(_question(row, rows) for row in questions), *never_told))


def _question(row: dict[str, Any], rows: dict[tuple[str, int], dict[str, Any]]) -> Question:
    evidence = tuple(
        _as_hit(rows[turn["date"], turn["turn"]], turn["side"]) for turn in row["evidence"]
    )
    must = tuple(tuple(group) for group in row["must"])
    return Question(row["question"], evidence, must, answerable=row["type"] not in UNANSWERABLE)


def _as_hit(row: dict[str, Any], side: Any) -> Recalled:
    return Recalled("message", "", row[f"{side}_text"], side, "", _when(row), 1.0, "")


def _when(row: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(row["date"]).replace(hour=10, minute=row["turn"], tzinfo=UTC)


@contextmanager
def models(options: argparse.Namespace) -> Iterator[tuple[ChatModel, ChildEmbedder]]:
    model = open_chat_model(options)
    embedder = bundled_embedder()
    try:
        yield model, embedder
    finally:
        model.close()
        embedder.close()


@contextmanager
def remembering(
    person: Person, model: ChatModel, embedder: Embedder, chosen: dict[str, Any]
) -> Iterator[Runtime]:
    """A memapp that was there when the person chatted."""
    with tempfile.TemporaryDirectory() as home:
        places = paths.locate(Path(home))
        now = person.turns[0].at
        runtime = Runtime(
            settings.load(places.config, chosen, environment={}),
            places,
            open_database(places.database, WORDING),
            load_personas([paths.bundled("assets", "personas")]),
            load_categories(paths.bundled("assets", "categories.toml"), places.categories),
            lambda: now,
            open_chat_model=lambda _runtime, _report: model,
            open_embedder=lambda _runtime: embedder,
            open_reader=lambda _runtime: embedder,
        )
        runtime.embedding.fill(embedder)
        for day in sorted({turn.at.date() for turn in person.turns}):
            thread = chats.new_thread(runtime).id
            for turn in person.turns:
                if turn.at.date() == day:
                    now = turn.at
                    _store(runtime, thread, turn)
            for _ in upkeep.work(runtime, None, Cancel()):
                pass
        now = max(turn.at for turn in person.turns) + timedelta(days=1)
        runtime.chat.fill(model)
        yield runtime
        runtime.database.close()  # not runtime.close(): the models serve the next person too


def _store(runtime: Runtime, thread: str, turn: Turn) -> None:
    with runtime.write() as session:
        message = chat.add_message(
            session, thread, Role.USER, turn.user, turn.at, origin=Origin.TYPED
        )
        chat.add_message(
            session,
            thread,
            Role.ASSISTANT,
            turn.assistant,
            turn.at,
            origin=Origin.MODEL,
            reply_to=message.id,
        )
        learning_queue.add(session, thread, message.id, turn.at)


def ask_all(runtime: Runtime, person: Person, score: Score, *, show: bool) -> None:
    ended = chit_chat(runtime)
    for question in person.questions:
        hits, reply = ask_memapp(runtime, question)
        later, ended = ask_again(runtime, question, ended)
        if not question.answerable:
            score.never_told += 1
            score.claims += question.is_claimed(reply.text) or question.is_claimed(later.text)
            answers = {"memapp": reply.text, "later": later.text}
        else:
            answers = {"memapp": reply.text, "later": later.text}
            if question.evidence:
                answers["without"] = ask_with(runtime, question.text, ())
                answers["ceiling"] = ask_with(runtime, question.text, question.evidence)
                score.without += question.passes(answers["without"])
                score.ceiling += question.passes(answers["ceiling"])
            by_itself, right = reply.model == FROM_MEMORY, question.passes(reply.text)
            score.asked += 1
            score.memapp += right
            score.by_itself += by_itself
            score.by_itself_right += by_itself and right
            score.mid_chat += question.passes(later.text)
            score.mid_chat_by_itself += later.model == FROM_MEMORY
            score.found += any(
                _is_from(hit, evidence) for hit in hits for evidence in question.evidence
            )
        if show:
            print(f"\n{question.text}", flush=True)
            for way, answer in answers.items():
                own = " (by itself)" if way == "memapp" and reply.model == FROM_MEMORY else ""
                right = (
                    question.passes(answer)
                    if question.answerable
                    else not question.is_claimed(answer)
                )
                print(f"  {'ok' if right else '--'} {way:8} {' '.join(answer.split())[:300]}{own}")
            for hit in hits:
                print(f"       {hit.said_by or 'fact':9} {hit.text[:150]}")


def chit_chat(runtime: Runtime) -> Message:
    """Chat about nothing; return the message that a question may stand in place of."""
    thread = chats.new_thread(runtime).id
    happened = [event for text in (*CHIT_CHAT, "ok") for event in take_turn(runtime, thread, text)]
    return [event.message for event in happened if isinstance(event, Accepted) and event.message][
        -1
    ]


def ask_again(
    runtime: Runtime, question: Question, in_place_of: Message
) -> tuple[Message, Message]:
    """Ask after the chit-chat, in place of what was asked there before; return the reply, and the
    message that came first.
    """
    first, *others = [*question.before, question.text]
    happened = list(resend_turn(runtime, in_place_of.id, first))
    (message,) = [
        event.message for event in happened if isinstance(event, Accepted) and event.message
    ]
    for text in others:
        happened = list(take_turn(runtime, message.thread_id, text))
    return _reply_in(happened), message


def _is_from(hit: Recalled, evidence: Recalled) -> bool:
    """Tell whether a hit is this message, or an excerpt of it."""
    return evidence.text.startswith(hit.text[:60]) or hit.text.strip("… ")[:60] in evidence.text


def ask_with(runtime: Runtime, question: str, hits: Sequence[Recalled]) -> str:
    persona, chosen = runtime.persona("companion"), runtime.settings
    model = runtime.chat.wait(Cancel(), 0)
    prompt, sampling = respond.request(
        PromptContext(persona, persona.evidence, (), question),
        hits,
        reply_tokens=chosen.reply_tokens,
        temperature=chosen.temperature,
    )
    return "".join(
        part.text for part in model.generate(prompt, sampling, Cancel()) if isinstance(part, Piece)
    )


def ask_memapp(runtime: Runtime, question: Question) -> tuple[tuple[Recalled, ...], Message]:
    """Ask in a chat of its own, which is gone before the next question."""
    thread = chats.new_thread(runtime).id
    happened: list[TurnEvent] = []
    for text in (*question.before, question.text):
        happened = list(take_turn(runtime, thread, text))
    chats.delete_thread(runtime, thread)
    return next((event.hits for event in happened if isinstance(event, Found)), ()), _reply_in(
        happened
    )


def _reply_in(happened: Sequence[TurnEvent]) -> Message:
    (reply,) = [event.reply for event in happened if isinstance(event, Completed | Failed)]
    return reply


def report_told(score: Score) -> list[str]:
    """Print how those who are made up were answered; return what was missed."""
    print(f"\n{'questions of people who are made up':44} {score.asked:6}")
    print(
        f"{'right with memapp':44} {score.memapp:6}   by itself: {score.by_itself}, right: "
        f"{score.by_itself_right}"
    )
    print(
        f"{'right after five turns of chit-chat':44} {score.mid_chat:6}   by itself: "
        f"{score.mid_chat_by_itself}"
    )
    print(
        f"{'asked what cannot be answered':44} {score.never_told:6}   wrong claims: "
        f"{score.claims}   goal 0"
    )
    return ["memapp claims what a person who is made up never told"] if score.claims else []


def report(score: Score) -> list[str]:
    """Print how questions were answered; return what was missed."""
    share = score.memapp / score.ceiling if score.ceiling else 0.0
    print(f"{'questions with an answer':44} {score.asked:6}")
    print(f"{'right without memory':44} {score.without:6}")
    print(f"{'right with memapp':44} {score.memapp:6}   evidence in the prompt: {score.found}")
    print(
        f"{'  of which memapp answered by itself':44} {score.by_itself:6}   right: "
        f"{score.by_itself_right}"
    )
    print(
        f"{'right after five turns of chit-chat':44} {score.mid_chat:6}   by itself: "
        f"{score.mid_chat_by_itself}"
    )
    print(
        f"{'asked what cannot be answered':44} {score.never_told:6}   wrong claims: "
        f"{score.claims}   goal 0"
    )
    print(
        f"{'right with the evidence handed in (ceiling)':44} {score.ceiling:6}   goal "
        f"{CEILING_GOAL:.0%} of the questions"
    )
    print(f"{'memapp / ceiling':44} {share:6.2f}   goal {SHARE_GOAL:.2f}")
    failures = []
    if score.ceiling < CEILING_GOAL * score.asked:
        failures.append("the ceiling is below its goal")
    if share < SHARE_GOAL:
        failures.append("memapp is too far below the ceiling")
    if score.memapp < MEMAPP_GOAL * score.asked:
        failures.append(f"memapp answers fewer than {MEMAPP_GOAL:.0%} right")
    if score.mid_chat < MID_CHAT_GOAL * score.asked:
        failures.append(f"after chit-chat memapp answers fewer than {MID_CHAT_GOAL:.0%} right")
    if score.claims:
        failures.append("memapp claims what was never told")
    return failures


if __name__ == "__main__":
    sys.exit(main())
