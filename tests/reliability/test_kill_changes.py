"""Killed in the middle of erasing, of bringing back, of a backup: the old state or the new one, and
nothing between.
"""

import random
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memapp import bootstrap
from memapp.domain.memory import Memory, State
from memapp.runtime import Runtime
from memapp.services import curate, forget
from memapp.services.jobs import retention
from memapp.store import memories
from memapp.store.file_copies import BACKUPS, new_copy
from tests.reliability.killed_processes import begun, usually
from tests.reliability.test_kill import assert_sound

FACTS = [f"User knows person number {number} of the pottery class." for number in range(8)]
KILLS = usually(12, thorough=100)


def plant(home: Path) -> None:
    runtime = bootstrap.start(home=home)
    for text in FACTS:
        curate.discard(runtime, curate.add(runtime, text).memory_id)
    runtime.database.backup(new_copy(home / "memapp.db", BACKUPS, "auto", runtime.clock()))
    runtime.close()


def ids(runtime: Runtime) -> list[str]:
    return [memory.id for memory in retention.trash(runtime)]


def erase(home: Path) -> None:
    runtime = bootstrap.start(home=home)
    forget.purge(runtime, ids(runtime))


def bring_back(home: Path) -> None:
    runtime = bootstrap.start(home=home)
    curate.restore(runtime, *ids(runtime))


def back_up(home: Path) -> None:
    runtime = bootstrap.start(home=home)
    target = new_copy(home / "memapp.db", BACKUPS, "schema2", runtime.clock())
    for _ in range(3):
        runtime.database.backup(target)


def homes_after_kills(work: Callable[[Path], None], planted: Path) -> Iterator[Path]:
    """Yield copies of a home in which a process was killed at any moment of its work, the first at
    once and the last after it.
    """
    chance = random.Random(5)
    begun(
        work, Path(shutil.copytree(planted, planted.with_name("warm")))
    ).join()  # the server of processes starts only once
    started = time.monotonic()
    begun(work, Path(shutil.copytree(planted, planted.with_name("whole")))).join()
    whole = time.monotonic() - started
    for seconds in (0.0, *(chance.uniform(0.01, whole) for _ in range(KILLS)), None):
        home = Path(shutil.copytree(planted, planted.with_name("killed")))
        process = begun(work, home)
        process.join(seconds)
        process.kill()
        process.join()
        assert seconds is not None or process.exitcode == 0
        yield home
        shutil.rmtree(home)


def states_after(work: Callable[[Path], None], planted: Path) -> set[tuple[str, int]]:
    """Kill, and start again; return what was found: how many facts are in which state."""
    found = set()
    for home in homes_after_kills(work, planted):
        runtime = bootstrap.start(home=home)
        assert_sound(runtime.database)
        assert not list(home.rglob("*.partial*"))
        texts = {memory.text: memory.state for memory in everything(runtime)}
        assert set(texts) <= set(FACTS)
        found.add((",".join(sorted(set(texts.values()))), len(texts)))
        assert_backups_sound(runtime, texts)
        runtime.close()
    return found


def everything(runtime: Runtime) -> list[Memory]:
    rows = runtime.database.read().execute("SELECT id FROM memories").fetchall()
    return memories.get_memories(runtime.read(), [row["id"] for row in rows])


def assert_backups_sound(runtime: Runtime, texts: dict[str, State]) -> None:
    """Each copy opens, is sound, and holds no fact that the file has erased."""
    for path in (runtime.paths.database.parent / "backups").iterdir():
        home = Path(shutil.copytree(path.parent, runtime.paths.database.parent.parent / "opened"))
        home.chmod(0o700)
        (home / path.name).rename(home / "memapp.db")
        copy = bootstrap.start(home=home)
        assert_sound(copy.database)
        assert {memory.text for memory in everything(copy)} == (
            set(texts) if len(texts) < len(FACTS) else set(FACTS)
        )
        copy.close()
        shutil.rmtree(home)


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    plant(tmp_path / "planted")
    return tmp_path / "planted"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "either"),
    [
        (erase, {("soft_deleted", 8), ("", 0)}),
        (bring_back, {("soft_deleted", 8), ("live", 8)}),
        (back_up, {("soft_deleted", 8)}),
    ],
)
def test_a_kill_leaves_the_old_state_or_the_new(
    planted: Path, work: Callable[[Path], None], either: set[tuple[str, int]]
) -> None:
    assert states_after(work, planted) == either
