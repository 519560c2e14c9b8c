"""A model's own chat template: which control text stands between the contents of a prompt.

The template is rendered with a placeholder for each content and then split, so that what a person wrote is never seen
by the template and never read as control text. Owns the choice of a form the template accepts: with a system message,
or with the system text at the top of the first user turn; with turns as they are, or strictly alternating.
"""

import json
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from memapp.domain.prompt import Prompt, PromptTurn

if TYPE_CHECKING:
    import jinja2

log = logging.getLogger(__name__)

CHATML = """\
{%- for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}\
{%- endfor %}{%- if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif -%}
"""
"""For files that bring no template, or one that cannot be rendered."""

FIXED_DATE = date(2025, 1, 1)
"""What templates get as today's date: a prompt that changes at midnight would lose its cached beginning."""

PLACEHOLDER = re.compile("\ue000(\\d+)\ue001")
MARKER = re.compile(r"<[^<>\s]{2,}>|\[/?[A-Z_]+\]")
"""Control text as the template families write it: <|im_start|>, <start_of_turn>, [INST]."""

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True)
class Span:
    """A stretch of a rendered prompt: `data` is somebody's words, the rest is the template's control text."""

    text: str
    data: bool = False


@dataclass(frozen=True)
class Rendered:
    """A prompt in the model's own form."""

    trunk: tuple[Span, ...]
    """Up to the end of the last user words; the part that calls share."""
    rest: tuple[Span, ...]
    """The suffix, the end of the user turn, the beginning of the reply."""


class ChatTemplate:
    """A template and the form of conversation that it takes."""

    def __init__(self, source: str | None, *, bos: str = "", eos: str = "") -> None:
        self._bos, self._eos = bos, eos
        self._template = _compile(source or CHATML)
        self.system_role = True
        """Whether it takes a system message; otherwise the system text goes into the first user turn."""
        self.alternates = False
        """Whether it refuses two turns of one role in a row."""
        if not self._find_form():
            log.debug("the model's chat template cannot be rendered; ChatML is used")
            self._template = _compile(CHATML)
            self._find_form()
        example = self._split([("user", "0"), ("assistant", "1"), ("user", "2")])
        assert example is not None
        after_reply = example[2].strip()
        marker = MARKER.match(after_reply)
        self.reply_end = marker[0] if marker else after_reply
        """How the template ends a reply."""
        self.markers = tuple(sorted({marker for text in example for marker in MARKER.findall(text)}))
        """The template's control texts."""

    def render(self, prompt: Prompt) -> Rendered:
        """Render a prompt; turns that do not end with the person's get an empty user turn for the suffix."""
        turns = list(prompt.turns)
        if not turns or turns[-1].role != "user":
            turns.append(PromptTurn("user", ""))
        if self.alternates:
            turns = _alternating(turns)
        contents = [(turn.role, turn.content) for turn in turns]
        messages: list[tuple[Role, str]] = [*contents]
        if prompt.system and self.system_role:
            messages.insert(0, ("system", prompt.system))
        elif prompt.system:
            messages[0] = (messages[0][0], f"{prompt.system}\n\n{messages[0][1]}")
        pieces = self._split(messages)
        assert pieces is not None, "the form was found by rendering such a conversation"
        spans: list[Span] = []
        for piece, (_role, content) in zip(pieces, messages, strict=False):
            spans += _data_after(piece, content)
        suffix = f"\n\n{prompt.suffix}" if prompt.suffix and turns[-1].content else prompt.suffix
        rest = [Span(suffix, data=True), *_data_after(_thought_through(pieces[-1]), prompt.head)]
        return Rendered(tuple(span for span in spans if span.text), tuple(span for span in rest if span.text))

    def _find_form(self) -> bool:
        conversation: list[tuple[Role, str]] = [("user", "1"), ("assistant", "2"), ("user", "3")]
        if self._split([("system", "0"), *conversation]) is not None:
            self.system_role = True
        elif self._split(conversation) is not None:
            self.system_role = False
        else:
            return False
        doubled: list[tuple[Role, str]] = [("user", "0"), ("user", "1"), ("assistant", "2"), ("user", "3")]
        self.alternates = self._split(doubled) is None
        return True

    def _split(self, messages: Sequence[tuple[Role, str]]) -> list[str] | None:
        """Render with placeholders; return the text around them, or None when one is missing or out of order."""
        stand_ins = [{"role": role, "content": f"\ue000{number}\ue001"} for number, (role, _) in enumerate(messages)]
        try:
            text = self._template.render(
                messages=stand_ins, bos_token=self._bos, eos_token=self._eos, add_generation_prompt=True,
                strftime_now=FIXED_DATE.strftime, raise_exception=_refuse, tools=None, enable_thinking=False,
            )  # fmt: skip
        except Exception as error:  # a template is a program from the model's file; it can fail in any way
            log.debug("chat template: %s", type(error).__name__)
            return None
        pieces = PLACEHOLDER.split(text)
        if pieces[1::2] != [str(number) for number in range(len(messages))]:
            return None
        return pieces[0::2]


def _compile(source: str) -> "jinja2.Template":
    import jinja2
    import jinja2.ext
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols, _generation_tag()]
    )
    environment.filters["tojson"] = _to_json
    try:
        return environment.from_string(source)
    except jinja2.TemplateError:
        log.debug("the model's chat template cannot be compiled; ChatML is used")
        return environment.from_string(CHATML)


def _generation_tag() -> Any:
    from jinja2 import nodes, parser
    from jinja2.ext import Extension

    class GenerationTag(Extension):
        """`{% generation %}` marks replies for training; here its body is rendered as it is."""

        tags = {"generation"}  # noqa: RUF012 - jinja2 declares it so

        def parse(self, parser: parser.Parser) -> list[nodes.Node]:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    return GenerationTag


def _to_json(value: Any, indent: int | None = None, **_options: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _refuse(message: str) -> None:
    raise ValueError(message)


def _alternating(turns: Sequence[PromptTurn]) -> list[PromptTurn]:
    """Join neighbours of one role, and let the person begin."""
    joined: list[PromptTurn] = [] if turns[0].role == "user" else [PromptTurn("user", "")]
    for turn in turns:
        if joined and joined[-1].role == turn.role:
            joined[-1] = PromptTurn(turn.role, f"{joined[-1].content}\n\n{turn.content}")
        else:
            joined.append(turn)
    return joined


def _thought_through(piece: str) -> str:
    """Close the thoughts that some templates open for the model: it speaks at once, as those do that can be told not to think."""
    return f"{piece.rstrip()}\n\n</think>\n\n" if piece.rstrip().endswith("<think>") else piece


def _data_after(piece: str, content: str) -> list[Span]:
    """A space before a content belongs to its first word for every tokenizer, so it moves over."""
    if piece.endswith(" ") and content:
        return [Span(piece[:-1]), Span(" " + content, data=True)]
    return [Span(piece), Span(content, data=True)]
