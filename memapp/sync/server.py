"""The PostgreSQL database between the person's machines: it gives order and durability, and reads
nothing.

One schema holds one memory. A machine adds entries only behind the last one that it knows, in one
transaction; whatever a database does besides, `services.sync` finds out by the hashes.
"""

import configparser
import os
import re
import ssl
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import certifi
import psycopg
from psycopg import conninfo, errors, sql

from memapp.domain.sync import Machine, Place, SyncEntry
from memapp.errors import Overtaken, SyncError, UsageError
from memapp.inference import network
from memapp.sync.crypto import Wrapped

CONNECT_SECONDS = 5
SILENT_MILLISECONDS = 20_000
"""A database that answers nothing for so long is away."""
PAGE = 1000
VERSION = 1
TABLES = """
CREATE TABLE memory (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    id text NOT NULL, version int NOT NULL);
CREATE TABLE keys (
    epoch int PRIMARY KEY, salt bytea NOT NULL,
    by_passphrase bytea NOT NULL, by_phrase bytea NOT NULL, older bytea NOT NULL);
CREATE TABLE machines (
    id text PRIMARY KEY, epoch int NOT NULL, record bytea NOT NULL,
    acknowledged bigint NOT NULL DEFAULT 0,
    seen_at timestamptz NOT NULL DEFAULT now(), is_revoked boolean NOT NULL DEFAULT false);
CREATE TABLE entries (
    number bigint PRIMARY KEY, device text NOT NULL, class text NOT NULL,
    epoch int NOT NULL, clock bigint NOT NULL,
    ends boolean NOT NULL, previous bytea NOT NULL, hash bytea NOT NULL, box bytea NOT NULL);
CREATE INDEX entries_class ON entries (class, number) WHERE class <> 'change';
CREATE TABLE lease (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    machine text NOT NULL, until timestamptz NOT NULL)
"""
_ENTRY = "SELECT number, device, class, epoch, clock, ends, previous, hash, box FROM entries"
_LAST = "SELECT coalesce(max(number), 0) FROM entries"
_LOCAL = re.compile(r"|localhost|::1|127(\.\d+){3}|[/@].*")


@dataclass(frozen=True, slots=True)
class Revoking:
    """A machine that is shut out, the new key, and the records of the others, closed by it."""

    device: str
    wrapped: Wrapped
    records: Mapping[str, bytes]


class Server:
    """A connection to the database of one memory. `close()` it."""

    def __init__(self, url: str, schema: str) -> None:
        how = safe(url)
        # psycopg looks names up in Python code; what connects is libpq, and only to these hosts
        with translated(), network.looking_up(hosts_of(how)):
            self._connection = psycopg.connect(**how, autocommit=True)
        self.schema, self._memory = schema, ""
        self._run(sql.SQL("SET search_path TO {}").format(sql.Identifier(schema)))

    def close(self) -> None:
        with suppress(psycopg.Error):
            self._connection.close()

    # The memory and its keys ----------------------------------------------------------------------

    def find_memory(self) -> str:
        """Return the id of the memory that lives here; empty if none does."""
        if not self._value("SELECT to_regclass('memory')::text"):
            return ""
        for memory, version in self._run("SELECT id, version FROM memory"):
            if version > VERSION:
                raise SyncError(
                    "A newer memapp keeps its memory in this database.",
                    "Update memapp on this machine.",
                )
            self._memory = memory
        return self._memory

    def create(self, memory: str, wrapped: Wrapped) -> None:
        """Make the tables of a new memory."""
        with self._transaction():
            # a schema that is there may be all that this role may use
            if not self._value("SELECT to_regnamespace(quote_ident(%s))::text", self.schema):
                self._run(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(self.schema)))
            self._run(TABLES)
            self._run("INSERT INTO memory (id, version) VALUES (%s, %s)", memory, VERSION)
            self._add_keys(wrapped)
        self._memory = memory

    def keys(self) -> list[Wrapped]:
        """Return the keys of all epochs, the newest first."""
        return [Wrapped(*row) for row in self._run("SELECT * FROM keys ORDER BY epoch DESC")]

    def _add_keys(self, wrapped: Wrapped) -> None:
        self._run("INSERT INTO keys VALUES (%s, %s, %s, %s, %s)", *astuple(wrapped))

    def erase_memory(self) -> None:
        """Remove the tables with all that they hold."""
        self._run(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(self.schema)))

    # The machines ---------------------------------------------------------------------------------

    def put_machine(self, device: str, epoch: int, record: bytes) -> None:
        statement = """INSERT INTO machines (id, epoch, record) VALUES (%s, %s, %s)
                       ON CONFLICT (id) DO UPDATE
                       SET epoch = excluded.epoch, record = excluded.record"""
        self._run(statement, device, epoch, record)

    def machines(self) -> list[tuple[Machine, int, bytes]]:
        """Return the machines without their names, each with its epoch and its closed record."""
        statement = """SELECT id, '', acknowledged,
                           to_char(seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                           is_revoked, epoch, record
                       FROM machines ORDER BY seen_at DESC"""
        return [(Machine(*row[:5]), *row[5:]) for row in self._run(statement)]

    def remove_machine(self, device: str) -> None:
        self._run("DELETE FROM machines WHERE id = %s", device)

    def acknowledge(self, device: str, number: int) -> None:
        statement = "UPDATE machines SET acknowledged = %s, seen_at = now() WHERE id = %s"
        self._run(statement, number, device)

    def is_revoked(self, device: str) -> bool:
        return bool(self._value("SELECT is_revoked FROM machines WHERE id = %s", device))

    def take_lease(self, device: str, seconds: int) -> int:
        """Take or renew the lease of the tidying if it is free; return for how many seconds it is
        of this machine, 0 if it is another's.
        """
        statement = """INSERT INTO lease (machine, until)
            VALUES (%s, now() + make_interval(secs => %s))
            ON CONFLICT (only_one) DO UPDATE SET machine = excluded.machine, until = excluded.until
            WHERE lease.machine = excluded.machine OR lease.until < now()"""
        self._run(statement, device, seconds)
        left = "SELECT extract(epoch FROM until - now())::int FROM lease WHERE machine = %s"
        return self._value(left, device) or 0

    # The entries ----------------------------------------------------------------------------------

    def last(self) -> int:
        """Return the number of the last entry; 0 before the first."""
        return int(self._value(_LAST))

    def hashes(self, first: int) -> dict[int, bytes]:
        """Return the hashes of the entries from a number on."""
        return dict(self._run("SELECT number, hash FROM entries WHERE number >= %s", first))

    def entries(self, after: int, at_once: int = PAGE) -> Iterator[SyncEntry]:
        """Yield the entries behind one, in order."""
        sql = f"{_ENTRY} WHERE number > %s ORDER BY number LIMIT %s"
        while page := self._entries(sql, after, at_once):
            yield from page
            after = page[-1].place.number

    def erasures(self, after: int) -> list[SyncEntry]:
        """Return the entries behind one by which something is erased, or keys are made."""
        return self._entries(
            f"{_ENTRY} WHERE class <> 'change' AND number > %s ORDER BY number", after
        )

    def entries_at(self, numbers: Iterable[int]) -> list[SyncEntry]:
        return self._entries(f"{_ENTRY} WHERE number = ANY(%s) ORDER BY number", list(numbers))

    def _entries(self, statement: str, *values: object) -> list[SyncEntry]:
        return [
            SyncEntry(Place(self._memory, *row[:7]), *row[7:])
            for row in self._run(statement, *values)
        ]

    def append(
        self,
        after: int,
        added: Sequence[SyncEntry],
        rewritten: Mapping[int, bytes],
        revoking: Revoking | None = None,
    ) -> None:
        """Add entries behind the last one that is known, or none: in one transaction. Raises
        `Overtaken` if there are others.

        `rewritten` are the boxes of earlier entries without what was erased.
        """
        with self._transaction(), self._connection.cursor() as cursor:
            self._run("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", self._memory)
            if self.last() != after:
                raise Overtaken("Another machine was faster.")
            boxes = [(box, number) for number, box in rewritten.items()]
            cursor.executemany("UPDATE entries SET box = %s WHERE number = %s", boxes)
            if revoking:
                self._add_keys(revoking.wrapped)
                self._run("UPDATE machines SET is_revoked = true WHERE id = %s", revoking.device)
                for device, record in revoking.records.items():
                    self.put_machine(device, revoking.wrapped.epoch, record)
            rows = [(*astuple(entry.place)[1:], entry.hash, entry.box) for entry in added]
            cursor.executemany(
                "INSERT INTO entries VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)", rows
            )
            self._run("SELECT pg_notify(%s, %s)", self._channel, added[0].place.device)

    @property
    def _channel(self) -> str:
        return f"memapp_{self._memory}"

    def listen(self) -> None:
        self._run(sql.SQL("LISTEN {}").format(sql.Identifier(self._channel)))

    def heard(self, seconds: float, device: str) -> bool:
        """Wait for another machine's word at most so long; return True if there was one."""
        with translated():
            return any(
                notify.payload != device
                for notify in self._connection.notifies(timeout=seconds, stop_after=1)
            )

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        """Read as it is now, whatever other machines add or erase meanwhile."""
        with self._transaction():
            self._run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with translated(), self._connection.transaction():
            yield

    def _run(self, statement: str | sql.Composed, *values: object) -> list[Any]:
        query = statement.encode() if isinstance(statement, str) else statement
        with translated():
            cursor = self._connection.execute(query, values or None)
            return cursor.fetchall() if cursor.description else []

    def _value(self, statement: str, *values: object) -> Any:
        return next((row[0] for row in self._run(statement, *values)), None)


def safe(url: str) -> dict[str, Any]:
    """Return how to connect by libpq's rules: to this machine as it says, to any other with a
    certificate that is checked.

    Raises `UsageError` for an address with a password, or with less than that.
    """
    try:
        given = conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise UsageError(
            "This is no address of a PostgreSQL database.", "Write postgresql://NAME@HOST/DATABASE."
        ) from None
    if "password" in given:
        raise UsageError(
            "A password does not belong in the address.",
            "Put it into ~/.pgpass, or into a service file.",
        )
    given |= {
        "connect_timeout": CONNECT_SECONDS,
        "tcp_user_timeout": SILENT_MILLISECONDS,
        "application_name": "memapp",
    }
    if all(map(_LOCAL.fullmatch, hosts_of(given))):
        return given
    if given.get("sslmode", "verify-full") != "verify-full":
        raise UsageError(
            "To another machine memapp speaks with a checked certificate only.",
            "Leave sslmode out.",
        )
    if not (_of_service(given, "sslrootcert") or os.environ.get("PGSSLROOTCERT")):
        # The OpenSSL inside psycopg's wheels knows no folder of this system.
        known = ssl.get_default_verify_paths().cafile or certifi.where()
        given.setdefault("sslrootcert", known)
    given["sslmode"] = "verify-full"
    return given


def hosts_of(given: Mapping[str, Any]) -> list[str]:
    """Return the hosts, or their addresses, that libpq connects to; of a service whose host is not
    known, its name, which is no local host.
    """
    hosts = (
        given.get("hostaddr")
        or given.get("host")
        or _of_service(given, "hostaddr")
        or _of_service(given, "host")
        or _service(given)
        or os.environ.get("PGHOSTADDR")
        or os.environ.get("PGHOST", "")
    )
    return str(hosts).split(",")


def _service(given: Mapping[str, Any]) -> str:
    return given.get("service") or os.environ.get("PGSERVICE", "")


def _of_service(given: Mapping[str, Any], setting: str) -> str:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(os.environ.get("PGSERVICEFILE", Path.home() / ".pg_service.conf"))
    return parser.get(_service(given), setting, fallback="")


LATER = "Nothing is lost: what waits here goes when it is back."
_FULL = ("is full.", LATER)
_GONE = ("has no memory in it any more.", "See: memapp sync init.")
_BARRED = ("does not let this name in there.", "Ask whoever runs it for a schema of your own.")
_REFUSALS: Mapping[type[psycopg.Error], tuple[str, str]] = {
    errors.ReadOnlySqlTransaction: ("takes nothing: it is read-only.", LATER),
    errors.DiskFull: _FULL,
    errors.OutOfMemory: _FULL,
    errors.QueryCanceled: ("is too slow.", LATER),
    errors.InsufficientPrivilege: _BARRED,
    errors.UndefinedTable: _GONE,
    errors.InvalidSchemaName: _GONE,
}
"""Errors of PostgreSQL in words, with advice."""
_NO_PASSWORD = (
    "asks for a password, and got none or another one.",
    "Put it into ~/.pgpass as HOST:PORT:DATABASE:NAME:PASSWORD (mode 0600).",
)
_NO_WAY_IN: Mapping[str, tuple[str, str]] = {
    "no password supplied": _NO_PASSWORD,
    "password authentication failed": _NO_PASSWORD,
    "does not exist": (
        "is not there: the server knows no such database or name.",
        "There is no database until somebody makes it: createdb NAME.",
    ),
    "certificate verify failed": (
        "shows a certificate that nobody known here vouches for.",
        "If it is your own, name its authority: add ?sslrootcert=FILE to the address.",
    ),
}
"""The same, by the words of libpq, which gives no codes while it connects."""


@contextmanager
def translated() -> Iterator[None]:
    """Say in a sentence what the database, or the way to it, lacks. Raises `SyncError`."""
    try:
        yield
    except psycopg.Error as error:
        says, advice = _REFUSALS.get(type(error)) or _unknown(error)
        raise SyncError(f"The PostgreSQL database {says}", advice) from None


def _unknown(error: psycopg.Error) -> tuple[str, str]:
    if not isinstance(error, psycopg.OperationalError):
        return f"refused that: {type(error).__name__}.", LATER
    said = str(error).strip()
    for text, refusal in _NO_WAY_IN.items():
        if text in said:
            return refusal
    first, *_ = said.splitlines() or ["no answer"]
    return f"is away: {first.rpartition('failed: ')[2].removeprefix('FATAL:').strip(' .')}.", LATER
