"""One byte of one value is damaged: each command and each screen says so in words and names a way
back, or goes on.
"""

import random
import re
import shlex
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memapp import bootstrap
from memapp.cli import run
from memapp.errors import Damaged
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import activity, chats, curate, samples
from memapp.store import integrity, schema
from memapp.store.file_copies import BACKUPS, new_copy
from memapp.store.opening import LARGE_BYTES
from memapp.ui.app import MemappApp
from memapp.ui.screens.opening import OpeningScreen
from tests.builders import Reader, erase, learn, make_runtime, new_chat, say, until
from tests.reliability.damage import Value, values
from tests.reliability.killed_processes import usually
from tests.ui.conftest import Seen

COMMANDS = (
    *(
        "list", "search tea", "history", "chats", "profile", "consents", "trash", "stats",
        "query tea",
    ),
    *(
        "export", "export --format md", "doctor", "add 'I like plums.'", "undo",
        "ask 'What tea do I like?'", "list",
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed file with something in every table, and a backup of it."""
    home = tmp_path_factory.mktemp("known") / "home"
    runtime = make_runtime(home, ScriptedModel())
    samples.fill(runtime)
    thread = new_chat(runtime)
    for text in (
        "I like green tea in the morning.",
        "What tea do I like?",
        "I have two sons, and I live in Oslo.",
    ):
        say(runtime, thread, text)
        learn(runtime, thread)
    chats.add_context_card(runtime, thread, "The tea stands on the shelf.")
    chats.save_draft(runtime, thread, "And then")
    ids = [
        curate.add(runtime, text, ["one"]).memory_id
        for text in ("I keep bees.", "I keep hens.", "I play chess.")
    ]
    curate.edit(runtime, ids[0], "I keep many bees.")
    curate.discard(runtime, ids[1])
    erase(runtime, ids[2])
    runtime.database.backup(new_copy(runtime.paths.database, BACKUPS, "auto", runtime.clock()))
    runtime.close()
    return home


@pytest.fixture
def home(known: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of it, to be damaged, in which scripted models answer."""
    monkeypatch.setattr(bootstrap, "open_chat_model", lambda *_: ScriptedModel())
    monkeypatch.setattr(bootstrap, "open_embedder", lambda *_: Reader())
    yield tmp_path / "home"


def damages(path: Path, count: int) -> list[tuple[int, Value]]:
    """Return which values are to be damaged, one of each table, then one more of each, and each
    field before any twice.

    With each comes a seed.
    """
    chance = random.Random(17)
    found = values(path)
    chance.shuffle(found)
    firsts = list({(value.table, value.field): value for value in found}.values())
    before = Counter[str]()
    turns = {}
    for value in firsts:
        turns[value] = before[value.table]
        before[value.table] += 1
    return list(enumerate([*sorted(firsts, key=lambda value: turns[value]), *found][:count]))


def damaged(known: Path, home: Path, number: int, value: Value) -> Path:
    """Make a fresh copy of the home, and damage a value in it."""
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(known, home)
    home.chmod(0o700)
    value.spoil(home / "memapp.db", random.Random(number))
    return home


def test_every_column_with_times_is_looked_at(known: Path) -> None:
    with closing(sqlite3.connect(known / "memapp.db")) as conn:
        schema.add_functions(conn)
        looked_at = set(conn.execute(integrity.TIMES))
        names = conn.execute(
            """SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c
               WHERE t.type = 'table' AND t.name NOT GLOB '*sqlite_*'"""
        ).fetchall()
        like_times = "SELECT 1 FROM {0} WHERE {1} GLOB '20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]T*Z'"
        assert {
            name for name in names if conn.execute(like_times.format(*name)).fetchone()
        } <= looked_at


SAMPLE = 4
MOST = usually(36, thorough=300)
READ_THROUGH = usually(24, thorough=300)
SCREENS = usually(3, thorough=12)
"""Files, each with one damage: put to every command, refused by most as they are opened, and put to
every screen.
"""
TOLD_OTHERWISE = ("Not found: ", "Start memapp, which rebuilds it", "are seen by no chat")
"""What is said of a word that is another one now, which no file can know for damage."""


def commands(number: int, *, read_through: bool, count: int) -> Iterator[str]:
    """Yield the commands to try on a file; a file refused at opening needs a single one."""
    if count == SAMPLE:
        yield from COMMANDS[number % 4 :: 4]
    elif read_through:
        yield from (COMMANDS[(number * 3 + at) % len(COMMANDS)] for at in range(3))
    else:
        yield from COMMANDS


@pytest.mark.parametrize(
    ("largest", "count"),
    [
        (LARGE_BYTES, SAMPLE),
        (0, SAMPLE),
        pytest.param(LARGE_BYTES, READ_THROUGH, marks=pytest.mark.slow),
        pytest.param(0, MOST, marks=pytest.mark.slow),
    ],
)
def test_every_command_tells_of_damage_and_names_the_backup(
    known: Path,
    home: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    largest: int,
    count: int,
) -> None:
    """Also in a large file, which is not read through when it is opened."""
    monkeypatch.setattr("memapp.store.opening.LARGE_BYTES", largest)
    told = 0
    for number, value in damages(known / "memapp.db", count):
        damaged(known, home, number, value)
        for command in commands(number, read_through=largest > 0, count=count):
            code = run(["--home", str(home), *shlex.split(command)])
            said = capsys.readouterr().err
            assert " bug " not in said, (value, command, said)
            if code and not any(text in said for text in TOLD_OTHERWISE):
                assert "damaged" in said or "changed by another program" in said, (
                    value,
                    command,
                    code,
                    said,
                )
                assert "memapp restore --yes --file" in said, (value, command, said)
                told += 1
        assert not list((home / "log").glob("crash*")), value
    assert told > (count // 4 if count > SAMPLE else 0), (
        "of a few values chance decides which are met"
    )


def test_a_backup_replaces_a_file_with_a_word_that_is_no_text(known: Path, home: Path) -> None:
    shutil.copytree(known, home)
    file, (copy,) = home / "memapp.db", (home / "backups").iterdir()
    word = next(
        value for value in values(file) if value.table == "trash_reasons" and value.field == 0
    )
    content = bytearray(file.read_bytes())
    content[word.offset] = 0xFF
    file.write_bytes(content)
    assert run(["--home", str(home), "restore", "--yes", "--file", str(copy)]) == 0
    assert run(["--home", str(home), "list"]) == 0


@pytest.mark.parametrize("count", [1, pytest.param(SCREENS, marks=pytest.mark.slow)])
async def test_every_screen_tells_and_mends_damage(known: Path, home: Path, count: int) -> None:
    told = 0
    for number, value in damages(known / "memapp.db", count):
        told += await looked_through(damaged(known, home, number, value))
        assert not list((home / "log").glob("crash*")), value
    assert count == 1 or told > count // 4, "of one value chance decides whether it is met"


async def looked_through(home: Path) -> bool:
    """Open every part of the app, or of the backup; return True if that was offered."""
    app = MemappApp(lambda: bootstrap.start(home=home), home / "log")
    app.animation_level = "none"
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        seen = Seen(app, pilot)
        await seen.until(
            lambda: app.is_open or (isinstance(app.screen, OpeningScreen) and app.screen.failed)
        )
        if offered := not app.is_open:
            await seen.until(lambda: "r restores it" in seen.words())
            assert "damaged" in seen.words() or "changed by another program" in seen.words()
            await pilot.press("r")
        await seen.ready()
        for mode in ("memories", "inbox", "trash", "activity", "chat"):
            await app.action_mode(mode)
            await seen.settle()
            await pilot.press("enter")
            await seen.settle()
            await pilot.press("escape")
        await seen.send("What tea do I like?")
        assert not any(" bug " in said for said in (*seen.toasts(), seen.words()))
    until(lambda: app.session.talk.close(3))  # the shared embedding model is not ended by it
    return offered


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("messages", "usage", '{"prefill_token":1}'),
        ("messages", "pasted", "[1]"),
        ("memories", "tags", "7"),
        ("memories", "created_at", "2026-01-31T08:15:00.000z"),
    ],
)
def test_a_value_of_another_form_is_told_of_where_it_is_read(
    runtime: Runtime, table: str, column: str, value: str
) -> None:
    say(runtime, thread := new_chat(runtime), "I like green tea.")
    curate.add(runtime, "I keep bees.")
    copy = runtime.database.backup(
        new_copy(runtime.paths.database, BACKUPS, "auto", runtime.clock())
    )
    with runtime.database.write() as conn:
        conn.execute(f"UPDATE {table} SET {column} = ?", (value,))
    with pytest.raises(Damaged, match=re.escape(f"memapp restore --yes --file '{copy}'")):
        _ = curate.list_memories(runtime), chats.page(runtime, thread)


@pytest.mark.parametrize(
    "damage",
    [
        "replace(snapshot, '\"text\"', '\"tezt\"')",
        "CAST(replace(snapshot, 'hens', x'68FF6E73') AS TEXT)",
    ],
)
def test_a_damaged_version_leaves_the_rest_of_the_history_and_is_found_by_the_doctor(
    home: Path, capsys: pytest.CaptureFixture[str], damage: str
) -> None:
    runtime = make_runtime(home)
    for text in ("I keep hens.", "I keep bees."):
        curate.edit(runtime, curate.add(runtime, text).memory_id, f"{text} Many.")
    runtime.close()
    with closing(sqlite3.connect(home / "memapp.db")) as conn, conn:
        conn.execute(
            f"UPDATE versions SET snapshot = {damage} WHERE snapshot ->> 'text' = 'I keep hens.'"
        )
    assert run(["--home", str(home), "history"]) == 0
    said = capsys.readouterr().out
    assert said.count("[this version is damaged]") == 1
    assert "I keep hens. Many." in said
    assert said.count("I keep bees.") == 2
    runtime = make_runtime(home)
    with pytest.raises(Damaged, match=r"memapp.db is damaged"):
        _ = runtime.database.examine(), activity.check_versions(runtime)  # as the doctor does
    runtime.close()
