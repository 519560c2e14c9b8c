"""A model's chat template: the control text between the contents of a prompt.

A template is a foreign program. It is run once, by a child process with little time and memory, on
a few conversations with placeholders for the contents; the control text between two roles is
learned from the results. So the template never sees a person's text, and that text is never read as
control text. This module also chooses a form that the template accepts: contents as texts, or as
lists of parts; with a system message, or with the system text at the top of the first user turn;
with turns as they are, or strictly alternating.
"""

import json
import logging
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from memapp.domain.prompt import Prompt, PromptTurn
from memapp.inference.thoughts import CLOSING

log = logging.getLogger(__name__)

CHILD = str(Path(__file__).with_name("template_child.py"))
"""Never imported, as this process would load jinja2 too."""
CPU_SECONDS = 5
"""The processor time of a template."""
LEARNING_SECONDS = 60
"""The time limit of the child; its processor time is far shorter, but a machine may be busy."""
MARKER = re.compile(r"<[^<>\s]{2,}>|\[/?[A-Z_]+\]")
"""Control text as in known templates: <|im_start|>, <start_of_turn>, [INST]."""

USER, ASSISTANT, SYSTEM = "user", "assistant", "system"
BEGIN = END = ""
"""Stand for the roles before the first content and after the last."""
ALTERNATING = ((USER,), (USER, ASSISTANT, USER), (USER, *(ASSISTANT, USER) * 4))
FREE = (
    (USER, USER, ASSISTANT, USER),
    (USER, ASSISTANT, ASSISTANT, USER),
    (ASSISTANT, USER, ASSISTANT, USER),
)
"""Conversations that show whether a template accepts them, and its text between two roles."""


@dataclass(frozen=True)
class Span:
    """A stretch of a rendered prompt: `data` is somebody's text, the rest is control text."""

    text: str
    data: bool = False


@dataclass(frozen=True)
class Rendered:
    """A prompt in the model's own form."""

    trunk: tuple[Span, ...]
    """The part up to the end of the last user message, which calls share."""
    rest: tuple[Span, ...]
    """The suffix, the end of the user turn, the beginning of the reply."""


@dataclass(frozen=True)
class ChatForm:
    """A form of conversation, as a template writes it."""

    between: Mapping[tuple[str, str], str]
    """The control text between the contents of two consecutive roles."""
    system_role: bool = True
    """True if system messages are accepted; otherwise the system text goes into the first user
    turn.
    """
    alternates: bool = False
    """True if turns must alternate, beginning with the user's."""


CHATML = ChatForm(
    {
        (before, role): ("<|im_end|>\n" if before else "") + f"<|im_start|>{role or ASSISTANT}\n"
        for before in (BEGIN, SYSTEM, USER, ASSISTANT)
        for role in (SYSTEM, USER, ASSISTANT, END)
    }
)
"""For files without a template that can be rendered; `remark` tells the person."""
IN_CHATML = "so its prompts are written in a common form (ChatML), and it may answer poorly."


class ChatTemplate:
    """A template and the form of conversation that it accepts."""

    def __init__(self, source: str | None, *, bos: str = "", eos: str = "") -> None:
        form = _learned(source, bos, eos) if source else None
        if form is None:
            log.warning("the model has no chat template that can be rendered; ChatML is used")
        self.form = form or CHATML
        example = [
            self.form.between[pair]
            for pair in ((BEGIN, USER), (USER, ASSISTANT), (ASSISTANT, USER), (USER, END))
        ]
        after_reply = example[2].strip()
        marker = MARKER.match(after_reply)
        self.reply_end = marker[0] if marker else after_reply
        """The template's text at the end of a reply."""
        self.markers = tuple(
            sorted({marker for text in example for marker in MARKER.findall(text)})
        )
        """The template's control texts."""

    def render(self, prompt: Prompt) -> Rendered:
        """Return a prompt in the model's form, with an empty last user turn if there is none."""
        turns = list(prompt.turns)
        if not turns or turns[-1].role != "user":
            turns.append(PromptTurn("user", ""))
        if self.form.alternates:
            turns = _alternating(turns)
        messages: list[tuple[str, str]] = [(turn.role, turn.content) for turn in turns]
        if prompt.system and self.form.system_role:
            messages.insert(0, (SYSTEM, prompt.system))
        elif prompt.system:
            messages[0] = (messages[0][0], f"{prompt.system}\n\n{messages[0][1]}")
        *before, end = (self.form.between[pair] for pair in _pairs([role for role, _ in messages]))
        spans: list[Span] = []
        for piece, (_role, content) in zip(before, messages, strict=True):
            spans += _data_after(piece, content)
        suffix = f"\n\n{prompt.suffix}" if prompt.suffix and turns[-1].content else prompt.suffix
        rest = [Span(suffix, data=True), *_data_after(_thought_through(end), prompt.head)]
        return Rendered(
            tuple(span for span in spans if span.text), tuple(span for span in rest if span.text)
        )


def remark(source: str | None) -> str:
    """Return a warning if ChatML replaces a template, else nothing. Slow the first time."""
    if not source:
        return f"This file has no chat template, {IN_CHATML}"
    if _learned(source, "", ""):
        return ""
    return f"The chat template in this file cannot be rendered, {IN_CHATML}"


@cache
def _learned(source: str, bos: str, eos: str) -> ChatForm | None:
    """Return the freest form that a template accepts, or None."""
    return _form(source, bos, eos, in_parts=False) or _form(source, bos, eos, in_parts=True)


def _form(source: str, bos: str, eos: str, *, in_parts: bool) -> ChatForm | None:
    forms = [
        (system_role, alternates) for system_role in (True, False) for alternates in (False, True)
    ]
    wanted = list(_conversations(*forms[0]))
    pieces = dict(zip(wanted, _rendered(source, bos, eos, wanted, in_parts), strict=True))
    for system_role, alternates in forms:
        between = _between(
            {roles: pieces[roles] for roles in _conversations(system_role, alternates)}
        )
        if between is not None:
            return ChatForm(between, system_role, alternates)
    return None


def _conversations(system_role: bool, alternates: bool) -> Iterator[tuple[str, ...]]:
    """Yield the conversations that a template must accept to have a form."""
    for turns in ALTERNATING if alternates else ALTERNATING + FREE:
        yield turns
        if system_role:
            yield (SYSTEM, *turns)


def _between(
    rendered: Mapping[tuple[str, ...], list[str] | None],
) -> dict[tuple[str, str], str] | None:
    """Return the text between two roles; None if inconsistent, or if a conversation was refused."""
    between: dict[tuple[str, str], str] = {}
    for roles, pieces in rendered.items():
        if pieces is None or any(
            between.setdefault(*pair) != pair[1] for pair in zip(_pairs(roles), pieces, strict=True)
        ):
            return None
    return between


def _pairs(roles: Sequence[str]) -> Iterator[tuple[str, str]]:
    return pairwise((BEGIN, *roles, END))


def _rendered(
    source: str, bos: str, eos: str, conversations: Sequence[tuple[str, ...]], in_parts: bool
) -> list[list[str] | None]:
    """Return the conversations rendered by the child, None for each if it is killed."""
    template = {"source": source, "bos": bos, "eos": eos, "in_parts": in_parts}
    request = json.dumps(
        {**template, "conversations": conversations, "seconds": CPU_SECONDS}
    ).encode()
    command = [sys.executable, "-P", CHILD]
    try:
        done = subprocess.run(
            command,
            input=request,
            capture_output=True,
            timeout=LEARNING_SECONDS,
            check=True,
            start_new_session=True,
        )
        return list(json.loads(done.stdout))
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        log.debug("chat template: %s", type(error).__name__)
        return [None] * len(conversations)


def _alternating(turns: Sequence[PromptTurn]) -> list[PromptTurn]:
    """Return the turns with neighbours of one role joined, beginning with the user's."""
    joined: list[PromptTurn] = [] if turns[0].role == "user" else [PromptTurn("user", "")]
    for turn in turns:
        if joined and joined[-1].role == turn.role:
            joined[-1] = PromptTurn(turn.role, f"{joined[-1].content}\n\n{turn.content}")
        else:
            joined.append(turn)
    return joined


def _thought_through(piece: str) -> str:
    """Return a text with a thought closed that the template opens: the model speaks at once."""
    opening = next((tag for tag in CLOSING if piece.rstrip().endswith(tag)), None)
    return f"{piece.rstrip()}\n\n{CLOSING[opening]}\n\n" if opening else piece


def _data_after(piece: str, content: str) -> list[Span]:
    """Return spans with a space before a content moved into it, as tokenizers attach the space."""
    if piece.endswith(" ") and content:
        return [Span(piece[:-1]), Span(" " + content, data=True)]
    return [Span(piece), Span(content, data=True)]
