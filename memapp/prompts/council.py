"""The model calls of a council: a review by one criterion, and the revision."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from memapp.domain.council import Objection
from memapp.domain.prompt import Prompt, PromptTurn, Sampling
from memapp.domain.text import clean, one_line, shorten
from memapp.prompts.few_shot import with_notes
from memapp.prompts.templates import template

REVIEW_TOKENS = 120
MOST_CHARS = 400
"""The longest objection, and the longest quote."""
IF_IN_DOUBT = "If in doubt: sound."
AGAINST = "Speak against the answer: look for the strongest thing that can be said against it."
"""The devil's advocate's line instead of `IF_IN_DOUBT`."""
GRAMMAR = (
    '\nroot ::= "{\\"verdict\\": \\"" '
    '("sound\\"}" | "flawed\\", \\"quote\\": " string ", \\"objection\\": " string "}")'
    r"""
string ::= "\"" ([^"\\\x00-\x1F] | "\\" ["\\/bfnrt])* "\""
"""
)
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "verdict": {"type": "string", "enum": ["sound", "flawed"]},
        "quote": {"type": "string"},
        "objection": {"type": "string"},
    },
    "required": ["verdict"],
    "additionalProperties": False,
}
"""The same for servers without grammars."""


def review(
    asks: str, message: str, notes: Sequence[str], answer: str, *, speaks_against: bool = False
) -> tuple[Prompt, Sampling]:
    """Return the request for one reviewer, who sees nothing of the others."""
    system = template("review").substitute(
        asks=asks, stance=AGAINST if speaks_against else IF_IN_DOUBT
    )
    content = f"{with_notes(message, tuple(notes))}\n\n[answer]\n{clean(answer)}"
    return _prompt(system, content), Sampling(REVIEW_TOKENS, grammar=GRAMMAR, schema=SCHEMA)


def parse(text: str, criterion: str, message: str, answer: str) -> Objection | None:
    """Return a reviewer's objection; None for none, and without a quote from answer or message."""
    try:
        verdict = json.loads(text, strict=False)
        quote, why = (one_line(verdict[part]).strip() for part in ("quote", "objection"))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    if (
        verdict.get("verdict") != "flawed"
        or not why
        or not quote
        or (quote not in answer and quote not in message)
    ):
        return None
    return Objection(criterion, shorten(clean(why), MOST_CHARS), quote[:MOST_CHARS])


def revision(
    message: str,
    notes: Sequence[str],
    answer: str,
    objections: Sequence[Objection],
    reply_tokens: int,
) -> tuple[Prompt, Sampling]:
    """Return the request for an answer revised by the objections."""
    lines = (
        f'"{objection.quote}": {objection.text}' if objection.quote else objection.text
        for objection in objections
    )
    listed = "\n".join(f"- {clean(text)}" for text in lines)
    content = (
        f"{with_notes(message, tuple(notes))}\n\n[answer]\n{clean(answer)}"
        f"\n\n[objections]\n{listed}"
    )
    return _prompt(template("revision").template, content), Sampling(reply_tokens)


def _prompt(system: str, content: str) -> Prompt:
    return Prompt(system, (PromptTurn("user", content),), slot="scratch")
