"""The model call that says how the two facts of each of some pairs are related, for all pairs in one prompt."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from memapp.domain.memory import MAX_MEMORY_CHARS
from memapp.domain.prompt import Prompt, PromptTurn, Sampling
from memapp.domain.text import clean, one_line
from memapp.prompts.templates import template

Relation = Literal["same", "a_more", "b_more", "both", "not_both", "related", "different"]
RELATIONS: tuple[Relation, ...] = get_args(Relation)
MOST_PAIRS = 10
TOKENS_A_PAIR = 24
TOKENS_OF_TEXT = 80
"""For a sentence that holds both, which few pairs need."""
_ANSWER = re.compile(r"\{[^{}]*\}")
_ANSWERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "pair": {"type": "integer"},
        "is": {"type": "string", "enum": list(RELATIONS)},
        "text": {"type": "string"},
    },
    "required": ["pair", "is"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class SaidOfPair:
    relation: Relation
    text: str = ""
    """A sentence that holds both facts; empty but for `both`."""


def request(pairs: Sequence[tuple[str, str]]) -> tuple[Prompt, Sampling]:
    """Ask how the two facts of each pair are related; the second of a pair was said later."""
    asked = "\n".join(f"{number}. A: {one_line(one)} B: {one_line(other)}" for number, (one, other) in enumerate(pairs, start=1))
    sampling = Sampling(TOKENS_A_PAIR * len(pairs) + TOKENS_OF_TEXT, grammar=_grammar(len(pairs)), schema=_schema(len(pairs)))
    return Prompt(template("same_fact").template, (PromptTurn("user", asked),), aside=True), sampling


def parse(text: str, pairs: int) -> list[SaidOfPair | None]:
    """Return the answer for each pair; None where there is none that can be read."""
    found: dict[int, SaidOfPair] = {}
    for written in _ANSWER.findall(text):
        number, answer = _read(written)
        if answer and 1 <= number <= pairs:
            found.setdefault(number, answer)
    return [found.get(number) for number in range(1, pairs + 1)]


def _read(written: str) -> tuple[int, SaidOfPair | None]:
    try:
        one = json.loads(written, strict=False)
    except ValueError:
        return 0, None
    number, relation, said = one.get("pair"), one.get("is"), one.get("text", "")
    if not isinstance(number, int) or relation not in RELATIONS:
        return 0, None
    text = one_line(clean(said)) if relation == "both" and isinstance(said, str) else ""
    return number, SaidOfPair(relation, text)


def _grammar(pairs: int) -> str:
    items = ' ", " '.join(rf'"{{\"pair\": {number}, \"is\": \"" is "}}"' for number in range(1, pairs + 1))
    plain = " | ".join(f'"{one}"' for one in RELATIONS if one != "both")
    return rf"""
root ::= "{{\"answers\": [" {items} "]}}"
is ::= ({plain}) "\"" | "both\", \"text\": \"User" letter{{1,{MAX_MEMORY_CHARS - 20}}} "\""
letter ::= [^"\\\x00-\x1F\x7F]
"""


def _schema(pairs: int) -> dict[str, Any]:
    answers = {"type": "array", "items": _ANSWERS, "minItems": pairs, "maxItems": pairs}
    return {"type": "object", "properties": {"answers": answers}, "required": ["answers"], "additionalProperties": False}
