"""The person's machines: the first that shares its memory, those that join it, and those that leave
or are shut out.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import chain, count, pairwise
from secrets import token_hex
from typing import TYPE_CHECKING

from memapp.domain.sync import START, Machine
from memapp.domain.text import clean, one_line
from memapp.errors import NotFound, SyncError, UsageError
from memapp.runtime import Runtime
from memapp.services.sync import keyring
from memapp.services.sync.exchange import connected, exchange_with
from memapp.services.sync.keyring import Keyring
from memapp.services.sync.sending import EntryLine, here_of
from memapp.store import sync
from memapp.store.sync import Here

if TYPE_CHECKING:
    from memapp.sync.server import Server

FEWEST_CHARS = 8
KEEP_IT = (
    "Write it down and keep it apart from your machines: it opens the memory when the passphrase is"
    " lost. It is shown once."
)
SCHEMA = "memapp"


@dataclass(frozen=True, slots=True)
class SyncStatus:
    """How this machine stands with the others, as far as it knows."""

    name: str
    device: str
    url: str
    waiting: int
    machines: Sequence[Machine]
    seen_at: str
    """When the database answered last; empty if it never did."""
    error: str
    behind_erasure: Sequence[str]
    """The machines that have not yet carried out the last erasure."""

    @property
    def others(self) -> list[Machine]:
        return _others(self.machines, self.device)


def init(runtime: Runtime, url: str, passphrase: str, name: str, schema: str = SCHEMA) -> str:
    """Share this memory through an empty database from the next exchange on, and return the
    recovery phrase.
    """
    valid_passphrase(passphrase)
    with _server(runtime, url, schema, begins=True) as server:
        from memapp.sync import crypto

        memory, key, phrase = token_hex(16), crypto.new_key(), crypto.new_phrase()
        server.create(memory, crypto.wrap(memory, 1, key, passphrase, phrase))
        _begin(runtime, server, Keyring(url, schema, memory, {"1": key.hex()}), name)
    return phrase


def join(runtime: Runtime, url: str, words: str, name: str, schema: str = SCHEMA) -> None:
    """Share the memory of a database, opened by the passphrase or the recovery phrase; what is here
    joins it with the next exchange.
    """
    with _server(runtime, url, schema) as server:
        from memapp.sync import crypto

        memory = server.find_memory()
        newest, *older = server.keys()
        key = crypto.unwrap(memory, newest, words)
        keys = Keyring(url, schema, memory, {str(newest.epoch): key.hex()})
        for later, wrapped in pairwise((newest, *older)):
            key = crypto.older_key(memory, later, key)
            keys = keys.with_key(wrapped.epoch, key)
        _begin(runtime, server, keys, name)


def checked_address(
    runtime: Runtime, url: str, schema: str = SCHEMA, *, begins: bool = False
) -> str:
    """Return the address of a database that can be joined, or that a memory can begin in. Raises
    `UsageError` or `SyncError` for any other, before a passphrase is asked for.
    """
    with _server(runtime, url, schema, begins=begins):
        return url


@contextmanager
def _server(runtime: Runtime, url: str, schema: str, *, begins: bool = False) -> Iterator["Server"]:
    """Connect a memory that is not shared yet to a database with one to join, or with none."""
    keyring.require_libraries()
    if is_shared(runtime):
        raise UsageError(
            "This memory is shared already.",
            "To share it elsewhere, leave first: memapp sync leave.",
        )
    from memapp.sync.server import Server

    with closing(Server(url, schema)) as server:
        if begins and server.find_memory():
            raise UsageError(
                "There is a memory in this database already.", "To share it: memapp sync join URL."
            )
        if not begins and not server.find_memory():
            raise UsageError(
                "There is no memory in this database.", "To begin one: memapp sync init URL."
            )
        yield server


def valid_passphrase(passphrase: str) -> str:
    """Return a passphrase. Raises `UsageError` for one that is too short."""
    if len(passphrase) < FEWEST_CHARS:
        raise UsageError(
            f"A passphrase has at least {FEWEST_CHARS} characters.",
            "Several words are easier to remember.",
        )
    return passphrase


def _begin(runtime: Runtime, server: "Server", keys: Keyring, name: str) -> None:
    from memapp.sync import crypto

    private, public = crypto.new_device()
    name = "".join(letter for letter in one_line(clean(name)) if letter not in '\\"')[:40]
    taken = {machine.name for machine in keyring.named(server, keys)}
    numbered = (f"{name or 'a machine'} {number}" for number in count(2))
    name = next(free for free in chain([name or "a machine"], numbered) if free not in taken)
    keys = replace(keys, device=token_hex(8), name=name, private=private.hex())
    record = {"name": name, "public": public.hex()}
    box = crypto.close_record(keys.key(keys.epoch), keys.memory, keys.device, record)
    server.put_machine(keys.device, keys.epoch, box)
    keyring.save(runtime, keys)
    with runtime.write() as session:
        sync.begin(session, keys.device, START)


def leave(runtime: Runtime, *, erase: bool = False) -> None:
    """Share nothing any more; with `erase` take all out of the database, for every machine. What is
    here stays. A database that is away, or shut this machine out, is left as well.
    """
    try:
        with connected(runtime) as (server, keys):
            if erase:
                server.erase_memory()
            else:
                server.remove_machine(keys.device)
    except SyncError:
        if erase:
            raise
    with runtime.write() as session:
        sync.end(session)
    keyring.remove(runtime)


def revoke(runtime: Runtime, device: str, passphrase: str) -> str:
    """Shut a machine out: from now on there are new keys, which it never gets. Return the new
    recovery phrase.
    """
    from memapp.sync import crypto
    from memapp.sync.server import Revoking

    valid_passphrase(passphrase)
    with connected(runtime) as (server, _):
        exchange_with(runtime, server)
        keys = keyring.load(runtime)
        gone = find(runtime, device)
        if gone.id == keys.device:
            raise UsageError(
                "This is the machine that you are at.",
                "To share nothing any more: memapp sync leave.",
            )
        epoch, key, phrase = keys.epoch + 1, crypto.new_key(), crypto.new_phrase()
        seals, records = {}, {}
        for machine, of_epoch, box in server.machines():
            if machine.id != gone.id and not machine.is_revoked and of_epoch == keys.epoch:
                record = crypto.open_record(keys.key(of_epoch), keys.memory, machine.id, box)
                seals[machine.id] = crypto.seal(key, bytes.fromhex(record["public"])).hex()
                records[machine.id] = crypto.close_record(key, keys.memory, machine.id, record)
        wrapped = crypto.wrap(keys.memory, epoch, key, passphrase, phrase, keys.key(keys.epoch))
        line = EntryLine(keys, here_of(runtime.read()))
        line.add("keys", {"epoch": epoch, "seals": seals})
        server.append(line.after, line.entries, {}, Revoking(gone.id, wrapped, records))
        keyring.save(runtime, keys.with_key(epoch, key))
        with runtime.write() as session:
            line.note(session)
    return phrase


def find(runtime: Runtime, named: str) -> Machine:
    """Return the machine with a name or an id. Raises `NotFound`."""
    for machine in status(runtime).machines:
        if named in (machine.id, machine.name) and not machine.is_revoked:
            return machine
    raise NotFound(f"There is no machine {named!r}.", "See: memapp sync devices.")


def is_shared(runtime: Runtime) -> bool:
    return sync.is_shared(runtime.read())


def status(runtime: Runtime) -> SyncStatus:
    """Return how this machine stands with the others; nothing connects for it. Raises `UsageError`
    where nothing is shared.
    """
    keys, session = keyring.load(runtime), runtime.read()
    here = here_of(session)
    known, erased = _machines(here), sync.last_erasure(session)
    waits = bool(sync.planned_erasures(session))
    return SyncStatus(
        name=keys.name,
        device=keys.device,
        url=keys.url,
        waiting=sync.count_waiting(session),
        machines=known,
        seen_at=here.told.get("seen_at", ""),
        error=here.told.get("error", ""),
        behind_erasure=[
            machine.name
            for machine in _others(known, keys.device)
            if waits or machine.acknowledged < erased
        ],
    )


def may_tidy(runtime: Runtime) -> bool:
    """Return True if this machine merges and tidies: one of them does, the others take the
    result.
    """
    here = sync.here(runtime.read())
    if here is None or not _others(_machines(here), here.device):
        return True
    return bool(here.told["tidying"] > time.time() * 1000)


def _machines(here: Here) -> list[Machine]:
    return [Machine(**item) for item in here.told.get("machines", ())]


def _others(known: Sequence[Machine], device: str) -> list[Machine]:
    return [machine for machine in known if machine.id != device and not machine.is_revoked]
