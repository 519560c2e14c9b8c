"""A remark nobody asked for."""

from dataclasses import replace

from memapp.domain.prompt import Prompt, Sampling
from memapp.domain.text import one_line
from memapp.prompts.respond import LIVELIER, REPEAT_PENALTY
from memapp.prompts.scene import Scene, trunk
from memapp.prompts.templates import template

REMARK_TOKENS = 80
TEMPERATURE = 0.7


def request(scene: Scene, avoid: str = "") -> tuple[Prompt, Sampling]:
    """Ask for one short remark; the scene has no message.

    `avoid` is an earlier reply that must not be said again; then it is sampled more freely.
    """
    parts = [template("remark").template]
    if avoid:
        parts.append(template("avoid").substitute(reply=one_line(avoid)))
    prompt = replace(trunk(replace(scene, message=None)), suffix="\n\n".join(parts))
    return prompt, Sampling(
        max_tokens=min(scene.persona.reply_tokens or REMARK_TOKENS, REMARK_TOKENS),
        temperature=LIVELIER if avoid else TEMPERATURE,
        repeat_penalty=REPEAT_PENALTY,
        seed=len(scene.history) + bool(avoid),
    )
