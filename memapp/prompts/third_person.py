"""The model call that rewords a memory in the third person, as one sentence."""

from collections.abc import Sequence

from memapp.domain.prompt import Prompt, PromptTurn, Sampling
from memapp.domain.text import clean, one_line, shorten
from memapp.language.grammar import sentences
from memapp.prompts.templates import template

HEAD = "User"
MAX_TOKENS = 96
SHOWN_CHARS = 1500
EXAMPLES = (
    (
        (),
        "we've got two goats, they're called Nox and Nell",
        "User has two goats called Nox and Nell.",
    ),
    (
        ("My cousin Petra has found work.",),
        "She starts on 3 May.",
        "User's cousin Petra starts on 3 May.",
    ),
    ((), "ich spiele seit 2011 keine Orgel mehr", "User spielt seit 2011 keine Orgel mehr."),
)
"""Earlier messages, a memory, and its rewording."""


def request(memory: str, before: Sequence[str]) -> tuple[Prompt, Sampling]:
    """Return the request for rewording a memory, given the messages before, the latest last."""
    turns: list[PromptTurn] = []
    for earlier, example, written in EXAMPLES:
        turns += [PromptTurn("user", _asked(earlier, example)), PromptTurn("assistant", written)]
    turns.append(PromptTurn("user", _asked(before, memory)))
    prompt = Prompt(template("distil_system").template, tuple(turns), head=HEAD, slot="scratch")
    return prompt, Sampling(max_tokens=MAX_TOKENS, temperature=0.0)


def parse(text: str) -> str:
    """Return the first sentence of a reply, which may repeat the head."""
    written = one_line(clean(text)).strip('" ')
    apart = "" if written.startswith(("'", "’")) else " "
    whole = written if written.startswith(HEAD) else f"{HEAD}{apart}{written}"
    return next(iter(sentences(whole)), "")


def _asked(before: Sequence[str], memory: str) -> str:
    chat = "".join(f"Before: {one_line(text)}\n" for text in before)
    return f"{shorten(chat, SHOWN_CHARS)}Told: {one_line(memory)}"
