"""The PostgreSQL database between the person's machines: it gives order and durability, and reads
nothing.

One schema holds one memory. A machine adds entries only behind the last one that it knows, in one
transaction; whatever a database does besides, `services.sync` finds out by the hashes.
"""

import configparser
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple
from pathlib import Path
from typing import Any

import psycopg
from psycopg import conninfo, errors, sql

from memapp.domain.sync import Machine, Place, SyncEntry
from memapp.errors import Overtaken, SyncError, UsageError
from memapp.sync.crypto import Wrapped

CONNECT_SECONDS = 5
SILENT_MILLISECONDS = 20_000
"""Whoever answers nothing for so long is away."""
VERSION = 1
TABLES = """
CREATE TABLE memory (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    id text NOT NULL, version int NOT NULL);
CREATE TABLE keys (
    epoch int PRIMARY KEY, salt bytea NOT NULL,
    operations bigint NOT NULL, memory_bytes bigint NOT NULL,
    by_passphrase bytea NOT NULL, by_phrase bytea NOT NULL, older bytea NOT NULL);
CREATE TABLE machines (
    id text PRIMARY KEY, epoch int NOT NULL, record bytea NOT NULL,
    acknowledged bigint NOT NULL DEFAULT 0,
    seen_at timestamptz NOT NULL DEFAULT now(), is_revoked boolean NOT NULL DEFAULT false);
CREATE TABLE seals (
    epoch int, machine text REFERENCES machines (id) ON DELETE CASCADE,
    box bytea NOT NULL, PRIMARY KEY (epoch, machine));
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
Revoking = tuple[str, Wrapped, Mapping[str, bytes], Mapping[str, bytes]]
"""A machine that is shut out, the new keys, and for each other machine that key, sealed, and its
record, closed by it.
"""
_LOCAL = ("", "localhost", "::1")


class Server:
    """A connection to the database of one memory. `close()` it."""

    def __init__(self, url: str, schema: str) -> None:
        with translated():
            self._connection = psycopg.connect(**safe(url), autocommit=True)
            self._connection.execute(
                sql.SQL("SET search_path TO {}").format(sql.Identifier(schema))
            )
        self.schema, self._memory = schema, ""

    def close(self) -> None:
        with suppress(psycopg.Error):
            self._connection.close()

    # The memory and its keys ----------------------------------------------------------------------

    def find_memory(self) -> str:
        """Return the id of the memory that lives here; empty if none does."""
        with translated():
            if not self._value("SELECT to_regclass(%s)::text", f"{_quoted(self.schema)}.memory"):
                return ""
            row = self._connection.execute("SELECT id, version FROM memory").fetchone()
        if row is not None and row[1] > VERSION:
            raise SyncError(
                "A newer memapp keeps its memory in this database.",
                "Update memapp on this machine.",
            )
        self._memory = row[0] if row else ""
        return self._memory

    def create(self, memory: str, wrapped: Wrapped) -> None:
        """Make the tables of a new memory."""
        with translated(), self._connection.transaction():
            if not self._value(
                "SELECT to_regnamespace(%s)::text", _quoted(self.schema)
            ):  # one that is there may be all we may use
                self._connection.execute(
                    sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(self.schema))
                )
            for statement in TABLES.split(";\n"):
                self._connection.execute(statement.encode())
            self._connection.execute(
                "INSERT INTO memory (id, version) VALUES (%s, %s)", (memory, VERSION)
            )
            self._add_keys(wrapped)
        self._memory = memory

    def keys(self) -> list[Wrapped]:
        """Return the keys of all epochs, the newest first."""
        with translated():
            rows = self._connection.execute("SELECT * FROM keys ORDER BY epoch DESC").fetchall()
        return [Wrapped(*row) for row in rows]

    def _add_keys(self, wrapped: Wrapped) -> None:
        self._connection.execute(
            "INSERT INTO keys VALUES (%s, %s, %s, %s, %s, %s, %s)", astuple(wrapped)
        )

    def erase_memory(self) -> None:
        """Remove the tables with all that they hold."""
        with translated():
            self._connection.execute(
                sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(self.schema))
            )

    # The machines ---------------------------------------------------------------------------------

    def put_machine(self, device: str, epoch: int, record: bytes) -> None:
        statement = """INSERT INTO machines (id, epoch, record) VALUES (%s, %s, %s)
                       ON CONFLICT (id) DO UPDATE
                       SET epoch = excluded.epoch, record = excluded.record"""
        with translated():
            self._connection.execute(statement, (device, epoch, record))

    def machines(self) -> list[tuple[Machine, int, bytes]]:
        """Return the machines without their names, each with its epoch and its closed record."""
        statement = """SELECT id, acknowledged,
                           to_char(seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                           is_revoked, epoch, record
                       FROM machines ORDER BY seen_at DESC"""
        with translated():
            rows = self._connection.execute(statement).fetchall()
        return [
            (Machine(row[0], "", row[1], row[2], row[3]), row[4], bytes(row[5])) for row in rows
        ]

    def remove_machine(self, device: str) -> None:
        with translated():
            self._connection.execute("DELETE FROM machines WHERE id = %s", (device,))

    def acknowledge(self, device: str, number: int) -> None:
        statement = "UPDATE machines SET acknowledged = %s, seen_at = now() WHERE id = %s"
        with translated():
            self._connection.execute(statement, (number, device))

    def is_revoked(self, device: str) -> bool:
        with translated():
            return bool(self._value("SELECT is_revoked FROM machines WHERE id = %s", device))

    def seal_for(self, device: str, epoch: int) -> bytes:
        with translated():
            return bytes(
                self._value(
                    "SELECT box FROM seals WHERE machine = %s AND epoch = %s", device, epoch
                )
                or b""
            )

    def take_lease(self, device: str, seconds: int) -> tuple[str, int]:
        """Take or renew the lease of the tidying if it is free; return whose it is, and for how
        many seconds.
        """
        statement = """INSERT INTO lease (machine, until)
            VALUES (%(device)s, now() + make_interval(secs => %(seconds)s))
            ON CONFLICT (only_one) DO UPDATE SET machine = excluded.machine, until = excluded.until
            WHERE lease.machine = excluded.machine OR lease.until < now()"""
        left = "SELECT machine, extract(epoch FROM until - now())::int FROM lease"
        with translated(), self._connection.transaction():
            self._connection.execute(statement, {"device": device, "seconds": seconds})
            row = self._connection.execute(left).fetchone()
        return (row[0], row[1]) if row else ("", 0)

    # The entries ----------------------------------------------------------------------------------

    def last(self) -> int:
        """Return the number of the last entry; 0 before the first."""
        with translated():
            return int(self._value("SELECT coalesce(max(number), 0) FROM entries"))

    def hashes(self, first: int) -> dict[int, bytes]:
        """Return the hashes of the entries from a number on."""
        with translated():
            rows = self._connection.execute(
                "SELECT number, hash FROM entries WHERE number >= %s", (first,)
            ).fetchall()
        return {number: bytes(found) for number, found in rows}

    def entries(self, after: int, limit: int) -> list[SyncEntry]:
        """Return the entries behind one, in order."""
        return self._entries(f"{_ENTRY} WHERE number > %s ORDER BY number LIMIT %s", after, limit)

    def erasures(self, after: int) -> list[SyncEntry]:
        """Return the entries behind one by which something is erased, or keys are made."""
        return self._entries(
            f"{_ENTRY} WHERE class <> 'change' AND number > %s ORDER BY number", after
        )

    def entries_at(self, numbers: Iterable[int]) -> list[SyncEntry]:
        return self._entries(f"{_ENTRY} WHERE number = ANY(%s) ORDER BY number", list(numbers))

    def _entries(self, statement: str, *values: object) -> list[SyncEntry]:
        with translated():
            rows = self._connection.execute(statement, values).fetchall()
        return [
            SyncEntry(
                Place(self._memory, row[0], row[1], row[2], row[3], row[4], row[5], bytes(row[6])),
                bytes(row[7]),
                bytes(row[8]),
            )
            for row in rows
        ]

    def append(
        self,
        after: int,
        added: Sequence[SyncEntry],
        rewritten: Mapping[int, bytes],
        revoking: "Revoking | None" = None,
    ) -> None:
        """Add entries behind the last one that is known, or none: in one transaction. Raises
        `Overtaken` if there are others.

        `rewritten` are the boxes of earlier entries without what was erased. `revoking` names a
        machine, with the new keys.
        """
        values = [
            (
                p.number,
                p.device,
                p.entry_class,
                p.epoch,
                p.clock,
                p.ends,
                p.previous,
                sync_entry.hash,
                sync_entry.box,
            )
            for sync_entry in added
            for p in (sync_entry.place,)
        ]
        with translated(), self._connection.transaction(), self._connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (self._memory,))
            if self._value("SELECT coalesce(max(number), 0) FROM entries") != after:
                raise Overtaken("Another machine was faster.")
            if rewritten:
                boxes = [(box, number) for number, box in rewritten.items()]
                cursor.executemany("UPDATE entries SET box = %s WHERE number = %s", boxes)
            if revoking:
                device, wrapped, seals, records = revoking
                self._add_keys(wrapped)
                cursor.execute("UPDATE machines SET is_revoked = true WHERE id = %s", (device,))
                cursor.executemany(
                    "INSERT INTO seals VALUES (%s, %s, %s)",
                    [(wrapped.epoch, *seal) for seal in seals.items()],
                )
                again = [(wrapped.epoch, record, machine) for machine, record in records.items()]
                cursor.executemany(
                    "UPDATE machines SET epoch = %s, record = %s WHERE id = %s", again
                )
            cursor.executemany(
                "INSERT INTO entries VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)", values
            )
            cursor.execute("SELECT pg_notify(%s, %s)", (self._channel, added[0].place.device))

    @property
    def _channel(self) -> str:
        return f"memapp_{self._memory}"

    def listen(self) -> None:
        with translated():
            self._connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(self._channel)))

    def heard(self, seconds: float, device: str) -> bool:
        """Wait for another machine's word at most so long; say whether there was one."""
        with translated():
            return any(
                notify.payload != device
                for notify in self._connection.notifies(timeout=seconds, stop_after=1)
            )

    def _value(self, statement: str, *values: object) -> Any:
        row = self._connection.execute(statement.encode(), values).fetchone()
        return row[0] if row else None


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
    hosts = str(
        given.get("hostaddr")
        or given.get("host")
        or _host_of_service(given)
        or os.environ.get("PGHOST", "")
    ).split(",")
    if all(host in _LOCAL or host.startswith(("127.", "/", "@")) for host in hosts):
        return given
    if given.get("sslmode", "verify-full") != "verify-full":
        raise UsageError(
            "To another machine memapp speaks with a checked certificate only.",
            "Leave sslmode out.",
        )
    return {"sslrootcert": "system"} | given | {"sslmode": "verify-full"}


def _host_of_service(given: Mapping[str, Any]) -> str:
    name = given.get("service") or os.environ.get("PGSERVICE")
    if not name:
        return ""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(os.environ.get("PGSERVICEFILE", Path.home() / ".pg_service.conf"))
    return parser.get(name, "hostaddr", fallback="") or parser.get(name, "host", fallback="")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def translated() -> Iterator[None]:
    """Say in a sentence what the database, or the way to it, lacks. Raises `SyncError`."""
    try:
        yield
    except errors.ReadOnlySqlTransaction:
        raise SyncError(
            "The database between your machines takes nothing: it is read-only.", LATER
        ) from None
    except (errors.DiskFull, errors.OutOfMemory):
        raise SyncError("The database between your machines is full.", LATER) from None
    except errors.QueryCanceled:
        raise SyncError("The database between your machines is too slow.", LATER) from None
    except errors.InsufficientPrivilege:
        raise SyncError(
            "The database does not let this name in there.",
            "Ask whoever runs it for a schema of your own.",
        ) from None
    except (errors.UndefinedTable, errors.InvalidSchemaName):
        raise SyncError(
            "There is no memory in this database any more.", "See: memapp sync init."
        ) from None
    except psycopg.OperationalError as error:
        said = str(error).strip().splitlines()
        why = (
            said[0].rpartition("failed: ")[2].removeprefix("FATAL:").strip(" .")
            if said
            else "no answer"
        )
        raise SyncError(f"The database between your machines is away: {why}.", LATER) from None
    except psycopg.Error as error:
        raise SyncError(
            f"The database between your machines refused that: {type(error).__name__}.", LATER
        ) from None


LATER = "Nothing is lost: what waits here goes when it is back."
