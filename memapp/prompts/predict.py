"""Call 1: what has to be looked up for a reply, and what the person may say next."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from memapp.domain.prompt import Prompt, Sampling
from memapp.domain.ranking import query_words
from memapp.domain.text import clean, one_line, shorten
from memapp.prompts.context import PromptContext, trunk
from memapp.prompts.templates import template

MAX_KEYWORDS = 5
KEYWORD_CHARS = 32
PREDICTION_CHARS = 160
ENOUGH_KEYWORDS = 3
"""Keywords that a turn waits for: further ones take longer to write than they help to find."""
MAX_TOKENS = 96
REPEAT_PENALTY = 1.15
"""Halves the tokens of the list: a small model would say each keyword in five ways."""
LONGEST_CHARS = 8000
"""How much of a reply is read; what the grammar allows is far shorter."""
KEYWORD_SOURCE_CHARS = 2000
"""How much of a long message is searched for keywords."""

HEAD = '{"needed_info": ["'
GRAMMAR = rf"""
root ::= keyword (", \"" keyword){{0,{MAX_KEYWORDS - 1}}} "], \"prediction_next\": \"" prediction
keyword ::= letter (letter | digit){{0,15}} (" " (letter | digit){{1,16}}){{0,3}} "\""
letter ::= [A-Za-z'\u00C0-\u024F\u0370-\u1FFF\u3040-\uD7FF-]
digit ::= [0-9]
prediction ::= [^"\\\x00-\x1F\x7F]{{1,{PREDICTION_CHARS}}} "\"}}"
"""
"""A keyword is one to four short words: without that, a small model writes timestamps and addresses."""

_STRING = re.compile(r'[^"\]]*"((?:[^"\\]|\\.)*)"', re.DOTALL)
_CUT_STRING = re.compile(r'[^"\]]*"((?:[^"\\]|\\.)*)\\?$', re.DOTALL)
_LIST_START = re.compile(r'"needed_info"\s*:\s*\[')
_LIST_END = re.compile(r"[^\"]*?\]")
_STRING_REST = re.compile(r'((?:[^"\\]|\\.)*)', re.DOTALL)


def request(context: PromptContext) -> tuple[Prompt, Sampling]:
    """Ask what to look up; the reply may be read until `read_enough`."""
    prompt = replace(trunk(context), suffix=template("predict").template, head=HEAD)
    return prompt, Sampling(max_tokens=MAX_TOKENS, repeat_penalty=REPEAT_PENALTY, grammar=GRAMMAR)


def finish_request(context: PromptContext, needed_info: Sequence[str]) -> tuple[Prompt, Sampling]:
    """Ask for the rest of a reply that was read until its list was closed."""
    listed = json.dumps(list(needed_info), ensure_ascii=False)
    prompt, sampling = request(context)
    grammar = "root ::= prediction\n" + GRAMMAR.splitlines()[-1] + "\n"
    return (
        replace(prompt, head=f'{{"needed_info": {listed}, "prediction_next": "'),
        replace(sampling, grammar=grammar),
    )


def parse(text: str) -> tuple[str, ...]:
    """Read what is needed from a reply that came after the head, whole, cut short or garbage."""
    return _useful(_items(text)[0])


def parse_prediction(text: str) -> str:
    """Read the reply to `finish_request`."""
    found = _STRING_REST.match(text)
    return shorten(unescaped(found[1]), PREDICTION_CHARS) if found else ""


def read_enough(text: str) -> bool:
    """Say whether call 1 need not be read further: its list is closed, or holds enough keywords already."""
    items, closed = _items(text)
    return closed or len(items) > ENOUGH_KEYWORDS  # the last item may have only begun


def keywords(message: str) -> tuple[str, ...]:
    """Return the words of a message that say what it is about, for when the model gave nothing usable."""
    return tuple(query_words(clean(message[:KEYWORD_SOURCE_CHARS])))[:MAX_KEYWORDS]


def _items(text: str) -> tuple[list[str], bool]:
    """Return the strings of the list, and whether it ends."""
    text = text[:LONGEST_CHARS]
    begun = _LIST_START.search(text)  # a server that cannot continue the head writes it again
    text = text[begun.end() :] if begun else '"' + text
    items: list[str] = []
    at = 0
    while found := _STRING.match(text, at):
        items.append(unescaped(found[1]))
        at = found.end()
    if _LIST_END.match(text, at):
        return items, True
    if cut := _CUT_STRING.match(text, at):
        items.append(unescaped(cut[1]))
    return items, False


def _useful(items: Sequence[str]) -> tuple[str, ...]:
    """Drop what says nothing, repeats the request or was said before; keep the first five."""
    asked = query_words(template("predict").template)
    kept: dict[str, str] = {}
    for item in items:
        word = shorten(item, 2 * KEYWORD_CHARS).strip(" .,;:!?\"'")
        if (words := query_words(word)) and words != asked:
            kept.setdefault(word.lower(), word)
    return tuple(kept.values())[:MAX_KEYWORDS]


def unescaped(text: str) -> str:
    """Read the inside of a JSON string as one clean line; one that is not valid JSON is taken as it is."""
    try:
        text = str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        text = text.replace("\\", "")
    return one_line(clean(text))
