"""Killed in the middle of an import, or of putting a backup in place: the old state or the new one,
and nothing between.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from memapp import bootstrap
from memapp.services import backups, curate, exports
from memapp.services.consent import pending
from memapp.services.imports.import_file import import_file
from memapp.store import consents, restore
from tests.reliability.test_kill import assert_sound
from tests.reliability.test_kill_changes import homes_after_kills

BEFORE = {f"User knows person number {number} of the pottery class." for number in range(8)}
LATER = {f"User planted flower number {number} in the garden." for number in range(80)}


def bring_in(home: Path) -> None:
    import_file(bootstrap.start(home=home), home.parent / "later.jsonl")


def put_in_place(home: Path) -> None:
    for _ in range(3):
        restore.put_in_place(home / "memapp.db", home.parent / "later.db", bootstrap._now())


def write_elsewhere(home: Path) -> None:
    runtime = bootstrap.start(home=home)
    (home.parent / "elsewhere").mkdir(exist_ok=True)
    for _ in range(3):
        backups.write_copy(runtime, home.parent / "elsewhere" / "copy.db")
        exports.write_private(
            runtime, home.parent / "elsewhere" / "all.jsonl", exports.as_lines(runtime)
        )


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """Return a store with the earlier facts; beside it lie an export and a backup with the later
    ones.
    """
    for name, texts in (("later", LATER), ("planted", BEFORE)):
        runtime = bootstrap.start(home=tmp_path / name)
        for text in sorted(texts):
            curate.add(runtime, text)
        if name == "later":
            exports.write_private(runtime, tmp_path / "later.jsonl", exports.as_lines(runtime))
            runtime.database.backup(tmp_path / "later.db")
        runtime.close()
    return tmp_path / "planted"


def states_after(work: Callable[[Path], None], planted: Path) -> list[set[str]]:
    """Kill, and start again; return what was known then, or waited for a yes."""
    found = []
    for home in homes_after_kills(work, planted):
        runtime = bootstrap.start(home=home)
        assert_sound(runtime.database)
        assert not list(home.parent.rglob("*.partial*"))
        waiting = [
            request
            for file in pending.list_files(runtime)
            for request in consents.list_of_file(runtime.read(), file.id)
        ]
        found.append(
            {memory.text for memory in curate.list_memories(runtime, limit=1000)}
            | {request.new_value for request in waiting}
        )
        runtime.close()
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "afterwards"),
    [(bring_in, BEFORE | LATER), (put_in_place, LATER), (write_elsewhere, BEFORE)],
)
def test_a_kill_leaves_the_old_state_or_the_new(
    planted: Path, work: Callable[[Path], None], afterwards: set[str]
) -> None:
    found = states_after(work, planted)
    assert all(known in (BEFORE, afterwards) for known in found)
    assert BEFORE in found
    assert afterwards in found
