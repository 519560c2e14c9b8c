"""What a turn's prompts are made of, and the trunk that all its calls share."""

from dataclasses import dataclass

from memapp.domain.chat import Exchange
from memapp.domain.persona import Persona
from memapp.domain.prompt import Prompt, PromptTurn
from memapp.domain.text import one_line
from memapp.prompts.history import format_history
from memapp.prompts.templates import template


@dataclass(frozen=True)
class Scene:
    """The situation in which the model is to speak."""

    persona: Persona
    evidence: tuple[str, ...]
    """The persona's cards and those the person added."""
    history: tuple[Exchange, ...]
    """Earlier exchanges, oldest first, as many as the prompt shows."""
    message: str | None
    """What the person wrote; None when nobody asked."""


def system_text(scene: Scene) -> str:
    """Who speaks and what the calls of a turn ask: the same bytes in every call of a chat."""
    return f"{scene.persona.prompt}\n\n{template('system').template}".strip()


def trunk(scene: Scene) -> Prompt:
    """Return the part of the prompt that every call of the turn shares, token by token."""
    return Prompt(system_text(scene), (PromptTurn("user", _situation(scene)),))


def _situation(scene: Scene) -> str:
    persona = scene.persona
    parts = []
    if persona.case_facts:
        parts.append("CASE FACTS (what you know):\n" + _cards(persona.case_facts))
    if scene.evidence:
        parts.append("EVIDENCE DISCOVERED SO FAR:\n" + _cards(scene.evidence))
    shown = format_history(scene.history, persona, len(scene.history))
    parts.append(f"RECENT CONVERSATION (last {len(scene.history)} exchanges):\n{shown}")
    if scene.message is not None:
        parts.append(f"{persona.user_name}: {scene.message}")
    return "\n\n".join(parts)


def _cards(cards: tuple[str, ...]) -> str:
    return "\n".join(f"- {one_line(card)}" for card in cards)
