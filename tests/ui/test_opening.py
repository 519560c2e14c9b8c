"""A memory that cannot be opened: the first screen, and the key that helps."""

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import NoReturn

import pytest

from memapp.cli import start_or_read
from memapp.domain.changes import Actor, Created
from memapp.errors import DiskFull
from memapp.language.normal_form import WORDING
from memapp.runtime import Runtime
from memapp.services import chats, curate
from memapp.store import changes
from memapp.store.file_copies import BACKUPS, new_copy
from memapp.store.opening import open_database
from memapp.ui.app import MemappApp
from memapp.ui.screens.opening import news_of_syncing
from tests.builders import damage, fact, make_runtime, on, say, until
from tests.ui.conftest import Seen, World


async def test_a_key_puts_the_newest_sound_backup_in_place_of_a_damaged_file(world: World) -> None:
    path = world.folder / "memapp.db"
    made = open_database(path, WORDING)
    now = datetime.now(UTC)
    with made.write() as conn:
        lost = fact("User plays chess.", now, category="hobbies")
        changes.apply(on(conn, now=now), Created(lost), Actor("import"))
    made.backup(new_copy(path, BACKUPS, "auto", now - timedelta(minutes=25, seconds=2)))
    damage(made.backup(new_copy(path, BACKUPS, "auto", now - timedelta(minutes=5))), "memories_due")
    made.close()
    damage(path, "memories_due")
    damaged = path.read_bytes()

    def start() -> Runtime:
        world.database = open_database(path, WORDING)
        return world.start()

    app = MemappApp(start, world.folder / "log")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        seen = Seen(app, pilot)
        await seen.until("r restores it · q quits")
        assert seen.lines()[0].startswith(" memapp"), (
            "the name stands there before anything is loaded"
        )
        assert "is damaged" in seen.words() and "the 25 minutes since" in seen.words()
        await pilot.press("r")
        await seen.ready()
        (aside,) = (world.folder / "damaged").iterdir()
        assert aside.read_bytes() == damaged
        await seen.until(lambda: any(aside.name in toast for toast in seen.toasts()))
        await seen.until(seen.tells("No chat sees the memories in hobbies"))
    until(lambda: app.session.talk.close(3))  # the shared embedding model is not ended by it


async def test_on_a_full_disk_all_is_read_and_nothing_that_is_typed_is_lost(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = world.folder / "memapp.db"
    runtime = make_runtime(world.folder)
    curate.add(runtime, "I keep bees.")
    say(runtime, chats.new_thread(runtime).id, "Tell me of wasps.")
    runtime.database.close()

    def full(*_: object, **__: object) -> NoReturn:
        raise DiskFull("No space left.")

    def start(*_: object, read_only: bool = False, **__: object) -> Runtime:
        world.database = open_database(path, WORDING, read_only=read_only)
        return world.start()

    monkeypatch.setattr("memapp.store.opening._open_writer", full)
    monkeypatch.setattr("memapp.bootstrap.start", start)
    app = MemappApp(
        partial(start_or_read, {"home": world.folder, "database": path, "flags": {}}),
        world.folder / "log",
    )
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        seen = Seen(app, pilot)
        await seen.ready()
        await seen.until(seen.tells("you can only read"))
        app.clear_notifications()  # so that nothing hides what is said next
        await pilot.press("escape", "home", "enter")
        await seen.until("Tell me of wasps.")
        await seen.send("precious words", until="reading only")
        assert seen.chat.composer.text == "precious words"
        await pilot.press("f3")
        await seen.until("I keep bees.")
        await pilot.press("d")
        await seen.until(seen.tells("reading only"))
        assert "I keep bees." in seen.text()
    until(lambda: app.session.talk.close(3))
    assert world.database is not None
    world.database.close()


def test_a_folder_that_is_copied_elsewhere_is_warned_of_once(tmp_path: Path) -> None:
    told = []
    for folder in (tmp_path, tmp_path / "Dropbox (me)"):
        for _ in range(2):
            runtime = make_runtime(folder)
            told.append(news_of_syncing(runtime).partition(",")[0])
            runtime.database.close()
    assert told == ["", "", "Dropbox copies the folder of your memory", ""]
