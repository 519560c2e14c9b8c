"""A memory that cannot be opened: what the first screen says, and the key that helps."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from memapp.domain.changes import Actor, Created
from memapp.language.wording import WORDING
from memapp.runtime import Runtime
from memapp.store import changes
from memapp.store.opening import open_database
from memapp.store.place import BACKUPS, new_copy
from memapp.ui.app import MemappApp
from memapp.ui.screens.opening import news_of_syncing
from tests.builders import damage, fact, make_runtime, on, until
from tests.ui.conftest import Seen, World


async def test_a_key_puts_the_newest_sound_backup_in_place_of_a_damaged_file(world: World) -> None:
    path = world.folder / "memapp.db"
    made = open_database(path, WORDING)
    now = datetime.now(UTC)
    with made.write() as conn:
        lost = fact("User plays chess.", now, category="hobbies")
        changes.apply(on(conn, now=now), Created(lost), Actor("import"))
    made.backup(new_copy(path, BACKUPS, "auto", now - timedelta(minutes=25, seconds=30)))
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
        await seen.until("r puts it back · q quits")
        assert seen.lines()[0].startswith(" memapp"), "the name stands there before anything is loaded"
        assert "is damaged" in seen.words() and "the 25 minutes since" in seen.words()
        await pilot.press("r")
        await seen.ready()
        (aside,) = (world.folder / "damaged").iterdir()
        assert aside.read_bytes() == damaged
        await seen.until(lambda: any(aside.name in toast for toast in seen.toasts()))
        await seen.until(lambda: any("No chat sees the memories in hobbies" in toast for toast in seen.toasts()))
    until(lambda: app.session.talk.close(3), 60)  # the shared embedding model is not ended by it


def test_a_folder_that_is_copied_elsewhere_is_warned_of_once(tmp_path: Path) -> None:
    told = []
    for folder in (tmp_path, tmp_path / "Dropbox (me)"):
        for _ in range(2):
            runtime = make_runtime(folder)
            told.append(news_of_syncing(runtime).partition(",")[0])
            runtime.database.close()
    assert told == ["", "", "Dropbox copies the folder of your memory", ""]
