"""The constant beginnings of prompts: system text and example turns from `assets/prompts`."""

import json
import tomllib
from functools import cache
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from memapp.domain.chat import Exchange
from memapp.domain.prompt import PromptTurn
from memapp.paths import bundled

Example = TypeVar("Example", bound=BaseModel)

CHAT_BEGINS = "[chat begins]"
"""Without the mark, questions about oneself at the start of a chat look like the examples that need
nothing.
"""
NO_NOTES = "[no notes]"
"""Without the mark, a small model invents notes."""


class LookUpExample(BaseModel):
    """An example of call 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    message: str
    needed_info: tuple[str, ...]
    before: tuple[str, str] | None = None


class ReplyExample(BaseModel):
    """An example of call 2."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    message: str
    reply: str
    notes: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()


class FewShotText(BaseModel, Generic[Example]):
    """The constant part of a call."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    system: str
    examples: tuple[Example, ...]


@cache
def look_up_system() -> str:
    """Return the system text of call 1."""
    return _look_up().system.strip()


@cache
def look_up_turns() -> tuple[PromptTurn, ...]:
    """Return the example turns of call 1."""
    turns = []
    for example in _look_up().examples:
        before = Exchange(*example.before) if example.before else None
        turns.append(PromptTurn("user", look_up_message(example.message, before)))
        turns.append(PromptTurn("assistant", json.dumps({"needed_info": example.needed_info})))
    return tuple(turns)


@cache
def reply_system() -> str:
    """Return the system text of call 2, which follows the persona's."""
    return _reply().system.strip()


@cache
def reply_turns() -> tuple[PromptTurn, ...]:
    """Return the example turns of call 2."""
    turns = []
    for example in _reply().examples:
        content = "\n\n".join(
            filter(None, [with_notes(example.message, example.notes), limits_text(example.limits)])
        )
        turns += [PromptTurn("user", content), PromptTurn("assistant", example.reply.strip())]
    return tuple(turns)


def look_up_message(message: str, before: Exchange | None) -> str:
    """Return a message for call 1, behind the exchange before."""
    if before is None:
        return f"{CHAT_BEGINS}\n\n{message}"
    said = " / ".join(filter(None, [before.user, before.reply]))
    return f"[before: {said}]\n\n{message}"


def with_notes(message: str, notes: tuple[str, ...]) -> str:
    """Return a message behind its notes."""
    listed = "\n".join(["[notes]", *notes]) if notes else NO_NOTES
    return f"{listed}\n\n{message}"


def limits_text(limits: tuple[str, ...]) -> str:
    """Return the limits that follow a message."""
    return "\n".join(f'[mind: "{limit}"]' for limit in limits)


def _look_up() -> FewShotText[LookUpExample]:
    return FewShotText[LookUpExample].model_validate(_read("look_up"))


def _reply() -> FewShotText[ReplyExample]:
    return FewShotText[ReplyExample].model_validate(_read("reply"))


def _read(name: str) -> dict[str, object]:
    return tomllib.loads(bundled("assets", "prompts", f"{name}.toml").read_text("utf-8"))
