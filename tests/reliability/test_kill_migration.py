"""Killed at each statement of a migration: the file is of the old version or of the new one, and
all that it holds is there.
"""

import os
import shutil
import signal
import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from memapp import bootstrap
from memapp.language.normal_form import WORDING
from memapp.services import chats
from memapp.store import schema
from memapp.store.opening import open_database
from tests.builders import make_runtime, say
from tests.reliability.killed_processes import begun
from tests.reliability.test_kill import assert_sound
from tests.store.test_migrations import everything, growth, make_past, rebuilt


def migrate_and_die(path: Path, migrations: Path, number: int) -> None:
    """Open a file that has to be migrated, and die before so many statements are through."""
    left, migrate = iter(range(number)), schema.migrate

    def die(_: str) -> None:
        if next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)

    def watched(writer: sqlite3.Connection, back_up: object) -> None:
        writer.set_trace_callback(die)
        migrate(writer, back_up)  # type: ignore[arg-type]
        writer.set_trace_callback(None)

    schema.scripts = lambda: sorted(migrations.glob("*.sql"))
    schema.migrate = watched  # type: ignore[assignment]
    open_database(path, WORDING).close()


def is_killed(path: Path, migrations: Path, number: int) -> bool:
    process = begun(migrate_and_die, path, migrations, number)
    process.join()
    assert process.exitcode in (0, -signal.SIGKILL)
    return process.exitcode != 0


def version_of(path: Path) -> int:
    """Return the version of a killed file, whose schema must be of this version."""
    with closing(sqlite3.connect(path)) as conn:
        conn.row_factory = sqlite3.Row
        version = int(conn.execute("PRAGMA user_version").fetchone()[0])
        assert schema.schema_of(conn) == (schema.golden(version)[0] if version else set())
    return version


def lived_in(home: Path) -> dict[str, list[tuple[object, ...]]]:
    runtime = make_runtime(home)
    thread = chats.new_thread(runtime).id
    make_past(runtime.database, say(runtime, thread, "I drink tea.")[0].message.id)  # type: ignore[union-attr]
    known = everything(runtime.database.read())
    runtime.close()
    return known


@pytest.mark.slow
def test_a_killed_migration_is_done_or_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = lived_in(tmp_path / "planted")
    before = len(schema.scripts())
    migration = growth(tmp_path, monkeypatch)
    migration.write_text(rebuilt(), "utf-8")
    found = []
    for number in count():
        home = Path(shutil.copytree(tmp_path / "planted", tmp_path / str(number)))
        home.chmod(0o700)
        if not is_killed(home / "memapp.db", migration.parent, number):
            break
        found.append(version_of(home / "memapp.db"))
        runtime = bootstrap.start(home=home)
        assert_sound(runtime.database)
        assert everything(runtime.database.read()) == known
        assert len(list((home / "backups").glob(f"*-schema{before}-*.db"))) in (1, 2)
        assert not list(home.rglob("*.partial*"))
        runtime.close()
        assert version_of(home / "memapp.db") == before + 1
        shutil.rmtree(home)
    assert found == sorted(found) and set(found) == {before, before + 1}
    assert len(found) > len(list(schema.statements(rebuilt())))


@pytest.mark.slow
def test_a_file_half_made_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    migrations, versions = growth(tmp_path, monkeypatch).parent, []
    for number in count(step=23):
        home = tmp_path / str(number)
        if not is_killed(home / "memapp.db", migrations, number):
            break
        versions.append(version_of(home / "memapp.db"))
        runtime = bootstrap.start(home=home)
        assert_sound(runtime.database)
        runtime.close()
    assert len(versions) > 4
    assert versions == sorted(versions)
    assert versions[0] == 0, "each migration is done or not begun, and the next start goes on"
