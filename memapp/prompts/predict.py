"""Call 1: what has to be looked up for a reply, and what the person may say next."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from memapp.domain.prompt import Prompt, PromptForm, Sampling
from memapp.domain.text import clean, one_line, shorten
from memapp.language.english.recall import query_words
from memapp.prompts.context import PromptContext, trunk
from memapp.prompts.templates import template

MAX_KEYWORDS = 5
KEYWORD_CHARS = 32
PREDICTION_CHARS = 160
MAX_TOKENS = 96
REPEAT_PENALTY = 1.15
"""Halves the tokens of the list: a small model would say each keyword in five ways."""
LONGEST_CHARS = 8000
"""How much of a reply is read; what the grammar allows is far shorter."""
KEYWORD_SOURCE_CHARS = 2000
"""How much of a long message is searched for keywords."""

KEY: Mapping[PromptForm, str] = {"simple": "keywords", "full": "needed_info"}
"""What the list is called. A small model gets no other instruction: none that was tried made it name better things, and
without one call 2 goes on where call 1 began."""
HEAD: Mapping[PromptForm, str] = {"simple": f'{{"{KEY["simple"]}": ["', "full": f'{{"{KEY["full"]}": ['}
"""A small model that need not name anything names nothing; another knows when nothing is needed."""
_LIST: Mapping[PromptForm, str] = {
    "simple": rf'keyword (", \"" keyword){{0,{MAX_KEYWORDS - 1}}}',
    "full": rf'("\"" keyword (", \"" keyword){{0,{MAX_KEYWORDS - 1}}})?',
}
_RULES = rf"""
keyword ::= letter (letter | digit){{0,15}} (" " (letter | digit){{1,16}}){{0,3}} "\""
letter ::= [A-Za-z'\u00C0-\u024F\u0370-\u1FFF\u3040-\uD7FF-]
digit ::= [0-9]
prediction ::= [^"\\\x00-\x1F\x7F]{{1,{PREDICTION_CHARS}}} "\"}}"
"""
GRAMMAR = {form: f'root ::= {items} "], \\"prediction_next\\": \\"" prediction{_RULES}' for form, items in _LIST.items()}
"""A keyword is one to four short words: without that, a small model writes timestamps and addresses."""

_STRING = re.compile(r'[^"\]]*"((?:[^"\\]|\\.)*)"', re.DOTALL)
_CUT_STRING = re.compile(r'[^"\]]*"((?:[^"\\]|\\.)*)\\?$', re.DOTALL)
_LIST_START = re.compile(rf'"(?:{"|".join(KEY.values())})"\s*:\s*\[')
_LIST_END = re.compile(r"[^\"]*?\]")
_LIST_GOES_ON = re.compile(r'\s*["\]]')
_STRING_REST = re.compile(r'((?:[^"\\]|\\.)*)', re.DOTALL)


def request(context: PromptContext) -> tuple[Prompt, Sampling]:
    """Ask what to look up; the reply may be read until `read_enough`."""
    form = context.form
    asked = template("predict").template if form == "full" else ""
    prompt = replace(trunk(context), suffix=asked, head=HEAD[form])
    penalty = REPEAT_PENALTY if form == "simple" else 1.0
    return prompt, Sampling(max_tokens=MAX_TOKENS, repeat_penalty=penalty, grammar=GRAMMAR[form])


def finish_request(context: PromptContext, needed_info: Sequence[str]) -> tuple[Prompt, Sampling]:
    """Ask for the rest of a reply that was read until its list was closed."""
    listed = json.dumps(list(needed_info), ensure_ascii=False)
    prompt, sampling = request(context)
    grammar = "root ::= prediction\n" + _RULES.splitlines()[-1] + "\n"
    return (
        replace(prompt, head=f'{{"{KEY[context.form]}": {listed}, "prediction_next": "'),
        replace(sampling, grammar=grammar),
    )


def parse(text: str, form: PromptForm = "simple") -> tuple[str, ...]:
    """Read what is needed from a reply that came after the head, whole, cut short or garbage."""
    items, begun, _ = _items(text, form)
    return _useful([*items, *begun])


def needs_nothing(text: str, form: PromptForm) -> bool:
    """Say whether a reply is a list that names nothing, as a small model is never allowed to write it."""
    items, _, closed = _items(text, form)
    return form == "full" and closed and not _useful(items)


def parse_prediction(text: str) -> str:
    """Read the reply to `finish_request`."""
    found = _STRING_REST.match(text)
    return shorten(unescaped(found[1]), PREDICTION_CHARS) if found else ""


def read_enough(text: str, form: PromptForm = "simple") -> bool:
    """Say whether call 1 need not be read further: its list is closed, or in the simple form holds a keyword that says something.

    Further ones of a small model take longer to write than they help to find.
    """
    items, _, closed = _items(text, form)
    return closed or (form == "simple" and _useful(items) != ()) or len(text) > LONGEST_CHARS


def keywords(message: str) -> tuple[str, ...]:
    """Return the words of a message that say what it is about, for when the model gave nothing usable."""
    return tuple(query_words(clean(message[:KEYWORD_SOURCE_CHARS])))[:MAX_KEYWORDS]


def _items(text: str, form: PromptForm) -> tuple[list[str], list[str], bool]:
    """Return the strings of the list, the one that has only begun, and whether the list ends."""
    text = text[:LONGEST_CHARS]
    begun = _LIST_START.search(text)  # a server that cannot continue the head writes it again
    if not begun and form == "full" and not _LIST_GOES_ON.match(text):  # words about what it would need, and no list
        return [], [], False
    text = text[begun.end() :] if begun else '"' + text if form == "simple" else text
    items: list[str] = []
    at = 0
    while found := _STRING.match(text, at):
        items.append(unescaped(found[1]))
        at = found.end()
    if _LIST_END.match(text, at):
        return items, [], True
    cut = _CUT_STRING.match(text, at)
    return items, [unescaped(cut[1])] if cut else [], False


def _useful(items: Sequence[str]) -> tuple[str, ...]:
    """Drop what says nothing, repeats the request or was said before; keep the first five."""
    asked = [query_words(key) for key in KEY.values()]
    kept: dict[str, str] = {}
    for item in items:
        word = shorten(item, 2 * KEYWORD_CHARS).strip(" .,;:!?\"'")
        if (words := query_words(word)) and words not in asked:
            kept.setdefault(word.lower(), word)
    return tuple(kept.values())[:MAX_KEYWORDS]


def unescaped(text: str) -> str:
    """Read the inside of a JSON string as one clean line; one that is not valid JSON is taken as it is."""
    try:
        text = str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        text = text.replace("\\", "")
    return one_line(clean(text))
