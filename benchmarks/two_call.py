"""What do two calls cost before the first word?

Every figure is a ratio between things done in turn in the same run: a whole turn of the app (its
commits, the comparison with what was expected, recall) over a chat of one call with a warm cache;
the two calls of a turn alone over the same; the common layout (two system prompts, facts on top)
over the trunks that stay in the cache. A plain chat reads a message when it is sent. memapp reads
along while it is typed, and where a sentence ends makes the first call: a whole turn is timed of a
message typed so, and of one that came at once, as from the shell. Token counts do not depend on how
busy the machine is.

python -m benchmarks.two_call [--model NAME|FILE | --server URL] [--small]
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from statistics import median

from benchmarks import MISSED, chat_model_options, open_chat_model
from memapp import bootstrap, paths
from memapp.domain.chat import Exchange, Origin, Role
from memapp.domain.memory import Recalled
from memapp.domain.persona import Persona
from memapp.domain.prompt import Finished, Piece, Prompt, Sampling
from memapp.domain.turn_events import Streamed
from memapp.inference import Cancel, ChatModel
from memapp.prompts import predict, respond
from memapp.prompts.context import PromptContext, trunk
from memapp.prompts.personas import load_personas
from memapp.runtime import Runtime
from memapp.services import chats, curate, upkeep
from memapp.services.embed import embed
from memapp.services.models import model_loading
from memapp.services.recall.quotations import NOT_TOLD
from memapp.services.turn import take_turn
from memapp.store import chat

ROUNDS, SMALL_ROUNDS = 15, 4
TURN_LIMIT, TYPED_LIMIT, HIT_LIMIT, KNOWN_LIMIT = 4.4, 1.5, 1.0, 0.5
"""The calls alone have no bound: they get five notes, and a turn those that bear on its message."""
NAIVE_FLOOR = 2.0
"""Were no trunk shared, the naive layout would cost 1.0."""
CALL_1_TOKENS = 20
FACTS = (
    "User keeps two hens named Ada and Grace.",
    "User works nights at a bakery on weekdays.",
    "User is learning to play the accordion.",
    "User's sister lives in a lighthouse.",
    "User does not eat mushrooms.",
)
HITS = [
    Recalled("memory", str(number), fact, "", "", datetime(2026, 1, 1, tzinfo=UTC), 1.0, "words")
    for number, fact in enumerate(FACTS)
]
HISTORY = (
    (
        "I finally slept in today. First time in two weeks, I think.",
        "That sounds overdue. How do you feel now?",
    ),
    (
        "Better. I made pancakes and sat on the balcony with the hens until noon.",
        "Pancakes with hens for company is a fine way to spend a morning. Did they leave you any?",
    ),
    (
        (
            "Barely. Ada is bold. Tonight I am back at the ovens, "
            "and we have a big order of rye for the harvest fair."
        ),
        (
            "A big rye order means an early start on the sourdough. "
            "Do you have help tonight, or are you on your own?"
        ),
    ),
    (
        "There is a new apprentice, very keen, but he burns himself about once an hour.",
        (
            "Keen is good. Maybe give him the long gloves and a job far away from the oven door "
            "for the first night."
        ),
    ),
    (
        (
            "Ha, I will put him on shaping. By the way, I tried the new tune on the accordion and "
            "my left hand simply refuses."
        ),
        (
            "Left hands take their time. Try the bass line alone, very slowly, "
            "until it bores you, and only then add the melody."
        ),
    ),
    (
        "It bores me already. My neighbour has started to leave notes under the door.",
        (
            "Friendly notes or the other kind? A fixed half hour in the afternoon may keep the "
            "peace with the neighbour."
        ),
    ),
    (
        (
            "The other kind. He wrote that a goat would sound better. "
            "I am thinking of inviting him for dinner to make up for it."
        ),
        (
            "A dinner is a good idea. People forgive a lot of wrong notes over something warm and "
            "a decent loaf of bread."
        ),
    ),
    (
        (
            "True. I could ask my sister to come as well, she is good with difficult people, "
            "but the trip from the coast is long."
        ),
        (
            "She might enjoy the change. You could offer her the spare room so that she need not "
            "travel back at night."
        ),
    ),
)
MESSAGES = (
    "What could I cook for the two of them on Saturday?",
    "Do you think I should buy a third hen this autumn?",
    "Can you suggest an easy waltz for me to practise?",
    "How do I get through the night shift tomorrow?",
    "What should I write back to my neighbour today?",
    "Is there anything I should bring for my sister?",
    "Tell me what to do with a whole free afternoon.",
    "Which bread goes well with a vegetable stew?",
)
NEVER_TOLD = "What is my dentist called?"


@dataclass
class Measured:
    """Seconds of each way, round by round, and tokens of the calls."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    call_1: int = 0
    """Tokens that call 1 computes before it can write."""
    call_2: int = 0

    def ratio(self, above: str, below: str) -> float:
        """The median over the rounds, so that one busy moment does not decide."""
        return median(
            second / other
            for second, other in zip(self.seconds[above], self.seconds[below], strict=True)
        )

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.seconds.setdefault(name, []).append(time.perf_counter() - started)


Way = Callable[[ChatModel, PromptContext, Measured], None]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.two_call", parents=[chat_model_options()]
    )
    parser.add_argument(
        "--small", action="store_true", help=f"{SMALL_ROUNDS} rounds instead of {ROUNDS}"
    )
    parser.add_argument("--data", help="not used; every benchmark takes it")
    options = parser.parse_args()
    rounds = SMALL_ROUNDS if options.small else ROUNDS
    with closing(open_chat_model(options)) as model:
        return report(measure(model, rounds), rounds)


def measure(model: ChatModel, rounds: int) -> Measured:
    """Time every way in each round."""
    measured = Measured()
    before = talk("But first,")
    with started(model) as runtime:
        count_tokens(model, measured)
        ways: list[Way] = [one_call, one_call_typed, two_calls, two_calls_typed, expected, call_1]
        ways += [
            partial(whole_turn, runtime),
            partial(typed_turn, runtime),
            partial(known_turn, runtime),
        ]
        for number in range(rounds):
            context = talk(MESSAGES[number % len(MESSAGES)])
            for way in ways[number % len(ways) :] + ways[: number % len(ways)]:
                warm(model, before)
                way(model, context, measured)
            naive(model, context, measured)
    return measured


def warm(model: ChatModel, context: PromptContext) -> None:
    """Prefill both calls as far as they are known before recall."""
    look_up, chat = predict.request(context)[0], trunk(context)
    for prompt in [chat] if look_up.slot == chat.slot else [look_up, chat]:
        model.warm(prompt, Cancel(), open_end=True)


def count_tokens(model: ChatModel, measured: Measured) -> None:
    """The most that any message needs, when all but its last letters were prefilled."""
    for message in MESSAGES:
        context = talk(message)
        warm(model, talk("But first,"))
        warm(model, context)
        measured.call_1 = max(measured.call_1, prefilled(model, predict.request(context)[0]))
        measured.call_2 = max(measured.call_2, prefilled(model, reply_prompt(context)))


def prefilled(model: ChatModel, prompt: Prompt) -> int:
    *_, finished = model.generate(prompt, Sampling(max_tokens=1), Cancel())
    assert isinstance(finished, Finished)
    return finished.usage.prefill_tokens


# --- the ways of answering; each is timed up to the first word of the reply, the history being warm


def one_call(model: ChatModel, context: PromptContext, measured: Measured) -> None:
    with measured.timed("one call"):
        first_word(model, trunk(context))


def one_call_typed(model: ChatModel, context: PromptContext, measured: Measured) -> None:
    model.warm(trunk(context), Cancel(), open_end=True)
    with measured.timed("one call, typed"):
        first_word(model, trunk(context))


def two_calls(model: ChatModel, context: PromptContext, measured: Measured) -> None:
    with measured.timed("two calls"):
        keywords(model, *predict.request(context))
        first_word(model, reply_prompt(context))


def two_calls_typed(model: ChatModel, context: PromptContext, measured: Measured) -> None:
    """The message was prefilled while it was typed."""
    warm(model, context)
    with measured.timed("two calls, typed"):
        keywords(model, *predict.request(context))
        first_word(model, reply_prompt(context))


def expected(model: ChatModel, context: PromptContext, measured: Measured) -> None:
    """The message was expected: call 1 came in idle time, and its facts are in the cache."""
    prompt = reply_prompt(context)
    model.warm(prompt, Cancel(), open_end=True)
    with measured.timed("expected"):
        first_word(model, prompt)


def whole_turn(
    runtime: Runtime, _model: ChatModel, context: PromptContext, measured: Measured
) -> None:
    """What somebody waits for whose message comes at once."""
    first_word_of_turn(
        runtime, "whole turn, at once", begun_chat(runtime), context.message or "", measured
    )


def typed_turn(
    runtime: Runtime, _model: ChatModel, context: PromptContext, measured: Measured
) -> None:
    """Return the wait for the reply to an unexpected message, sent after a short pause."""
    thread, message = begun_chat(runtime), context.message or ""
    upkeep.warm(runtime, thread, message, Cancel())
    first_word_of_turn(runtime, "whole turn", thread, message, measured)


def known_turn(
    runtime: Runtime, _model: ChatModel, _context: PromptContext, measured: Measured
) -> None:
    """What a person waits for whose question memapp answers itself."""
    assert (
        first_word_of_turn(runtime, "known", begun_chat(runtime), NEVER_TOLD, measured) == NOT_TOLD
    )


def begun_chat(runtime: Runtime) -> str:
    """Return a chat in which the conversation was had, prefilled as it is when nothing is typed
    yet.
    """
    thread = chats.new_thread(runtime).id
    with runtime.write() as session:
        for exchange in HISTORY:
            for role, text in zip((Role.USER, Role.ASSISTANT), exchange, strict=True):
                chat.add_message(session, thread, role, text, runtime.clock(), origin=Origin.TYPED)
    upkeep.warm(runtime, thread, "", Cancel())
    return thread


def first_word_of_turn(
    runtime: Runtime, name: str, thread: str, message: str, measured: Measured
) -> str:
    """Return what comes first."""
    cancel = Cancel()
    happened = take_turn(runtime, thread, message, cancel=cancel)
    with measured.timed(name):
        first = next(event.text for event in happened if isinstance(event, Streamed))
    cancel.set()
    list(happened)
    return first


def naive(model: ChatModel, context: PromptContext, measured: Measured) -> None:
    """Each call has its own system prompt, with the facts on top, as most programs do it."""
    facts = "\n".join(f"- {fact}" for fact in FACTS)
    shared = trunk(context)
    prompt, sampling = predict.request(context)
    with measured.timed("naive"):
        keywords(
            model,
            replace(prompt, system=f"{prompt.suffix}\n\n{prompt.system}", suffix="", slot="chat"),
            sampling,
        )
        first_word(model, replace(shared, system=f"Context:\n{facts}\n\n{shared.system}"))


def call_1(model: ChatModel, context: PromptContext, measured: Measured) -> None:
    """Call 1 alone, with everything before its suffix in the cache."""
    warm(model, context)
    with measured.timed("call 1"):
        keywords(model, *predict.request(context))


@contextmanager
def started(model: ChatModel) -> Iterator[Runtime]:
    """Start the app without its screen, with the facts in its memory and both models loaded."""
    with tempfile.TemporaryDirectory() as home:
        runtime = bootstrap.start(home=Path(home), flags={"history_exchanges": len(HISTORY)})
        with closing(runtime):
            model_loading.load_embedder(runtime)
            for fact in FACTS:
                curate.add(runtime, fact)
            embed(runtime, Cancel())
            runtime.chat.fill(model)
            yield runtime


# --- calls


def keywords(model: ChatModel, prompt: Prompt, sampling: Sampling) -> None:
    """Read call 1 as far as a turn does."""
    text = ""
    with closing(model.generate(prompt, sampling, Cancel())) as stream:
        for part in stream:
            text += part.text if isinstance(part, Piece) else ""
            if predict.read_enough(text):
                break


def first_word(model: ChatModel, prompt: Prompt) -> None:
    with closing(
        model.generate(prompt, Sampling(max_tokens=64, temperature=0.3), Cancel())
    ) as stream:
        for part in stream:
            if isinstance(part, Piece):
                break


def talk(message: str) -> PromptContext:
    """Return a context whose constant part the whole turns have in the cache, too."""
    return PromptContext(
        companion(), (), tuple(Exchange(user, reply) for user, reply in HISTORY), message
    )


@cache
def companion() -> Persona:
    return load_personas([paths.bundled("assets", "personas")])["companion"]


def reply_prompt(context: PromptContext) -> Prompt:
    return respond.request(context, HITS, reply_tokens=64, temperature=0.3)[0]


# --- the table


def report(measured: Measured, rounds: int) -> int:
    """Print what was found; return the exit code."""
    rows = [
        ("call 1 computes, message typed", measured.call_1, CALL_1_TOKENS),
        ("call 2 computes", measured.call_2, None),
    ]
    print(f"{'tokens':44}{'found':>8}{'bound':>10}")
    for name, found, most in rows:
        missed = most is not None and found > most
        print(
            f"{name:44}{found:8}{'' if most is None else f'<= {most}':>10}  "
            f"{'MISSED' if missed else ''}"
        )
    ratios = [
        ("a whole turn, typed / one call", "whole turn", "one call", TYPED_LIMIT, True),
        (
            "a whole turn that comes at once / one call",
            "whole turn, at once",
            "one call",
            TURN_LIMIT,
            True,
        ),
        ("a turn that memapp answers itself / one call", "known", "one call", KNOWN_LIMIT, True),
        ("its two calls alone / one call", "two calls", "one call", None, True),
        ("an expected message / one call", "expected", "one call", HIT_LIMIT, True),
        (
            "two calls / one call, both typed ahead",
            "two calls, typed",
            "one call, typed",
            None,
            True,
        ),
        ("expected / one call, both typed ahead", "expected", "one call, typed", None, True),
        ("naive layout / two calls, typed ahead", "naive", "two calls, typed", NAIVE_FLOOR, False),
    ]
    print(f"\n{f'seconds to the first word, median of {rounds}':44}{'ratio':>8}{'bound':>10}")
    failed = any(most is not None and found > most for _, found, most in rows)
    for name, above, below, limit, at_most in ratios:
        ratio = measured.ratio(above, below)
        holds = limit is None or (ratio <= limit if at_most else ratio >= limit)
        failed |= not holds
        bound = "" if limit is None else f"{'<=' if at_most else '>='} {limit}"
        print(f"{name:44}{ratio:8.2f}{bound:>10}  {'' if holds else 'MISSED'}")
    print(
        "\n"
        + ", ".join(
            f"{name} {median(taken) * 1000:.0f} ms" for name, taken in measured.seconds.items()
        )
    )
    return MISSED if failed else 0


if __name__ == "__main__":
    sys.exit(main())
