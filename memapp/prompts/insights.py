"""The model call that concludes something about the person from several lines of evidence."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memapp.domain.memory import MAX_MEMORY_CHARS
from memapp.domain.prompt import Prompt, PromptTurn, Sampling
from memapp.domain.text import clean, one_line
from memapp.prompts.templates import template

MOST = 3
MAX_TOKENS = 220
GRAMMAR = rf"""
root ::= "{{\"insights\": [" (item (", " item){{0,{MOST - 1}}})? "]}}"
item ::= "{{" summary ", " evidence "}}"
summary ::= "\"summary\": \"" letter{{1,{MAX_MEMORY_CHARS}}} "\""
evidence ::= "\"evidence\": [" number (", " number){{1,7}} "]"
number ::= [0-9] [0-9]?
letter ::= [^"\\\x00-\x1F\x7F]
"""
_INSIGHT: Mapping[str, Any] = {
    "summary": {"type": "string", "maxLength": MAX_MEMORY_CHARS},
    "evidence": {"type": "array", "items": {"type": "integer"}, "minItems": 2},
}
_ITEM = {
    "type": "object",
    "properties": dict(_INSIGHT),
    "required": list(_INSIGHT),
    "additionalProperties": False,
}
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"insights": {"type": "array", "items": _ITEM, "maxItems": MOST}},
    "required": ["insights"],
    "additionalProperties": False,
}
"""The same for servers without grammars."""
_OBJECT = re.compile(r'\{(?!\s*"insights")[^{}]*\}')


@dataclass(frozen=True, slots=True)
class Concluded:
    """A conclusion of a model, with the numbers of the supporting lines."""

    text: str
    evidence: tuple[int, ...]


def request(lines: Sequence[str]) -> tuple[Prompt, Sampling]:
    """Return the request for insights from numbered lines."""
    told = "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))
    prompt = Prompt(template("insights").template, (PromptTurn("user", told),), slot="scratch")
    return prompt, Sampling(max_tokens=MAX_TOKENS, temperature=0.0, grammar=GRAMMAR, schema=SCHEMA)


def parse(text: str, lines: int) -> list[Concluded]:
    """Return the conclusions in a reply, without broken ones and those on fewer than two lines."""
    conclusions = [_concluded(written, lines) for written in _OBJECT.findall(text)]
    supported = [each for each in conclusions if each and len(each.evidence) > 1]
    return supported[:MOST]


def _concluded(written: str, lines: int) -> Concluded | None:
    try:
        conclusion = json.loads(written)
    except ValueError:
        return None
    summary, numbers = conclusion.get("summary"), conclusion.get("evidence")
    if not (isinstance(summary, str) and isinstance(numbers, list)):
        return None
    cited = dict.fromkeys(
        number for number in numbers if type(number) is int and 1 <= number <= lines
    )
    text = re.sub(r"\b[Tt]he [Uu]ser\b", "User", one_line(clean(summary)))
    return Concluded(text, tuple(cited))
