"""The person's limits, such as an allergy, an intolerance or a diet, which no reply may forget.

Only limits in memory count: a pending or denied one is named in no reply.
"""

import re
from collections.abc import Sequence

from memapp.domain.memory import Recalled
from memapp.domain.text_cache import text_cache
from memapp.language.limits import is_limit, names_forbidden
from memapp.language.questions import wants_something
from memapp.language.word_file import words_of
from memapp.runtime import Runtime
from memapp.services.recall.memory_query import conversation_scope
from memapp.services.recall.quotations import HERE, IMPORTED, format_quotation
from memapp.store import memories

MOST = 4
"""The most limits behind a message."""
REMINDS = re.compile(rf"\n\n(?:{HERE['']}|{IMPORTED['']}) ")
"""The beginning of the paragraph that memapp appends to a reply."""


def known_limits(runtime: Runtime) -> list[Recalled]:
    """Return the limits in memory, pinned and important ones first."""
    session = runtime.read()
    told = memories.ids_in_scope(session, conversation_scope(runtime), _is_limit)
    facts = [fact for fact in memories.get_memories(session, told) if not fact.is_reflected]
    facts.sort(key=lambda fact: (fact.pinned, fact.importance, fact.id), reverse=True)
    return [Recalled.of(fact, 0.0, "a limit", fact.created_at) for fact in facts]


@text_cache(65_536)
def _is_limit(text: str) -> bool:
    """Return True for the text of a limit; cached, since every turn asks about all memories."""
    return is_limit(text, words_of(text))


def forgotten_limits(runtime: Runtime, reply: str, message: str) -> list[Recalled]:
    """Return the limits that a reply forgets by naming a forbidden thing.

    A thing that the person only mentioned does not count.
    """
    is_mention = not wants_something(message, words_of(message))
    limits = [(hit, words_of(hit.text)) for hit in known_limits(runtime)]
    broken = [(hit, words) for hit, words in limits if names_forbidden(reply, hit.text, words)]
    return [
        hit
        for hit, words in broken
        if not (is_mention and names_forbidden(message, hit.text, words))
    ][:MOST]


def reminder(runtime: Runtime, forgotten: Sequence[Recalled]) -> str:
    """Return the paragraph to append for forgotten limits; empty for none."""
    lines = "\n".join(f"{format_quotation(runtime, hit)}." for hit in forgotten)
    return f"\n\n{lines}" if forgotten else ""


def without_reminder(reply: str) -> str:
    """Return a reply without the appended reminder."""
    return REMINDS.split(reply, maxsplit=1)[0]
