"""What waits is sent, and what came is carried out, once each and in one order on all machines.

A machine fetches all that is there before it sends anything. No transaction of the file is open
while the database answers.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from threading import Event, Lock
from typing import TYPE_CHECKING

from memapp.domain.sync import (
    ALTERED,
    CHATS,
    KINDS,
    START,
    Clock,
    SyncEntry,
    Thing,
    ThingChange,
    local_holds,
)
from memapp.errors import Overtaken, RolledBack, StoreError, SyncError, UsageError
from memapp.runtime import Runtime
from memapp.services import forget
from memapp.services.sync import keyring
from memapp.services.sync.keyring import Keyring
from memapp.services.sync.sending import (
    AT_ONCE,
    Says,
    Tell,
    digest,
    empty_erasures,
    entry_hash,
    here_of,
    note_entries,
    read,
    send,
    thing_of,
)
from memapp.store import events, received, sync
from memapp.store.encoding import to_text
from memapp.store.forget.purge_jobs import PurgeJob
from memapp.store.sync import Here

if TYPE_CHECKING:
    from memapp.sync.server import Server

LEASE_SECONDS = 24 * 60 * 60
TRIES = 20
LOOK_SECONDS = 0.1
"""How long it takes at most until what was changed here goes."""
AGAIN_SECONDS = 60.0
"""At least so often the others see that this machine is there."""
RETRY_SECONDS, MOST_RETRY_SECONDS = 1.0, 60.0
"""How long it is waited before a database that was away is asked again."""

_one_at_a_time = Lock()
"""A window and its commands are one machine."""


@dataclass(frozen=True, slots=True)
class Exchanged:
    """How much was done."""

    sent: int = 0
    came: int = 0
    erased: bool = False
    """Something was erased for good: nothing that was read before may be shown or saved again."""


def exchange(runtime: Runtime, tell: Tell = lambda _done, _of: None) -> Exchanged:
    """Fetch what the other machines changed, and send what this one did. Raises `SyncError`;
    nothing is lost then.
    """
    with connected(runtime) as (server, _):
        return exchange_with(runtime, server, tell)


def exchange_with(
    runtime: Runtime,
    server: "Server",
    tell: Tell = lambda _done, _of: None,
) -> Exchanged:
    """The same over a connection that is open."""
    with _one_at_a_time:
        came = sent = 0
        erasures = runtime.database.erasures
        for _ in range(TRIES):
            came += _fetch(runtime, server, tell)
            try:
                sent += send(runtime, server, keyring.load(runtime), tell)
                break
            except Overtaken:  # another machine was faster
                continue
        _settle(runtime, server, came, sent)
        return Exchanged(sent, came, runtime.database.erasures != erasures)


def keep_in_step(runtime: Runtime, heard: Callable[[Exchanged], object], over: Event) -> None:
    """Exchange beside everything else what changes here and elsewhere, until it is over; nothing
    waits for this thread. `heard` is called on it when something came.
    """
    patience = RETRY_SECONDS

    def waits() -> bool:
        return bool(sync.waiting(runtime.read(), 1, chats=runtime.settings.sync_chats))

    while not over.is_set():
        try:
            with connected(runtime) as (server, keys):
                server.listen()
                again = 0.0
                while not over.is_set():
                    is_late = time.monotonic() >= again
                    if is_late or server.heard(LOOK_SECONDS, keys.device) or waits():
                        done = exchange_with(runtime, server)
                        again, patience = time.monotonic() + AGAIN_SECONDS, RETRY_SECONDS
                        if done.came:
                            heard(done)
        except UsageError:
            return  # nothing is shared any more
        except (SyncError, StoreError):  # the database is away; the file busy, full, or closed
            pass
        over.wait(patience)
        patience = min(2 * patience, MOST_RETRY_SECONDS)


@contextmanager
def connected(runtime: Runtime) -> Iterator[tuple["Server", Keyring]]:
    """Connect to the database of this memory, and close the connection afterwards. An error is
    noted, for the status.
    """
    keys = keyring.load(runtime)
    from memapp.sync.server import Server

    try:
        with closing(Server(keys.url, keys.schema)) as server:
            found = server.find_memory()
            if found != keys.memory:
                whose = "another memory" if found else "no memory"
                raise SyncError(
                    f"There is {whose} in this database by now.",
                    "Nothing was sent. Leave it: memapp sync leave.",
                )
            if server.is_revoked(keys.device):
                raise _shut_out()
            yield server, keys
    except SyncError as error:
        with suppress(StoreError), runtime.write() as session:
            sync.note_told(session, error=str(error))
        raise


def send_again(runtime: Runtime) -> int:
    """Send again what the database lost, after it was restored to an older state; return how much
    that is.
    """
    with connected(runtime) as (server, _):
        theirs = server.hashes(1)
        with runtime.write() as session:
            common = [
                number
                for number, known in sync.hashes(session).items()
                if theirs.get(number) == known
            ]
            return sync.go_back(session, max(common, default=0), START)


# What comes ---------------------------------------------------------------------------------------

Group = Sequence[tuple[SyncEntry, Says]]
"""Entries that came together, each with what it says."""


def _fetch(runtime: Runtime, server: "Server", tell: Tell) -> int:
    """Carry out all that stands behind what is known; erasures before anything else. Return how
    many entries that were.
    """
    here = here_of(runtime.read())
    number, previous = here.number, here.hash
    epoch = max(sync.epochs(runtime.read()))
    group: list[tuple[SyncEntry, Says]] = []
    with server.one_moment():
        last = server.last()
        _refuse_rolled_back(server, here, last)
        if last == number:
            return 0
        keys, rewritten = _hear_first(runtime, server, number)
        for entry in server.entries(number):
            _check(entry, number, previous, epoch, rewritten)
            number, previous = entry.place.number, entry.hash
            says = read(keys, entry)
            if entry.place.entry_class == "keys":
                epoch = int(says["epoch"])
            group.append((entry, says))
            if entry.place.ends:
                _carry_out(runtime, group)
                group = []
            if number % AT_ONCE == 0 or number == last:
                tell(number - here.number, last - here.number)
    if group or number < last:
        raise _cut(number + 1)
    for box in sync.planned_erasures(runtime.read()).values():
        # what came since it was erased here may say the same
        _erase(runtime, keyring.open_job(keys, box))
    return number - here.number


def _hear_first(
    runtime: Runtime, server: "Server", after: int
) -> tuple[Keyring, Mapping[int, bytes]]:
    """Take over new keys, and erase what others erased, before anything else that came. Return the
    keys, and the digests of the entries of which something was left.
    """
    from memapp.sync import crypto

    keys = keyring.load(runtime)
    rewritten: dict[int, bytes] = {}
    for entry in server.erasures(after):
        says = read(keys, entry)
        if "seals" in says and str(says["epoch"]) not in keys.epochs:
            box = says["seals"].get(keys.device)
            if box is None:
                raise _shut_out()
            key = crypto.unseal(bytes.fromhex(box), bytes.fromhex(keys.private))
            keys = keys.with_key(says["epoch"], key)
            keyring.save(runtime, keys)
        rewritten |= {number: bytes.fromhex(digest) for number, digest in says.get("rewritten", ())}
        for job in says.get("jobs", ()):
            _erase(runtime, job)
    return keys, rewritten


def _refuse_rolled_back(server: "Server", here: Here, last: int) -> None:
    known = server.hashes(here.number).get(here.number) if 0 < here.number <= last else None
    if here.number and known != here.hash:
        lacks = max(here.number - last, 0)
        said = (
            f"The database was restored to an older state: {lacks or 'some'} entries are missing."
            if known is None
            else "The database says something else than it did before."
        )
        raise RolledBack(said, "If you know why, send them again: memapp sync --again.")


def _check(
    entry: SyncEntry, number: int, previous: bytes, epoch: int, rewritten: Mapping[int, bytes]
) -> None:
    """Raise `SyncError` for an entry that does not follow on the one before, or is not what was put
    there.
    """
    place = entry.place
    if place.number != number + 1 or place.previous != previous:
        raise _cut(number + 1)
    if place.number in rewritten:
        is_whole = digest(entry.box) == rewritten[place.number]
    else:
        is_whole = entry_hash(place, entry.box) == entry.hash
    if not is_whole:
        raise SyncError(f"Entry {place.number} in the database was altered.", ALTERED)
    if place.epoch < epoch:
        raise SyncError(f"Entry {place.number} came from a machine that was shut out.", ALTERED)


def _shut_out() -> SyncError:
    return SyncError(
        "This machine was shut out on another one.", "To share again: memapp sync leave, then join."
    )


def _cut(number: int) -> SyncError:
    return SyncError(f"Entry {number} in the database is missing, or stands elsewhere.", ALTERED)


def _erase(runtime: Runtime, told: Says) -> None:
    job = PurgeJob(**{name: tuple(values) for name, values in told["job"].items()})
    forget.erase_as_told(runtime, job, told["by"])


def _carry_out(runtime: Runtime, group: Group) -> None:
    """Carry out entries that came together, and decide where a thing was changed here too."""
    with runtime.decide() as session:
        here = here_of(session)
        if group[0][0].place.number <= here.number:
            return  # another window of this machine was faster
        names = {item["id"]: item["name"] for item in here.told.get("machines", ())}
        came: dict[Thing, ThingChange] = {}
        overruled: dict[Thing, str] = {}
        for entry, says in group:
            thing = thing_of(entry, says)
            if thing is None or thing.kind not in KINDS:
                continue
            if thing.kind in CHATS and not runtime.settings.sync_chats:
                continue
            change = ThingChange(thing, Clock(entry.place.clock, says["by"]), says["value"])
            ours = sync.local_change(session, thing)
            if ours is None or ours.value == change.value:
                came[thing] = change
            elif says["by"] == here.device:
                pass  # what comes back is older than what was made of it since
            elif local_holds(ours, change):
                received.note_overruled(session, change, names.get(here.device, "this machine"))
            else:
                overruled[thing] = names.get(says["by"], "another machine")
                came[thing] = change
        received.carry_out(session, list(came.values()), overruled, names)
        note_entries(session, group)


def _settle(runtime: Runtime, server: "Server", came: int, sent: int) -> None:
    """Tell the database how far this machine is, and note what it says of the others."""
    keys = keyring.load(runtime)
    server.acknowledge(keys.device, here_of(runtime.read()).number)
    until = int((time.time() + server.take_lease(keys.device, LEASE_SECONDS)) * 1000)
    known = keyring.named(server, keys)
    with runtime.write() as session:
        sync.note_told(
            session,
            tidying=until,
            machines=[asdict(machine) for machine in known],
            seen_at=to_text(session.now),
            error="",
        )
        if came:
            events.add_event(session, "worker", "sync", "ok", meta={"came": came, "sent": sent})
    acknowledged = [machine.acknowledged for machine in known if not machine.is_revoked]
    with suppress(Overtaken):  # the next exchange does it
        empty_erasures(runtime, server, keys, min(acknowledged, default=0))
