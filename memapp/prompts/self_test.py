"""The ten calls of a model's self-test, in the full form of prompt: their words, and which answers hold."""

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from memapp.domain.chat import Exchange
from memapp.domain.memory import Recalled
from memapp.domain.persona import Persona
from memapp.domain.prompt import Prompt, Sampling
from memapp.domain.self_test import shares_run
from memapp.paths import bundled
from memapp.prompts import predict, respond
from memapp.prompts.context import PromptContext

REPLY_TOKENS = 64
LEAST_WORDS = 4
LEARNED = datetime(2025, 3, 3, tzinfo=UTC)


class Check(BaseModel):
    """One call, and what its answer must be."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["lookup", "nothing", "note", "unknown", "repetition"]
    message: str
    notes: tuple[str, ...] = ()
    history: tuple[tuple[str, str], ...] = ()
    answers: tuple[str, ...] = ()

    @property
    def is_call_1(self) -> bool:
        return self.kind in ("lookup", "nothing")


@cache
def checks() -> tuple[Check, ...]:
    return tuple(Check.model_validate(one) for one in _read()["check"])


@cache
def facts() -> tuple[str, ...]:
    """Return the facts among which those must be found that a request needs."""
    return tuple(_read()["facts"])


def request(check: Check, persona: Persona) -> tuple[Prompt, Sampling]:
    """Ask as a turn would, but always for the likeliest word, and without keeping the model from repeating itself."""
    history = tuple(Exchange(user, reply) for user, reply in check.history)
    context = PromptContext(persona, (), history, check.message, form="full")
    if check.is_call_1:
        return predict.request(context)
    hits = [Recalled("memory", text, text, "", "", LEARNED, 1.0, "") for text in check.notes]
    prompt, sampling = respond.request(context, hits, reply_tokens=REPLY_TOKENS, temperature=0.0)
    return prompt, replace(sampling, dry_multiplier=0.0)


def holds(check: Check, said: str, nearest: Sequence[str] = ()) -> bool:
    """Judge an answer; `nearest` are the facts that are nearest to what it says it needs."""
    match check.kind:
        case "lookup":
            return any(fact in check.answers for fact in nearest)
        case "nothing":
            return predict.needs_nothing(said, "full")
        case "note" | "unknown":
            return any(answer in said.casefold().replace("’", "'") for answer in check.answers)
        case "repetition":
            return len(said.split()) >= LEAST_WORDS and not shares_run(said, [reply for _, reply in check.history])


def _read() -> dict[str, Any]:
    return tomllib.loads(bundled("assets", "prompts", "self_test.toml").read_text("utf-8"))
