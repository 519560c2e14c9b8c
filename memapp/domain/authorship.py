"""The person's own words in a message, without what is shown or quoted in it."""

import re
from collections.abc import Iterator

from memapp.domain.english import EN, expand, sentences, tokens, without_symbols

TYPED_CHARS = 8_000
"""As much of a message is looked at; nobody types more."""


MAX_SENTENCE_WORDS = 400
"""What is longer is no sentence but a list, or something pasted; reading compares its words with each other."""
_MATERIAL = r"(?:please |pls |can you |could you |would you |now )*{material}\b"


def own_words(text: str) -> str:
    """Return a message without what is not the person's own statement: code, quoted lines, links, quoted speech."""
    text = re.sub(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", "\n", text, flags=re.DOTALL)
    text = re.sub(r"(?m)^(?:>|\t| {4}).*$", "", text)
    text = re.sub(r"`[^`\n]*`|\b\w+://\S+|\bwww\.\S+", " # ", text)
    return re.sub(r"[\"“„«]([^\"“”„«»\n]*)[\"”“»]", _title_or_nothing, without_symbols(text))


def _title_or_nothing(quote: re.Match[str]) -> str:
    """A short quotation without a statement in it is a title; anything longer is somebody's speech."""
    words = tokens(expand(quote.group(1)))
    is_title = len(words) <= 5 and not any(word.casefold() in EN.pronouns for word in words)
    return " ".join(words) if is_title else " # "


def stated_sentences(text: str) -> Iterator[list[str]]:
    """Yield the words of each sentence that tells something."""
    for sentence in sentences(own_words(text[:TYPED_CHARS])):
        if leads_to_material(sentence):
            return
        bare = sentence.strip(" -*•")
        words = [] if bare.endswith(("?", '?"', "?!")) else tokens(expand(bare))
        if len(words) <= MAX_SENTENCE_WORDS:
            yield words


def leads_to_material(sentence: str) -> bool:
    """Say whether what follows a sentence is material for a task, as often in quotes as not, and not what somebody states."""
    bare = sentence.strip(" -*•")
    return EN.regex(_MATERIAL).match(bare) is not None or bare.endswith(":")
