"""How-tos in English: steps in the imperative, and how-tos that a person tells as their own."""

import re
from dataclasses import replace

from memapp.domain.howto import Howto, is_numbered, read_howto
from memapp.language.grammar import QUOTES
from memapp.language.lexicon import lexicon
from memapp.language.topics import topics_of
from memapp.language.word_file import words

EN = lexicon("howtos")
TYPED_CHARS = 8_000
"""The part of a message that is read; nobody types more."""
LEAST_STEPS = 3
SURE = 0.75
"""The share of steps that begin with an action, from which a text is a how-to for sure."""


def in_imperative(howto: Howto) -> Howto:
    """Return a how-to in the imperative: `First I boil the water` becomes `Boil the water`."""
    return replace(
        howto,
        title=_capital(howto.title),
        steps=tuple(_imperative(step) or step for step in howto.steps),
    )


def told_way(text: str) -> Howto | None:
    """Return the how-to that a message tells as the person's own, for sure; else None."""
    text = text[:TYPED_CHARS].translate(QUOTES)
    cue = EN.regex(r"^\s*(?:{own_way})\s*[:.\n]").match(text)
    if cue is None or "?" in text or EN.regex(r"\b(?:{asks})\b").search(text[: cue.end()]):
        return None
    title, rest = _title(cue), text[cue.end() :].strip()
    if not topics_of(title, words("en")):
        return None  # `how I do it`: of what is said elsewhere
    if is_numbered(rest):
        steps = read_howto(f"{title}: {rest}" if "\n" not in rest else f"{title}\n{rest}").steps
    else:
        before, *parts = (part.strip(" .,;") for part in EN.regex("{turn}").split(rest))
        steps = () if before else tuple(parts)
    howto = in_imperative(Howto(title, steps))
    return howto if len(howto.steps) >= LEAST_STEPS and _share_done(howto) >= SURE else None


def _title(cue: re.Match[str]) -> str:
    named = {name: words.strip() for name, words in cue.groupdict().items() if words}
    return _capital(next(iter(named.values())))


def _share_done(howto: Howto) -> float:
    """Return the share of steps that begin with an action and have an object."""
    done = [
        step
        for step in howto.steps
        if step.split()[0].strip(",.;:").casefold() in EN.step_verbs and " " in step
    ]
    return len(done) / len(howto.steps)


def _imperative(step: str) -> str:
    bare = EN.regex("^{lead_in}").sub("", step.translate(QUOTES))
    bare = EN.regex("^{subject}").sub("", bare).strip(" .,;")
    return _capital(bare)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
