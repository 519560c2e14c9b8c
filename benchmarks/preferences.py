"""Does a preference, stated in one chat, stand in the prompt of the request it bears on, asked in
another?

People state preferences (`data/prefeval/dev`), one on each of twelve topics to a store, and go on
talking about other things (`data/synthetic_persona_chat/dev`); 0, 10 and 50 exchanges later each
request is put in a chat of its own. It often shares no word with the preference. Everything is a
whole turn, with the shipped settings, the bundled embedder and all that learns. What a request
needs is asked of the chosen model, once for each; all else that a model says is scripted. Counted
is what stands in the prompt of the reply: the preference, what else is put to the request, and,
where nothing should, what is put to small talk.

What touches health or faith waits for a yes, and until then stands in no prompt. The bounds are of
a person who answers nothing; beside it stands what comes of a yes to all that is asked.

python -m benchmarks.preferences [--model NAME|FILE] [--server URL] [--small] [--data
../shared/data] [--show]
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from benchmarks import MISSED, bundled_embedder, chat_model_options, open_chat_model
from memapp import bootstrap
from memapp.domain import ranking
from memapp.domain.memory import Recalled
from memapp.domain.prompt import Prompt, Sampling
from memapp.domain.turn_events import Accepted, Found
from memapp.inference import Cancel, ChatModel, Embedder, whole_reply
from memapp.inference.scripted import ScriptedModel, call_kind
from memapp.language.query_words import query_words
from memapp.prompts import predict
from memapp.prompts.respond import words
from memapp.runtime import Runtime
from memapp.services import chats, upkeep
from memapp.services.consent import decisions
from memapp.services.turn import take_turn
from memapp.store import consents, search

T = TypeVar("T")
Script = Callable[[Prompt, Sampling], str | None]
LATER = {0: 0.90, 10: 0.85, 50: 0.80}
"""The share of preferences that must stand in the prompt so many exchanges later."""
MOST_FOREIGN = 0.5
"""Hits in the prompt of a request that are not the preference, or learned from it."""
STORES, SMALL_STORES = 8, 2
EXCHANGES_A_CHAT = 10
HELD = 0.9
"""Of the words of a hit, the share that the prompt holds if the hit stands in it."""
SMALL_TALK = (
    "Thank you!", "Hi", "lol ok", "Thanks a lot, that helps!", "haha nice", "Good morning!",
    "ok cool", "Yes please", "no worries", "Bye, see you tomorrow", "How are you?", "That's great",
    "I see", "hm", "Sounds good!", "You're welcome", "What's up?", "really?", "Good night", "Wow",
    "hello there", "never mind", "thank you so much", "got it", "great answer", "I agree",
)  # fmt: skip


@dataclass(frozen=True)
class Preference:
    text: str
    request: str


@dataclass(frozen=True)
class Put:
    """What a turn put into the prompt of a request."""

    preference: Preference
    own: tuple[str, ...]
    foreign: tuple[str, ...]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[chat_model_options()],
    )
    parser.add_argument(
        "--small", action="store_true", help=f"{SMALL_STORES} stores instead of {STORES}"
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument(
        "--show", action="store_true", help="print the preferences that were missed"
    )
    options = parser.parse_args()
    if not (options.data / "prefeval/dev").exists():
        print(f"skipped: no data at {options.data}")
        return 0
    put: dict[int, list[Put]] = {later: [] for later in LATER}
    answered: dict[int, list[Put]] = {later: [] for later in LATER}
    idle = 0
    with closing(bundled_embedder()) as embedder, closing(open_chat_model(options)) as chat_model:
        everybody = list(people(options.data, SMALL_STORES if options.small else STORES))
        requests = frozenset(preference.request for told, _ in everybody for preference in told)
        asks = _asked_once(chat_model, requests.union(SMALL_TALK))
        for told, exchanges in everybody:
            idle += measure(asks, embedder, told, exchanges, put, says_yes=False)
            idle += measure(asks, embedder, told, exchanges, answered, says_yes=True)
    if options.show:
        show(put)
    return report(put, answered, idle)


def people(data: Path, stores: int) -> Iterator[tuple[list[Preference], list[tuple[str, str]]]]:
    """Yield for each store a preference of every topic, and what is talked about afterwards."""
    rows = [
        json.loads(line)
        for line in (data / "prefeval/dev/preferences.jsonl").open(encoding="utf-8")
    ]
    of_topic: dict[str, list[dict[str, Any]]] = {}
    for row in _shuffled(rows):
        of_topic.setdefault(row["topic"], []).append(row)
    lines = [
        json.loads(line)
        for line in (data / "synthetic_persona_chat/dev/chats.jsonl").open(encoding="utf-8")
    ]
    said = [[line.partition(": ")[2] for line in row["conversation"]] for row in lines]
    exchanges = _shuffled(
        [pair for chat in said for pair in zip(chat[::2], chat[1::2], strict=False) if all(pair)]
    )
    for store in range(stores):
        told = [
            Preference(value[store]["preference"], value[store]["question"])
            for value in of_topic.values()
        ]
        yield told, exchanges[store * max(LATER) :][: max(LATER)]


def measure(
    asks: Script,
    embedder: Embedder,
    told: Sequence[Preference],
    exchanges: Sequence[tuple[str, str]],
    put: dict[int, list[Put]],
    *,
    says_yes: bool,
) -> int:
    """Let somebody talk, who says yes to what they are asked or nothing, and ask in between; return
    the quotes of small talk.
    """
    with talking(asks, embedder) as (runtime, model):
        stated = {}
        for preference in told:
            stated[preference.text] = say(
                runtime,
                model,
                chats.new_thread(runtime).id,
                preference.text,
                "I will keep that in mind.",
            )
        done = 0
        for later in sorted(LATER):
            for first in range(done, later, EXCHANGES_A_CHAT):
                thread = chats.new_thread(runtime).id
                for message, reply in exchanges[first : min(first + EXCHANGES_A_CHAT, later)]:
                    say(runtime, model, thread, message, reply)
            done = later
            for _ in upkeep.work(runtime, None, Cancel()):
                pass
            for waiting in consents.list_pending(runtime.read()) if says_yes else ():
                decisions.approve(runtime, waiting.id)
            put[later] += [
                ask(runtime, model, preference, stated[preference.text]) for preference in told
            ]
        return sum(len(hits(runtime, text)) for text in SMALL_TALK)


@contextmanager
def talking(asks: Script, embedder: Embedder) -> Iterator[tuple[Runtime, ScriptedModel]]:
    """A memapp that knows nothing, with a model whose replies are scripted and whose first calls
    are real.
    """
    with tempfile.TemporaryDirectory() as home:
        runtime = bootstrap.start(home=Path(home))
        model = ScriptedModel(asks)
        runtime.chat.fill(model)
        runtime.embedding.fill(embedder)
        yield runtime, model
        runtime.database.close()  # not runtime.close(): the embedder serves the next person too


def _asked_once(chat_model: ChatModel, requests: frozenset[str]) -> Script:
    """Return a script that asks a model the first call of each request, and nothing else."""
    said: dict[str, str] = {}

    def asks(prompt: Prompt, sampling: Sampling) -> str | None:
        if call_kind(prompt, sampling) != "predict":
            return None
        message = prompt.turns[-1].content.rpartition("\n\n")[2]
        if predict.PREDICTION_KEY in prompt.head or message not in requests:
            return " []"
        if message not in said:
            said[message] = whole_reply(chat_model, prompt, sampling, Cancel(), predict.read_enough)
        return said[message]

    return asks


def say(runtime: Runtime, model: ScriptedModel, thread: str, text: str, reply: str) -> str:
    """Take a turn; return the id of the message."""
    model.enqueue(reply)
    accepted = next(
        event for event in list(take_turn(runtime, thread, text)) if isinstance(event, Accepted)
    )
    assert accepted.message
    return accepted.message.id


def ask(runtime: Runtime, model: ScriptedModel, preference: Preference, stated: str) -> Put:
    found = hits(runtime, preference.request)
    prompt = model.seen[-1]
    said = " ".join([prompt.system, *(turn.content for turn in prompt.turns), prompt.suffix])
    shown = [hit for hit in found if ranking.share_held(said, query_words(words(hit))) >= HELD]
    sources = search.sources_of(runtime.read(), [hit.id for hit in shown if hit.kind == "memory"])
    own = [hit for hit in shown if hit.id == stated or stated in sources.get(hit.id, ())]
    return Put(
        preference,
        tuple(hit.text for hit in own),
        tuple(hit.text for hit in shown if hit not in own),
    )


def hits(runtime: Runtime, text: str) -> tuple[Recalled, ...]:
    """Return what a turn of a chat of its own puts into the prompt; the chat is gone before the
    next one.
    """
    thread = chats.new_thread(runtime).id
    found = next(
        (
            event.hits
            for event in list(take_turn(runtime, thread, text))
            if isinstance(event, Found)
        ),
        (),
    )
    chats.delete_thread(runtime, thread)
    return found


def report(put: dict[int, list[Put]], answered: dict[int, list[Put]], idle: int) -> int:
    print(
        f"{'exchanges later':>16}{'preferences':>13}{'in the prompt':>15}{'foreign':>9}"
        f"{'with a yes':>12}{'foreign':>9}"
    )
    failures = []
    for later, goal in LATER.items():
        (reached, foreign), (told, others) = _shares(put[later]), _shares(answered[later])
        figures = f"{reached:15.3f}{foreign:9.2f}{told:12.3f}{others:9.2f}"
        print(f"{later:16}{len(put[later]):13}{figures}   goals {goal:.2f}, {MOST_FOREIGN}")
        if reached < goal:
            failures.append(
                f"{later} exchanges later {reached:.3f} stand in the prompt, not {goal:.2f}"
            )
        if max(foreign, others) > MOST_FOREIGN:
            failures.append(
                f"{later} exchanges later {max(foreign, others):.2f} others stand beside it, "
                f"not {MOST_FOREIGN}"
            )
    print(f"quotes for small talk: {idle}")
    failures += ["small talk got quotes"] if idle else []
    for failure in failures:
        print(f"MISSED: {failure}")
    return MISSED if failures else 0


def _shares(put: Sequence[Put]) -> tuple[float, float]:
    """Return how many requests had their preference in the prompt, and how many others beside."""
    return sum(bool(other.own) for other in put) / len(put), sum(
        len(other.foreign) for other in put
    ) / len(put)


def show(put: dict[int, list[Put]]) -> None:
    for later, requests in put.items():
        for request in requests:
            print(
                f"\n{later:3} {'ok' if request.own else '--'} {request.preference.request}\n"
                f"       {request.preference.text}"
            )
            for text in request.foreign:
                print(f"     - {text[:120]}")


def _shuffled(items: list[T]) -> list[T]:
    random.Random(1).shuffle(items)
    return items


if __name__ == "__main__":
    sys.exit(main())
