"""Call 2: the reply, with what recall found, and the next prediction after it."""

from collections.abc import Sequence
from dataclasses import replace

from memapp.domain.chat import Exchange
from memapp.domain.memory import Recalled
from memapp.domain.prompt import Prompt, Sampling
from memapp.domain.text import one_line
from memapp.prompts.scene import Scene, trunk

TAIL = "\nNEXT_PREDICTION:"


def request(
    scene: Scene,
    hits: Sequence[Recalled],
    *,
    updates: str = "",
    avoid: str = "",
    reply_tokens: int,
    temperature: float,
) -> tuple[Prompt, Sampling]:
    """Ask for the reply. `avoid` is an earlier reply that must not be said again; then it is sampled more freely."""
    lines = [f"- {one_line(hit.text)}" for hit in hits]
    suffix = "\n".join([*([updates] if updates else []), "Facts:", *lines, "REPLY"])
    if avoid:
        suffix += f"\nDo not repeat: {one_line(avoid)}"
    prompt = replace(trunk(scene), suffix=suffix)
    return prompt, Sampling(max_tokens=reply_tokens, temperature=temperature, tail=TAIL)


def parse_prediction(tail_text: str) -> str:
    """Read what came after the tail: one line, without quotes."""
    raise NotImplementedError


def repeats(reply: str, history: Sequence[Exchange]) -> str | None:
    """Return the one of the last three replies that this one says again, if any."""
    raise NotImplementedError
