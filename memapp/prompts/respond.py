"""Call 2: the reply, with what recall found, and the next prediction after it."""

from collections.abc import Sequence
from dataclasses import replace

from memapp.domain.chat import Exchange
from memapp.domain.memory import Recalled
from memapp.domain.prompt import Prompt, Sampling
from memapp.domain.repetition import repeated
from memapp.domain.text import clean, one_line, shorten
from memapp.prompts.quotes import asks, quote, stated
from memapp.prompts.scene import Scene, trunk
from memapp.prompts.templates import template

TAIL = "\nNEXT_PREDICTION:"
PREDICTION_CHARS = 160
LIVELIER = 1.0
"""Temperature of a second try: at 0.7 the bundled model wrote the same again in 5 of 11, at 1.0 in none of 7."""
REPEAT_PENALTY = 1.1
"""A small model runs in circles without it."""


def request(
    scene: Scene,
    hits: Sequence[Recalled],
    *,
    updates: Sequence[str] = (),
    avoid: str = "",
    reply_tokens: int,
    temperature: float,
) -> tuple[Prompt, Sampling]:
    """Ask for the reply. `updates` are the lines on what changed in the memory.

    `avoid` is an earlier reply that must not be said again; then it is sampled more freely.
    """
    parts = [_known(scene.message, hits, updates)] if hits or updates else []
    if avoid:
        parts.append(template("avoid").substitute(reply=one_line(avoid)))
        temperature = max(temperature, LIVELIER)
    prompt = replace(trunk(scene), suffix="\n\n".join(parts))
    return prompt, Sampling(
        max_tokens=reply_tokens, temperature=temperature, repeat_penalty=REPEAT_PENALTY, seed=1 if avoid else 0, tail=TAIL
    )


def with_facts(message: str, hits: Sequence[Recalled], updates: Sequence[str] = ()) -> str:
    """Put facts before a message that was expected: there they are in the model's cache before it is typed."""
    return f"{_known(message, hits, updates)}\n\n{message}" if hits or updates else message


def parse_prediction(tail_text: str) -> str:
    """Read what came after the tail: one line, without quotes."""
    lines = clean(tail_text).strip().splitlines()
    return shorten(one_line(lines[0]).strip(" \"'“”"), PREDICTION_CHARS) if lines else ""


def repeats(reply: str, history: Sequence[Exchange]) -> str | None:
    """Return the one of the last three replies that this one says again, if any."""
    return repeated(reply, [exchange.reply for exchange in history])


def _known(message: str | None, hits: Sequence[Recalled], updates: Sequence[str]) -> str:
    """Quotes answer a question; anything else gets a hint, else a small model replies with a quote. Updates come first."""
    if asks(message or "") or not hits:
        return template("respond").substitute(quotes="\n".join([*updates, *(quote(hit) for hit in hits)]))
    return "\n".join([*updates, template("hint").substitute(facts=" ".join(stated(hit) for hit in hits))])
