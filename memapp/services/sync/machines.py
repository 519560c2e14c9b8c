"""The person's machines: the first that shares its memory, those that join it, and those that leave
or are shut out.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from secrets import token_hex
from typing import TYPE_CHECKING

from memapp.domain.sync import Machine
from memapp.domain.text import clean, one_line
from memapp.errors import NotFound, UsageError
from memapp.runtime import Runtime
from memapp.services.sync import keyring
from memapp.services.sync.exchange import Tell, connected, exchange, exchange_with
from memapp.services.sync.keyring import Keyring
from memapp.services.sync.sending import EntryLine, here_of
from memapp.store import sync

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
    url: str
    waiting: int
    machines: Sequence[Machine]
    seen_at: str
    """When the database answered last; empty if it never did."""
    error: str
    tidies: bool
    behind_erasure: Sequence[str]
    """The machines that have not yet carried out the last erasure."""


def checked_address(url: str) -> str:
    """Return the address of a database. Raises `UsageError` for one that is not safe to use."""
    keyring.require_libraries()
    from memapp.sync.server import safe

    safe(url)
    return url


def init(
    runtime: Runtime,
    url: str,
    passphrase: str,
    name: str,
    schema: str = SCHEMA,
    tell: Tell = lambda _done, _of: None,
) -> str:
    """Share this memory through an empty database, and return the recovery phrase."""
    _refuse_shared(runtime)
    if len(passphrase) < FEWEST_CHARS:
        raise UsageError(
            f"A passphrase has at least {FEWEST_CHARS} characters.",
            "Several words are easier to remember.",
        )
    from memapp.sync import crypto
    from memapp.sync.server import Server

    server = Server(url, schema)
    try:
        if server.find_memory():
            raise UsageError(
                "There is a memory in this database already.", "To share it: memapp sync join URL."
            )
        memory, key, phrase = token_hex(16), crypto.new_key(), crypto.new_phrase()
        server.create(memory, crypto.wrap(memory, 1, key, passphrase, phrase))
        _begin(runtime, server, Keyring(url, schema, memory, "", "", "", {"1": key.hex()}), name)
    finally:
        server.close()
    exchange(runtime, tell)
    return phrase


def join(
    runtime: Runtime,
    url: str,
    words: str,
    name: str,
    schema: str = SCHEMA,
    tell: Tell = lambda _done, _of: None,
) -> None:
    """Share the memory of a database, opened by the passphrase or the recovery phrase; what is here
    joins it.
    """
    _refuse_shared(runtime)
    from memapp.sync import crypto
    from memapp.sync.server import Server

    server = Server(url, schema)
    try:
        memory = server.find_memory()
        if not memory:
            raise UsageError(
                "There is no memory in this database.", "To begin one: memapp sync init URL."
            )
        newest, *older = server.keys()
        keys = Keyring(
            url,
            schema,
            memory,
            "",
            "",
            "",
            {str(newest.epoch): crypto.unwrap(memory, newest, words).hex()},
        )
        for later, wrapped in zip((newest, *older), older, strict=False):
            keys = keys.with_key(
                wrapped.epoch, crypto.older_key(memory, later, keys.key(later.epoch))
            )
        _begin(runtime, server, keys, name)
    finally:
        server.close()
    exchange(runtime, tell)


def _refuse_shared(runtime: Runtime) -> None:
    keyring.require_libraries()
    if is_shared(runtime):
        raise UsageError(
            "This memory is shared already.",
            "To share it elsewhere, leave first: memapp sync leave.",
        )


def _begin(runtime: Runtime, server: "Server", keys: Keyring, name: str) -> None:
    from memapp.sync import crypto

    private, public = crypto.new_device()
    device = token_hex(8)
    name = "".join(text for text in one_line(clean(name)) if text not in '\\"')[:40] or "a machine"
    keys = Keyring(keys.url, keys.schema, keys.memory, device, name, private.hex(), keys.epochs)
    record = {"name": name, "public": public.hex()}
    server.put_machine(
        device, keys.epoch, crypto.close_record(keys.key(keys.epoch), keys.memory, device, record)
    )
    keyring.save(runtime, keys)
    with runtime.write() as session:
        sync.begin(session, device, keys.memory, crypto.START)


def leave(runtime: Runtime, *, erase: bool = False) -> None:
    """Share nothing any more; with `erase` take all out of the database, for every machine. What is
    here stays.
    """
    keys = keyring.load(runtime)
    with connected(runtime) as (server, _):
        if erase:
            server.erase_memory()
        else:
            server.remove_machine(keys.device)
    forgethere_of(runtime)


def forgethere_of(runtime: Runtime) -> None:
    """Share nothing any more, whatever the database says."""
    with runtime.write() as session:
        sync.end(session)
    keyring.remove(runtime)


def revoke(runtime: Runtime, device: str, passphrase: str) -> str:
    """Shut a machine out: from now on there are new keys, which it never gets. Return the new
    recovery phrase.
    """
    from memapp.sync import crypto

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
        wrapped = crypto.wrap(keys.memory, epoch, key, passphrase, phrase, keys.key(keys.epoch))
        seals, records = {}, {}
        for machine, of_epoch, box in server.machines():
            if machine.id != gone.id and not machine.is_revoked and of_epoch == keys.epoch:
                record = crypto.open_record(keys.key(of_epoch), keys.memory, machine.id, box)
                seals[machine.id] = crypto.seal(key, bytes.fromhex(record["public"]))
                records[machine.id] = crypto.close_record(key, keys.memory, machine.id, record)
        here = here_of(runtime.read())
        line = EntryLine(keys, here)
        line.add("keys", {"epoch": epoch, "digest": crypto.digest(key).hex(), "revoked": gone.id})
        server.append(
            here_of(runtime.read()).number,
            [entry for entry, _ in line.entries],
            {},
            (gone.id, wrapped, seals, records),
        )
        keyring.save(runtime, keys.with_key(epoch, key))
        with runtime.write() as session:
            sync.note_entries(session, line.entries)
        exchange_with(runtime, server)
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
    known = [Machine(**item) for item in here.told.get("machines", ())]
    erased = sync.last_erasure(session)
    late = [
        machine.name
        for machine in known
        if machine.acknowledged < erased and not machine.is_revoked and machine.id != keys.device
    ]
    return SyncStatus(
        keys.name,
        keys.url,
        sync.count_waiting(session),
        known,
        here.told.get("seen_at", ""),
        here.told.get("error", ""),
        may_tidy(runtime),
        late,
    )


def may_tidy(runtime: Runtime) -> bool:
    """Say whether this machine merges and tidies: one of them does, the others take the result."""
    here = sync.here(runtime.read())
    others = (
        [item for item in here.told.get("machines", ()) if not item["is_revoked"]] if here else []
    )
    return here is None or len(others) < 2 or here.tidying > time.time() * 1000
