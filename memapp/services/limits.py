"""The person's limits, an allergy, an intolerance or a diet, that a reply must not forget.

Only what memory holds counts: what waits for a yes, or was denied, is named by no reply.
"""

from collections.abc import Sequence
from functools import lru_cache

from memapp.domain.memory import Recalled
from memapp.language.asked import wants_something
from memapp.language.limits import is_limit, names_forbidden
from memapp.language.word_file import words_of
from memapp.runtime import Runtime
from memapp.services.query import conversation_scope
from memapp.services.quotations import quotation
from memapp.store import memories

MOST = 4
"""More of them do not stand behind a message."""
REMINDS = "\n\nYou told me "
"""How the paragraph begins that memapp puts below a reply."""


def known_limits(runtime: Runtime) -> list[Recalled]:
    """Return the limits that memory holds, the pinned and important ones first."""
    session = runtime.read()
    texts = memories.texts_in_scope(session, conversation_scope(runtime))
    facts = memories.get_memories(
        session, [memory_id for memory_id, text in texts if _is_limit(text)]
    )
    return [
        Recalled.of(fact, 0.0, "a limit", fact.created_at)
        for fact in facts
        if not fact.is_reflected
    ]


@lru_cache(maxsize=65_536)
def _is_limit(text: str) -> bool:
    """Return True for the text of a limit; every turn asks this of all memories."""
    return is_limit(text, words_of(text))


def forgotten_limits(runtime: Runtime, reply: str, message: str) -> list[Recalled]:
    """Return the limits that a reply forgets: it names what they forbid, though not because the
    person only told of that.
    """
    is_told_of = not wants_something(message, words_of(message))
    limits = [(hit, words_of(hit.text)) for hit in known_limits(runtime)]
    found = [(hit, words) for hit, words in limits if names_forbidden(reply, hit.text, words)]
    return [
        hit
        for hit, words in found
        if not (is_told_of and names_forbidden(message, hit.text, words))
    ][:MOST]


def reminder(runtime: Runtime, forgotten: Sequence[Recalled]) -> str:
    """Return the paragraph for below a reply that forgets limits; nothing where it forgets none."""
    return (
        "\n\n" + "\n".join(f"{quotation(runtime, hit)}." for hit in forgotten) if forgotten else ""
    )


def without_reminder(reply: str) -> str:
    """Return a reply as its model wrote it."""
    return reply.partition(REMINDS)[0]
