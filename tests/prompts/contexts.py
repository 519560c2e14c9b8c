"""Personas and scenes for the tests of prompts."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache

from memapp.domain.chat import Exchange
from memapp.domain.memory import Recalled
from memapp.domain.persona import Persona
from memapp.paths import bundled
from memapp.prompts.context import PromptContext
from memapp.prompts.personas import load_personas


@cache
def bundled_personas() -> dict[str, Persona]:
    return load_personas([bundled("assets", "personas")])


def companion() -> Persona:
    return bundled_personas()["companion"]


def tom() -> Persona:
    return bundled_personas()["tom"]


def context(
    message: str | None = "Hello there!",
    history: Sequence[Exchange] = (),
    persona: Persona | None = None,
) -> PromptContext:
    persona = persona or companion()
    return PromptContext(persona, persona.evidence, tuple(history), message)


def hit(text: str, said_by: str = "", day: int = 5) -> Recalled:
    at = datetime(2026, 3, day, 9, 30, tzinfo=UTC)
    kind = "message" if said_by else "memory"
    return Recalled(kind, f"id-{text}", text, said_by, "", at, 0.5, "words 0.50")  # type: ignore[arg-type]
