"""Call 2: the reply, from the notes that recall found.

The system text and the examples are the same in every turn and come first; then the chat, the
notes, the message and behind it the limits to keep to. A small model heeds what follows a message
more than what precedes it, and recites it more.
"""

from collections.abc import Sequence
from dataclasses import replace

from memapp.domain.chat import Exchange
from memapp.domain.memory import Recalled
from memapp.domain.prompt import Prompt, PromptTurn, Sampling
from memapp.domain.repetition import EXCHANGES, repeated
from memapp.domain.text import clean, one_line, shorten
from memapp.language.grammar import sentences
from memapp.language.sentence import is_question
from memapp.language.word_file import words_of
from memapp.prompts.attempt import FIRST, Attempt
from memapp.prompts.context import ABOUT_USER, PromptContext, situation, speech, trunk
from memapp.prompts.few_shot import limits_text, with_notes
from memapp.prompts.templates import template

TOP_P, MIN_P = 0.9, 0.05
DRY_MULTIPLIER, DRY_ALLOWED = 0.5, 4
"""Against repeating the last replies word for word: a small model copies its own words."""
SAID = 6
"""The number of last replies that must not be repeated."""
LESSON_CHARS = 200
FEWEST_WORDS = 4
"""A shorter sentence in a message states nothing."""


def request(
    context: PromptContext,
    hits: Sequence[Recalled],
    *,
    limits: Sequence[Recalled] = (),
    updates: Sequence[str] = (),
    lessons: Sequence[str] = (),
    attempt: Attempt = FIRST,
    reply_tokens: int,
    temperature: float,
) -> tuple[Prompt, Sampling]:
    """Return the request for a reply.

    `updates` are the lines of the delta header, `lessons` commands that worked.
    """
    minded = frozenset(limit.id for limit in limits)
    notes = [note(hit) for hit in hits if hit.id not in minded]
    head, stop = speech(context.persona)
    prompt = replace(
        with_known(context, [*updates, *known(context), *notes], commands(lessons)),
        suffix=limits_text(tuple(map(words, limits))),
        head=head,
    )
    return prompt, sampling(context, reply_tokens, temperature, attempt, stop)


def sampling(
    context: PromptContext,
    max_tokens: int,
    temperature: float,
    attempt: Attempt,
    stop: tuple[str, ...],
) -> Sampling:
    """Return the sampling of a reply: likely words, but not those of the last replies."""
    return Sampling(
        max_tokens=max_tokens,
        temperature=attempt.temperature(temperature),
        top_p=TOP_P,
        min_p=MIN_P,
        dry_multiplier=DRY_MULTIPLIER,
        dry_allowed=DRY_ALLOWED,
        said=context.said,
        seed=attempt.seed,
        stop=stop,
    )


def with_known(context: PromptContext, lines: Sequence[str], card: str = "") -> Prompt:
    """Return the trunk of a context with known lines before its message."""
    if context.persona.is_inner_voice:
        return situation(context, "\n".join(filter(None, [*lines, card])))
    prompt, message = trunk(context), "\n\n".join(filter(None, [card, context.message]))
    return replace(
        prompt, turns=(*prompt.turns[:-1], PromptTurn("user", with_notes(message, tuple(lines))))
    )


def known(context: PromptContext) -> list[str]:
    """Return the profile line before the notes; an inner voice has it in the system text."""
    profile = (
        "" if context.persona.is_inner_voice else context.profile_line.removeprefix(ABOUT_USER)
    )
    return [f"- profile: {profile}"] if profile else []


def note(hit: Recalled) -> str:
    """Return a note: `- 3 Nov: "my sister Mira loves pottery"`."""
    day = f"{hit.at.day} {hit.at:%b}"
    speaker = " (you said)" if hit.said_by == "assistant" else ""
    return f'- {day}{speaker}: "{words(hit)}"'


def words(hit: Recalled) -> str:
    """Return the statements of a hit on one line, or all of its text if there are none."""
    return clean(stated(hit) or one_line(hit.text))


def stated(hit: Recalled) -> str:
    """Return the statements of a hit on one line; of a message, no questions and greetings."""
    if hit.kind == "memory":
        return one_line(hit.text)
    spoken = words_of(hit.text)
    statements = [
        sentence
        for sentence in sentences(hit.text)
        if len(sentence.split()) >= FEWEST_WORDS and not is_question(sentence, spoken)
    ]
    return one_line(" ".join(statements))


def commands(lessons: Sequence[str]) -> str:
    """Return the card of commands that worked; empty without any."""
    listed = [f"- {shorten(one_line(clean(lesson)), LESSON_CHARS)}" for lesson in lessons]
    return template("lessons").substitute(lessons="\n".join(listed)) if listed else ""


def repeats(reply: str, history: Sequence[Exchange], message: str | None) -> str | None:
    """Return the one of the last three replies that a reply repeats, if any.

    A repeated question may have a repeated answer.
    """
    question = message and one_line(message).casefold()
    others = (
        exchange
        for exchange in history[-EXCHANGES:]
        if exchange.user is None or one_line(exchange.user).casefold() != question
    )
    return repeated(reply, [exchange.reply for exchange in others])
