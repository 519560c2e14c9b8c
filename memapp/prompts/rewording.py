"""The model call that generalises a lesson, given its two commands and no output."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memapp.domain.lessons.lesson import MAX_RULE_CHARS, LessonLevel
from memapp.domain.prompt import Prompt, PromptTurn, Sampling
from memapp.domain.text import clean, one_line
from memapp.prompts.templates import template

ARROW = " -> "
MAX_TOKENS = 260
_LEVELS = ("task", "domain", "global")


class Reworded(BaseModel):
    """The model's answer."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    trigger_fingerprints: list[str] = Field(min_length=1)
    rule_text: str = Field(max_length=MAX_RULE_CHARS)
    scope_hint: Literal["task", "domain", "global"]


def request(wrong: str, correct: str, triggers: int) -> tuple[Prompt, Sampling]:
    """Return the request for the rule behind two commands with so many triggers."""
    names = labels(triggers)
    content = (
        f"failures: {', '.join(names)}\n"
        f"failed: {one_line(clean(wrong))}\n"
        f"worked: {one_line(clean(correct))}"
    )
    prompt = Prompt(template("rewording").template, (PromptTurn("user", content),))
    return prompt, Sampling(MAX_TOKENS, grammar=_grammar(names), schema=_schema(names))


def again(prompt: Prompt, reply: str) -> Prompt:
    """Return the request once more, after a reply that cannot be read."""
    correction = (
        PromptTurn("assistant", reply),
        PromptTurn("user", template("rewording_again").template),
    )
    return replace(prompt, turns=(*prompt.turns, *correction))


def labels(triggers: int) -> list[str]:
    """Return the labels of a lesson's failures in the prompt."""
    return [f"F{number}" for number in range(1, triggers + 1)]


def parse(text: str, triggers: int) -> tuple[str, str, LessonLevel] | None:
    """Return the wrong part, the correct part and the level of a reply; None if malformed."""
    try:
        answer = Reworded.model_validate_json(text)
    except ValidationError:
        return None
    wrong, arrow, correct = answer.rule_text.partition(ARROW)
    if not arrow or ARROW in correct or not set(answer.trigger_fingerprints) <= {*labels(triggers)}:
        return None
    return wrong, correct, answer.scope_hint


def _grammar(names: Sequence[str]) -> str:
    of_failures, levels = (
        " | ".join(rf'"\"{word}\""' for word in choices) for choices in (names, _LEVELS)
    )
    return (
        rf"""
root ::= "{{\"trigger_fingerprints\": [" failure (", " failure)* "], " """
        rf"""rule ", \"scope_hint\": " level "}}"
rule ::= "\"rule_text\": \"" part " -> " part "\""
failure ::= {of_failures}
level ::= {levels}
part ::= letter{{1,{MAX_RULE_CHARS // 2}}}
letter ::= [^"\\\x00-\x1F\x7F] | "\\\"" | "\\\\"
"""
    )


def _schema(names: Sequence[str]) -> dict[str, Any]:
    properties = {
        "trigger_fingerprints": {
            "type": "array",
            "items": {"type": "string", "enum": [*names]},
            "minItems": 1,
        },
        "rule_text": {"type": "string", "maxLength": MAX_RULE_CHARS},
        "scope_hint": {"type": "string", "enum": [*_LEVELS]},
    }
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }
