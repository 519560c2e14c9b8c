"""A remark nobody asked for."""

from dataclasses import replace

from memapp.domain.prompt import Prompt, Sampling
from memapp.prompts.scene import Scene, trunk
from memapp.prompts.templates import template


def request(scene: Scene, *, temperature: float = 0.7, avoid: str = "") -> tuple[Prompt, Sampling]:
    """Ask for one short remark; the scene has no message."""
    prompt = replace(trunk(replace(scene, message=None)), suffix=template("remark").template)
    return prompt, Sampling(max_tokens=scene.persona.reply_tokens or 80, temperature=temperature)
