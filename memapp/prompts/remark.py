"""A remark nobody asked for."""

from dataclasses import replace

from memapp.domain.prompt import Prompt, Sampling
from memapp.prompts.context import PromptContext, speech, trunk
from memapp.prompts.respond import DRY_ALLOWED, DRY_MULTIPLIER, FIRST, REPEAT_PENALTY, Attempt, in_form, notes
from memapp.prompts.templates import template

REMARK_TOKENS = 80
TEMPERATURE = 0.7


def request(context: PromptContext, attempt: Attempt = FIRST) -> tuple[Prompt, Sampling]:
    """Ask for one short remark; the scene has no message."""
    head, stop = speech(context.persona)
    context = replace(context, message=None)
    known = notes(context, ()) if context.form == "full" else ""
    asked = "\n\n".join(filter(None, [known, template("remark").template]))
    prompt = replace(trunk(context), suffix=asked, head=head)
    sampling = Sampling(
        max_tokens=min(context.persona.reply_tokens or REMARK_TOKENS, REMARK_TOKENS),
        temperature=attempt.temperature(TEMPERATURE),
        repeat_penalty=REPEAT_PENALTY,
        dry_multiplier=DRY_MULTIPLIER,
        dry_allowed=DRY_ALLOWED,
        said=context.said,
        seed=len(context.history) + attempt.seed,
        stop=stop,
    )
    return prompt, in_form(context.form, sampling)
