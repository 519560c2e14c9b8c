"""Files beside a memory file: those of another memory, or of another program, stay as they are."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memapp import bootstrap
from memapp.domain.forget import Receipt
from memapp.errors import Damaged, DiskFull
from memapp.runtime import Runtime
from memapp.services import backups, curate, forget
from memapp.store import restore
from memapp.store.backups import let_go_of_old
from memapp.store.file_copies import BACKUPS, copies, from_backup, new_copy, read_id
from memapp.store.file_copies import backups as place_backups
from memapp.store.forget import purge_jobs
from memapp.store.forget.purge_jobs import PurgeJob
from tests.builders import damage, word_list


def opened(path: Path) -> Runtime:
    runtime = bootstrap.start(home=path.parent, database=path)
    runtime.clock = lambda: datetime.now(UTC) + timedelta(hours=1)  # a backup is due
    return runtime


def remember(path: Path, *texts: str) -> None:
    """Add memories to a file, and back it up."""
    runtime = opened(path)
    for text in texts:
        curate.add(runtime, text)
    backups.run(runtime)
    runtime.close()


def raising(error: Exception) -> Callable[..., object]:
    def fail(*_: object) -> object:
        raise error

    return fail


def known(path: Path) -> set[str]:
    runtime = opened(path)
    try:
        return {memory.text for memory in curate.list_memories(runtime)}
    finally:
        runtime.close()


def erase(path: Path, words: str) -> Receipt:
    runtime = opened(path)
    try:
        return forget.forget_everywhere(runtime, words)
    finally:
        runtime.close()


@pytest.mark.parametrize("name", ["y.owner", "y.lock", "y.db.lock", "y"])
def test_a_memory_may_have_any_name(tmp_path: Path, name: str) -> None:
    remember(tmp_path / name, "One.")
    remember(tmp_path / name, "Two.")
    assert known(tmp_path / name) == {"One.", "Two."}


def test_what_lies_beside_a_memory_is_left_alone(tmp_path: Path) -> None:
    beside = [
        tmp_path / name
        for name in word_list("poetry.owner poetry.lock poetry poetry.txt poetry-restored.partial")
    ]
    for path in beside:
        path.write_text("a poem")
    remember(tmp_path / "poetry.db", "One.")
    assert known(tmp_path / "poetry.db") == {"One."}
    assert [path.read_text() for path in beside] == ["a poem"] * len(beside)


def test_memories_with_names_that_end_apart_have_their_own_backups(tmp_path: Path) -> None:
    first, second = tmp_path / "notes.db", tmp_path / "notes.sqlite"
    remember(first, "User keeps bees.")
    remember(second, "User keeps Zqarla bees.")
    assert [len(copies(path)) for path in (first, second)] == [1, 1]
    assert erase(first, "Zqarla").backups_cleaned == 0
    assert b"Zqarla" in copies(second)[0].path.read_bytes()
    (of_first,) = copies(first)
    of_first.path.unlink()
    damage(first, "memories_due")
    assert backups.newest_sound(first) is None and "no backup" in from_backup(first)


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_bytes(b"")])
def test_a_lost_memory_offers_its_backup(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    path = tmp_path / "notes.db"
    remember(path, "User keeps bees.")
    (copy,) = copies(path)
    spoil(path)
    with pytest.raises(
        Damaged,
        match=f"notes.db is (gone|empty).*To begin anew, move .*backups elsewhere.*{copy.path}",
    ):
        opened(path)
    found = backups.newest_sound(path)
    assert found is not None
    backups.put_back(path, found.path)
    assert known(path) == {"User keeps bees."}


def test_erasing_and_age_reach_the_copies_of_a_memory_that_lay_there_before(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    remember(path, "User keeps Zqarla bees.")
    (before,) = copies(path)
    path.rename(tmp_path / "kept elsewhere")
    (tmp_path / BACKUPS).rename(tmp_path / "moved")
    remember(path, "User keeps hens.")
    (mine,) = copies(path)
    old = [
        new_copy(path, BACKUPS, "auto", datetime.now(UTC) - timedelta(days=days))
        for days in (40, 25, 24)
    ]
    for file in (before.path, *old):
        shutil.copy(tmp_path / "moved" / before.path.name, file)
    let_go_of_old(path, datetime.now(UTC))
    assert [path.exists() for path in old] == [False, True, True], (
        "none makes room for those of the memory that is there now"
    )
    assert restore.is_of_another(path, before.path) and place_backups(path) == [mine]
    receipt = erase(path, "Zqarla")
    assert (receipt.left, receipt.backups_cleaned) == ((), 3)
    assert not any(b"Zqarla" in path.read_bytes() for path in (tmp_path / BACKUPS).iterdir())


def test_what_a_killed_process_was_writing_is_removed_at_the_next_start(tmp_path: Path) -> None:
    of_dead, of_living = f".{2**22 + 1}.part", f".{os.getpid()}.part"
    gone = [tmp_path / f"cache/model.gguf{of_dead}", tmp_path / f"config.toml{of_dead}"]
    stays = [
        tmp_path / "cache/models/big.gguf.0123abcd.part",
        tmp_path / f"cache/model.gguf{of_living}",
        tmp_path / "song.part",
    ]
    (tmp_path / "cache" / "models").mkdir(parents=True)
    for path in (*gone, *stays):
        path.touch()
    opened(tmp_path / "notes.db").close()
    assert [path.exists() for path in (*gone, *stays)] == [False] * 2 + [True] * 3


OUT_OF_REACH = """
import sys
from pathlib import Path
from memapp import bootstrap
from memapp.services import curate, forget
from memapp.store.file_copies import BACKUPS, new_copy

runtime = bootstrap.start(home=Path(sys.argv[1]))
for of_folder, of_copy in ((0o500, 0o600), (0, 0o600), (0o700, 0)):
    curate.add(runtime, "User's dog is called Zqarla.")
    place = new_copy(runtime.paths.database, BACKUPS, "auto", runtime.clock())
    copy = runtime.database.backup(place)
    copy.chmod(of_copy)
    copy.parent.chmod(of_folder)
    assert forget.preview(runtime, "Zqarla")
    print(str(forget.forget_everywhere(runtime, "Zqarla")).replace(copy.name, "copy"))
    copy.parent.chmod(0o700)
    if of_copy:
        copy.unlink()
runtime.close()
copy.parent.chmod(0o500)
bootstrap.start(home=Path(sys.argv[1])).close()
copy.parent.chmod(0o700)
"""


@pytest.mark.slow
def test_copies_out_of_reach_stop_no_erasure_and_no_start_and_are_named(tmp_path: Path) -> None:
    bound = (
        ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    )
    done = subprocess.run(
        [*bound, sys.executable, "-c", OUT_OF_REACH, tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    unwritable, unlisted, unreadable = done.stdout.splitlines()
    named = (
        "Not looked into, or not changed: {}. It may still stand there: let memapp write there, and"
    )
    for said, name in ((unwritable, "copy"), (unlisted, "backups"), (unreadable, "copy")):
        assert named.format(name) in said and "longer words" not in said
    assert "files scanned (copy)." in unwritable, "it can be read, and is counted"


def test_an_unfinished_erasure_bars_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "notes.db"
    remember(path, "User keeps Zqarla bees.", "User keeps hens.")
    runtime = opened(path)
    with runtime.decide() as session:
        purge_jobs.plan(session, PurgeJob(words=("Zqarla",)))
    runtime.close()
    with monkeypatch.context() as patched:
        patched.setattr(
            "memapp.store.text_traces._erase_inside", raising(DiskFull("No space left."))
        )
        assert known(path) == {"User keeps Zqarla bees.", "User keeps hens."}
    assert known(path) == {"User keeps hens."}


def test_the_backups_of_a_memory_stay_its_own_when_one_was_put_back(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    remember(path, "User keeps Zqarla bees.")
    (first,) = copies(path)
    remember(path, "User keeps hens.")
    assert not restore.is_of_another(path, first.path)
    aside = restore.put_in_place(path, first.path, datetime.now(UTC))
    assert aside is not None and read_id(aside) == read_id(path) == read_id(first.path)
    assert known(path) == {"User keeps Zqarla bees."}
    receipt = erase(path, "Zqarla")
    assert (receipt.left, receipt.backups_cleaned) == ((), len(copies(path)))
    assert not any(b"Zqarla" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_file_whose_id_is_damaged_keeps_its_backups_by_name(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    remember(path, "User keeps bees.")
    (copy,) = copies(path)
    path.unlink()
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.execute("CREATE TABLE memory_file (id)")
        conn.execute("INSERT INTO memory_file VALUES (?)", (b"01J",))
    assert [backup.path for backup in copies(path)] == [copy.path]


def test_what_one_process_does_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "notes.db"
    remember(path, "User keeps bees.")
    (copy,) = copies(path)
    remember(path, "User keeps hens.")

    def beside(*arguments: object) -> object:
        assert known(path) == {"User keeps bees.", "User keeps hens."}, (
            "another process starts, and ends"
        )
        return write_over(*arguments)  # type: ignore[arg-type]

    write_over = restore._write_over
    monkeypatch.setattr(restore, "_write_over", beside)
    restore.put_in_place(path, copy.path, datetime.now(UTC))
    assert known(path) == {"User keeps bees."}


def test_a_copy_that_cannot_be_read_counts_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    remember(path, "User keeps bees.")
    torn = new_copy(path, BACKUPS, "auto", datetime.now(UTC))
    torn.write_bytes(b"SQLite format 3\x00 and then Zqarla, and nothing more of it")
    assert torn in [backup.path for backup in copies(path)]
    assert erase(path, "Zqarla").backups_dropped == 1
    assert not torn.exists()
