"""The model call that sums up what a person said in a chat, in one or two sentences in the past
tense.
"""

import re
from collections.abc import Sequence
from datetime import date

from memapp.domain.prompt import Prompt, PromptTurn, Sampling
from memapp.domain.text import clean, one_line, shorten
from memapp.language.grammar import sentences
from memapp.prompts.templates import template

SHOWN_CHARS = 4000
MAX_TOKENS = 120
HEAD = "User"


def request(said: Sequence[str], day: date) -> tuple[Prompt, Sampling]:
    """Ask for the episode of what was said on a day."""
    listed = "\n".join(f"- {one_line(text)}" for text in said)
    told = template("episode").substitute(
        day=f"{day.day} {day:%B %Y}", said=shorten(listed, SHOWN_CHARS)
    )
    prompt = Prompt(
        template("episode_system").template, (PromptTurn("user", told),), head=HEAD, slot="scratch"
    )
    return prompt, Sampling(max_tokens=MAX_TOKENS)


def parse(text: str) -> str:
    """Read the reply: its first two whole sentences on one line. A server that cannot continue the
    head writes it again.
    """
    written = one_line(clean(text)).strip("\"' ")
    told = [
        sentence
        for sentence in sentences(written if written.startswith(HEAD) else f"{HEAD} {written}")
        if re.search(r"\w\.$", sentence)
    ]
    return re.sub(r"\b[Tt]he [Uu]ser\b", "User", " ".join(told[:2]))
