"""The model call that relates the two facts of each pair, for many pairs in one prompt."""

import json
import re
from collections.abc import Sequence
from typing import Any, Literal, get_args

from memapp.domain.prompt import Prompt, PromptTurn, Sampling
from memapp.domain.text import one_line
from memapp.prompts.templates import template

Relation = Literal["same", "a_more", "b_more", "not_both", "related", "different"]
RELATIONS: tuple[Relation, ...] = get_args(Relation)
MOST_PAIRS = 10
TOKENS_A_PAIR = 24
_ANSWER = re.compile(r"\{[^{}]*\}")
_ANSWERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "pair": {"type": "integer"},
        "is": {"type": "string", "enum": list(RELATIONS)},
    },
    "required": ["pair", "is"],
    "additionalProperties": False,
}


def request(pairs: Sequence[tuple[str, str]]) -> tuple[Prompt, Sampling]:
    """Return the request for how the facts of each pair are related, the later one second."""
    content = "\n".join(
        f"{number}. A: {one_line(earlier)} B: {one_line(later)}"
        for number, (earlier, later) in enumerate(pairs, start=1)
    )
    sampling = Sampling(
        TOKENS_A_PAIR * len(pairs), grammar=_grammar(len(pairs)), schema=_schema(len(pairs))
    )
    turns = (PromptTurn("user", content),)
    return Prompt(template("same_fact").template, turns, slot="scratch"), sampling


def parse(text: str, pairs: int) -> list[Relation | None]:
    """Return the relation of each pair; None where no answer can be read."""
    relations: dict[int, Relation] = {}
    for written in _ANSWER.findall(text):
        number, relation = _read(written)
        if relation and 1 <= number <= pairs:
            relations.setdefault(number, relation)
    return [relations.get(number) for number in range(1, pairs + 1)]


def _read(written: str) -> tuple[int, Relation | None]:
    try:
        answer = json.loads(written, strict=False)
    except ValueError:
        return 0, None
    number, relation = answer.get("pair"), answer.get("is")
    return (number, relation) if isinstance(number, int) and relation in RELATIONS else (0, None)


def _grammar(pairs: int) -> str:
    items = ' ", " '.join(
        rf'"{{\"pair\": {number}, \"is\": \"" is "\"}}"' for number in range(1, pairs + 1)
    )
    return rf"""
root ::= "{{\"answers\": [" {items} "]}}"
is ::= {" | ".join(f'"{relation}"' for relation in RELATIONS)}
"""


def _schema(pairs: int) -> dict[str, Any]:
    answers = {"type": "array", "items": _ANSWERS, "minItems": pairs, "maxItems": pairs}
    return {
        "type": "object",
        "properties": {"answers": answers},
        "required": ["answers"],
        "additionalProperties": False,
    }
