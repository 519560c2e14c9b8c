"""The model call that says a lesson in more general words. It is shown the two commands, and
nothing of any output.
"""

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
    """What a model answers."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    trigger_fingerprints: list[str] = Field(min_length=1)
    rule_text: str = Field(max_length=MAX_RULE_CHARS)
    scope_hint: Literal["task", "domain", "global"]


def request(wrong: str, correct: str, triggers: int) -> tuple[Prompt, Sampling]:
    """Ask for the rule of two commands that so many failures lead to."""
    names = labels(triggers)
    told = f"failures: {', '.join(names)}\nfailed: {one_line(clean(wrong))}\nworked: {one_line(clean(correct))}"
    prompt = Prompt(template("rewording").template, (PromptTurn("user", told),))
    return prompt, Sampling(MAX_TOKENS, grammar=_grammar(names), schema=_schema(names))


def again(asked: Prompt, reply: str) -> Prompt:
    """Ask once more, since the reply cannot be read."""
    correction = (
        PromptTurn("assistant", reply),
        PromptTurn("user", template("rewording_again").template),
    )
    return replace(asked, turns=(*asked.turns, *correction))


def labels(triggers: int) -> list[str]:
    """Return what the failures of a lesson are called in the prompt."""
    return [f"F{number}" for number in range(1, triggers + 1)]


def parse(text: str, triggers: int) -> tuple[str, str, LessonLevel] | None:
    """Read a reply: the wrong part, the correct one, and where the rule counts; None if anything in
    it is not as it was asked.
    """
    try:
        said = Reworded.model_validate_json(text)
    except ValidationError:
        return None
    wrong, arrow, correct = said.rule_text.partition(ARROW)
    if not arrow or ARROW in correct or not set(said.trigger_fingerprints) <= {*labels(triggers)}:
        return None
    return wrong, correct, said.scope_hint


def _grammar(names: Sequence[str]) -> str:
    of_failures, levels = (
        " | ".join(rf'"\"{text}\""' for text in some) for some in (names, _LEVELS)
    )
    return rf"""
root ::= "{{\"trigger_fingerprints\": [" failure (", " failure)* "], " rule ", \"scope_hint\": " level "}}"
rule ::= "\"rule_text\": \"" part " -> " part "\""
failure ::= {of_failures}
level ::= {levels}
part ::= letter{{1,{MAX_RULE_CHARS // 2}}}
letter ::= [^"\\\x00-\x1F\x7F] | "\\\"" | "\\\\"
"""


def _schema(names: Sequence[str]) -> dict[str, Any]:
    said = {
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
        "properties": said,
        "required": [*said],
        "additionalProperties": False,
    }
