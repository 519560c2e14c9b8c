"""The context of a turn's prompts, and the trunk that all its calls share.

Evidence stands before the history and the history before the message, for every persona. A plain persona gets the history as
the turns they were: a small model follows a conversation so, and loses its thread in a transcript. An inner voice is no
party to a conversation but comments on one; it gets one situation with the history as a transcript in it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memapp.domain.chat import Exchange
from memapp.domain.persona import Persona
from memapp.domain.profile import FIELDS
from memapp.domain.prompt import Prompt, PromptForm, PromptTurn
from memapp.domain.text import one_line, shorten
from memapp.language.english.clauses import without_interjections
from memapp.language.english.grammar import tokens
from memapp.language.english.life_domains import touches_food
from memapp.language.english.memory_question import read, refers_back
from memapp.language.english.statements import plain
from memapp.prompts.history import SHOWN_CHARS, format_history
from memapp.prompts.quotes import (
    asks_of_memory,
    goes_on,
    in_plain_words,
    is_condition,
    is_small_talk,
    is_task,
    shares_subject,
    wants_few,
    wants_something,
    wants_text,
)
from memapp.prompts.templates import template

REPLY_CHARS = 600
"""An earlier reply is shown so far: what a model said it says again."""
EARLIER = "Earlier in this chat, before the messages that follow:"
ABOUT_USER = "About the user: "
VALUE_CHARS = 60
SAID, SAID_CHARS = 3, 200
"""So many messages of the person a small model sees, each so far."""
CASE, EVIDENCE, CONVERSATION, QUESTION = "CASE FACTS", "EVIDENCE DISCOVERED SO FAR", "RECENT CONVERSATION", "'S QUESTION TO YOU"
HOW_TO_SPEAK = frozenset({"preferred_name", "pronouns", "language", "tone"})
ANY_TASK_NEEDS = HOW_TO_SPEAK | {"city", "health", "religion", "goals_add"}
"""Fields of the profile; a diet or an allergy is among them."""
PROFILE_LINE_CHARS = 400
"""The profile stands in every prompt: what does not fit is left out."""


@dataclass(frozen=True)
class PromptContext:
    """The situation in which the model is to speak."""

    persona: Persona
    cards: tuple[str, ...]
    """The persona's cards and those the person added."""
    history: tuple[Exchange, ...]
    """Earlier exchanges, oldest first, as many as the prompt shows."""
    message: str | None
    """What the person wrote; None when nobody asked."""
    profile_line: str = ""
    """What the person has agreed to be known about them, as one line."""
    injected_updates: tuple[str, ...] = ()
    """News of the memory that the person may have forgotten to have told."""
    form: PromptForm = "full"
    episodes: tuple[str, ...] = ()
    """What the chat was about before the exchanges that the prompt shows; the simple form has none of them."""
    said: tuple[str, ...] = ()
    """The last replies of the chat, which must not be said again; oldest first."""

    @property
    def is_small_talker(self) -> bool:
        """Say whether a small model speaks for itself, and not as an inner voice, whose prompt is the same for every model."""
        return self.form == "simple" and not self.persona.is_inner_voice


def trunk(context: PromptContext) -> Prompt:
    """Return the part of the prompt that every call of the turn shares, token by token."""
    if context.persona.is_inner_voice:
        return Prompt(system_text(context), (PromptTurn("user", _situation(context)),))
    if context.form == "simple":
        return Prompt(system_text(context), _last_turns(context), neutral=_neutral(context))
    return Prompt(system_text(context), _turns(context))


def speech(persona: Persona) -> tuple[str, tuple[str, ...]]:
    """Return how the reply of a persona is begun for it, and the strings at which it is over.

    An inner voice reads a transcript, and a small model would go on with all of it: so it is given its own label and an open
    quotation mark, and ends with that quotation.
    """
    if not persona.is_inner_voice:
        return "", ()
    labels = [f"{name}:" for name in (persona.name, persona.user_name, "You")]
    headings = [CASE, EVIDENCE, CONVERSATION, f"{persona.user_name.upper()}{QUESTION}"]
    return f'{persona.name}: "', ('"', *(f"\n{begun}" for begun in (*labels, *headings)))


def system_text(context: PromptContext) -> str:
    """Who speaks, and for a plain persona what it has before it: the same in every call of a chat."""
    persona = context.persona
    if persona.is_inner_voice:
        return "\n".join(filter(None, [persona.prompt, _trust(persona.trust_level), context.profile_line]))
    parts = [persona.prompt, *_known(context)]
    if context.form == "simple":  # in the full form it stands in the notes of call 2
        parts.insert(1, context.profile_line)
        parts.append("" if _stands_alone(context.message) or examples(context) else _said_lately(context.history))
    elif context.episodes:
        parts.append(f"{EARLIER}\n{_cards(context.episodes)}")
    return "\n\n".join(filter(None, parts))


def needed_of_profile(profile: Mapping[str, Sequence[str]], message: str | None) -> dict[str, Sequence[str]]:
    """Return what a small model sees of the profile: all with a question, with a task what any task needs and what it names.

    It would put the rest into a joke. Where the person only tells something, it would speak of an allergy in place of that.
    """
    message = message or ""
    wants = wants_something(message) or touches_food(message)
    if wants and not _stands_alone(message):
        return dict(profile)
    needed = ANY_TASK_NEEDS if wants else HOW_TO_SPEAK
    named = {field: [one for one in values if shares_subject(message, one)] for field, values in profile.items()}
    return {field: values if field in needed else named[field] for field, values in profile.items()}


def profile_line(profile: Mapping[str, Sequence[str]]) -> str:
    """Return the profile as one line: the same in every call until it changes, so it stands in front of all that changes more."""
    known = [(FIELDS[field].label.lower(), "; ".join(values)) for field, values in profile.items() if field in FIELDS and values]
    said = [f"{label} {shorten(one_line(value), VALUE_CHARS)}" for label, value in known]
    return shorten(f"{ABOUT_USER}{', '.join(said)}.", PROFILE_LINE_CHARS) if said else ""


def _turns(context: PromptContext) -> tuple[PromptTurn, ...]:
    turns = []
    for exchange in context.history:
        if exchange.user is not None:
            turns.append(PromptTurn("user", shorten(exchange.user, SHOWN_CHARS)))
        turns.append(PromptTurn("assistant", shorten(exchange.reply, REPLY_CHARS)))
    if context.message is not None:
        turns.append(PromptTurn("user", context.message))
    return tuple(turns)


def _stands_alone(message: str | None) -> bool:
    """Say whether a small model would answer what was said before in place of a greeting, or of a task that names all it is of.

    What is still to come is rarely a greeting, and is prefilled.
    """
    return message is None or (message != "" and is_small_talk(message)) or (is_task(message) and not refers_back(message))


def _said_lately(history: Sequence[Exchange]) -> str:
    """Return what the person said lately: with its own replies before it, a small model says these again."""
    told = [one.user for one in history if one.user is not None and not (is_small_talk(one.user) or goes_on(one.user))]
    said = [shorten(one_line(one), SAID_CHARS) for one in told]
    return f"Earlier the user said: {' '.join(said[-SAID:])}" if said else ""


def whole_request(context: PromptContext) -> str:
    """Return what the person wants, with what they wanted before if they only go on with that."""
    message = context.message or ""
    before = context.history[-1].user if context.history else None
    is_more = goes_on(message) or (is_condition(message) and wants_something(before or ""))
    return f"{before}\n{message}" if before and is_more else message


def examples(context: PromptContext) -> tuple[tuple[str, str], ...]:
    """Return the exchanges that show a small model how its persona chats; none where a text, or the last reply, is wanted.

    A few tips, or a task that is no text, it does better behind them: to the point, and in a sentence or two.
    """
    message, wanted = context.message or "", whole_request(context)
    wants_more = (wants_text(wanted) and not wants_few(wanted)) or goes_on(message) or asks_of_memory(message)
    return context.persona.examples if context.is_small_talker and not wants_more else ()


def _last_turns(context: PromptContext) -> tuple[PromptTurn, ...]:
    """Return the message behind examples, or behind the last reply if it is about that, or alone."""
    message = in_plain_words(context.message or "")
    shown = examples(context)
    if is_condition(message):
        message = whole_request(context)
    if shown:
        message = "\n".join([*_led_to(context.history, message), message])
    elif context.history and goes_on(message):
        last = context.history[-1]
        shown = ((shorten(last.user or "", SHOWN_CHARS), shorten(last.reply, SHOWN_CHARS)),)
    return (*(turn for pair in shown for turn in _exchange(*pair)), PromptTurn("user", message))


def _neutral(context: PromptContext) -> Prompt | None:
    """Return a prompt to which a small model replies as it would without the message: it is ready before that comes."""
    shown = [turn for pair in examples(context) for turn in _exchange(*pair)]
    before = "\n".join(_led_to(context.history, ""))
    return Prompt(context.persona.prompt, (*shown, PromptTurn("user", before))) if shown else None


def _exchange(said: str, reply: str) -> tuple[PromptTurn, PromptTurn]:
    return PromptTurn("user", said), PromptTurn("assistant", reply)


def _led_to(history: Sequence[Exchange], message: str) -> list[str]:
    """Return what the person said just before, if a message may go on with it."""
    said = history[-1].user if history else None
    if (
        said is None
        or _stands_alone(message)
        or is_small_talk(said)
        or goes_on(said)
        or read(said) is not None
        or _begins_anew(message)
    ):
        return []
    if is_task(said) and not refers_back(message):  # that was done: the reply would be of it once more
        return []
    return [shorten(one_line(said), SAID_CHARS)]


def _begins_anew(message: str) -> bool:
    """Say whether a message tells something with a subject of its own, so that what was said before it only leads astray."""
    words = without_interjections(tokens(plain(message)))
    first = re.split(r"[,;.!?]", message)[0]  # behind it a pronoun may stand for what this names
    return words[:1] in (["I"], ["my"], ["My"]) and not (wants_something(message) or refers_back(first))


def _situation(context: PromptContext) -> str:
    """The order and the headings are those of the specification."""
    persona = context.persona
    shown = format_history(context.history, persona)
    parts = [*_known(context), f"{CONVERSATION} (last {max(3, len(context.history))} exchanges):\n{shown}"]
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
    return template("trust_low" if level < 1 / 3 else "trust_middle" if level < 2 / 3 else "trust_high").template
