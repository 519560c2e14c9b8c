"""Ids as a person types them: the beginning or the ending of an id, if unique."""

from collections.abc import Iterable
from functools import partial

from memapp.domain.text import one_line, shorten, shortest_endings
from memapp.errors import NotFound, UsageError
from memapp.runtime import Runtime
from memapp.store import id_lookup
from memapp.store.id_lookup import Named as Named  # re-exported for listings

FEWEST_CHARS = 3
SHORTEST_CHARS = 4
MOST_NAMED = 5
_WORDS: dict[Named, str] = {
    "memories": "memory",
    "consent_requests": "request",
    "threads": "chat",
    "lessons": "lesson",
    "runs": "run",
}


def _only(runtime: Runtime, part: str, *, table: Named, listed_by: str) -> str:
    """Return the full id. Raises `NotFound` for no match, `UsageError` for several."""
    part = part.strip()
    matches = id_lookup.beginning_or_ending(runtime.read(), table, part.upper(), MOST_NAMED + 1)
    if not matches:
        raise NotFound(
            f"There is no {_WORDS[table]} {part}.",
            f"`memapp {listed_by}` lists them with their ids.",
        )
    if len(part) < FEWEST_CHARS and matches[0][0] != part.upper():
        raise NotFound(
            f"{part!r} is too little of an id.", f"Write at least {FEWEST_CHARS} characters."
        )
    if len(matches) > 1:
        listed = "; ".join(
            f"{id} {shorten(one_line(label), 40)}" for id, label in matches[:MOST_NAMED]
        )
        more = " and more" if len(matches) > MOST_NAMED else ""
        raise UsageError(f"{part} may be several: {listed}{more}.", "Write more of the id.")
    return matches[0][0]


memory = partial(_only, table="memories", listed_by="list")
request = partial(_only, table="consent_requests", listed_by="consents")
chat = partial(_only, table="threads", listed_by="chats")
"""Deleted chats included."""
lesson = partial(_only, table="lessons", listed_by="lessons list")
run = partial(_only, table="runs", listed_by="runs list")


def memories(runtime: Runtime, parts: Iterable[str], listed_by: str = "list") -> list[str]:
    """Return the full ids of memories, each once; `listed_by` is the command an error names."""
    return list(dict.fromkeys(memory(runtime, part, listed_by=listed_by) for part in parts))


def endings(runtime: Runtime, table: Named) -> dict[str, str]:
    """Return the shortest unambiguous ending of each id, of 4 characters or more."""
    return shortest_endings(id_lookup.all_ids(runtime.read(), table), SHORTEST_CHARS)
