"""The model call that distils a surprise into one sentence with tags."""

import re
import tomllib
from functools import cache

from memapp.domain.memory import MAX_MEMORY_CHARS, MAX_TAG_CHARS, MAX_TAGS
from memapp.domain.prompt import Prompt, PromptTurn, Sampling
from memapp.domain.text import one_line, shorten
from memapp.domain.utterance import Draft
from memapp.language.english.tags import said_tags, tags_for
from memapp.language.english.writing import as_fact
from memapp.paths import bundled
from memapp.prompts.predict import unescaped
from memapp.prompts.templates import template

HEAD = '{"fact": "User'
"""The beginning that makes it a sentence in the third person."""
SHOWN_CHARS = 1200
MAX_TOKENS = 112
GRAMMAR = rf"""
root ::= [ '] letter{{1,{MAX_MEMORY_CHARS - 20}}} "\", \"tags\": [\"" tag (", \"" tag){{0,{MAX_TAGS - 1}}} "]}}"
tag ::= letter{{1,{MAX_TAG_CHARS}}} "\""
letter ::= [^"\\\x00-\x1F\x7F]
"""

_STRING = r'"((?:[^"\\]|\\.)*)"'
_FACT = re.compile(r'"fact"\s*:\s*' + _STRING, re.DOTALL)
_TAGS = re.compile(r'"tags"\s*:\s*\[([^\]]*)', re.DOTALL)


@cache
def examples() -> list[dict[str, str]]:
    """Return what was expected, what was said, what was learned. A small model copies its input without them."""
    return list(tomllib.loads(bundled("assets", "prompts", "distil_examples.toml").read_text("utf-8"))["example"])


def request(expected: str, actual: str) -> tuple[Prompt, Sampling]:
    """Ask for one sentence on what the difference between the expected and the actual message says about the person."""
    turns = []
    for one in examples():
        turns += [_question(one["expected"], one["actual"]), PromptTurn("assistant", one["reply"])]
    turns.append(_question(expected, actual))
    prompt = Prompt(template("distil_system").template, tuple(turns), head=HEAD)
    return prompt, Sampling(max_tokens=MAX_TOKENS, grammar=GRAMMAR)


def parse(text: str) -> Draft | None:
    """Read a reply that came after the head; None when its sentence is missing, cut short or too long."""
    whole = text if _FACT.search(text) else HEAD + text
    found = _FACT.search(whole)
    fact = as_fact(unescaped(found[1])) if found else ""
    if not re.search(r"\w", fact.removeprefix("User")) or len(fact) > MAX_MEMORY_CHARS:
        return None
    return Draft(fact, said_tags(_tags(whole), fact) or tuple(tags_for(fact)))


def _question(expected: str, actual: str) -> PromptTurn:
    asked = template("distil").substitute(
        expected=shorten(one_line(expected), SHOWN_CHARS) or "Nothing in particular.",
        actual=shorten(one_line(actual), SHOWN_CHARS),
    )
    return PromptTurn("user", asked)


def _tags(whole: str) -> tuple[str, ...]:
    listed = _TAGS.search(whole)
    words = [unescaped(tag).lower() for tag in re.findall(_STRING, listed[1])] if listed else []
    useful = [word for word in words if re.search(r"\w", word) and len(word) <= MAX_TAG_CHARS]
    return tuple(dict.fromkeys(useful))[:MAX_TAGS]
