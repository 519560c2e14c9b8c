"""Call 2: the reply, with what recall found, and the next prediction after it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memapp.domain.chat import Exchange
from memapp.domain.memory import Recalled
from memapp.domain.prompt import Prompt, PromptForm, PromptTurn, Sampling
from memapp.domain.repetition import EXCHANGES, loop_start, repeated
from memapp.domain.text import clean, one_line, shorten
from memapp.language.english import profile
from memapp.language.english.life_domains import is_constraint, is_request, is_vital, touches_food
from memapp.language.english.profile_forms import in_first_person
from memapp.language.english.second_person import answered, as_said
from memapp.language.english.statements import in_third_person
from memapp.prompts.asides import aside_start, claim_start, life_start, stray_start, unsaid_start
from memapp.prompts.context import ABOUT_USER, PromptContext, examples, speech, trunk, whole_request
from memapp.prompts.own_remarks import is_plain
from memapp.prompts.quotes import (
    asks,
    asks_about_person,
    asks_of_memory,
    is_small_talk,
    is_task,
    quote,
    sentences_wanted,
    shares_subject,
    stated,
    wants_few,
    wants_something,
    wants_text,
)
from memapp.prompts.templates import template

NO_NOTE = "- (no note about this)"

_USER = re.compile(r"\bUser\b")
TAIL = "\nNEXT_PREDICTION:"
PREDICTION_CHARS = 160
LIVELY = 0.7
"""Temperature of another answer to the same message: 20 of 28 were right and all differed from the first one, 24 of which were.

At 0.5 as many were right and one was the same; with the first answer named as one to avoid, and at 1.0, 12 were right.
"""
REPEAT_PENALTY = 1.1
"""A small model runs in circles without it."""
TOP_P, MIN_P = 0.9, 0.1
CONTRAST = 0.5
"""So that a small model replies to what was said, and not to what was said before, or with what it says to anything.

Without it .834 of 128 replies are nearest to their own message, with it .908 (`benchmarks.conversation`). In chats of which
nothing was learned meanwhile it was .833 and .926; against a prompt without any message, not the one before, .910; .895 at 1.0.
"""
DRY_MULTIPLIER, DRY_ALLOWED = 0.8, 2
"""So that a reply does not say again what the last ones said, word for word: a small model copies what it said."""
SAID = 6
"""How many of the last replies must not be said again."""
SENTENCES, ANSWER_SENTENCES = 2, 3
"""What a small model says after that, in a chat and in an answer from quotes, is noise, unless a text was asked for."""
LISTED_SENTENCES = 5
"""The same where ideas or tips are asked for."""
NOTED = "Thanks, I keep that in mind."
_PARAGRAPH_END = re.compile(r"(?<=[^\s:,])[^\S\n]*\n\s*\n")
"""Behind it a small model that was only to say something writes a postscript."""
LESSON_CHARS = 200
MOST_FACTS = 2
"""Beside a message that does not ask about the person; a small model speaks of each. What can hurt comes all the same."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """How often a reply has been tried: each try samples other words."""

    retries: int = 0
    """How many replies to the same message the person has seen."""
    second: bool = False
    """The first try said again what had been said."""

    @property
    def seed(self) -> int:
        return 2 * self.retries + self.second

    def temperature(self, usual: float) -> float:
        return max(usual, LIVELY if self.second or self.retries else 0.0)


FIRST = Attempt()


def request(
    context: PromptContext,
    hits: Sequence[Recalled],
    *,
    updates: Sequence[str] = (),
    lessons: Sequence[str] = (),
    attempt: Attempt = FIRST,
    reply_tokens: int,
    temperature: float,
) -> tuple[Prompt, Sampling]:
    """Ask for the reply. `updates` are the lines on what changed in the memory; the simple form has none of them.

    `lessons` are commands that worked; they stand behind the facts.
    """
    known, told = "", ""
    if _reads_facts(context):
        facts = in_prompt(context, hits)
        known = " ".join(fact_about_user(hit) for hit in facts if _decides(context, hit))
        told = " ".join(fact_about_user(hit) for hit in facts if not _decides(context, hit))
    elif context.form == "full":
        known = notes(context, hits, updates)
    elif hits or updates:
        known = _known(context, hits, updates)
    known = "\n\n".join(filter(None, [known, card(context.form, lessons)]))
    head, stop = speech(context.persona)
    sampling = Sampling(
        max_tokens=reply_tokens,
        temperature=attempt.temperature(temperature),
        top_p=TOP_P,
        min_p=MIN_P,
        repeat_penalty=REPEAT_PENALTY,
        contrast=CONTRAST,
        dry_multiplier=DRY_MULTIPLIER,
        dry_allowed=DRY_ALLOWED,
        said=(*_said(context), *([NOTED] if told else [])),
        sentences=_sentences(context),
        seed=attempt.seed,
        stop=stop,
        tail=TAIL,
    )
    return replace(_after(told, trunk(context)), suffix=known, head=head), in_form(context.form, sampling)


def in_form(form: PromptForm, sampling: Sampling) -> Sampling:
    """Return how a reply is sampled in a form of prompt: in the full one freely, and call 1 has said what is expected."""
    if form == "simple":
        return sampling
    return replace(sampling, top_p=0.95, min_p=0.05, repeat_penalty=1.0, dry_multiplier=0.5, dry_allowed=4, tail="")


def _decides(context: PromptContext, hit: Recalled) -> bool:
    """Say whether a fact keeps the person from something, or is of what the message names.

    Behind a message and in the words of its writer a small model heeds a fact, and speaks of it more than of the message: of five
    diets and allergies it heeded .36 so, and .16 in the system text, but of circumstances two replies of three were about nothing
    else. Told in an exchange before the message these leave it alone.
    """
    return is_vital(hit.text) or is_constraint(hit.text) or shares_subject(context.message or "", hit.text)


def _after(told: str, prompt: Prompt) -> Prompt:
    """Return a prompt in which the person tells something just before they write their message."""
    if not told:
        return prompt
    exchange = PromptTurn("user", told), PromptTurn("assistant", NOTED)
    return replace(prompt, turns=(*prompt.turns[:-1], *exchange, prompt.turns[-1]))


def card(form: PromptForm, lessons: Sequence[str]) -> str:
    """Write commands that worked as a context card; nothing without any.

    A small model gets one, in the words of a quote that answers a question: of seven questions it then answered six with the
    command, and two with the list.
    """
    listed = [shorten(one_line(clean(one)), LESSON_CHARS) for one in lessons]
    if not listed:
        return ""
    if form == "simple":
        return template("respond").substitute(quotes=f"The command is: {listed[0]}")
    return template("lessons").substitute(lessons="\n".join(f"- {one}" for one in listed))


def notes(context: PromptContext, hits: Sequence[Recalled], updates: Sequence[str] = ()) -> str:
    """Write what is known of the person as a list for a model that can leave a note unused; nothing if none is wanted."""
    known = context.profile_line if not context.persona.is_inner_voice else ""
    lines = [f"- You agreed that this is known of you: {known.removeprefix(ABOUT_USER)}"] if known else []
    lines += [f"- {_note(hit)}" for hit in hits]
    news = [*context.injected_updates, *updates]
    if not (lines or asks_about_person(context.message or "")):
        return "\n".join(news)
    listed = template("respond_full").substitute(notes="\n".join(lines or [NO_NOTE]))
    return "\n\n".join(filter(None, ["\n".join(news), listed]))


def _note(hit: Recalled) -> str:
    day = f"{hit.at.day} {hit.at:%B %Y}"
    words = stated(hit) or one_line(hit.text)
    if hit.kind == "memory":
        return f"{answered(words)} (learned {day})"
    return f'{"I said" if hit.said_by == "assistant" else "You told me"} on {day}: "{words}"'


def _said(context: PromptContext) -> tuple[str, ...]:
    """Return what a reply must not say again: the last ones, and those of the examples before it."""
    shown = () if is_small_talk(context.message or "") else examples(context)
    return (*(reply for _, reply in shown), *context.said)


def _sentences(context: PromptContext) -> int:
    request = whole_request(context)
    if not context.is_small_talker:
        return 0
    if counted := sentences_wanted(request):
        return counted
    if wants_text(request):
        return LISTED_SENTENCES if wants_few(request) else 0
    return SENTENCES if _reads_facts(context) else ANSWER_SENTENCES


def _wants_paragraphs(context: PromptContext) -> bool:
    return not context.is_small_talker or wants_text(whole_request(context))


def in_prompt(context: PromptContext, hits: Sequence[Recalled]) -> tuple[Recalled, ...]:
    """Return those hits that the request will say: of a few facts a small model speaks, and of quotes it makes its reply.

    Where the person only tells something, it would say a fact in place of a reply: it gets none but what can hurt whom they name.
    To a request for advice it gets what was found, and for anything else what it was told of just that.
    """
    if not _reads_facts(context):
        return tuple(hits)
    facts = [hit for hit in hits if fact_about_user(hit) and _bears_on(context.message or "", hit)]
    return tuple(hit for place, hit in enumerate(facts) if place < MOST_FACTS or is_vital(hit.text))


def _bears_on(message: str, hit: Recalled) -> bool:
    is_named = shares_subject(message, hit.text)
    is_own = touches_food(message) and in_third_person(in_first_person(hit.text)).startswith("User ")
    warns = is_vital(hit.text) and (is_named or is_own)
    asks_for_advice = is_request(message) and not (is_task(message) and wants_text(message))  # a letter is of what it names
    return warns or asks_for_advice or (is_named and wants_something(message))


def fact_about_user(hit: Recalled) -> str:
    """Return what a hit states about the person, as they say it; empty if it states nothing about them.

    A fact about "the user" a small model says as its reply.
    """
    words = stated(hit)
    if hit.kind == "memory":
        if _USER.search(words):
            return as_said(words)
        words = in_first_person(words)  # as other programs write it: `Lives in Oslo`
    fact = in_third_person(words)  # of the person's own words, in a message or a memory that they wrote
    return as_said(fact) if _USER.search(fact) and fact != words else ""


def _reads_facts(context: PromptContext) -> bool:
    """Say whether facts stand behind the message as if said with it, and not as quotes for a question that asks for them."""
    return context.is_small_talker and not asks_of_memory(context.message or "")


def prediction_request(context: PromptContext, reply: str) -> tuple[Prompt, Sampling]:
    """Ask what is expected after a reply with which no call said so."""
    if context.form == "full":
        after = replace(context, history=(*context.history, Exchange(context.message, reply)), message=None)
        return replace(trunk(after), suffix=template("expect").template), Sampling(max_tokens=Sampling.tail_tokens)
    prompt = replace(trunk(context), head=f"{reply}{TAIL}")
    return prompt, Sampling(max_tokens=Sampling.tail_tokens, repeat_penalty=REPEAT_PENALTY)


def parse_prediction(tail_text: str) -> str:
    """Read what came after the tail: one line, without quotes."""
    lines = clean(tail_text).strip().splitlines()
    return shorten(one_line(lines[0]).strip(" \"'“”"), PREDICTION_CHARS) if lines else ""


def repeats(reply: str, history: Sequence[Exchange], message: str | None) -> str | None:
    """Return the one of the last three replies that this one says again, if any; what is asked again may be said again."""
    asked = message and one_line(message).casefold()
    others = (one for one in history[-EXCHANGES:] if one.user is None or one_line(one.user).casefold() != asked)
    return repeated(reply, [one.reply for one in others])


def cut_at(context: PromptContext, hits: Sequence[Recalled], reply: str) -> int | None:
    """Return where a reply goes round in circles or, if a small model writes it, speaks of its prompt or for the person."""
    message = context.message or ""
    starts = [loop_start(reply)]
    if context.form == "simple":
        starts.append(aside_start(reply, message))
    is_letter = wants_text(message) and not wants_few(message)  # written in the person's name
    if context.is_small_talker and not is_letter:
        facts = [in_third_person(stated(hit)) for hit in hits if hit.said_by != "assistant"]
        said = [*(one.user for one in context.history if one.user), message]
        starts.append(claim_start(reply, facts, context.profile_line))
        starts.append(unsaid_start(reply, said, [*facts, context.profile_line]))
        starts.append(life_start(reply, message) if context.persona.is_program else None)
        starts.append(stray_start(reply, message, _called(said, context.profile_line)))
    if not _wants_paragraphs(context) and (end := _PARAGRAPH_END.search(reply)):
        starts.append(end.start())
    return min((start for start in starts if start is not None), default=None)


def _called(said: Sequence[str], profile_line: str) -> list[str]:
    """Return what the person is called, as far as the profile or what they said lately tells."""
    named = [one.value for text in said for one in profile.stated(text) if one.field == "preferred_name"]
    return [word for value in (*named, profile_line) for word in re.findall(r"[^\W\d_]+", value)]


def needs_another(message: str, said: Sequence[str]) -> bool:
    """Say whether a reply that was all stock is tried again: where something was told a plain word will do, but not twice.

    To a greeting none does.
    """
    return wants_something(message) or is_small_talk(message) or any(map(is_plain, said[-EXCHANGES:]))


def _known(context: PromptContext, hits: Sequence[Recalled], updates: Sequence[str]) -> str:
    """Quotes answer a question; anything else gets a hint, else a small model replies with a quote. Updates come first."""
    if asks(context.message or "") or not hits:
        quotes = (quote(hit) for hit in hits)
        return template("respond").substitute(quotes="\n".join([*updates, *quotes]))
    return "\n".join([*updates, template("hint").substitute(facts=" ".join(stated(hit) for hit in hits))])
