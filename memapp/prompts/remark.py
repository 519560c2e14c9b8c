"""A remark nobody asked for."""

from dataclasses import replace

from memapp.domain.prompt import Prompt, Sampling
from memapp.prompts.context import PromptContext, speech, trunk
from memapp.prompts.respond import FIRST, REPEAT_PENALTY, Attempt, not_again
from memapp.prompts.templates import template

REMARK_TOKENS = 80
TEMPERATURE = 0.7


def request(context: PromptContext, attempt: Attempt = FIRST) -> tuple[Prompt, Sampling]:
    """Ask for one short remark; the scene has no message."""
    head, stop = speech(context.persona)
    suffix = "\n\n".join(filter(None, [template("remark").template, not_again(attempt)]))
    prompt = replace(trunk(replace(context, message=None)), suffix=suffix, head=head)
    return prompt, Sampling(
        max_tokens=min(context.persona.reply_tokens or REMARK_TOKENS, REMARK_TOKENS),
        temperature=attempt.temperature(TEMPERATURE),
        repeat_penalty=REPEAT_PENALTY,
        seed=len(context.history) + attempt.seed,
        stop=stop,
    )
