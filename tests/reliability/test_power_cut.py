"""The power fails at any moment: acknowledged writes are there, others whole or not at all."""

import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from memapp import bootstrap
from memapp.domain.changes import (
    AgentChanged,
    Change,
    CouncilDecided,
    Created,
    FailuresMerged,
    FailuresParted,
    LessonAdded,
    LessonDeleted,
    LessonEdited,
    LessonMoved,
    LessonPurged,
    LessonRestored,
    Linked,
    Merged,
    Pinned,
    ProfileChanged,
    Purged,
    Received,
    Restored,
    Reverted,
    Revision,
    RubricChanged,
    SoftDeleted,
    Updated,
)
from memapp.domain.chat import Role
from memapp.domain.lessons.lesson import LESSON
from memapp.errors import StoreError
from memapp.runtime import Runtime
from memapp.services import chats, curate, forget, runs, undo
from memapp.services.consent import decisions
from memapp.services.lessons import browse
from memapp.services.lessons import curate as lessons
from memapp.store import agents, changes, chat, connection, restore, schema
from memapp.store.file_copies import BACKUPS, new_copy
from memapp.tools.scripted import ScriptedTool
from tests.reliability.killed_processes import usually
from tests.reliability.power_cut import (
    Entry,
    Marked,
    Recorder,
    left_on_disk,
    put_on_disk,
    recording,
)
from tests.reliability.test_kill import assert_sound
from tests.reliability.test_kill_migration import lived_in, version_of
from tests.store.test_migrations import everything, growth, rebuilt

pytestmark = pytest.mark.slow
FACTS = (
    "User has a dog named Rex.",
    "User paints boats.",
    "User grows tall sunflowers.",
    "User plays the harp.",
)
Known = dict[str, list[tuple[Any, ...]]]
STEPS: dict[type, Callable[[Runtime, list[str]], object]] = {
    Created: lambda runtime, _: curate.add(runtime, "User owns a red kite.", ["kite"]),
    Updated: lambda runtime, ids: curate.edit(
        runtime, ids[0], "User has an old dog named Rex.", tags=["dog"]
    ),
    Linked: lambda runtime, ids: directly(runtime, Linked(ids[0], ((ids[1], 0.5), (ids[2], 0.25)))),
    Pinned: lambda runtime, ids: curate.pin(runtime, *ids[:3]),
    Merged: lambda runtime, ids: directly(runtime, Merged(ids[2], ids[1], runtime.purge_at())),
    SoftDeleted: lambda runtime, ids: curate.discard(runtime, ids[0], ids[3]),
    Restored: lambda runtime, ids: curate.restore(runtime, ids[0]),
    ProfileChanged: lambda runtime, _: decisions.set_field(runtime, "preferred_name", "Ana"),
    Reverted: lambda runtime, _: undo.undo_last(runtime),
    Purged: lambda runtime, ids: directly(runtime, Purged(ids[3])),
    Received: lambda runtime, ids: directly(
        runtime, Received(ids[1], replace(curate.get(runtime, ids[1]), text="Ships."), "b")
    ),
    LessonAdded: lambda runtime, ids: ids.append(
        lesson_of(lessons.add(runtime, "git", "here", "git psuh", "git push"))
    ),
    LessonEdited: lambda runtime, ids: lessons.edit(runtime, ids[-1], correct="git push --all"),
    LessonMoved: lambda runtime, ids: lessons.archive(runtime, ids[-1]),
    FailuresMerged: lambda runtime, ids: lessons.take_for_same(runtime, *learned(runtime)),
    FailuresParted: lambda runtime, ids: lessons.tell_apart(runtime, learned(runtime)[1]),
    LessonDeleted: lambda runtime, ids: lessons.discard(runtime, ids[-1]),
    LessonRestored: lambda runtime, ids: lessons.restore(runtime, ids[-1]),
    LessonPurged: lambda runtime, ids: directly(runtime, LessonPurged(ids[-1])),
    AgentChanged: lambda runtime, _: directly(runtime, AgentChanged("rules", blocked=True)),
    RubricChanged: lambda runtime, _: directly(runtime, RubricChanged("Accuracy", 0.3)),
    CouncilDecided: lambda runtime, _: directly(
        runtime, CouncilDecided(held(runtime), "revision", "A better answer.")
    ),
}


def review(runtime: Runtime) -> None:
    """Let an answer have been reviewed by a council."""
    thread = chats.new_thread(runtime).id
    with runtime.write() as session:
        message = chat.add_message(session, thread, Role.USER, "Is it so?", session.now)
        chat.add_message(
            session, thread, Role.ASSISTANT, "It is.", session.now, reply_to=message.id
        )
        agents.add_round(
            session,
            "run_20260131_081500",
            "Is it so?",
            "council",
            message_id=message.id,
            draft="It is.",
        )


def held(runtime: Runtime) -> str:
    return str(runtime.read().value("SELECT id FROM rounds"))


def learned(runtime: Runtime) -> list[str]:
    """Return the ids of the lessons that are made of solved failures."""
    return [lesson.id for lesson in browse.list_lessons(runtime) if lesson.tool == "kiln"]


def lesson_of(revision: Revision) -> str:
    return revision.memory_id.removeprefix(LESSON)


def directly(runtime: Runtime, change: Change) -> None:
    with runtime.decide() as session:
        changes.apply(session, change, runtime.actor())


def plant(home: Path) -> list[str]:
    runtime = bootstrap.start(home=home)
    ids = [curate.add(runtime, text).memory_id for text in FACTS]
    kiln = ScriptedTool(
        "kiln",
        "studio",
        {"kiln frie": "kiln: no frie", "kiln wram": "kiln: it is too cold to wram"},
    )
    for action in ("kiln frie", "kiln fire", "kiln wram", "kiln warm"):
        runs.attempt(runtime, kiln, action)
    review(runtime)
    runtime.close()
    return ids


def contents(runtime: Runtime) -> Known:
    """Everything that the file says."""
    conn = runtime.database.read()
    tables = conn.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    ).fetchall()
    return {
        name: [tuple(row) for row in conn.execute(f"SELECT * FROM {name}")]
        for (name,) in tables
        if "_fts" not in name
    }


def power_failures(
    log: list[Entry], folder: Path, begin: int = 0, every: int = 3
) -> Iterator[tuple[Path, int]]:
    """Put on disk what a failure may leave; yield where, and how many steps were acknowledged
    before it.

    `every` is after how many writes the power fails again: 1 for every moment there is.
    """
    chance = random.Random(7)
    seen = set()
    first = next(at for at, entry in enumerate(log) if isinstance(entry, Marked))
    for cut in range(max(begin, first + 1), len(log) + 1, every):
        for left in ("none", "half"):
            files = left_on_disk(log[:cut], left, chance)
            done = sum(isinstance(entry, Marked) for entry in log[:cut]) - 1
            if (state := (done, frozenset(files.items()))) not in seen:
                seen.add(state)
                home = folder / "failed"
                put_on_disk(files, home)
                yield home, done
                shutil.rmtree(home)


def changed_step_by_step(home: Path) -> tuple[Recorder, list[Known]]:
    """Do each kind of change; return the writes and the memories known before and after each."""
    ids = plant(home)
    with recording(home) as recorder:
        runtime = bootstrap.start(home=home)
        known = [contents(runtime)]
        for step in STEPS.values():
            step(runtime, ids)
            recorder.mark("done")
            known.append(contents(runtime))
        runtime.close()
    return recorder, known


def is_whole(home: Path, either: list[Known]) -> bool:
    try:
        runtime = bootstrap.start(home=home)
    except StoreError:
        return False
    try:
        assert_sound(runtime.database)
        return contents(runtime) in either
    finally:
        runtime.close()


@pytest.mark.parametrize(
    ("synchronous", "every", "loses"),
    [(2, usually(6, thorough=3), False), (1, 20, True), (0, 20, True)],
)
def test_each_kind_of_change_is_there_once_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, synchronous: int, every: int, loses: bool
) -> None:
    assert set(STEPS) == set(get_args(Change))
    with monkeypatch.context() as request:
        request.setitem(connection.PRAGMAS, "synchronous", synchronous)
        recorder, known = changed_step_by_step(tmp_path / "home")
    failures = power_failures(recorder.log, tmp_path, every=every)
    lost = [done for home, done in failures if not is_whole(home, known[done : done + 2])]
    assert bool(lost) is loses, (
        "NORMAL and OFF are the controls: they must be seen to lose what was acknowledged"
    )


# Whole files --------------------------------------------------------------------------------------

WORD = "Qzxvorb"


def traces(home: Path) -> list[str]:
    """Name the files that hold the word."""
    return [
        path.name
        for path in home.rglob("*")
        if path.is_file() and WORD.lower() in path.read_bytes().lower().decode("latin")
    ]


def test_a_word_is_nowhere_once_forgotten_and_everywhere_until_begun(tmp_path: Path) -> None:
    home = tmp_path / "home"
    plant(home)
    runtime = bootstrap.start(home=home)
    curate.add(runtime, f"User met {WORD} at the pier.")
    runtime.database.backup(new_copy(runtime.database.path, BACKUPS, "auto", runtime.clock()))
    runtime.close()
    assert len(traces(home)) == 2
    with recording(home) as recorder:
        runtime = bootstrap.start(home=home)
        known = contents(runtime)
        forget.forget_everywhere(runtime, WORD)
        recorder.mark("forgotten")
        runtime.close()
    found = set()
    for failed, done in power_failures(recorder.log, tmp_path, every=usually(6, thorough=3)):
        runtime = bootstrap.start(home=failed)
        assert_sound(runtime.database)
        begun = contents(runtime) != known
        runtime.close()
        found.add((bool(done), begun, bool(traces(failed))))
    assert found == {(False, False, True), (False, True, False), (True, True, False)}


def test_a_backup_is_put_in_place_whole_or_not_at_all(tmp_path: Path) -> None:
    home = tmp_path / "home"
    ids = plant(home)
    with recording(home) as recorder:
        runtime = bootstrap.start(home=home)
        curate.add(runtime, "User came back later.")
        backup = runtime.database.backup(
            new_copy(runtime.database.path, BACKUPS, "auto", runtime.clock())
        )
        recorder.mark("backed up")
        curate.discard(runtime, ids[0])
        known = [contents(runtime)]
        runtime.close()
        begin = len(recorder.log)
        restore.put_in_place(home / "memapp.db", backup, bootstrap._now())
        recorder.mark("restored")
    runtime = bootstrap.start(home=home)
    known.append(contents(runtime))
    runtime.close()
    for failed, done in power_failures(recorder.log, tmp_path, begin, every=usually(6, thorough=1)):
        assert (failed / backup.relative_to(home)).exists()
        assert is_whole(failed, known[done - 1 : done + 1])


def test_a_migration_is_done_or_not_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    lived_in(home)
    before = len(schema.scripts())
    growth(tmp_path, monkeypatch).write_text(rebuilt(), "utf-8")
    with recording(home) as recorder:
        runtime = bootstrap.start(home=home)
        recorder.mark("migrated")
        known = everything(runtime.database.read())
        runtime.close()
    versions = set()
    for failed, done in power_failures(recorder.log, tmp_path, every=usually(9, thorough=5)):
        versions.add((done, version_of(failed / "memapp.db")))
        runtime = bootstrap.start(home=failed)
        assert_sound(runtime.database)
        assert everything(runtime.database.read()) == known
        runtime.close()
    assert versions - {(0, before + 1)} == {(0, before), (1, before + 1)}, (
        "done and not acknowledged lasts for a moment only"
    )
