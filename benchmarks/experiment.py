"""Do the predictor and the loop make the guess of the next message better? A controlled experiment.

People from data write their messages in order; the partner of the data answers them in the model's
place, so that each message does answer the one before it and the conversations are word for word
the same in every arm. All else goes through the real `take_turn` and `upkeep.work` with the shipped
settings. What a person had told before, in other chats, is told first, too.

Four arms: *neither*; *predictor*, which makes call 1; *loop*, which learns from surprises and
recalls; *both*, which is memapp. Without the loop nothing is learned and nothing recalled, so what
was told before cannot reach those arms and is not told there. A guess matches when its similarity
in meaning to what the person then writes is at least .6; no guess is no match. The hypothesis holds
if *both* matches at least a fifth more often than *neither* and the paired test says p < .05.

A guess *needs a fact* when the person's next message says again, at .6, what they told in an
earlier chat. Of these it is counted whether the fact was kept, stood in the prompt, was used by the
reply (the model writes its own there, which only is read here) and by the guess. Each arm of a
conversation is one line of a file; a run that is cut goes on with it.

python -m benchmarks.experiment [--model NAME|FILE | --server URL] [--conversations N] [--resume
FILE] [--data ../shared/data]
    [--show]
"""

import argparse
import hashlib
import json
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from statistics import mean
from typing import Any
from unittest.mock import patch

from benchmarks import bundled_embedder, chat_model_flags, chat_model_options
from benchmarks.paired import ALPHA, POWER, Difference, Plan, compare
from memapp import bootstrap
from memapp.domain.expectation import AS_PREDICTED
from memapp.domain.memory import Recalled
from memapp.domain.prompt import Finished, Piece, Prompt, Sampling, Usage
from memapp.domain.turn_events import Accepted, Compared, Completed, Failed, Found
from memapp.inference import Cancel, ChatModel, Embedder
from memapp.inference.scripted import call_kind
from memapp.language.expectation import writable
from memapp.language.grammar import root
from memapp.language.query_words import query_words
from memapp.runtime import Runtime
from memapp.services import chats, jobs, upkeep
from memapp.services.turn import take_turn
from memapp.store import expectations, search

EXCHANGES = 6
"""Of each conversation: further ones cost as much as a new conversation and tell less."""
LEAST_CONVERSATIONS = 178
IMPROVEMENT = 0.20
"""Of the share that matches without; the bound that was set before the experiment."""
ON_TOPIC = 0.4
LEARNED_AT_ONCE = 20
LATELY = 3
"""So many of the person's last messages stand in every prompt: words from there show no use of a
fact.
"""
EFFECT = 0.02
"""One guess in fifty more: the smallest gain that anybody could notice, and a fifth of a share of
.10.
"""
PLAN = Plan(base=0.06, discordant=0.04, correlation=0.10, guesses=5.0)
"""As a pilot of the bundled model over 50 conversations has it."""


@dataclass(frozen=True)
class Arm:
    name: str
    predictor: bool
    loop: bool


NEITHER, BOTH = Arm("neither", False, False), Arm("both", True, True)
PREDICTOR, LOOP = Arm("predictor", True, False), Arm("loop", False, True)
ARMS = (NEITHER, PREDICTOR, LOOP, BOTH)
Exchange = tuple[str, str]
"""What the person writes, and what their partner answers."""


@dataclass(frozen=True)
class Conversation:
    id: str
    source: str
    told: tuple[Exchange, ...]
    """In earlier chats."""
    exchanges: tuple[Exchange, ...]


@dataclass
class Guess:
    """One guess, the next message, and the needed memories."""

    text: str = ""
    similarity: float = 0.0
    by_call_1: str = ""
    similarity_of_call_1: float = 0.0
    echo: float = 0.0
    """Similarity of the message before to what came: what a guess would reach that only says again
    what was said.
    """
    chance: float = 0.0
    """Similarity of the guess to a message of another conversation."""
    needed: str = ""
    """What the person had told before and now says again."""
    kept: bool = False
    found: bool = False
    used_in_reply: bool | None = None
    """None where the fact was not in the prompt."""
    used_in_guess: bool = False

    @property
    def matches(self) -> bool:
        return self.similarity >= AS_PREDICTED


@dataclass
class Row:
    """One arm of one conversation."""

    conversation: str
    source: str
    arm: str
    model: str
    code: str
    seconds: float
    guesses: list[Guess] = field(default_factory=list)


class Partner:
    """A model in whose place the partner of a conversation speaks."""

    def __init__(self, model: ChatModel, arm: Arm) -> None:
        self._model = model
        self._arm = arm
        self.says = ""
        """What the partner answers next."""
        self.guesses = False
        """Whether the model is asked for its guesses: not while the past is told."""
        self.is_idle = False
        """Then nobody is answered, and what memapp asks is for the model."""
        self.asked_to_reply = False
        """Whether the model writes a reply too, only to be read here."""
        self.own_reply = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def generate(
        self, prompt: Prompt, sampling: Sampling, cancel: Cancel
    ) -> Generator[Piece | Finished, None, None]:
        match call_kind(prompt, sampling):
            case "reply" if not self.is_idle:
                yield from self._reply(prompt, sampling, cancel)
            case "predict" if not self.guesses or not (
                self._arm.predictor or prompt.head.endswith('": "')
            ):  # that is a guess
                yield Finished("end", Usage())
            case _:
                yield from self._model.generate(prompt, sampling, cancel)

    def _reply(
        self, prompt: Prompt, sampling: Sampling, cancel: Cancel
    ) -> Iterator[Piece | Finished]:
        if self.asked_to_reply:
            parts = self._model.generate(prompt, sampling, cancel)
            self.own_reply = "".join(part.text for part in parts if isinstance(part, Piece))
        yield Piece(self.says)
        yield Finished("end", Usage())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[chat_model_options()],
    )
    parser.add_argument(
        "--conversations",
        type=int,
        default=None,
        help="so many; as a rule what the power analysis says",
    )
    parser.add_argument(
        "--resume",
        type=Path,
        default=Path("experiment.jsonl"),
        help="the file of results, to go on with",
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--show", action="store_true", help="print each guess beside what came")
    options = parser.parse_args()
    conversations = read_conversations(options.data)
    if not conversations:
        print(f"skipped: no data at {options.data}")
        return 0
    chosen = conversations[: options.conversations or wanted(len(conversations))]
    with ExitStack() as opened, closing(bundled_embedder()) as embedder:
        home = opened.enter_context(tempfile.TemporaryDirectory())
        runtime = opened.enter_context(
            closing(bootstrap.start(home=Path(home), flags=chat_model_flags(options)))
        )
        model = opened.enter_context(closing(bootstrap.open_chat_model(runtime, print)))
        rows = [
            row
            for row in read_rows(options.resume)
            if (row.model, row.code) == (model.name, version())
        ]
        try:
            for row in hold_all(chosen, rows, model, embedder):
                rows.append(row)
                with options.resume.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")
                if options.show:
                    show(row, chosen)
        except KeyboardInterrupt:
            print(f"stopped; the same command goes on, with --resume {options.resume}")
    names = {conversation.id for conversation in chosen}
    report([row for row in rows if row.conversation in names], len(chosen))
    return 0


def wanted(available: int) -> int:
    """Return how many conversations to hold, and print why."""
    needed = max(LEAST_CONVERSATIONS, PLAN.conversations(EFFECT))
    print(
        f"power analysis: {PLAN.base:.2f} match without, {PLAN.discordant:.2f} in one arm only, "
        "correlation in a conversation"
        f" {PLAN.correlation:.2f}, {PLAN.guesses:.0f} guesses each;\n"
        f"  to find +{EFFECT:.2f} with power {POWER:.2f} at alpha"
        f" {ALPHA:.2f}, two-sided: {needed} conversations an arm, the same in all arms."
    )
    fifth = IMPROVEMENT * PLAN.base
    print(
        f"  The data has {available}; a fifth of so low a share, +{fifth:.3f}, "
        f"would take {PLAN.conversations(fifth):,}."
    )
    return min(needed, available)


def version() -> str:
    """Return a fingerprint of the code and the prompts: results of different ones are not mixed."""
    package = Path(bootstrap.__file__).parent
    files = sorted([*package.rglob("*.py"), *(package.parent / "assets").rglob("*.*")])
    return hashlib.sha256(
        b"".join(file.read_bytes() for file in files if file.is_file())
    ).hexdigest()[:12]


def read_rows(file: Path) -> Iterator[Row]:
    """Yield the rows of an interrupted run, without an unfinished line."""
    for line in file.read_text("utf-8").splitlines(keepends=True) if file.exists() else ():
        if line.endswith("\n"):
            values = json.loads(line)
            yield Row(**{**values, "guesses": [Guess(**value) for value in values["guesses"]]})


# --- the conversations


def read_conversations(data: Path) -> list[Conversation]:
    """Return all conversations, so ordered that however many of the first are taken, each source
    has its share.
    """
    sources = [list(kind) for kind in (_personas(data), _dialogs(data), _companions(data))]
    for found in sources:
        random.Random(7).shuffle(found)
    placed = [
        ((at + 0.5) / len(found), conversation.id, conversation)
        for found in sources
        for at, conversation in enumerate(found)
    ]
    return [conversation for _, _, conversation in sorted(placed)]


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.open(encoding="utf-8")] if file.exists() else []


def _personas(data: Path) -> Iterator[Conversation]:
    """Two strangers chat; what one of them is was told before."""
    for row in _lines(data / "synthetic_persona_chat/dev/chats.jsonl"):
        lines = [line.partition(": ")[::2] for line in row["conversation"]]
        told = tuple((line, "Good to know.") for line in row["persona1"])
        yield from _conversation(row["id"], "persona", told, lines, "User 1")


def _dialogs(data: Path) -> Iterator[Conversation]:
    """Somebody asks an assistant to do something."""
    for row in _lines(data / "sgd/dev/dialogs.jsonl"):
        yield from _conversation(
            row["id"], "sgd", (), [(turn["speaker"], turn["text"]) for turn in row["turns"]], "USER"
        )


def _companions(data: Path) -> Iterator[Conversation]:
    """Somebody chats with a companion day by day; each day is a conversation, and the days before
    it are what was told.
    """
    for user, of_user in groupby(
        _lines(data / "memorybank/dev/dialogs.jsonl"), key=lambda row: row["user"]
    ):
        told: tuple[Exchange, ...] = ()
        for day, of_day in groupby(of_user, key=lambda row: row["date"]):
            exchanges = tuple((row["user_text"], row["assistant_text"]) for row in of_day)
            lines = [
                line
                for exchange in exchanges
                for line in zip(("user", "companion"), exchange, strict=True)
            ]
            yield from _conversation(f"{user} {day}", "memorybank", told, lines, "user")
            told += exchanges


def _conversation(
    name: str,
    source: str,
    told: tuple[Exchange, ...],
    lines: Sequence[tuple[str, str]],
    person: str,
) -> Iterator[Conversation]:
    """Pair each line of the person with the answer to it; a conversation in which the two do not
    take turns is left out.
    """
    texts = [text for _, text in lines if text.strip()][: 2 * EXCHANGES]
    speakers = [speaker == person for speaker, _ in lines][: 2 * EXCHANGES]
    if speakers == [at % 2 == 0 for at in range(len(texts))] and len(texts) >= 4:
        yield Conversation(name, source, told, tuple(zip(texts[::2], texts[1::2], strict=False)))


# --- holding them


def hold_all(
    chosen: Sequence[Conversation], done: Sequence[Row], model: ChatModel, embedder: Embedder
) -> Iterator[Row]:
    """Hold what was not held yet, the arms of the hypothesis first."""
    held = {(row.conversation, row.arm) for row in done}
    for arms in ((NEITHER, BOTH), (PREDICTOR, LOOP)):
        for at, conversation in enumerate(chosen):
            for arm in arms:
                if (conversation.id, arm.name) not in held:
                    yield hold(conversation, arm, model, embedder, chosen[at - 1].exchanges[0][0])


def hold(
    conversation: Conversation, arm: Arm, model: ChatModel, embedder: Embedder, elsewhere: str
) -> Row:
    """Hold a conversation in one arm."""
    began = time.monotonic()
    partner = Partner(model, arm)
    with holding(partner, arm, embedder) as runtime:
        said = tell(runtime, partner, conversation.told) if arm.loop else {}
        partner.guesses = True
        guesses = converse(runtime, partner, conversation, said, needs(conversation, embedder))
    model.forget()
    measure(guesses, conversation, embedder, elsewhere)
    seconds = round(time.monotonic() - began, 1)
    return Row(
        conversation.id, conversation.source, arm.name, model.name, version(), seconds, guesses
    )


@contextmanager
def holding(partner: Partner, arm: Arm, embedder: Embedder) -> Iterator[Runtime]:
    """A memapp with an empty memory. Without the loop it learns nothing, and looks nothing up."""
    with ExitStack() as opened:
        home = opened.enter_context(tempfile.TemporaryDirectory())
        runtime = bootstrap.start(
            home=Path(home),
            flags={"answer_from_memory": False} | ({} if arm.loop else {"prompt_memories": 0}),
        )
        opened.callback(runtime.database.close)  # the models serve the next conversation too
        if not arm.loop:
            opened.enter_context(patch.object(jobs, "AFTER_A_REPLY", (jobs.EMBED,)))
        runtime.embedding.fill(embedder)
        runtime.chat.fill(partner)  # type: ignore[arg-type]
        yield runtime


def tell(runtime: Runtime, partner: Partner, told: Sequence[Exchange]) -> dict[str, str]:
    """Have what was said before, yesterday and in another chat; return each message's id by its
    text.
    """
    now = datetime.now(UTC) - timedelta(days=1)
    runtime.clock = lambda: now
    ids: dict[str, str] = {}
    thread = chats.new_thread(runtime).id if told else ""
    for text, partner.says in told:
        now += timedelta(minutes=1)
        accepted = next(
            event for event in list(take_turn(runtime, thread, text)) if isinstance(event, Accepted)
        )
        assert accepted.message is not None
        ids[text] = accepted.message.id
    for _ in range(0, len(told), LEARNED_AT_ONCE):
        idle(runtime, partner, thread)
    now += timedelta(days=1)
    return ids


def idle(runtime: Runtime, partner: Partner, thread: str) -> None:
    partner.is_idle = True
    for _ in upkeep.work(runtime, thread, Cancel()):
        pass
    partner.is_idle = False


def needs(conversation: Conversation, embedder: Embedder) -> list[str]:
    """Return for each later message the earlier one it repeats, or an empty text."""
    told, said = (
        [text for text, _ in conversation.told],
        [text for text, _ in conversation.exchanges],
    )
    if not told:
        return [""] * (len(said) - 1)
    alike = embedder.embed(said[1:]) @ embedder.embed(told).T
    return [told[row.argmax()] if row.max() >= AS_PREDICTED else "" for row in alike]


def converse(
    runtime: Runtime,
    partner: Partner,
    conversation: Conversation,
    said: dict[str, str],
    needed: Sequence[str],
) -> list[Guess]:
    """Have the conversation itself; return the guess of each message but the first."""
    thread = chats.new_thread(runtime).id
    guesses: list[Guess] = []
    exchanges = conversation.exchanges
    for at, (text, partner.says) in enumerate(exchanges):
        guess = Guess(needed=needed[at] if at < len(needed) else "")
        partner.asked_to_reply, partner.own_reply = False, ""
        for event in take_turn(runtime, thread, text):
            match event:
                case Compared(expected) if guesses:
                    guesses[-1].text = expected.text if expected else ""
                case Found(hits) if guess.needed in said:
                    guess.kept, guess.found = kept_and_found(runtime, said[guess.needed], hits)
                    partner.asked_to_reply = guess.found
                case Completed(reply):
                    answered = reply
                case Failed(_, problem):
                    raise problem
        if at == len(exchanges) - 1:
            break
        idle(runtime, partner, thread)
        predicted = expectations.prediction_for(runtime.read(), answered.id, "predictor")
        guess.by_call_1 = writable(predicted.text, [text, partner.says]) if predicted else ""
        if guess.found:
            lately = [exchange for exchange, _ in exchanges[max(0, at - LATELY) : at + 1]]
            guess.used_in_reply = uses(partner.own_reply, guess.needed, lately)
        guesses.append(guess)
    for at, guess in enumerate(guesses):
        lately = [exchange for exchange, _ in exchanges[max(0, at - LATELY) : at + 1]]
        guess.used_in_guess = bool(guess.needed) and uses(guess.text, guess.needed, lately)
    return guesses


def kept_and_found(
    runtime: Runtime, message_id: str, hits: Sequence[Recalled]
) -> tuple[bool, bool]:
    """Say whether a fact was learned from a message, and whether that fact or the message stands in
    the prompt.
    """
    session = runtime.read()
    learned = {
        row[0]
        for row in session.run(
            "SELECT memory_id FROM memory_sources WHERE message_id = :id", id=message_id
        )
    }
    in_prompt = {hit.id for hit in hits}
    from_it = {
        item
        for item, sources in search.sources_of(session, list(in_prompt)).items()
        if message_id in sources
    }
    return bool(learned), message_id in in_prompt or bool(from_it)


def uses(text: str, fact: str, lately: Sequence[str]) -> bool:
    """Say whether a text has a word of a fact that was not said lately."""
    return bool((_roots(fact) - _roots(" ".join(lately))) & _roots(text))


def _roots(text: str) -> set[str]:
    return {root(word) for word in query_words(text)}


def measure(
    guesses: list[Guess], conversation: Conversation, embedder: Embedder, elsewhere: str
) -> None:
    """Compare each guess with what the person then wrote."""
    said = embedder.embed([text for text, _ in conversation.exchanges])
    for at, guess in enumerate(guesses):
        guess.echo = round(float(said[at] @ said[at + 1]), 3)
        if guess.text:
            alike = (
                embedder.embed([guess.text])
                @ embedder.embed([conversation.exchanges[at + 1][0], elsewhere]).T
            )
            guess.similarity, guess.chance = (round(float(number), 3) for number in alike[0])
        if guess.by_call_1:
            guess.similarity_of_call_1 = round(
                float((embedder.embed([guess.by_call_1]) @ said[at + 1 : at + 2].T)[0, 0]), 3
            )


# --- the tables


def show(row: Row, conversations: Sequence[Conversation]) -> None:
    conversation = next(
        conversation for conversation in conversations if conversation.id == row.conversation
    )
    print(f"\n{row.conversation} ({row.arm}, {row.seconds} s)")
    for guess, (text, _) in zip(row.guesses, conversation.exchanges[1:], strict=True):
        print(f"  {guess.similarity:5.2f} {guess.text[:90] or '(no guess)'} | {text[:90]}")
        if guess.needed:
            print(
                f"        needed: {guess.needed} | kept {guess.kept}, found {guess.found}, "
                f"used {guess.used_in_reply}"
            )


def report(rows: Sequence[Row], chosen: int) -> None:
    by_arm: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        by_arm[row.arm][row.conversation] = row
    paired = sorted(by_arm[NEITHER.name].keys() & by_arm[BOTH.name].keys())
    print(
        f"\n{len(paired)} of {chosen} conversations held both without and with; "
        f"a match is a similarity >= {AS_PREDICTED}"
    )
    print(
        f"{'arm':12}{'held':>6}{'guesses':>9}{'made':>7}{'match':>8}{'mean':>7}"
        f"{'call 1':>8}{'chance':>8}{'s each':>8}"
    )
    for arm in ARMS:
        if held := list(by_arm[arm.name].values()):
            print_arm(arm.name, held)
    left = [hours_left(list(by_arm[arm.name].values()), chosen) for arm in (NEITHER, BOTH)]
    if any(left):
        print(
            f"left, at this pace: {sum(left):.1f} hours for neither and both; "
            "the other two arms take about as long again"
        )
    if len(paired) < 2:
        return
    without, with_it = ([by_arm[arm.name][text] for text in paired] for arm in (NEITHER, BOTH))
    everything = [guess for row in without for guess in row.guesses]
    echoes = _share(guess.echo >= AS_PREDICTED for guess in everything)
    print(f"what the person wrote last, as a guess of what they write next: {echoes}")
    for source in sorted({row.source for row in without}):
        shares = [
            _share(guess.matches for row in arm if row.source == source for guess in row.guesses)
            for arm in (without, with_it)
        ]
        print(f"  {source}: {shares[0]} without, {shares[1]} with both")
    found = compare(
        *([[guess.matches for guess in row.guesses] for row in arm] for arm in (without, with_it))
    )
    if not decide(found, chosen):
        explain(without, with_it)


def hours_left(held: Sequence[Row], chosen: int) -> float:
    return (chosen - len(held)) * mean(row.seconds for row in held) / 3600 if held else 0.0


def print_arm(name: str, rows: Sequence[Row]) -> None:
    guesses = [guess for row in rows for guess in row.guesses]
    made = [guess for guess in guesses if guess.text]
    shares = (
        len(made) / len(guesses),
        mean(guess.matches for guess in guesses),
        mean(guess.similarity for guess in guesses),
    )
    others = (
        mean(guess.similarity_of_call_1 >= AS_PREDICTED for guess in guesses),
        mean(guess.chance >= AS_PREDICTED for guess in guesses),
    )
    print(
        f"{name:12}{len(rows):6}{len(guesses):9}{shares[0]:7.2f}{shares[1]:8.3f}{shares[2]:7.2f}"
        f"{others[0]:8.3f}{others[1]:8.3f}{mean(row.seconds for row in rows):8.0f}"
    )


def decide(found: Difference, chosen: int) -> bool:
    """Print how the two arms differ; say whether the hypothesis holds."""
    relative = found.change / found.base if found.base else 0.0
    print(
        f"\nboth - neither: {found.change:+.3f}, 95 % of the bootstrap over conversations "
        f"{found.low:+.3f} to {found.high:+.3f}"
    )
    print(f"of the share without, {found.base:.3f}: {relative:+.0%}, goal {IMPROVEMENT:+.0%}")
    print(f"matches only without: {found.only_without}, only with both: {found.only_with}")
    print(
        f"paired test, arms exchanged conversation by conversation: p = {found.paired_p:.3f}; "
        "this one decides,"
    )
    print("  since guesses of one conversation resemble each other")
    print(f"chi-square over guesses, as if each stood alone: p = {found.chi_square_p:.3f}")
    print(
        "by the spread found here, so many conversations see a difference of "
        f"{found.detectable:.3f} with power {POWER:.2f}"
    )
    holds = found.paired_p < ALPHA and relative >= IMPROVEMENT
    whole = found.conversations >= max(LEAST_CONVERSATIONS, chosen)
    answer = "yes" if holds else "no"
    print(
        f"the hypothesis holds: {answer}"
        if whole
        else f"no result yet, too few conversations; so far: {answer}"
    )
    return holds


def explain(without: Sequence[Row], with_it: Sequence[Row]) -> None:
    """Print which part failed: the guess, the fact, or its use."""
    guesses = [guess for row in with_it for guess in row.guesses]
    plain = [guess for row in without for guess in row.guesses]
    in_need = [at for at, guess in enumerate(guesses) if guess.needed]
    needing, found = (
        [guesses[at] for at in in_need],
        [guesses[at] for at in in_need if guesses[at].found],
    )
    rows = {
        "guess: made at all": (bool(guess.text) for guess in guesses),
        f"  on the topic of what came, >= {ON_TOPIC}": (
            guess.similarity >= ON_TOPIC for guess in guesses
        ),
        "fact: a known one would make the guess right": (bool(guess.needed) for guess in guesses),
        "  of these, it was learned": (guess.kept for guess in needing),
        "  it, or the message that told it, was in the prompt": (guess.found for guess in needing),
        "use, where it was in the prompt: by the reply": (
            bool(guess.used_in_reply) for guess in found
        ),
        "  by the guess": (guess.used_in_guess for guess in found),
        "  the guess matches": (guess.matches for guess in found),
        "  the guess of the same message matches without": (
            plain[at].matches for at in in_need if guesses[at].found
        ),
    }
    print("\nthe parts, with both:")
    for what, these in rows.items():
        print(f"  {what:56}{_share(these)}")
    shares = {
        "guess": [guess.similarity >= ON_TOPIC for guess in guesses],
        "fact": [guess.found for guess in needing],
        "use": [guess.used_in_guess for guess in found],
    }
    weakest = min((part for part in shares if shares[part]), key=lambda part: mean(shares[part]))
    print(f"the weakest part: {weakest} (on the topic, in the prompt, used by the guess)")


def _share(these: Iterable[bool]) -> str:
    """Return a share with its numbers."""
    all_of_them = list(these)
    return (
        f"{mean(all_of_them):.3f} ({sum(all_of_them)} of {len(all_of_them)})"
        if all_of_them
        else "none"
    )


if __name__ == "__main__":
    sys.exit(main())
