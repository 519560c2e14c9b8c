"""Who of the person's has a name, as their facts tell it: `User's cousin Tobias has a van.`"""

from collections.abc import Sequence
from itertools import chain

from memapp.language.english import given_names
from memapp.language.english.given_names import is_common, whose_words
from memapp.language.english.grammar import expand, tokens
from memapp.runtime import Runtime
from memapp.services.query import conversation_scope
from memapp.store import search

NAMES_AMONG = 200
"""Words of a text, no common ones, among which a name of somebody may be."""
INTRODUCED = 100
"""The newest facts that are read for who has a name: more of them tell of the same people."""


def introducing(runtime: Runtime, texts: Sequence[str]) -> list[str]:
    """Return the facts that may tell who those are whom some texts name."""
    written = (word.removesuffix("'s") for text in texts for word in tokens(expand(text)))
    telling = list(dict.fromkeys(word for word in written if not is_common(word)))[:NAMES_AMONG]
    return search.texts_with(runtime.read(), conversation_scope(runtime), telling, whose_words(), INTRODUCED)


def with_capitals(runtime: Runtime, text: str) -> str:
    """Return a text with those whom the facts name written as they are there: `what do you know about Mira`, of `mira`."""
    return given_names.with_capitals(text, chain.from_iterable(map(given_names.given_names, introducing(runtime, [text]))))
