"""Call 1: the facts about the person that would change the reply, and their likely next message.

The prompt has its own slot in the cache, with the same beginning in every chat and for every
persona; a turn computes the message and the few tokens behind it.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from memapp.domain.chat import Exchange
from memapp.domain.prompt import Prompt, PromptTurn, Sampling
from memapp.domain.text import clean, one_line, shorten
from memapp.language.query_words import query_words
from memapp.prompts.context import PromptContext
from memapp.prompts.few_shot import look_up_message, look_up_system, look_up_turns

KEY = "needed_info"
PREDICTION_KEY = "what_the_person_writes_next"
"""A key in words: for `prediction_next` a small model writes topics, or asks for an explanation."""
HEAD = f'{{"{KEY}":'
"""Ends before ` [`: in many vocabularies ` []` and ` ["` are one token, and a head that cuts such a
token spoils the items.
"""
PREDICTION_CHARS = 160
MAX_TOKENS = 40
PREDICTION_TOKENS = 64
BEFORE_CHARS = 160
"""The shown part of each earlier message: enough for a follow-up such as `and for her?`."""
MESSAGE_CHARS = 1200
"""The shown part of a message: the beginning and the end of a long one."""
MAX_KEYWORDS = 5
KEYWORD_CHARS = 32
LONGEST_CHARS = 8000
"""The most of a reply that is read; the grammar allows far less."""
KEYWORD_SOURCE_CHARS = 2000
"""The part of a long message that is searched for keywords."""
GRAMMAR = r"""root ::= " []" | " [\"" item (", \"" item)? "]"
item ::= word (" " word){0,3} "\""
word ::= letter (letter | [0-9]){0,17}
letter ::= [A-Za-z'\u00C0-\u024F\u0370-\u1FFF\u3040-\uD7FF-]
"""
"""Two items of up to four words: the first two were as often right as five, and each costs half a
second.
"""
PREDICTION_GRAMMAR = rf"""root ::= [^"\\\x00-\x1F\x7F]{{1,{PREDICTION_CHARS}}} "\"}}"
"""
_LISTED = {KEY: {"type": "array", "items": {"type": "string"}, "maxItems": 2}}
SCHEMA = {"type": "object", "properties": _LISTED, "required": [KEY], "additionalProperties": False}
_PREDICTED = {PREDICTION_KEY: {"type": "string", "minLength": 1, "maxLength": PREDICTION_CHARS}}
PREDICTION_SCHEMA = {
    "type": "object",
    "properties": {**_LISTED, **_PREDICTED},
    "required": [KEY, PREDICTION_KEY],
    "additionalProperties": False,
}

_STRING = re.compile(r'[^"\]]*"((?:[^"\\]|\\.)*)"', re.DOTALL)
_CUT_STRING = re.compile(r'[^"\]]*"((?:[^"\\]|\\.)*)\\?$', re.DOTALL)
_LIST_END = re.compile(r"[^\"]*?\]")
_STRING_REST = re.compile(r'((?:[^"\\]|\\.)*)', re.DOTALL)


def request(context: PromptContext) -> tuple[Prompt, Sampling]:
    """Return the request for the list; the reply may be read until the list closes."""
    return _prompt(context, HEAD), Sampling(max_tokens=MAX_TOKENS, grammar=GRAMMAR, schema=SCHEMA)


def finish_request(context: PromptContext, needed_info: Sequence[str]) -> tuple[Prompt, Sampling]:
    """Return the request for the prediction that follows the list."""
    listed = json.dumps(list(needed_info), ensure_ascii=False)
    head = f'{HEAD} {listed}, "{PREDICTION_KEY}": "'
    return _prompt(context, head), Sampling(
        max_tokens=PREDICTION_TOKENS, grammar=PREDICTION_GRAMMAR, schema=PREDICTION_SCHEMA
    )


def prediction_request(context: PromptContext, reply: str) -> tuple[Prompt, Sampling]:
    """Return the request for the expected message after a reply."""
    return finish_request(
        replace(context, history=(*context.history, Exchange(context.message, reply)), message="…"),
        (),
    )


def parse(text: str) -> tuple[str, ...]:
    """Return the needed information in a reply after the head: whole, truncated or garbage."""
    items, begun, _ = _items(text)
    return _useful([*items, *begun])


def needs_nothing(text: str) -> bool:
    """Return True for a reply with an empty list."""
    items, _, closed = _items(text)
    return closed and not _useful(items)


def parse_prediction(text: str) -> str:
    """Return the prediction in a reply to `finish_request`."""
    string = _STRING_REST.match(text)
    return shorten(unescaped(string[1]), PREDICTION_CHARS) if string else ""


def read_enough(text: str) -> bool:
    """Return True once the list of call 1 is closed."""
    return _items(text)[2] or len(text) > LONGEST_CHARS


def keywords(message: str) -> tuple[str, ...]:
    """Return the search words of a message, for when the model gave nothing usable."""
    return tuple(query_words(clean(message[:KEYWORD_SOURCE_CHARS])))[:MAX_KEYWORDS]


def unescaped(text: str) -> str:
    """Return the content of a JSON string as one clean line; invalid JSON is taken literally."""
    try:
        text = str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        text = text.replace("\\", "")
    return one_line(clean(text))


def _prompt(context: PromptContext, head: str) -> Prompt:
    before = context.history[-1] if context.history else None
    message = look_up_message(_shown(context.message or ""), before and _begun(before))
    return Prompt(
        look_up_system(), (*look_up_turns(), PromptTurn("user", message)), head=head, slot="look-up"
    )


def _begun(exchange: Exchange) -> Exchange:
    user = exchange.user and shorten(one_line(exchange.user), BEFORE_CHARS)
    return Exchange(user, shorten(one_line(exchange.reply), BEFORE_CHARS))


def _shown(message: str) -> str:
    front = MESSAGE_CHARS * 2 // 3
    return (
        message
        if len(message) <= MESSAGE_CHARS
        else f"{message[:front]} … {message[front - MESSAGE_CHARS :]}"
    )


def _items(text: str) -> tuple[list[str], list[str], bool]:
    """Return the strings of the list, a string cut short, and whether the list is closed."""
    text = text[:LONGEST_CHARS]
    # A server that cannot continue the head writes it again.
    begun = re.search(rf'"{KEY}"\s*:\s*\[', text) or re.match(r"\s*\[", text)
    if not begun:
        return [], [], False
    text = text[begun.end() :]
    items: list[str] = []
    at = 0
    while string := _STRING.match(text, at):
        items.append(unescaped(string[1]))
        at = string.end()
    if _LIST_END.match(text, at):
        return items, [], True
    cut = _CUT_STRING.match(text, at)
    return items, [unescaped(cut[1])] if cut else [], False


def _useful(items: Sequence[str]) -> tuple[str, ...]:
    """Return at most five items with content, without repetitions and the request's own words."""
    own_words = query_words(KEY)
    useful: dict[str, str] = {}
    for phrase in items:
        word = shorten(phrase, 2 * KEYWORD_CHARS).strip(" .,;:!?\"'")
        if (words := query_words(word)) and words != own_words:
            useful.setdefault(word.lower(), word)
    return tuple(useful.values())[:MAX_KEYWORDS]
