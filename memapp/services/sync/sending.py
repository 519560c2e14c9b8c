"""What waits is sent: each change as an entry behind the last one, erasures first, with what they
leave of earlier entries.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memapp.domain.forget import Needles
from memapp.domain.sync import Place, SyncEntry, Thing
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
PAGE = 5 * AT_ONCE


def here_of(session: Session) -> Here:
    """Return this machine. Raises `SyncError` for a file that is shared no more, as one that was
    put back.
    """
    found = sync.here(session)
    if found is None:
        raise SyncError("This memory file is shared no more.", "Join again: memapp sync join URL.")
    return found


def send(runtime: Runtime, server: "Server", keys: Keyring) -> int:
    """Send all that waits; erasures first. Return how much that was. Raises `Overtaken`."""
    sent = 0
    while True:
        session = runtime.read()
        with portable.one_moment(session):
            here, planned = here_of(session), sync.planned_erasures(session)
            is_erasure = bool(planned) or sync.is_erased(session)
            going = sync.waiting(
                session, -1 if is_erasure else AT_ONCE, chats=runtime.settings.sync_chats
            )
        if not going and not planned:
            return sent
        line = EntryLine(keys, here)
        rewritten: dict[int, bytes] = {}
        if is_erasure:
            erased = [unsent for unsent in going if unsent.erased]
            jobs = [keyring.open_job(keys, box) for box in planned.values()] or [_job_of(erased)]
            rewritten = _rewrite(session, server, keys, erased, jobs)
            line.add("erasure", {"jobs": jobs, "rewritten": _digests(rewritten)}, is_last=not going)
        for unsent in going:
            change = unsent.change
            says = {**asdict(change.thing), "by": change.clock.device, "value": change.value}
            line.add(
                "change", says, change.clock.at, thing=change.thing, is_last=unsent is going[-1]
            )
        server.append(here.number, [entry for entry, _ in line.entries], rewritten)
        with runtime.write() as session:
            sync.note_entries(session, line.entries)
            sync.note_sent(session, going)
            sync.forget_erasures(session, planned)
        sent += len(going)


def _job_of(erased: Sequence[Unsent]) -> dict[str, Any]:
    """Return what an erasure of another machine touched here, where the same stood in other things
    too.
    """
    ids = {
        kind: [unsent.change.thing.id for unsent in erased if unsent.change.thing.kind == kind]
        for kind in ("memories", "messages")
    }
    kept = {unsent.change.thing.id for unsent in erased if unsent.change.value}
    gone = [memory_id for memory_id in ids["memories"] if memory_id not in kept]
    return {"job": {"memory_ids": gone, "message_ids": ids["messages"]}, "by": "person"}


class EntryLine:
    """Entries behind the last one that is known, one behind the other."""

    def __init__(self, keys: Keyring, here: Here) -> None:
        self._keys, self._number, self._previous = keys, here.number, here.hash
        self.entries: list[tuple[SyncEntry, Thing | None]] = []

    def add(
        self,
        entry_class: Any,
        says: Mapping[str, Any],
        clock: int = 0,
        *,
        thing: Thing | None = None,
        is_last: bool = True,
    ) -> None:
        from memapp.sync import crypto

        keys = self._keys
        self._number += 1
        about = (
            keys.memory,
            self._number,
            keys.device,
            entry_class,
            keys.epoch,
            clock,
            is_last,
            self._previous,
        )
        entry = crypto.close(keys.key(keys.epoch), Place(*about), says)
        self._previous = entry.hash
        self.entries.append((entry, thing or Thing(entry_class, str(says.get("epoch", "")))))


def _rewrite(
    session: Session,
    server: "Server",
    keys: Keyring,
    erased: Sequence[Unsent],
    jobs: Sequence[Mapping[str, Any]],
) -> dict[int, bytes]:
    """Return what is left of earlier entries that say what was erased: nothing, or the thing as it
    is now.

    These are all about what the erasure touched, and any that holds the words, as an earlier title
    of a chat does.
    """
    from memapp.sync import crypto

    values = {unsent.change.thing: unsent.change.value for unsent in erased}
    touched = {
        entry.place.number: _read(keys, entry)
        for entry in server.entries_at(sync.numbers_about(session, values))
    }
    gone = [
        says["value"]
        for says in touched.values()
        if says.get("value") and values[_named(says)] is None
    ]
    words = [
        *(value["text"] for value in gone if "text" in value),
        *(word for job in jobs for word in job["job"].get("words", ())),
    ]
    holds = Needles(words).held_by if words else lambda _: False
    boxes: dict[int, bytes] = {}
    after = 0
    while page := server.entries(after, PAGE) if words else server.entries_at(touched):
        after = page[-1].place.number
        for entry in page:
            says = touched.get(entry.place.number) or _read(keys, entry)
            if "kind" in says and (
                entry.place.number in touched
                or holds(json.dumps(says["value"], ensure_ascii=False))
            ):
                value = sync.value_of(session, _named(says))
                says = {**says, "value": value}
                key = keys.key(entry.place.epoch)
                boxes[entry.place.number] = (
                    crypto.close(key, entry.place, says).box if value is not None else b""
                )
        if not words:
            break
    return boxes


def _read(keys: Keyring, entry: SyncEntry) -> dict[str, Any]:
    from memapp.sync import crypto

    return crypto.open_box(keys.key(entry.place.epoch), entry) if entry.box else {}


def _named(says: Mapping[str, Any]) -> Thing:
    return Thing(says["kind"], says["id"])


def _digests(boxes: Mapping[int, bytes]) -> list[tuple[int, str]]:
    from memapp.sync import crypto

    return [(number, crypto.digest(box).hex()) for number, box in boxes.items()]
