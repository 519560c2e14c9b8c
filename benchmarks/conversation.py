"""Can one chat with it? Whole conversations with the shipped settings, beside a plain chat of the
same model in the same run.

Eight chats of `data/synthetic_persona_chat/dev` (the first ten messages of one speaker) and four
written for this (`made_up/conversation`), in which the person also asks about themselves. What
there is to know was told the day before, in another chat. *plain* is what any chat program does:
the system text, the last three exchanges, the message.

Counted over the replies: shares six words in a row with an earlier reply of the same chat; equals
one; begins with the same three words; is nearer in meaning to its own message than to another
message of the chat (random: .50); speaks of its prompt; holds words that are none. Not a measure of
sense: read what --show prints.

python -m benchmarks.conversation [--model NAME|FILE | --server URL] [--small] [--data
../shared/data] [--show]
"""

import argparse
import json
import random
import re
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from benchmarks import MADE_UP, MISSED, bundled_embedder, chat_model_options, open_chat_model
from benchmarks.memory_helps import Person, Turn, remembering
from memapp.domain.prompt import Finished, Piece, Prompt, PromptTurn, Sampling
from memapp.domain.turn_events import Completed, Found, Restarted
from memapp.inference import Cancel, ChatModel, Embedder
from memapp.inference.bundled import bundled_embedder_path
from memapp.language.same_content import is_respelt
from memapp.runtime import Runtime
from memapp.services import chats, upkeep
from memapp.services.turn import take_turn

REPLY_TOKENS = 96
LATE = 7
"""From this turn on a chat counts as under way."""
RUN = 6
"""Words in a row that are no accident."""
LEAST_LINES, TURNS, OF_DATA, SMALL_OF_EACH = 22, 10, 8, 2
META = re.compile(
    r"\b(?:context|as an ai|language model|the user|user'?s|answer the question|based on "
    r"(?:the|your) (?:information|previous)|"
    r"previous conversation|\((?:January|February|March|April|May|June|July|August|September|"
    r"October|November|December) \d+\))",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Said:
    text: str
    must: tuple[tuple[str, ...], ...] = ()
    """Groups of words of which an answer must hold one each; only of questions about the person."""

    def is_answered_by(self, reply: str) -> bool:
        lowered = reply.lower()
        return all(any(text in lowered for text in group) for group in self.must)


@dataclass(frozen=True)
class Script:
    told: tuple[str, ...]
    turns: tuple[Said, ...]


class Counting:
    """A model that counts its computed tokens, in replies and in idle time."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.tokens = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def generate(
        self, prompt: Prompt, sampling: Sampling, cancel: Cancel
    ) -> Generator[Piece | Finished, None, None]:
        with closing(self._model.generate(prompt, sampling, cancel)) as stream:
            for part in stream:
                if isinstance(part, Finished):
                    self.tokens += part.usage.prefill_tokens + part.usage.decode_tokens
                yield part

    def warm(self, prompt: Prompt, cancel: Cancel, *, open_end: bool = False) -> int:
        computed = self._model.warm(prompt, cancel, open_end=open_end)
        self.tokens += computed
        return computed


@dataclass
class Arm:
    """What one way of answering gave."""

    chats: list[list[str]] = field(default_factory=list)
    """The replies, chat by chat."""
    tokens: int = 0
    second_tries: int = 0
    doubled: int = 0
    """Prompts in which two of the facts and the message say the same."""
    asked_alone: int = 0
    """Questions about the person that were answered right in a chat of their own."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[chat_model_options()],
    )
    parser.add_argument("--small", action="store_true", help=f"{SMALL_OF_EACH} chats of each kind")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--show", action="store_true", help="print both replies to every message")
    options = parser.parse_args()
    scripts = read(options.data, small=options.small)
    with closing(open_chat_model(options)) as model, closing(bundled_embedder()) as embedder:
        arms = {"plain": Arm(), "memapp": Arm()}
        for script in scripts:
            chat_with(script, Counting(model), embedder, arms)
        show(scripts, arms, all_of_them=options.show)
        return report(scripts, arms, embedder, vocabulary(scripts, options.data))


def read(data: Path, *, small: bool) -> list[Script]:
    written = [
        Script(
            tuple(chat["told"]),
            tuple(
                Said(turn["says"], tuple(map(tuple, turn.get("must", ()))))
                for turn in chat["turns"]
            ),
        )
        for chat in json.loads((MADE_UP / "conversation/chats.json").read_text("utf-8"))
    ]
    file = data / "synthetic_persona_chat/dev/chats.jsonl"
    if not file.exists():
        print(f"no data at {data}: only the chats written for this")
        return written[: SMALL_OF_EACH if small else None]
    rows = [
        row
        for line in file.open(encoding="utf-8")
        if len((row := json.loads(line))["conversation"]) >= LEAST_LINES
    ]
    random.Random(5).shuffle(rows)
    real = [
        Script(tuple(row["persona1"]), tuple(Said(text) for text in _first_speaker(row)))
        for row in rows[:OF_DATA]
    ]
    return [*real[: SMALL_OF_EACH if small else None], *written[: SMALL_OF_EACH if small else None]]


def _first_speaker(row: dict[str, Any]) -> list[str]:
    return [
        line.removeprefix("User 1: ") for line in row["conversation"] if line.startswith("User 1: ")
    ][:TURNS]


def chat_with(script: Script, model: Counting, embedder: Embedder, arms: dict[str, Arm]) -> None:
    """Have one chat in both ways."""
    yesterday = datetime(2026, 3, 2, 18, tzinfo=UTC)
    told = tuple(
        Turn(yesterday.replace(minute=at), line, "Good to know.")
        for at, line in enumerate(script.told)
    )
    with remembering(Person(told, ()), model, embedder, {"reply_tokens": REPLY_TOKENS}) as runtime:
        before = model.tokens
        arms["memapp"].chats.append(_with_memapp(runtime, script, arms["memapp"]))
        arms["memapp"].tokens += model.tokens - before
        model.forget()
        before = model.tokens
        arms["plain"].chats.append(_plainly(runtime, script, model))
        arms["plain"].tokens += model.tokens - before
        model.forget()
        for said in script.turns:
            if said.must:
                arms["memapp"].asked_alone += said.is_answered_by(
                    _reply(runtime, chats.new_thread(runtime).id, said.text, Arm())
                )


def _with_memapp(runtime: Runtime, script: Script, arm: Arm) -> list[str]:
    thread = chats.new_thread(runtime).id
    replies = []
    for said in script.turns:
        replies.append(_reply(runtime, thread, said.text, arm))
        for _ in upkeep.work(runtime, thread, Cancel()):
            pass
    return replies


def _reply(runtime: Runtime, thread: str, text: str, arm: Arm) -> str:
    reply = ""
    for event in take_turn(runtime, thread, text):
        match event:
            case Found(hits):
                said = [text, *(hit.text for hit in hits)]
                arm.doubled += any(
                    is_respelt(text, other) for at, text in enumerate(said) for other in said[:at]
                )
            case Restarted():
                arm.second_tries += 1
            case Completed():
                reply = event.reply.text
    return reply


def _plainly(runtime: Runtime, script: Script, model: Counting) -> list[str]:
    sampling = Sampling(REPLY_TOKENS, temperature=runtime.settings.temperature)
    turns: list[PromptTurn] = []
    for said in script.turns:
        turns.append(PromptTurn("user", said.text))
        prompt = Prompt(runtime.persona("companion").prompt, tuple(turns[-7:]))
        with closing(model.generate(prompt, sampling, Cancel())) as stream:
            reply = "".join(part.text for part in stream if isinstance(part, Piece)).strip()
        turns.append(PromptTurn("assistant", reply))
    return [turn.content for turn in turns if turn.role == "assistant"]


def vocabulary(scripts: Sequence[Script], data: Path) -> frozenset[str]:
    """Every word that the embedding model or the data knows."""
    known = set(next(bundled_embedder_path().rglob("vocab.txt")).read_text("utf-8").split())
    file = data / "synthetic_persona_chat/dev/chats.jsonl"
    known.update(_words(file.read_text("utf-8") if file.exists() else ""))
    known.update(
        word
        for script in scripts
        for text in (*script.told, *(said.text for said in script.turns))
        for word in _words(text)
    )
    return frozenset(known)


def show(scripts: Sequence[Script], arms: dict[str, Arm], *, all_of_them: bool) -> None:
    """Print replies beside each other: numbers do not see nonsense."""
    pairs = [
        (said.text, plain, own)
        for script, *both in zip(scripts, arms["plain"].chats, arms["memapp"].chats, strict=True)
        for said, plain, own in zip(script.turns, *both, strict=True)
    ]
    for says, plain, own in pairs if all_of_them else random.Random(0).sample(pairs, 10):
        print(
            f"\n> {says}\n  plain:  {' '.join(plain.split())[:240]}\n"
            f"  memapp: {' '.join(own.split())[:240]}"
        )


def report(
    scripts: Sequence[Script], arms: dict[str, Arm], embedder: Embedder, known: frozenset[str]
) -> int:
    measured = {name: measure(scripts, arm, embedder, known) for name, arm in arms.items()}
    plain, own = measured["plain"], measured["memapp"]
    questions = [said for script in scripts for said in script.turns if said.must]
    alone = arms["memapp"].asked_alone / len(questions)
    bounds: dict[str, tuple[str, Callable[[], bool]]] = {
        "six words of an earlier reply": (
            "<= .05, .1 x plain",
            lambda: own[name] <= min(0.05, 0.1 * plain[name]),
        ),
        "  late in the chat": ("<= .10", lambda: own[name] <= 0.10),
        "same as an earlier reply": ("0", lambda: own[name] == 0),
        "begins as an earlier reply": ("<= .15", lambda: own[name] <= 0.15),
        "nearest to its own message": (
            ">= .80, plain + .10",
            lambda: own[name] >= max(0.80, plain[name] + 0.10),
        ),
        "  late in the chat, nearest": (">= .75", lambda: own[name] >= 0.75),
        "speaks of its prompt": ("<= .01", lambda: own[name] <= 0.01),
        "words that are none": ("<= .015", lambda: own[name] <= 0.015),
        "prompts that say a thing twice": ("0", lambda: own[name] == 0),
        "second tries": ("<= .05", lambda: own[name] <= 0.05),
        "questions about the person": (
            ">= .75, .9 x alone",
            lambda: own[name] >= max(0.75, 0.9 * alone),
        ),
        "tokens computed": ("<= plain", lambda: own[name] <= plain[name]),
    }
    print(
        f"\n{sum(len(chat) for chat in arms['plain'].chats)} replies in {len(scripts)} "
        f"chats{'plain':>17}{'memapp':>9}   bound"
    )
    missed = []
    for name, (bound, holds) in bounds.items():
        print(f"{name:35}{plain[name]:9.3f}{own[name]:9.3f}   {bound}")
        if not holds():
            missed.append(name.strip())
    print(f"{'questions in a chat of their own':35}{'':9}{alone:9.3f}   of {len(questions)}")
    for name in missed:
        print(f"MISSED: {name}")
    return MISSED if missed else 0


def measure(
    scripts: Sequence[Script], arm: Arm, embedder: Embedder, known: frozenset[str]
) -> dict[str, float]:
    """Return the share of replies, or the count, for each line of the table."""
    replies = sum(len(chat) for chat in arm.chats)
    copied, late_copied, same, begins, won, late_won, none = [], [], [], [], [], [], []
    for script, chat in zip(scripts, arm.chats, strict=True):
        nearer = _nearest(script, chat, embedder)
        for at, reply in enumerate(chat):
            words = _words(reply)
            copied.append(any(_runs(words) & _runs(_words(other)) for other in chat[:at]))
            same.append(reply in chat[:at])
            begins.append(words[:3] in [_words(other)[:3] for other in chat[:at]])
            won.append(nearer[at])
            none += [word not in known for word in words if not word.isdigit()]
            if at + 1 >= LATE:
                late_copied.append(copied[-1])
                late_won.append(won[-1])
    asked = [
        said.is_answered_by(reply)
        for script, chat in zip(scripts, arm.chats, strict=True)
        for said, reply in zip(script.turns, chat, strict=True)
        if said.must
    ]
    return {
        "six words of an earlier reply": mean(copied),
        "  late in the chat": mean(late_copied),
        "same as an earlier reply": mean(same),
        "begins as an earlier reply": mean(begins),
        "nearest to its own message": mean(won),
        "  late in the chat, nearest": mean(late_won),
        "speaks of its prompt": mean(
            META.search(reply) is not None for chat in arm.chats for reply in chat
        ),
        "words that are none": mean(none),
        "prompts that say a thing twice": arm.doubled,
        "second tries": arm.second_tries / replies,
        "questions about the person": mean(asked),
        "tokens computed": arm.tokens,
    }


def _nearest(script: Script, chat: Sequence[str], embedder: Embedder) -> list[float]:
    """Return how many of the other messages of the chat are less near to each reply than its own,
    as a share.
    """
    said = embedder.embed([turn.text for turn in script.turns])
    likeness = embedder.embed([reply or " " for reply in chat]) @ said.T
    own = np.diagonal(likeness)[:, None]
    others = (likeness < own).sum(axis=1) + ((likeness == own).sum(axis=1) - 1) / 2
    return [float(other) for other in others / (len(script.turns) - 1)]


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower().replace("’", "'").replace("'", ""))


def _runs(words: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}


if __name__ == "__main__":
    sys.exit(main())
