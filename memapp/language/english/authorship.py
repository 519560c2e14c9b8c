"""The person's own words in a message, without what is shown, quoted, played or handed over in it."""

import re
from collections.abc import Iterator
from functools import lru_cache

from memapp.language.english.grammar import QUOTES, expand, sentences, tokens, without_symbols
from memapp.language.lexicon import lexicon

EN = lexicon("authorship")
TYPED_CHARS = 8_000
"""As much of a message is looked at; nobody types more."""
KEPT = 16
"""So many messages are read once: a turn looks into one of them from many sides."""
MAX_SENTENCE_WORDS = 400
"""What is longer is no sentence but a list, or something pasted; reading compares its words with each other."""
_PLAIN_QUOTES = {at: quote for at, quote in QUOTES.items() if len(quote) == 1}
"""An ellipsis would become longer."""
_MARKED = [
    re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL),
    re.compile(r"(?m)^(?:>|\t| {4}).*$"),
]
_INLINE = re.compile(r"`[^`\n]*`|\b\w+://\S+|\bwww\.\S+")
_QUOTED = re.compile(r"\"([^\"\n]*)\"|(?<![\w'])'([^'\n]+(?:'\w[^'\n]*){0,20})'(?!\w)")


@lru_cache(maxsize=KEPT)
def own_text(text: str) -> str:
    """Return a message, as long as before, with all that is not the person's own statement blanked.

    Lines of others are blanked as empty ones, and what stands within a line as `#`.
    """
    text = text.translate(_PLAIN_QUOTES)
    for pattern in [*_MARKED, *(EN.regex(f"{{{name}}}") for name in ("part", "mail", "code", "choices"))]:
        text = pattern.sub(_as_empty, text)
    text = _without_fiction(text)
    text = _INLINE.sub(_as_marks, text)
    shown = EN.regex("{shown}").search(text)  # before `Subject: ...` is blanked as somebody's speech
    text = EN.regex("{speech}").sub(_as_empty, text)
    text = _QUOTED.sub(_title_or_marks, text)
    return without_symbols(_without_shown(text, shown.start()) if shown else text)


def _without_shown(text: str, start: int) -> str:
    """Blank what is shown from a place on, until the writer says what is behind the task: `Context: I teach ...`."""
    own = EN.regex("{of_writer}").search(text, start)
    end = own.start() if own else len(text)
    return text[:start] + "\n" * (end - start) + text[end:]


@lru_cache(maxsize=KEPT)
def own_words(text: str) -> str:
    """Return a message without what is not the person's own statement; the title of a book or a song stays, unquoted."""
    return re.sub(r"#{2,}", " # ", own_text(text)).replace('"', "")


def others_words(text: str) -> list[str]:
    """Return what of a message is not the person's own statement, piece by piece."""
    blanked = "".join("#" if own in "#\n" and own != char else " " for own, char in zip(own_text(text), text, strict=True))
    return [text[found.start() : found.end()].strip("\"'“”‘’ ") for found in re.finditer("#+", blanked)]


def _without_fiction(text: str) -> str:
    """Blank each sentence that tells what happens in a story; one look to each side, for a pattern of it all takes very long."""
    for found in EN.regex("{fiction}").finditer(text):
        start = max(text.rfind(end, 0, found.start()) for end in ".!?\n") + 1
        ends = [at for end in ".!?\n" if (at := text.find(end, found.end())) >= 0]
        end = min(ends, default=len(text))
        text = text[:start] + "\n" * (end - start) + text[end:]
    return text


def _as_empty(found: re.Match[str]) -> str:
    return "\n" * len(found[0])


def _as_marks(found: re.Match[str]) -> str:
    return "#" * len(found[0])


def _title_or_marks(quote: re.Match[str]) -> str:
    """A short quotation without a statement in it is a title; anything longer is somebody's speech."""
    words = tokens(expand(quote[1] or quote[2] or ""))
    is_title = len(words) <= 5 and not any(word.casefold() in EN.pronouns for word in words)
    return quote[0] if is_title else _as_marks(quote)


def stated_sentences(text: str) -> Iterator[list[str]]:
    """Yield the words of each sentence that tells something."""
    for sentence in sentences(own_words(text[:TYPED_CHARS])):
        bare = sentence.strip(" -*•")
        words = [] if bare.endswith(("?", '?"', "?!")) else tokens(expand(bare))
        if len(words) <= MAX_SENTENCE_WORDS:
            yield words


def leads_to_material(sentence: str) -> bool:
    """Say whether what follows a sentence is material for a task, as often in quotes as not, and not what somebody states."""
    return EN.regex("{shown}").search(sentence.strip(" -*•")) is not None
