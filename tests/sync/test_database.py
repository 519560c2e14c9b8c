"""The database between machines may be slow, away, put back, or hostile: it is found out, and
nothing is lost or taken over.
"""

import subprocess
import sys
from typing import Any

import psycopg
import pytest

from memapp.errors import RolledBack, SyncError
from memapp.services import curate
from memapp.services.sync import exchange as exchanges
from memapp.services.sync import machines
from memapp.services.sync.exchange import exchange
from memapp.sync.server import safe
from tests.builders import until
from tests.sync.conftest import kept_in_step
from tests.sync.test_memories import Machine, settle, texts

Database = psycopg.Connection[Any]
LAST = "(SELECT max(number) FROM entries)"
COLUMNS = "device, class, epoch, clock, ends, previous, hash, box"


@pytest.mark.parametrize(
    "attack",
    [
        f"UPDATE entries SET box = set_byte(box, 40, get_byte(box, 40) # 1) WHERE number = {LAST}",
        f"DELETE FROM entries WHERE number = {LAST} - 1",
        f"INSERT INTO entries SELECT {LAST} + 1, {COLUMNS} FROM entries WHERE number = 1",
        f"UPDATE entries SET box = '' WHERE number = {LAST}",
        f"UPDATE entries SET clock = clock + 1 WHERE number = {LAST}",
    ],
)
def test_what_is_altered_cut_out_repeated_or_emptied_is_found(
    machine: Machine, database: Database, schema: str, attack: str
) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    settle(laptop, desktop)
    curate.add(laptop, "I drink oolong")
    exchange(laptop)
    database.execute(f"SET search_path TO {schema}")
    database.execute(attack.encode())
    with pytest.raises(SyncError, match="in the database"):
        exchange(desktop)
    assert texts(desktop) <= {"I drink oolong"}


def test_a_database_put_back_to_yesterday_is_found_and_gets_again_what_it_lost(
    machine: Machine, database: Database, schema: str
) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    curate.add(laptop, "I keep bees")
    settle(laptop, desktop)
    database.execute(f"SET search_path TO {schema}")
    database.execute("CREATE TABLE yesterday AS SELECT * FROM entries")
    curate.add(desktop, "I drink oolong")
    settle(desktop, laptop)
    database.execute("TRUNCATE entries; INSERT INTO entries SELECT * FROM yesterday")
    for runtime in (laptop, desktop):
        with pytest.raises(RolledBack, match="are missing"):
            exchange(runtime)
    curate.add(laptop, "I paint boats")
    exchanges.send_again(laptop)
    exchange(laptop)
    with pytest.raises(RolledBack):
        exchange(desktop)
    exchanges.send_again(desktop)
    settle(desktop, laptop)
    assert texts(desktop) == {"I keep bees", "I drink oolong", "I paint boats"}


def test_windows_see_what_another_machine_changed_and_go_on_while_the_database_is_away(
    machine: Machine,
) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    heard: list[int] = []
    with (
        kept_in_step(laptop),
        kept_in_step(desktop, lambda done: heard.append(done.came)),
    ):
        curate.add(laptop, "I drink oolong")
        until(lambda: texts(desktop) == {"I drink oolong"})
        until(lambda: heard)
    keys = laptop.paths.database.with_name("sync.key")
    keys.write_text(keys.read_text().replace("host=/", "host=/nowhere/"))
    with kept_in_step(laptop):
        curate.add(laptop, "I keep bees")
        until(lambda: "is away" in machines.status(laptop).error)
    assert machines.status(laptop).waiting == 2


def test_only_one_machine_tidies(machine: Machine) -> None:
    laptop, desktop = machine("laptop"), machine("desktop")
    exchange(laptop)
    assert (machines.may_tidy(laptop), machines.may_tidy(desktop)) == (True, False)


def test_another_machine_is_spoken_to_with_a_checked_certificate_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert safe("postgresql://me@db.example/memory")["sslmode"] == "verify-full"
    assert "sslmode" not in safe("postgresql://me@127.0.0.1/memory")
    assert safe("postgresql://me@127.0.0.1.example/memory")["sslmode"] == "verify-full"
    monkeypatch.setenv("PGHOST", "db.example")
    assert safe("dbname=memory")["sslmode"] == "verify-full"
    monkeypatch.delenv("PGHOST")
    assert "sslmode" not in safe("dbname=memory")
    monkeypatch.setenv("PGHOSTADDR", "203.0.113.5")
    assert safe("dbname=memory")["sslmode"] == "verify-full"
    monkeypatch.delenv("PGHOSTADDR")  # a service of all users of the system, in no file of ours
    assert safe("service=memory")["sslmode"] == "verify-full"


def test_nothing_of_sync_is_loaded_where_nothing_is_shared() -> None:
    code = "import sys; from memapp import bootstrap, cli\n"
    code += "from memapp.services.sync import machines; from memapp.cli import sync\n"
    code += "late = ('psycopg', 'nacl', 'memapp.sync')\n"
    code += "print([name for name in sys.modules if name.startswith(late)])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
