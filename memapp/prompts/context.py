"""The context of a turn's prompts, and the trunk of the reply's prompt.

Evidence comes before the history and the history before the message, for every persona. A plain
persona gets the history as turns: a small model follows these, and gets lost in a transcript. An
inner voice is no party to a conversation but comments on it, so it gets one situation with the
history as a transcript.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from memapp.domain.chat import Exchange
from memapp.domain.persona import Persona
from memapp.domain.profile import FIELDS, is_sensitive
from memapp.domain.prompt import Prompt, PromptTurn
from memapp.domain.text import one_line, shorten
from memapp.language.limits import bears_on, is_limit
from memapp.language.profile import takes_sentence
from memapp.language.questions import wants_something
from memapp.language.word_file import words_of
from memapp.prompts.few_shot import reply_system, reply_turns
from memapp.prompts.history import SHOWN_CHARS, format_history
from memapp.prompts.templates import template

REPLY_CHARS = 600
"""The shown part of an earlier reply: a model repeats its own words."""
EARLIER = "Earlier in this chat, before the messages that follow:"
NOTED = "I remember."
ABOUT_USER = "About the user: "
VALUE_CHARS = 60
CASE, EVIDENCE, CONVERSATION, QUESTION = (
    "CASE FACTS",
    "EVIDENCE DISCOVERED SO FAR",
    "RECENT CONVERSATION",
    "'S QUESTION TO YOU",
)
HOW_TO_SPEAK = frozenset({"preferred_name", "pronouns", "language", "tone"})
"""The profile fields that matter for every reply."""
PROFILE_LINE_CHARS = 400
"""The longest profile line; more is left out."""


@dataclass(frozen=True)
class PromptContext:
    """The situation in which the model is to speak."""

    persona: Persona
    cards: tuple[str, ...]
    """The persona's cards and the person's."""
    history: tuple[Exchange, ...]
    """The earlier exchanges in the prompt, oldest first."""
    message: str | None
    """The person's message; None for an unprompted remark."""
    profile_line: str = ""
    """The needed part of the profile, as one line."""
    episodes: tuple[str, ...] = ()
    """Summaries of the chat before the exchanges in the prompt."""
    said: tuple[str, ...] = ()
    """The last replies of the chat, oldest first, which must not be repeated."""


def trunk(context: PromptContext) -> Prompt:
    """Return the part of the reply's prompt that does not depend on hits."""
    if context.persona.is_inner_voice:
        return situation(context)
    return Prompt(system_text(context), (*reply_turns(), *_turns(context)))


def speech(persona: Persona) -> tuple[str, tuple[str, ...]]:
    """Return the beginning of a persona's reply, and the strings that end it.

    An inner voice reads a transcript, which a small model would continue: so it is given its own
    label and an open quotation mark, and ends with the closing one.
    """
    if not persona.is_inner_voice:
        return "", ()
    labels = [f"{name}:" for name in (persona.name, persona.user_name, "You")]
    headings = [CASE, EVIDENCE, CONVERSATION, f"{persona.user_name.upper()}{QUESTION}"]
    return f'{persona.name}: "', ('"', *(f"\n{begun}" for begun in (*labels, *headings)))


def system_text(context: PromptContext) -> str:
    """Return the system text, the same in every call of a chat."""
    persona = context.persona
    if persona.is_inner_voice:
        return "\n".join(
            filter(None, [persona.prompt, _trust(persona.trust_level), context.profile_line])
        )
    return "\n\n".join([persona.prompt, reply_system(), *_known(context)])


def needed_of_profile(
    profile: Mapping[str, Sequence[str]], message: str | None
) -> dict[str, Sequence[str]]:
    """Return the profile values for a prompt: how to speak, and others if the message wants some.

    Sensitive sentences are told as the memories they are, where they bear on the message: in every
    prompt, an allergy came into jokes and mails. Of sentences written by hand, which are no
    memories, a limit is told where it bears on the message.
    """
    wants = bool(message) and wants_something(message or "", words_of(message or ""))
    needed = {field: values for field, values in profile.items() if wants or field in HOW_TO_SPEAK}
    sentences = {field for field in needed if is_sensitive(field) and takes_sentence(field)}
    limits = {
        sentence: tuple(filter(partial(_is_needed_limit, message or ""), needed[sentence]))
        for sentence in sentences
    }
    return {
        field: limits.get(field, values)
        for field, values in needed.items()
        if limits.get(field, values)
    }


def _is_needed_limit(message: str, value: str) -> bool:
    return is_limit(value, words_of(value)) and bears_on(message)


def profile_line(profile: Mapping[str, Sequence[str]]) -> str:
    """Return the profile as one line."""
    labelled = [
        (FIELDS[field].label.lower(), "; ".join(values))
        for field, values in profile.items()
        if field in FIELDS and values
    ]
    listed = [f"{label} {shorten(one_line(value), VALUE_CHARS)}" for label, value in labelled]
    return shorten(f"{ABOUT_USER}{', '.join(listed)}.", PROFILE_LINE_CHARS) if listed else ""


def situation(context: PromptContext, notes: str = "") -> Prompt:
    """Return the prompt of an inner voice, with the notes before the question."""
    return Prompt(system_text(context), (PromptTurn("user", _situation(context, notes)),))


def _turns(context: PromptContext) -> tuple[PromptTurn, ...]:
    """Return the exchanges and the message as turns, behind a summary of the chat before."""
    turns = []
    if context.episodes:
        turns = [
            PromptTurn("user", f"{EARLIER}\n{_cards(context.episodes)}"),
            PromptTurn("assistant", NOTED),
        ]
    for exchange in context.history:
        if exchange.user is not None:
            turns.append(PromptTurn("user", shorten(exchange.user, SHOWN_CHARS)))
        turns.append(PromptTurn("assistant", shorten(exchange.reply, REPLY_CHARS)))
    if context.message is not None:
        turns.append(PromptTurn("user", context.message))
    return tuple(turns)


def _situation(context: PromptContext, notes: str) -> str:
    """Return the situation of the chat, each part under its heading."""
    persona = context.persona
    shown = format_history(context.history, persona)
    parts = [
        *_known(context),
        f"{CONVERSATION} (last {max(3, len(context.history))} exchanges):\n{shown}",
    ]
    if notes:
        parts.append(notes)
    if context.message is not None:
        parts.append(f"{persona.user_name.upper()}{QUESTION}:\n{context.message}")
    return "\n\n".join(parts)


def _known(context: PromptContext) -> list[str]:
    parts = []
    if context.persona.case_facts:
        parts.append(f"{CASE} (what you know):\n{_cards(context.persona.case_facts)}")
    if context.cards:
        parts.append(f"{EVIDENCE}:\n{_cards(context.cards)}")
    return parts


def _cards(lines: tuple[str, ...]) -> str:
    return "\n".join(f"- {one_line(card)}" for card in lines)


def _trust(level: float) -> str:
    return template(
        "trust_low" if level < 1 / 3 else "trust_middle" if level < 2 / 3 else "trust_high"
    ).template
