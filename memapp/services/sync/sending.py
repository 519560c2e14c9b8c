"""What waits is sent: each change as an entry behind the last one, erasures first, with what they
leave of earlier entries.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memapp.domain.forget import Needles
from memapp.domain.sync import EntryClass, Place, SyncEntry, Thing
from memapp.errors import SyncError
from memapp.runtime import Runtime
from memapp.services.sync import keyring
from memapp.services.sync.keyring import Keyring
from memapp.store import portable, sync
from memapp.store.session import Session
from memapp.store.sync import Here, Unsent

if TYPE_CHECKING:
    from memapp.sync.server import Server

AT_ONCE = 200
"""So many changes travel together, and are carried out in one transaction."""

Says = Mapping[str, Any]
Tell = Callable[[int, int], object]
"""Hears how many entries of how many came or went."""


def here_of(session: Session) -> Here:
    """Return this machine. Raises `SyncError` for a file that is shared no more, as one that was
    put back.
    """
    found = sync.here(session)
    if found is None:
        raise SyncError("This memory file is shared no more.", "Join again: memapp sync join URL.")
    return found


def send(runtime: Runtime, server: "Server", keys: Keyring, tell: Tell) -> int:
    """Send all that waits; erasures first. Return how much that was. Raises `Overtaken`."""
    sent, chats = 0, runtime.settings.sync_chats
    of = sync.count_waiting(runtime.read())
    while True:
        session = runtime.read()
        with portable.one_moment(session):
            planned = sync.planned_erasures(session)
            line = EntryLine(keys, here_of(session))
            is_erasure = bool(planned) or sync.is_erased(session)
            going = sync.waiting(session, -1 if is_erasure else AT_ONCE, chats=chats)
        if not going and not planned:
            return sent
        rewritten: dict[int, bytes] = {}
        if is_erasure:
            erased = [unsent for unsent in going if unsent.erased]
            jobs = [keyring.open_job(keys, box) for box in planned.values()] or [_job_of(erased)]
            rewritten = _rewrite(session, server, keys, erased, jobs)
            line.add_erasure(jobs, rewritten, is_last=not going)
        for unsent in going:
            change = unsent.change
            says = {**asdict(change.thing), "by": change.clock.device, "value": change.value}
            line.add("change", says, change.clock.at, is_last=unsent is going[-1])
        server.append(line.after, line.entries, rewritten)
        with runtime.write() as session:
            line.note(session)
            sync.note_sent(session, going)
            sync.forget_erasures(session, planned)
        sent += len(going)
        tell(sent, max(sent, of))


def empty_erasures(runtime: Runtime, server: "Server", keys: Keyring, acknowledged: int) -> None:
    """Take out of the database what was erased by entries that every machine carried out; another
    entry vouches for what is left of them. Raises `Overtaken`.
    """
    session = runtime.read()
    entries = server.entries_at(sync.worded_erasures(session, acknowledged))
    if not entries:
        return
    rewritten = {
        entry.place.number: _closed(keys, entry.place, {**read(keys, entry), "jobs": []})
        for entry in entries
    }
    line = EntryLine(keys, here_of(session))
    line.add_erasure((), rewritten)
    server.append(line.after, line.entries, rewritten)
    with runtime.write() as session:
        line.note(session)


def _job_of(erased: Sequence[Unsent]) -> dict[str, Any]:
    """Return what an erasure of another machine touched here, where the same stood in other things
    too.
    """
    things = {unsent.change.thing: unsent.change.value for unsent in erased}
    gone = [thing.id for thing, value in things.items() if thing.kind == "memories" and not value]
    messages = [thing.id for thing in things if thing.kind == "messages"]
    return {"job": {"memory_ids": gone, "message_ids": messages}, "by": "person"}


class EntryLine:
    """Entries behind the last one that is known, one behind the other."""

    def __init__(self, keys: Keyring, here: Here) -> None:
        self.after = self._number = here.number
        self._keys, self._previous = keys, here.hash
        self._says: list[Says] = []
        self.entries: list[SyncEntry] = []

    def add(
        self, entry_class: EntryClass, says: Says, clock: int = 0, *, is_last: bool = True
    ) -> None:
        keys, self._number = self._keys, self._number + 1
        about = (entry_class, keys.epoch, clock, is_last, self._previous)
        place = Place(keys.memory, self._number, keys.device, *about)
        box = _closed(keys, place, says)
        self._previous = entry_hash(place, box)
        self.entries.append(SyncEntry(place, self._previous, box))
        self._says.append(says)

    def add_erasure(
        self, jobs: Sequence[Says], rewritten: Mapping[int, bytes], *, is_last: bool = True
    ) -> None:
        """Add what was erased, and the digests of what is left of earlier entries."""
        digests = [(number, digest(box).hex()) for number, box in rewritten.items()]
        self.add("erasure", {"jobs": jobs, "rewritten": digests}, is_last=is_last)

    def note(self, session: Session) -> None:
        note_entries(session, list(zip(self.entries, self._says, strict=True)))


def note_entries(session: Session, entries: Sequence[tuple[SyncEntry, Says]]) -> None:
    """Note entries as carried out, or sent, by what they say."""
    sync.note_entries(session, [(entry, thing_of(entry, says)) for entry, says in entries])
    for _, says in entries:
        sync.note_emptied(session, [number for number, _ in says.get("rewritten", ())])


def thing_of(entry: SyncEntry, says: Says) -> Thing | None:
    """Return the thing that an entry is about; None for one that is empty."""
    match entry.place.entry_class:
        case "change":
            return Thing(says["kind"], says["id"]) if says else None
        case "erasure":
            has_words = any(job["job"].get("words") for job in says["jobs"])
            return sync.WORDED if has_words else Thing("erasure", "") if says["jobs"] else None
        case "keys":
            return Thing("keys", str(says["epoch"]))


def _rewrite(
    session: Session,
    server: "Server",
    keys: Keyring,
    erased: Sequence[Unsent],
    jobs: Sequence[Says],
) -> dict[int, bytes]:
    """Return what is left of earlier entries that say what was erased: nothing, or the thing as it
    is now.

    These are all about what the erasure touched, and any that holds the words, as an earlier title
    of a chat does.
    """
    values = {unsent.change.thing: unsent.change.value for unsent in erased}
    numbers = sync.numbers_about(session, values)
    touched = {entry.place.number: read(keys, entry) for entry in server.entries_at(numbers)}
    words = [word for job in jobs for word in job["job"].get("words", ())]
    words += [
        says["value"]["text"]
        for says in touched.values()
        if says and not values[Thing(says["kind"], says["id"])] and "text" in (says["value"] or ())
    ]
    holds = Needles(words).held_by
    boxes: dict[int, bytes] = {}
    for entry in server.entries(0) if words else server.entries_at(touched):
        number = entry.place.number
        says = touched.get(number) or read(keys, entry)
        if "kind" in says and (
            number in touched or holds(json.dumps(says["value"], ensure_ascii=False))
        ):
            value = sync.value_of(session, Thing(says["kind"], says["id"]))
            left = {**says, "value": value}
            boxes[number] = b"" if value is None else _closed(keys, entry.place, left)
    return boxes


def read(keys: Keyring, entry: SyncEntry) -> dict[str, Any]:
    """Return what an entry says; nothing where that was erased."""
    from memapp.sync import crypto

    return crypto.open_box(keys.key(entry.place.epoch), entry) if entry.box else {}


def _closed(keys: Keyring, place: Place, says: Says) -> bytes:
    from memapp.sync import crypto

    return crypto.close_box(keys.key(place.epoch), place, says)


def digest(box: bytes) -> bytes:
    return hashlib.blake2b(box, digest_size=32).digest()


def entry_hash(place: Place, box: bytes) -> bytes:
    """Return the hash by which the next entry names this one."""
    return digest(bytes(place) + digest(box))
