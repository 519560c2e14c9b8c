"""Sync: the entries in which a change travels to the person's other machines, and which of two
changes of one thing holds.

All entries stand in one line, each behind the one before, and a machine adds to it only when it
knows all that stands there. So two changes meet once, on the machine that was away, and what it
decides is what every machine gets.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

EntryClass = Literal["change", "erasure", "keys"]
"""An erasure is done before anything else that comes; `keys` begins with new ones, after a machine
was revoked.
"""

CHATS = (
    *("threads", "messages", "context_cards", "predictions", "surprises", "recalls"),
    *("episode_ends", "taken_back"),
)
"""The kinds that stay on a machine whose chats are not shared."""
KINDS = (
    *("imported_files", *CHATS, "consent_requests", "memories", "profile", "access_counts"),
    *("howto_ticks", "relations", "lessons", "agents", "rubric", "rounds", "forgotten", "history"),
)
"""The kinds of things that travel, by their tables: what others refer to comes first."""
DECIDED = {"consent_requests": "decided_at", "profile": "updated_at"}
"""When the person decided: of two decisions on the same request the first counts."""
MOST_AHEAD = 24 * 60 * 60 * 1000
"""A clock may be ahead of ours by so many milliseconds; one that is further ahead would win for
ever, and is not believed.
"""


START = bytes(32)
"""The hash before the first entry."""
ALTERED = (
    "Nothing of it was taken over. Ask whoever runs the database, and do not trust it until you"
    " know."
)


@dataclass(frozen=True, slots=True, order=True)
class Clock:
    """A hybrid logical clock: when a change was made, by a clock that never stands behind one that
    was seen.
    """

    at: int
    """Milliseconds since 1970, or one more than the latest that was seen, whichever is later."""
    device: str
    """Decides between two of the same moment."""


@dataclass(frozen=True, slots=True)
class Thing:
    """What changes as a whole."""

    kind: str
    id: str


@dataclass(frozen=True, slots=True, eq=False)
class ThingChange:
    """What one machine made of a thing."""

    thing: Thing
    clock: Clock
    value: Mapping[str, Any] | None
    """Its row by the names of the columns; None where it is gone."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry stands. It is bound to the words of the entry: what is moved, repeated or cut
    out does not open.
    """

    memory: str
    """Whose line it is."""
    number: int
    device: str
    entry_class: EntryClass
    epoch: int
    """Which key closed it."""
    clock: int
    ends: bool
    """The last entry of those that came together, which are carried out together."""
    previous: bytes
    """The hash of the entry before."""

    def __bytes__(self) -> bytes:
        """Return the place as bytes; no part can be taken for another."""
        return json.dumps(asdict(self), default=bytes.hex).encode()


@dataclass(frozen=True, slots=True)
class SyncEntry:
    place: Place
    hash: bytes
    box: bytes
    """What it says, encrypted; empty where that was erased."""


@dataclass(frozen=True, slots=True)
class Machine:
    """One of the person's machines."""

    id: str
    name: str
    acknowledged: int
    """The last entry that it carried out."""
    seen_at: str
    is_revoked: bool = False


def local_holds(local: ThingChange, incoming: ThingChange) -> bool:
    """Say which of two changes of one thing stays, made by machines that did not know each other's.

    Of two decisions the first, an edit before a deletion, else the later one.
    """
    decided = DECIDED.get(local.thing.kind)
    if decided and local.value and incoming.value:
        ours, theirs = local.value[decided], incoming.value[decided]
        if ours != theirs:
            return theirs is None if ours is None or theirs is None else bool(ours < theirs)
        if bool(local.value.get("memory")) is not bool(incoming.value.get("memory")):
            return not local.value.get("memory")  # what was forgotten of it stays forgotten
    kept = is_kept(local)
    return kept if kept is not is_kept(incoming) else local.clock > incoming.clock


def is_kept(change: ThingChange) -> bool:
    """Say whether a thing is there, and not in the trash."""
    value = change.value
    if value is None or value.get("state") in ("soft_deleted", "merged"):
        return False
    return not (
        value.get("deleted_at") or (change.thing.kind == "lessons" and value.get("purge_at"))
    )
