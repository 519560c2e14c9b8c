"""Who of the person's has a name, as their facts tell it: `User's cousin Tobias has a van.`"""

from collections.abc import Sequence
from itertools import chain

from memapp.language.english import given_names
from memapp.language.english.given_names import is_common, whose_words
from memapp.language.english.grammar import expand, tokens
from memapp.language.english.profile_forms import in_first_person
from memapp.runtime import Runtime
from memapp.services.consent import pending
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
    """Return a text with those who are named by facts, or by what waits, written so: `what do you know about Mira`, of `mira`."""
    words = [word.casefold() for word in tokens(text) if not is_common(word)]
    named = [one for one in pending.list_pending(runtime) if any(word in one.new_value.casefold() for word in words)]
    waiting = [in_first_person(pending.memory_text(runtime, one.id) or one.new_value) for one in named]
    return given_names.with_capitals(
        text, chain.from_iterable(map(given_names.given_names, [*introducing(runtime, [text]), *waiting]))
    )
