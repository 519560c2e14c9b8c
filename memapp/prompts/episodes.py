"""The model call that sums up a person's messages in a chat, in one or two past-tense sentences."""

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
    """Return the request for the episode of some messages of a day."""
    listed = "\n".join(f"- {one_line(text)}" for text in said)
    content = template("episode").substitute(
        day=f"{day.day} {day:%B %Y}", said=shorten(listed, SHOWN_CHARS)
    )
    prompt = Prompt(
        template("episode_system").template,
        (PromptTurn("user", content),),
        head=HEAD,
        slot="scratch",
    )
    return prompt, Sampling(max_tokens=MAX_TOKENS)


def parse(text: str) -> str:
    """Return the first two whole sentences of a reply, which may repeat the head."""
    written = one_line(clean(text)).strip("\"' ")
    whole = [
        sentence
        for sentence in sentences(written if written.startswith(HEAD) else f"{HEAD} {written}")
        if re.search(r"\w\.$", sentence)
    ]
    return re.sub(r"\b[Tt]he [Uu]ser\b", "User", " ".join(whole[:2]))
