"""The model call that proposes what a message tells about the person, as up to five facts with category and importance."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from memapp.domain.memory import MAX_MEMORY_CHARS, Kind
from memapp.domain.prompt import Prompt, PromptTurn, Sampling
from memapp.domain.text import clean, one_line, shorten
from memapp.domain.utterance import Draft
from memapp.language.english.category import EVENT, draft_of
from memapp.language.english.writing import NO_SENTENCE, as_fact
from memapp.prompts.templates import template

MOST_FACTS = 5
TOO_MANY = f"more than {MOST_FACTS} facts"
SHOWN_CHARS = 4000
MAX_TOKENS = 512
CATEGORIES = ("profile", "preferences", "relationships", "goals", EVENT, "activity")
IMPORTANCE = range(1, 6)
GRAMMAR = rf"""
root ::= "{{\"facts\": [" (item (", " item){{0,{MOST_FACTS - 1}}})? "]}}"
item ::= "{{" fact ", \"category\": \"" category "\", \"importance\": " [1-5] "}}"
fact ::= "\"fact\": \"User" [ '] letter{{1,{MAX_MEMORY_CHARS - 20}}} "\""
category ::= {" | ".join(f'"{name}"' for name in CATEGORIES)}
letter ::= [^"\\\x00-\x1F\x7F]
"""
_FACT: Mapping[str, Any] = {
    "fact": {"type": "string"},
    "category": {"type": "string", "enum": list(CATEGORIES)},
    "importance": {"type": "integer", "enum": list(IMPORTANCE)},
}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "required": list(properties), "additionalProperties": False}


SCHEMA = _object({"facts": {"type": "array", "items": _object(_FACT)}})
"""The same for servers that take no grammar."""
_OBJECT = re.compile(r'\{(?!\s*"facts")[^{}]*\}')
_NOTHING = re.compile(r'"facts"\s*:\s*\[\s*\]')


@dataclass(frozen=True, slots=True)
class Proposals:
    """What a model proposes."""

    drafts: tuple[Draft, ...]
    refused: tuple[str, ...]
    """What is wrong with the rest of its reply, one for each fact that it may have held."""


def request(expected: str, message: str) -> tuple[Prompt, Sampling]:
    """Ask for what the difference between the expected and the actual message says about the person."""
    asked = template("distil").substitute(
        expected=shorten(one_line(expected), SHOWN_CHARS) or "Nothing in particular.",
        actual=shorten(one_line(message), SHOWN_CHARS),
    )
    prompt = Prompt(template("distil_system").template, (PromptTurn("user", asked),), aside=True)
    return prompt, Sampling(max_tokens=MAX_TOKENS, grammar=GRAMMAR, schema=SCHEMA)


def parse(text: str) -> Proposals:
    """Read a reply fact by fact, so that one that is broken or cut short costs no other."""
    found = [_draft(one) for one in _OBJECT.findall(text)]
    if not found and not _NOTHING.search(text):
        return Proposals((), (NO_SENTENCE,))
    drafts = [one for one in found if one]
    broken = [NO_SENTENCE] * (len(found) - len(drafts))
    return Proposals(tuple(drafts[:MOST_FACTS]), (*broken, *[TOO_MANY] * len(drafts[MOST_FACTS:])))


def _draft(written: str) -> Draft | None:
    """Read one fact; a category or an importance that there is not is left to what its words say."""
    try:
        one = json.loads(written, strict=False)
    except ValueError:
        return None
    said, category, importance = one.get("fact"), one.get("category"), one.get("importance")
    fact = as_fact(one_line(clean(said))) if isinstance(said, str) else ""
    if not re.search(r"\w", fact.removeprefix("User")):
        return None
    draft = draft_of(fact)
    if category in CATEGORIES:
        draft = replace(draft, category=category, kind=Kind.EPISODIC if category == EVENT else Kind.SEMANTIC)
    is_valid = isinstance(importance, int) and not isinstance(importance, bool) and importance in IMPORTANCE
    return replace(draft, importance=importance) if is_valid else draft
