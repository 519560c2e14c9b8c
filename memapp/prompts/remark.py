"""Unprompted remarks."""

from dataclasses import replace

from memapp.domain.prompt import Prompt, Sampling
from memapp.prompts import respond
from memapp.prompts.attempt import FIRST, Attempt
from memapp.prompts.context import PromptContext, speech, trunk
from memapp.prompts.templates import template

REMARK_TOKENS = 80
TEMPERATURE = 0.7


def request(context: PromptContext, attempt: Attempt = FIRST) -> tuple[Prompt, Sampling]:
    """Return the request for one short remark, without the context's message."""
    head, stop = speech(context.persona)
    context = replace(context, message=None)
    suffix = "\n\n".join([*respond.known(context), template("remark").template])
    prompt = replace(trunk(context), suffix=suffix, head=head)
    max_tokens = min(context.persona.reply_tokens or REMARK_TOKENS, REMARK_TOKENS)
    seed = len(context.history) + attempt.seed
    return prompt, replace(
        respond.sampling(context, max_tokens, TEMPERATURE, attempt, stop), seed=seed
    )
