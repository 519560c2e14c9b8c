"""Opening, locking, migrating, checking and backing up the one file."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from memapp.errors import Damaged, DiskFull, NewerSchema, StoreError, StoreLocked
from memapp.language.normal_form import WORDING
from memapp.store import schema
from memapp.store.connection import LOG_BYTES, PRAGMAS, barred, connect
from memapp.store.database import Database
from memapp.store.folder import keep_private, prepare_folder
from memapp.store.lock import Lock
from memapp.store.opening import open_database
from memapp.store.schema import APPLICATION_ID, statements
from memapp.store.sqlite_errors import translated_errors
from tests.builders import damage, until


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def note(database: Database, name: str = "theme", value: str = "1") -> None:
    with database.write() as conn:
        conn.execute("INSERT INTO interface VALUES ('me', ?, ?)", (name, value))


def noted(database: Database) -> list[str]:
    return [row["name"] for row in database.read().execute("SELECT name FROM interface")]


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_the_folder_and_every_file_are_for_the_owner_only(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        opened = open_database(tmp_path / "data" / "memapp.db", WORDING)
        opened.backup(tmp_path / "data" / "copy.db")
        assert mode(tmp_path / "data") == 0o700
        assert {
            file.name: mode(file) for file in (tmp_path / "data").iterdir() if mode(file) != 0o600
        } == {}
        opened.close()
    finally:
        os.umask(before)


@pytest.mark.parametrize("unsynced", [None])
def test_it_is_marked_as_ours_and_what_is_written_is_on_the_disk(database: Database) -> None:
    with database.write() as conn:
        read = {
            name: conn.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("application_id", "user_version")
        }
        assert read == {"application_id": APPLICATION_ID, "user_version": len(schema.scripts())}
        for name, value in (
            ("journal_mode", "wal"),
            ("foreign_keys", 1),
            ("recursive_triggers", 1),
            ("secure_delete", 1),
            ("synchronous", 2),
        ):
            assert conn.execute(f"PRAGMA {name}").fetchone()[0] == value


def test_several_write_to_one_file_and_hear_of_each_other(database: Database) -> None:
    other = open_database(database.path, WORDING)
    assert not other.changed_elsewhere() and not database.changed_elsewhere()
    note(other)
    assert database.changed_elsewhere(), "the other changed it"
    assert not database.changed_elsewhere(), "once"
    assert not other.changed_elsewhere(), "its own change is none of another"
    note(database, "chat")
    assert sorted(noted(other)) == ["chat", "theme"]
    other.close()
    with pytest.raises(StoreError), other.write():
        pass


def test_who_only_reads_writes_nothing(database: Database) -> None:
    reader = open_database(database.path, WORDING, read_only=True)
    assert reader.read().execute("SELECT count(*) FROM threads").fetchone()[0] == 0
    with pytest.raises(StoreError, match="for reading only"), reader.write():
        pass
    reader.close()


def test_the_lock_is_free_after_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "data" / "memapp.db"
    code = f"""
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from memapp.language.normal_form import WORDING
from memapp.store.opening import open_database
open_database(Path({str(path)!r}), WORDING)
os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == -9
    open_database(path, WORDING).close()


def test_a_newer_schema_is_refused_and_left_as_it_is(database: Database) -> None:
    database.close()
    other = sqlite3.connect(database.path)
    other.execute("PRAGMA user_version = 99")
    for number in range(len(schema.scripts()), 99):
        other.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name) VALUES ('memapp', ?)",
            (str(number),),
        )
    other.commit()
    other.close()
    before = database.path.read_bytes()
    with pytest.raises(NewerSchema, match="newer memapp"):
        open_database(database.path, WORDING)
    assert database.path.read_bytes() == before


@pytest.mark.parametrize("version", [7, -5, 99])
def test_a_damaged_version_is_set_right_and_told(database: Database, version: int) -> None:
    database.close()
    with closing(sqlite3.connect(database.path)) as conn:
        conn.execute(f"PRAGMA user_version = {version}")
    for read_only, said in ((True, ["has been repaired"]), (False, [])):
        told: list[str] = []
        open_database(database.path, WORDING, read_only=read_only, tell=told.append).close()
        assert [part for part in said if part in "".join(told)] == said and len(told) == len(said)
    assert not (database.path.parent / "backups").exists()
    with closing(sqlite3.connect(database.path)) as conn, conn:
        conn.execute(f"PRAGMA user_version = {version}")
        conn.execute("DROP INDEX memories_due")
    with pytest.raises(
        Damaged, match=f"its version is {version}, and it lists {len(schema.scripts())} migrations"
    ):
        open_database(database.path, WORDING)


@pytest.mark.parametrize(
    "spoil", [lambda lock: lock.write_text("a conflict copy"), Path.mkdir, os.mkfifo]
)
def test_a_lock_that_is_none_is_told(database: Database, spoil: Callable[[Path], object]) -> None:
    database.close()
    lock = database.path.with_name("memapp.db.lock")
    lock.unlink()
    spoil(lock)
    for read_only in (True, False):
        with pytest.raises(
            StoreError, match=r"The lock file .*memapp.db.lock cannot be used.*delete it"
        ) as told:
            open_database(database.path, WORDING, read_only=read_only)
        assert not isinstance(told.value, Damaged)


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    other = sqlite3.connect(folder / "other.db")
    other.execute("CREATE TABLE notes (text)")
    other.commit()
    other.close()
    with pytest.raises(StoreError, match="another program"):
        open_database(folder / "other.db", WORDING)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not a database at all, but long enough to be one" * 50,
        b"SQLite format 3\x00" + b"\xff" * 4096,
    ],
)
def test_a_file_that_is_no_database_is_told_or_made_anew(tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    path = folder / "memapp.db"
    path.write_bytes(content)
    if content:
        with pytest.raises(StoreError, match="damaged, or is not a database"):
            open_database(path, WORDING)
        assert path.read_bytes() == content
    else:
        open_database(path, WORDING).close()


def test_links_and_open_folders_are_refused(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(real)
    with pytest.raises(StoreError, match="is a link"):
        open_database(tmp_path / "link" / "memapp.db", WORDING)
    (real / "memapp.db").symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(StoreError, match="is a link"):
        open_database(real / "memapp.db", WORDING)
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    with pytest.raises(StoreError, match="Other users can write"):
        open_database(shared / "memapp.db", WORDING)


def test_what_others_may_have_written_is_refused_and_what_they_could_read_is_closed_to_them(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.close()
    database.path.chmod(0o644)
    open_database(database.path, WORDING).close()
    assert mode(database.path) == 0o600
    database.path.chmod(0o620)
    with pytest.raises(StoreError, match=r"Other users can write to .*memapp.db.* chmod 600"):
        open_database(database.path, WORDING)
    database.path.chmod(0o600)
    owner = os.getuid()
    monkeypatch.setattr("os.getuid", lambda: owner + 1)
    with pytest.raises(StoreError, match="belongs to another user"):
        keep_private(database.path)


def test_a_folder_of_another_machine_is_refused(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.close()
    mounts = tmp_path / "mounts"
    monkeypatch.setattr("memapp.store.folder.MOUNTS", mounts)
    here = "/dev/vda / ext4 rw 0 0\n"
    for lines, refused in (
        (here, False),
        (f"{here}server:/home {tmp_path} nfs4 rw 0 0\n", True),
        (
            (
                f"{here}server:/home {tmp_path} nfs4 rw 0 0\n"
                f"tmpfs {database.path.parent} tmpfs rw 0 0\n"
            ),
            False,
        ),
        (f"{here}server:/home {tmp_path}/other nfs4 rw 0 0\n", False),
        (f"ext4 {tmp_path} ext4 rw 0 0\nserver:/home {tmp_path} fuse.sshfs rw 0 0\n", True),
    ):
        mounts.write_text(lines, "utf-8")
        if refused:
            with pytest.raises(StoreError, match="on another machine"):
                prepare_folder(database.path.parent)
        else:
            prepare_folder(database.path.parent)


def test_a_transaction_that_fails_leaves_nothing(database: Database) -> None:
    with pytest.raises(RuntimeError), database.write() as conn:
        conn.execute("INSERT INTO interface VALUES ('me', 'theme', '1')")
        raise RuntimeError
    assert noted(database) == []
    with database.write() as conn:
        conn.execute("INSERT INTO interface VALUES ('me', 'theme', '1')")
        with (
            pytest.raises(RuntimeError),
            database.write(),
        ):  # nor does a part of one, and the rest goes on
            conn.execute("INSERT INTO interface VALUES ('me', 'big', '1')")
            raise RuntimeError
    assert noted(database) == ["theme"]


def test_a_full_disk_is_told_and_writing_goes_on_after(database: Database) -> None:
    with database.write() as conn:
        pages = conn.execute("PRAGMA page_count").fetchone()[0]
    database._writer.set_authorizer(None)  # type: ignore[union-attr]
    database._writer.execute(f"PRAGMA max_page_count = {pages + 2}")  # type: ignore[union-attr]
    big = f'"{"x" * 100_000}"'
    with pytest.raises(DiskFull, match="No space left"):
        note(database, "big", big)
    database._writer.execute("PRAGMA max_page_count = 1000000")  # type: ignore[union-attr]
    note(database, "big", big)
    assert noted(database) == ["big"]


def test_nothing_is_written_into_a_file_that_left_its_place(database: Database) -> None:
    elsewhere = database.path.with_name("moved.db")
    database.path.rename(elsewhere)
    for put_there in ("nothing", "another"):
        if put_there == "another":
            shutil.copy(elsewhere, database.path)
        with pytest.raises(StoreError, match="moved, removed or replaced"), database.write():
            pass
    elsewhere.rename(database.path)
    note(database)
    for suffix in ("", "-wal", "-shm"):
        database.path.with_name(database.path.name + suffix).rename(
            elsewhere.with_name(elsewhere.name + suffix)
        )
    database.close()
    assert not database.path.exists() and names_in(elsewhere) == {"theme"}


@pytest.mark.parametrize("removed", [("-shm",), ("-wal",), ("-wal", "-shm")])
def test_logs_that_were_removed_lose_nothing(database: Database, removed: tuple[str, ...]) -> None:
    database.close()  # all there is stands in the file
    database = open_database(database.path, WORDING)
    note(database, "mine")
    for suffix in removed:
        database.path.with_name(database.path.name + suffix).unlink()
    if removed == (
        "-wal",
    ):  # what is read by the index of another log is rubbish, and spoils what is written after
        with pytest.raises(
            StoreError, match=r"memapp\.db-wal was removed while another memapp has the file open"
        ):
            open_database(database.path, WORDING, read_only=True)
    other = [sys.executable, "-m", "tests.reliability.writer", str(database.path), "1"]
    told = subprocess.run(
        other, capture_output=True, text=True, check=True
    ).stdout  # refused where only the log is gone
    told_so = pytest.raises(
        StoreError,
        match=rf"memapp.db{removed[0]} was removed or replaced.*what was saved before is kept",
    )
    with told_so:
        note(database, "too late")
    with told_so:  # and not that the file is damaged
        database.read().execute("SELECT json('{')").fetchall()
    with suppress(StoreError):
        database.changed_elsewhere()  # as a window looks, again and again
    database.close()
    kept = {"mine", *(["row 0"] if "ACK 0" in told else [])}
    aside = list((database.path.parent / "damaged").glob("memapp.db-removed-log-*.db"))
    assert len(aside) == (len(removed) == 2), "two logs, each with what the other lacks"
    found = [names_in(path) for path in (database.path, *aside)]
    assert set().union(*found) == kept


def names_in(path: Path) -> set[str]:
    opened = open_database(path, WORDING)
    try:
        return set(noted(opened))
    finally:
        opened.close()


@pytest.mark.parametrize(("free", "kind"), [(0, DiskFull), (1 << 30, StoreError)])
def test_a_disk_without_room_for_the_index_of_the_log_is_full(
    database: Database, monkeypatch: pytest.MonkeyPatch, free: int, kind: type
) -> None:
    monkeypatch.setattr("os.statvfs", lambda _: SimpleNamespace(f_bavail=free, f_frsize=1))
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    with pytest.raises(StoreError) as told, translated_errors(database.path):
        raise error
    assert told.type is kind


def test_what_is_closed_is_read_and_copied_where_the_disk_is_full(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note(database)
    database.close()
    monkeypatch.setattr("os.statvfs", lambda _: SimpleNamespace(f_bavail=0, f_frsize=1))
    reader = open_database(database.path, WORDING, read_only=True)
    assert noted(reader) == ["theme"]
    reader.examine()
    copy = reader.backup(tmp_path / "copy.db")
    actual = {file.name for file in database.path.parent.iterdir()}
    assert actual == {"memapp.db", "memapp.db.lock"}, "no index was needed"
    reader.close()
    assert names_in(copy) == {"theme"}


def test_a_migration_makes_a_backup_where_it_can_and_a_broken_one_changes_nothing(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note(database)
    database.close()
    scripts = tmp_path / "migrations"
    scripts.mkdir()
    released = schema.scripts()
    for script in released:
        shutil.copy(script, scripts)
    broken = scripts / "9999_broken.sql"
    broken.write_text("CREATE TABLE fresh (a);\nINSERT INTO nowhere VALUES (1);", "utf-8")
    monkeypatch.setattr(schema, "scripts", lambda: sorted(scripts.glob("*.sql")))
    with pytest.raises(StoreError):
        open_database(database.path, WORDING)
    (backup,) = (folder := database.path.parent / "backups").iterdir()
    assert sqlite3.connect(backup).execute("SELECT value FROM interface").fetchone()[0] == "1"
    broken.write_text("CREATE TABLE fresh (a);", "utf-8")
    shutil.rmtree(folder)
    folder.write_text("where no copy can be written")
    said, why = list[str](), f"Cannot use {folder}: File exists."
    opened = open_database(database.path, WORDING, tell=said.append)
    assert (
        opened.news
        == said
        == [f"{database.path} was brought up to date, but not backed up before. {why}"]
    )
    assert opened.read().execute("SELECT count(*) FROM fresh").fetchone()[0] == 0
    assert opened.read().execute("PRAGMA user_version").fetchone()[0] == len(released) + 1
    opened.close()


@pytest.mark.parametrize("large", [False, True])
def test_a_search_index_that_went_wrong_is_rebuilt(
    database: Database, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    if large:
        monkeypatch.setattr("memapp.store.opening.LARGE_BYTES", 0)
    with database.write() as conn:
        conn.execute("INSERT INTO memories_fts (rowid, text, tags) VALUES (7, 'ghost', '')")
    with pytest.raises(StoreError, match="search index"):
        database.examine()
    database.close()
    opened = open_database(database.path, WORDING)
    opened.check()
    assert (
        opened.read()
        .execute("SELECT count(*) FROM memories_fts WHERE memories_fts MATCH 'ghost'")
        .fetchone()[0]
        == 0
    )
    assert (opened.mended, opened.checked) == (True, True)
    opened.examine()
    opened.close()


def test_looking_at_the_search_gives_way_to_who_writes(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memapp.store.database.STEPS_BETWEEN_LOOKS", 1)
    with database.write() as conn:
        conn.execute("INSERT INTO memories_fts (rowid, text, tags) VALUES (7, 'ghost', '')")
    database.checked = False
    with ThreadPoolExecutor(1) as other:
        with database.write():
            looking = other.submit(database.check)
            with pytest.raises(TimeoutError):
                looking.result(0.2)
        looking.result()
    assert database.mended


def test_a_trigger_is_one_statement() -> None:
    script = (
        "-- a note; with a semicolon\nCREATE TABLE a (b);\n"
        "CREATE TRIGGER t AFTER INSERT ON a BEGIN\n  DELETE FROM a;\nEND;\n"
    )
    assert len(list(statements(script))) == 2


def test_the_lock_is_free_after_closing_on_another_thread(tmp_path: Path) -> None:
    path = tmp_path / "data" / "memapp.db"
    with ThreadPoolExecutor(1) as other:
        opened = other.submit(open_database, path, WORDING).result()
    lock = Lock(path)
    assert not lock.take()
    opened.close()
    assert lock.take()
    lock.release()


def test_a_file_that_must_be_migrated_waits_for_the_others_and_gives_up_in_words(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer, released = tmp_path / "9999_newer.sql", schema.scripts()
    newer.write_text("CREATE TABLE newer (x TEXT) STRICT;", "utf-8")
    monkeypatch.setattr(schema, "scripts", lambda: [*released, newer])
    monkeypatch.setattr("memapp.store.lock.ALONE_SECONDS", 0.1)
    for read_only in (True, False):
        told: list[str] = []
        with pytest.raises(StoreLocked, match="needed alone for a moment"):
            open_database(database.path, WORDING, read_only=read_only, tell=told.append)
        assert told == [f"Waiting for others to close {database.path}…"]
    with closing(sqlite3.connect(database.path)) as conn:
        assert conn.execute("PRAGMA user_version").fetchone()[0] == len(released), (
            "nothing was changed"
        )
    database.close()
    reader = open_database(database.path, WORDING, read_only=True)
    assert reader.read().execute("SELECT count(*) FROM newer").fetchone()[0] == 0, (
        "who only wants to read migrates it too"
    )
    reader.close()


def test_who_is_in_the_way_of_one_that_needs_the_file_alone_knows(database: Database) -> None:
    assert not database.is_wanted()
    with ThreadPoolExecutor(1) as other:
        waiting = other.submit(Lock(database.path).take, 10)
        until(database.is_wanted)
        database.close()
        assert waiting.result()


def test_nobody_writes_to_a_barred_file_and_no_writer_is_barred(database: Database) -> None:
    with closing(connect(database.path, read_only=False, patience=0)) as other:
        with barred(database.path), pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="locked"), barred(database.path):
            pass


@pytest.mark.parametrize(
    ("commits", "long"), [(200, 1 << 20), pytest.param(3000, 16 << 20, marks=pytest.mark.slow)]
)
def test_the_log_stays_short_beside_a_reader_that_forgot_to_end(
    database: Database, commits: int, long: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "LONG_LOG_BYTES": long,
        "LOG_BYTES": long // 4,
        "LONGEST_READ_SECONDS": 0.0,
    }.items():
        monkeypatch.setattr(f"memapp.store.database.{name}", value)
    monkeypatch.setitem(PRAGMAS, "journal_size_limit", long // 4)
    database = open_database(database.path, WORDING)
    with database.write() as conn:
        conn.executemany(
            "INSERT INTO interface VALUES ('me', ?, '1')",
            [(f"row {number}",) for number in range(100)],
        )
    pinned = database.read().execute("SELECT * FROM interface")
    pinned.fetchone()
    sizes = []
    for number in range(commits):
        with database.write() as conn:
            conn.execute(
                "UPDATE interface SET value = ? WHERE name = 'row 1'", (f'"{str(number) * 2000}"',)
            )
        sizes.append(database.log_bytes())
    assert long < max(sizes) < long + 100_000, "until then it could only grow"
    assert sizes[-1] < long // 2
    with pytest.raises(StoreError):
        pinned.fetchall()
    database.close()


def test_the_log_is_written_over_and_not_cut_and_made_long_anew(database: Database) -> None:
    text, sizes = "x" * 100_000, []
    for number in range(100):
        note(database, f"row {number}", f'"{text}"')
        sizes.append(database.log_bytes())
    full = next(at for at, size in enumerate(sizes) if size > LOG_BYTES)
    assert set(sizes[full + 1 : full + 20]) == {LOG_BYTES}
    assert max(sizes) < LOG_BYTES + 2 * len(text)


@pytest.fixture
def damaged_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that counts as large, closed and then damaged."""
    monkeypatch.setattr("memapp.store.opening.LARGE_BYTES", 0)
    path = tmp_path / "data" / "memapp.db"
    open_database(path, WORDING).close()
    damage(path, "memories_due")
    return path


def test_a_large_file_closed_properly_is_read_after_the_start(damaged_large: Path) -> None:
    database = open_database(damaged_large, WORDING)
    try:
        assert not database.checked
        with pytest.raises(StoreError, match="damaged"):
            database.check()
    finally:
        database.close()


def test_a_large_file_not_closed_is_read_through_before_all(damaged_large: Path) -> None:
    damaged_large.with_name("memapp.db-wal").write_bytes(b"what a kill left")
    with pytest.raises(StoreError, match="damaged"):
        open_database(damaged_large, WORDING)


@pytest.mark.parametrize(
    "read",
    [
        lambda rows: rows.fetchone(),
        lambda rows: rows.fetchmany(1),
        lambda rows: rows.fetchmany(),
        lambda rows: rows.fetchall(),
        lambda rows: next(rows),
        lambda rows: list(rows),
    ],
)
def test_a_damaged_page_is_told_of_however_it_is_read(
    database: Database, read: Callable[[sqlite3.Cursor], object]
) -> None:
    with database.write() as conn:
        for number in range(200):
            conn.execute(
                "INSERT INTO interface VALUES ('me', ?, ?)", (f"{number:03}", f'"{number:0500}"')
            )
    rows = database.read().execute("SELECT value FROM interface WHERE user_id = 'me' ORDER BY name")
    assert [
        len(rows.fetchone()["value"]),
        len(next(rows)["value"]),
        len(rows.fetchmany(3)),
        len(list(rows)),
    ] == [502, 502, 3, 195]
    database.close()
    with database.path.open("r+b") as file:
        file.seek(file.read().index(f"{150:0500}".encode()) // 4096 * 4096)
        file.write(b"\x05" * 4096)
    reader = Database(database.path, None, None, WORDING)  # not looked at before
    rows = reader.read().execute("SELECT value FROM interface WHERE user_id = 'me' ORDER BY name")
    assert rows.fetchone()["value"].endswith('0"')
    with pytest.raises(StoreError, match="damaged"):
        for _ in range(200):
            read(rows)
    with pytest.raises(StoreError, match="no such table"):
        reader.read().execute("SELECT 1 FROM nowhere")
    reader.close()


def test_what_is_only_rehearsed_does_not_stay(database: Database) -> None:
    with database.rehearse() as conn:
        conn.execute("INSERT INTO interface VALUES ('me', 'theme', '1')")
        with database.decide() as deciding:
            assert deciding.execute("SELECT count(*) FROM interface").fetchone()[0] == 1
    assert noted(database) == []
    with pytest.raises(ValueError, match="told on"), database.rehearse():
        raise ValueError("told on")
    with database.write() as conn:
        assert not conn.execute("SELECT * FROM interface").fetchall()


def test_a_closed_file_is_not_opened_again_by_a_late_reader(database: Database) -> None:
    database.read()
    with ThreadPoolExecutor(8) as others:
        started = [others.submit(database.read) for _ in range(200)]
        database.close()
        ends = [future.exception() for future in started]
    assert {type(end) for end in ends} <= {type(None), StoreError}
    for opened in (
        future.result() for future, end in zip(started, ends, strict=True) if end is None
    ):
        with pytest.raises(StoreError):
            opened.execute("SELECT 1")
    with pytest.raises(StoreError, match="closed"):
        database.read()


def test_a_connection_closes_when_the_query_of_another_thread_has_ended(database: Database) -> None:
    """SQLite frees what a query stands on; Python ends with a segmentation fault where one still
    runs.
    """
    reader, ended = connect(database.path, read_only=True), list[str]()
    began = threading.Event()

    def slow() -> int:
        began.set()
        time.sleep(0.05)
        ended.append("slow")
        return 1

    reader.create_function("slow", 0, slow)
    with ThreadPoolExecutor(1) as other:
        query = other.submit(lambda: reader.execute("SELECT slow()"))
        assert began.wait(10)
        reader.close()
        assert ended, "it closed when the query had ended"
        query.result(10)
    with pytest.raises(StoreError):
        reader.execute("SELECT 1")


def test_what_fails_while_it_closes_keeps_no_other_memapp_out(database: Database) -> None:
    database._writer.close()  # type: ignore[union-attr]
    database.close()
    again = open_database(database.path, WORDING)
    assert not again.read_only
    again.close()


def test_a_pipe_or_device_is_not_opened_nor_replaced(database: Database, tmp_path: Path) -> None:
    pipe = tmp_path / "memapp.db"
    os.mkfifo(pipe)
    for read_only in (True, False):
        with pytest.raises(StoreError, match="no plain file"):
            open_database(pipe, WORDING, read_only=read_only)
    with pytest.raises(StoreError, match="no plain file"):
        database.backup(pipe)
    assert pipe.is_fifo()


def test_a_row_that_is_no_text_is_told_without_it_and_frees_the_file(database: Database) -> None:
    with database.write() as conn:
        conn.execute("INSERT INTO interface VALUES ('me', 'note', '\"Zqarla\"')")
    database.close()
    database.path.write_bytes(database.path.read_bytes().replace(b"Zqarla", b"Zqarl\xff"))
    opened = open_database(database.path, WORDING)
    note(opened, "other")
    with pytest.raises(StoreError, match="damaged") as told:
        opened.read().execute("SELECT value FROM interface").fetchall()
    assert "Zqar" not in str(told.value)
    opened.close()
    with closing(sqlite3.connect(database.path)) as conn:
        assert conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
