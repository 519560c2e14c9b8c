"""A disk that fails, loses its power, or gives back other bytes: nothing acknowledged is lost, and
no damage goes untold.
"""

import random
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from memapp.errors import StoreError
from memapp.language.normal_form import WORDING
from memapp.services import backups, curate
from memapp.store import restore
from memapp.store.database import Database
from memapp.store.file_copies import BACKUPS, new_copy
from memapp.store.opening import open_database
from tests.builders import Clock, make_runtime
from tests.reliability.killed_processes import usually
from tests.reliability.test_kill import assert_sound

pytestmark = pytest.mark.slow
TRACE = ("strace", "-f", "-y", "-qq", "--seccomp-bpf", "-e", "signal=none")
needs_strace = pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")


def rows_in(path: Path) -> set[int]:
    with closing(sqlite3.connect(path)) as conn:
        assert conn.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        return {
            int(name.split()[1])
            for (name,) in conn.execute("SELECT name FROM interface WHERE name LIKE 'row %'")
        }


def written(path: Path, *arguments: object, trace: tuple[str, ...] = ()) -> str:
    command = [
        *trace, sys.executable, "-m", "tests.reliability.writer", str(path), *map(str, arguments),
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def acknowledged(said: str) -> set[int]:
    return {int(number) for number in re.findall(r"ACK (\d+)", said)}


@needs_strace
@pytest.mark.parametrize(("synchronous", "all_of_them"), [(2, True), (1, False)])
def test_all_acknowledged_was_synced(tmp_path: Path, synchronous: int, all_of_them: bool) -> None:
    trace = tmp_path / "trace"
    said = written(
        tmp_path / "data" / "memapp.db",
        *(30, synchronous),
        trace=(*TRACE, "-o", str(trace), "-e", "trace=pwrite64,fdatasync,fsync,write"),
    )
    assert len(acknowledged(said)) == 30
    waiting, early = False, 0
    for line in trace.read_text("utf-8").splitlines():
        if "db-wal>" in line:
            waiting = "pwrite64(" in line
        elif '"ACK' in line:
            early += waiting
    assert (early == 0) is all_of_them, (
        "NORMAL is the control: it must be seen to acknowledge too early"
    )


def test_a_log_cut_anywhere_ends_with_a_whole_row(tmp_path: Path) -> None:
    path = tmp_path / "data" / "memapp.db"
    count = len(acknowledged(written(path, 8)))
    whole, log = path.read_bytes(), path.with_name("memapp.db-wal").read_bytes()
    frame = 24 + int.from_bytes(log[8:12])
    found = []
    cut = tmp_path / "cut.db"
    for end in [*range(32, len(log) + 1, frame), *range(32 + 512, len(log), 16384 + 512)]:
        cut.write_bytes(whole)
        cut.with_name("cut.db-wal").write_bytes(log[:end])
        if end > 32 + frame:  # before, not even the tables are there
            found.append((end, rows_in(cut) if has_tables(cut) else set()))
        for beside in tmp_path.glob("cut.db*"):
            beside.unlink()
    found.sort(key=lambda one: one[0])
    assert all(rows == set(range(len(rows))) for _, rows in found)
    assert [len(rows) for _, rows in found] == sorted(len(rows) for _, rows in found)
    assert found[-1][1] == set(range(count))


def has_tables(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as conn:
        return (
            conn.execute("SELECT 1 FROM sqlite_master WHERE name = 'interface'").fetchone()
            is not None
        )


@needs_strace
@pytest.mark.parametrize("number", [1, 4, 9])
@pytest.mark.parametrize("call", ["pwrite64", "fdatasync"])
def test_a_disk_that_fails_loses_nothing_told(tmp_path: Path, call: str, number: int) -> None:
    path = tmp_path / "data" / "memapp.db"
    written(path, 0)
    said = written(
        path, 6, trace=(*TRACE, "-o", "/dev/null", "-e", f"inject={call}:error=EIO:when={number}")
    )
    assert acknowledged(said) <= rows_in(path)
    again = open_database(path, WORDING)
    assert_sound(again)
    again.close()


def test_each_backup_of_a_storm_of_writes_is_a_state_that_was(tmp_path: Path) -> None:
    database = open_database(tmp_path / "data" / "memapp.db", WORDING)
    clock, over = Clock(), threading.Event()

    def storm() -> None:
        for number in range(100_000):
            if over.is_set():
                return
            with database.write() as conn:
                conn.execute("INSERT INTO interface VALUES ('me', ?, '1')", (f"row {number}",))
                conn.execute(
                    "INSERT OR REPLACE INTO interface VALUES ('me', 'rows', ?)", (str(number + 1),)
                )

    writing = threading.Thread(target=storm)
    writing.start()
    seen = []
    for _ in range(20):
        copy = database.backup(new_copy(database.path, BACKUPS, "auto", clock()))
        rows = rows_in(copy)
        with closing(sqlite3.connect(copy)) as conn:
            assert conn.execute("SELECT sum(value) FROM interface WHERE name = 'rows'").fetchone()[
                0
            ] in (len(rows), None)
        assert rows == set(range(len(rows)))
        seen.append(len(rows))
    over.set()
    writing.join()
    database.close()
    assert seen == sorted(seen) and seen[-1] > seen[0]


# Damage -------------------------------------------------------------------------------------------

KNOWN = [f"User knows fact number {number} of the drill." for number in range(100)]
Spoil = Callable[[Path, random.Random], None]


def flip(path: Path, chance: random.Random) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(chance.randint(1, 64)):
        content[chance.randrange(len(content))] ^= chance.randint(1, 255)
    path.write_bytes(content)


def cut_short(path: Path, chance: random.Random) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: chance.randrange(len(content))])


def empty_a_page(path: Path, chance: random.Random) -> None:
    content = path.read_bytes()
    start = chance.randrange(len(content) // 4096) * 4096
    path.write_bytes(content[:start] + bytes(4096) + content[start + 4096 :])


def put_another_log(path: Path, chance: random.Random) -> None:
    other = path.with_name("other.db")
    with closing(sqlite3.connect(other)) as conn:
        conn.execute("PRAGMA journal_mode = wal")
        for number in range(chance.randint(1, 20)):
            conn.execute(f"CREATE TABLE other{number} (x)")
            conn.commit()
        shutil.copyfile(f"{other}-wal", f"{path}-wal")


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed file with every kind of content, and a backup."""
    home = tmp_path_factory.mktemp("known") / "home"
    runtime = make_runtime(home)
    for text in KNOWN:
        curate.add(runtime, text)
    runtime.database.backup(new_copy(runtime.paths.database, BACKUPS, "auto", runtime.clock()))
    runtime.close()
    return home


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    database = open_database(path, WORDING)
    try:
        yield database
    finally:
        database.close()


def tells_all(database: Database) -> bool:
    return sorted(
        row["text"] for row in database.read().execute("SELECT text FROM memories")
    ) == sorted(KNOWN)


@pytest.mark.parametrize(
    ("spoil", "times"),
    [
        (flip, usually(12, thorough=60)),
        (cut_short, usually(10, thorough=20)),
        (empty_a_page, usually(10, thorough=40)),
        (put_another_log, usually(5, thorough=10)),
    ],
)
def test_damage_is_told_or_everything_is_right_and_a_backup_helps(
    known: Path, tmp_path: Path, spoil: Spoil, times: int
) -> None:
    chance = random.Random(11)
    told = 0
    for number in range(times):
        home = Path(shutil.copytree(known, tmp_path / str(number)))
        home.chmod(0o700)
        path = home / "memapp.db"
        spoil(path, chance)
        try:
            with opened(path) as database:
                assert tells_all(database) or database.mended
        except StoreError:
            told += 1
            backup = backups.newest_sound(path)
            assert backup is not None
            before = path.read_bytes()
            aside = backups.put_back(path, backup.path)
            assert aside is not None and (spoil is put_another_log or aside.read_bytes() == before)
            with opened(path) as database:
                assert tells_all(database)
        shutil.rmtree(home)
    assert told


def test_a_damaged_backup_is_refused_or_whole(known: Path, tmp_path: Path) -> None:
    chance = random.Random(13)
    refused = []
    for number in range(usually(12, thorough=60)):
        home = Path(shutil.copytree(known, tmp_path / str(number)))
        home.chmod(0o700)
        path, foreign = home / "memapp.db", home / "from-elsewhere.db"
        shutil.copyfile(path, foreign)
        if number:
            chance.choice((flip, cut_short, empty_a_page))(foreign, chance)
        before = path.read_bytes()
        try:
            restore.put_in_place(path, foreign, Clock()())
        except StoreError:
            refused.append(number)
            assert path.read_bytes() == before
        with opened(path) as database:
            assert tells_all(database) or database.mended
        shutil.rmtree(home)
    assert refused and 0 not in refused, "the first is not damaged"
