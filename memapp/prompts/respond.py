"""Call 2: the reply, with what recall found, and the next prediction after it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memapp.domain.chat import Exchange
from memapp.domain.memory import Recalled
from memapp.domain.prompt import Prompt, Sampling
from memapp.domain.repetition import EXCHANGES, repeated
from memapp.domain.text import clean, one_line, shorten
from memapp.prompts.context import PromptContext, speech, trunk
from memapp.prompts.quotes import asks, quote, stated
from memapp.prompts.templates import template

TAIL = "\nNEXT_PREDICTION:"
PREDICTION_CHARS = 160
LIVELY = 0.7
"""Temperature of another answer to the same message: 20 of 28 were right and all differed from the first one, 24 of which were.

At 0.5 as many were right and one was the same; with the first answer named as one to avoid, and at 1.0, 12 were right.
"""
LIVELIER = 1.0
"""Temperature of a second try: at 0.7 the bundled model wrote the same again in 5 of 11, at 1.0 in none of 7."""
AVOID_CHARS = 120
"""Enough to name a reply; in any script it has room in what the budget leaves free for memories."""
REPEAT_PENALTY = 1.1
"""A small model runs in circles without it."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """How often a reply has been tried: each try samples other words."""

    retries: int = 0
    """How many replies to the same message the person has seen."""
    second: bool = False
    """The first try said again what had been said."""
    avoid: str = ""
    """What of the last exchanges it said again, which is named in the prompt; else the question is put as before."""

    @property
    def seed(self) -> int:
        return 2 * self.retries + self.second

    def temperature(self, usual: float) -> float:
        return max(usual, LIVELIER if self.second else LIVELY if self.retries else 0.0)


FIRST = Attempt()


def request(
    context: PromptContext,
    hits: Sequence[Recalled],
    *,
    updates: Sequence[str] = (),
    attempt: Attempt = FIRST,
    reply_tokens: int,
    temperature: float,
) -> tuple[Prompt, Sampling]:
    """Ask for the reply. `updates` are the lines on what changed in the memory."""
    known = _known(context.message, hits, updates) if hits or updates else ""
    head, stop = speech(context.persona)
    prompt = replace(trunk(context), suffix="\n\n".join(filter(None, [known, not_again(attempt)])), head=head)
    return prompt, Sampling(
        max_tokens=reply_tokens,
        temperature=attempt.temperature(temperature),
        repeat_penalty=REPEAT_PENALTY,
        seed=attempt.seed,
        stop=stop,
        tail=TAIL,
    )


def not_again(attempt: Attempt) -> str:
    """Name what an attempt must not say again; empty where there is nothing."""
    return template("avoid").substitute(reply=shorten(one_line(attempt.avoid), AVOID_CHARS)) if attempt.avoid else ""


def with_facts(message: str, hits: Sequence[Recalled], updates: Sequence[str] = ()) -> str:
    """Put facts before a message that was expected: there they are in the model's cache before it is typed."""
    return f"{_known(message, hits, updates)}\n\n{message}" if hits or updates else message


def parse_prediction(tail_text: str) -> str:
    """Read what came after the tail: one line, without quotes."""
    lines = clean(tail_text).strip().splitlines()
    return shorten(one_line(lines[0]).strip(" \"'“”"), PREDICTION_CHARS) if lines else ""


def repeats(reply: str, history: Sequence[Exchange], message: str | None) -> str | None:
    """Return the one of the last three replies that this one says again, if any; what is asked again may be said again."""
    asked = message and one_line(message).casefold()
    others = (one for one in history[-EXCHANGES:] if one.user is None or one_line(one.user).casefold() != asked)
    return repeated(reply, [one.reply for one in others])


def _known(message: str | None, hits: Sequence[Recalled], updates: Sequence[str]) -> str:
    """Quotes answer a question; anything else gets a hint, else a small model replies with a quote. Updates come first."""
    if asks(message or "") or not hits:
        return template("respond").substitute(quotes="\n".join([*updates, *(quote(hit) for hit in hits)]))
    return "\n".join([*updates, template("hint").substitute(facts=" ".join(stated(hit) for hit in hits))])
