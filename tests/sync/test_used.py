"""What went wrong for a person who used two machines for an hour."""

import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from memapp.errors import SyncError
from memapp.runtime import Runtime
from memapp.services import activity, curate, forget
from memapp.services.consent import decisions, past_decisions
from memapp.services.sync import exchange, machines
from memapp.store import memories
from memapp.sync.server import Server, safe
from tests.builders import Clock, make_runtime
from tests.sync.conftest import PASSPHRASE
from tests.sync.test_cli import Memapp, memapp
from tests.sync.test_consent import ask
from tests.ui.conftest import World

__all__ = ["memapp"]
"""A fixture."""

Machine = Callable[..., Runtime]


async def test_an_open_window_shares_from_the_moment_that_a_command_begins_it(
    tmp_path: Path, postgres: str, schema: str, memapp: Memapp
) -> None:
    typed = f"{PASSPHRASE}\n{PASSPHRASE}\n"
    where = (postgres, "--schema", schema)
    assert memapp("laptop", "sync", "init", *where, typed=typed).exit_code == 0
    memapp("laptop", "add", "I drink oolong")
    memapp("laptop", "sync")
    async with World(tmp_path / "desktop").opened() as seen:
        await seen.until("offline")
        assert memapp("desktop", "sync", "join", *where, typed=typed).exit_code == 0
        await seen.until("shared")
        memapp("laptop", "add", "I keep bees")
        memapp("laptop", "sync")
        read = seen.app.runtime.read
        await seen.until(lambda: len(memories.list_memories(read())) == 2)


def test_the_version_that_holds_is_the_last_in_the_history_on_each_machine(
    machine: Machine,
) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    curate.add(laptop, "I keep bees")
    (bees,) = [memory.id for memory in memories.list_memories(laptop.read())]
    for runtime in (laptop, desktop):
        exchange.exchange(runtime)
    curate.edit(laptop, bees, "I keep two hives")
    assert isinstance(desktop.clock, Clock)
    desktop.clock.now += timedelta(minutes=1)
    curate.edit(desktop, bees, "I keep three hives")
    for runtime in (laptop, desktop, laptop):
        exchange.exchange(runtime)
    for runtime in (laptop, desktop):
        said = [moment.version.text for moment in activity.timeline(runtime, bees)]
        assert said == ["I keep bees", "I keep two hives", "I keep three hives"]


def test_the_address_is_refused_before_a_passphrase_is_asked_for(
    memapp: Memapp, postgres: str, schema: str
) -> None:
    told = memapp("laptop", "sync", "join", postgres, "--schema", schema)
    assert "no memory in this database" in told.stderr
    assert "Passphrase" not in told.stderr


def test_a_first_exchange_that_failed_counts_no_machine_below_none(
    memapp: Memapp, postgres: str, schema: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise SyncError("The database is away.")

    monkeypatch.setattr(exchange, "exchange", away)
    typed = f"{PASSPHRASE}\n{PASSPHRASE}\n"
    told = memapp("laptop", "sync", "init", postgres, "--schema", schema, typed=typed)
    assert "Recovery phrase" in told.stderr
    assert "with 0 other machines" in memapp("laptop", "sync", "status").stderr


def test_machines_of_one_name_can_be_told_apart(tmp_path: Path, postgres: str, schema: str) -> None:
    """Two laptops fresh from the shop are both called localhost."""
    laptop, desktop = make_runtime(tmp_path / "laptop"), make_runtime(tmp_path / "desktop")
    machines.init(laptop, postgres, PASSPHRASE, "localhost", schema)
    machines.join(desktop, postgres, PASSPHRASE, "localhost", schema)
    for runtime in (laptop, desktop, laptop):
        exchange.exchange(runtime)
    assert len({machine.name for machine in machines.status(laptop).machines}) == 2
    for runtime in (laptop, desktop):
        runtime.close()


@pytest.mark.parametrize("is_sent", [False, True])
def test_what_was_erased_here_is_not_said_to_be_erased_elsewhere_before_it_was_sent(
    machine: Machine, is_sent: bool
) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    curate.add(laptop, "My cat is called Miso")
    for runtime in (laptop, desktop, laptop):
        exchange.exchange(runtime)
    forget.forget_everywhere(laptop, "Miso")
    if is_sent:
        exchange.exchange(laptop)
    assert machines.status(laptop).behind_erasure == ["desktop"]


def test_a_window_that_was_shut_out_says_so_and_accuses_nobody(machine: Machine) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    for runtime in (laptop, desktop, laptop):
        exchange.exchange(runtime)
    with exchange.connected(desktop) as (server, _):  # as an open window is
        machines.revoke(laptop, "desktop", "three geese in a row")
        with pytest.raises(SyncError, match="shut out"):
            exchange.exchange_with(desktop, server)


def test_a_database_elsewhere_is_found_by_its_name() -> None:
    """The guard of `inference.network` lets no name be looked up that it does not know."""
    script = """
from memapp.errors import SyncError
from memapp.inference import network
from memapp.sync.server import Server, safe
network.watch()
try:
    Server("postgresql://me@nas.invalid/memory", "memapp")
except SyncError as error:
    assert "speaks to no other machine" not in str(error), error
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_certificates_of_hosted_databases_are_checked_against_a_file_that_is_there() -> None:
    """The OpenSSL of psycopg's wheels looks in a folder that no system has."""
    assert Path(safe("postgresql://me@db.example/me")["sslrootcert"]).exists()


@pytest.mark.parametrize(
    ("libpq", "says"),
    [
        ("fe_sendauth: no password supplied", "~/.pgpass"),
        ('FATAL:  password authentication failed for user "me"', "~/.pgpass"),
        ('FATAL:  database "memori" does not exist', "There is no database"),
        ("SSL error: certificate verify failed", "sslrootcert"),
    ],
)
def test_a_password_that_is_missing_or_wrong_is_not_said_to_be_a_database_that_is_away(
    libpq: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise psycopg.OperationalError(f"connection failed: connection to server failed: {libpq}")

    monkeypatch.setattr(psycopg, "connect", refuse)
    with pytest.raises(SyncError, match=says) as refused:
        Server("postgresql://me@127.0.0.1/memory", "memapp")
    assert "away" not in str(refused.value)


def test_a_service_file_names_the_certificate_authority_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = tmp_path / "services"
    service.write_text("[memory]\nhost=nas.home\nsslrootcert=/home/me/ca.pem\n", "utf-8")
    monkeypatch.setenv("PGSERVICEFILE", str(service))
    assert "sslrootcert" not in safe("service=memory")


@pytest.mark.parametrize("is_yes", [True, False])
async def test_a_person_is_told_that_an_earlier_decision_elsewhere_counts(
    machine: Machine, memapp: Memapp, tmp_path: Path, is_yes: bool
) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    asked = [ask(laptop, "health", value, f"I have {value}") for value in ("asthma", "migraine")]
    exchange.exchange(laptop)
    exchange.exchange(desktop)
    assert isinstance(desktop.clock, Clock)
    desktop.clock.now += timedelta(minutes=1)
    elsewhere, here = decisions.approve, decisions.deny
    if not is_yes:
        elsewhere, here = here, elsewhere
    told = "Your yes to Health “{}” on laptop came first: it counts, not your no here."
    if not is_yes:
        told = "Your no to Health “{}” on laptop came first: it counts, not your yes here."
    elsewhere(laptop, asked[0])
    here(desktop, asked[0])
    exchange.exchange(laptop)
    exchange.exchange(desktop)
    assert past_decisions.overruled(desktop) == [told.format("asthma")]
    assert past_decisions.overruled(desktop) == past_decisions.overruled(laptop) == []
    elsewhere(laptop, asked[1])
    here(desktop, asked[1])
    exchange.exchange(laptop)
    assert told.format("migraine") in memapp("desktop", "sync").stderr
    async with World(tmp_path / "desktop").opened() as seen:
        await seen.until(lambda: any(told.format("migraine") in toast for toast in seen.toasts()))
