"""The model call that judges the steps of a run by what was done, and by nothing of what came of it."""

import json
from collections.abc import Sequence
from typing import Any

from memapp.domain.prompt import Prompt, PromptTurn, Sampling
from memapp.domain.text import clean, one_line, shorten
from memapp.prompts.templates import template

MOST_STEPS = 20
STEP_CHARS = 300
TOKENS_A_STEP = 6
WORDS = {"worked": True, "failed": False}


def request(task: str, actions: Sequence[str]) -> tuple[Prompt, Sampling]:
    """Ask how each of some steps went; at most `MOST_STEPS`."""
    lines = [f"{number}. {shorten(one_line(clean(one)), STEP_CHARS)}" for number, one in enumerate(actions, start=1)]
    told = "\n".join([f"Task: {shorten(one_line(clean(task)), STEP_CHARS)}", *lines] if task else lines)
    prompt = Prompt(template("referee").template, (PromptTurn("user", told),))
    return prompt, Sampling(TOKENS_A_STEP * (len(actions) + 2), grammar=_grammar(len(actions)), schema=_schema(len(actions)))


def parse(text: str, steps: int) -> list[bool] | None:
    """Read a reply: of each step, whether it worked; None if it is not exactly that."""
    try:
        said = [WORDS[one] for one in json.loads(text)["steps"]]
    except (ValueError, TypeError, KeyError):
        return None
    return said if len(said) == steps else None


def _grammar(steps: int) -> str:
    words = ' ", " '.join(["word"] * steps)
    return rf"""
root ::= "{{\"steps\": [" {words} "]}}"
word ::= "\"worked\"" | "\"failed\""
"""


def _schema(steps: int) -> dict[str, Any]:
    said = {"type": "array", "items": {"type": "string", "enum": list(WORDS)}, "minItems": steps, "maxItems": steps}
    return {"type": "object", "properties": {"steps": said}, "required": ["steps"], "additionalProperties": False}
