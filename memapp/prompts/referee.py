"""The model call that judges a step of a run by the action, without its result.

The outcomes of the steps before are given where known: a run begins with a failure, so a judge of
all steps at once would be right by their order.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from memapp.domain.lessons.run import RunStep
from memapp.domain.prompt import Prompt, PromptTurn, Sampling
from memapp.domain.text import clean, one_line, shorten
from memapp.prompts.templates import template

MOST_STEPS = 8
STEP_CHARS = 300
MAX_TOKENS = 12
GRAMMAR = r"""
root ::= "{\"step\": \"" ("worked" | "failed") "\"}"
"""
_WORDS = {"worked": True, "failed": False}
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"step": {"type": "string", "enum": list(_WORDS)}},
    "required": ["step"],
    "additionalProperties": False,
}
"""The same for servers without grammars."""


def request(task: str, steps: Sequence[RunStep]) -> tuple[Prompt, Sampling]:
    """Return the request for the outcome of the last of some steps."""
    lines = [
        f"{number}. {_line(step.action)} ({_went(step)})"
        for number, step in enumerate(steps[-MOST_STEPS:-1], start=1)
    ]
    last = f"{len(lines) + 1}. {_line(steps[-1].action)} (?)"
    content = "\n".join([*([f"Task: {_line(task)}"] if task else []), *lines, last])
    prompt = Prompt(template("referee").template, (PromptTurn("user", content),))
    return prompt, Sampling(MAX_TOKENS, grammar=GRAMMAR, schema=SCHEMA)


def parse(text: str) -> bool | None:
    """Return True for `worked`, False for `failed`, None for any other reply."""
    try:
        answer = json.loads(text)
        return _WORDS[answer["step"]] if len(answer) == 1 else None
    except (ValueError, TypeError, KeyError):
        return None


def _went(step: RunStep) -> str:
    return "failed" if step.channel else "worked" if step.known else "?"


def _line(text: str) -> str:
    return shorten(one_line(clean(text)), STEP_CHARS)
