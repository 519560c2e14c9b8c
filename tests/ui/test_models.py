"""Models: a better one is downloaded after a question, stopped, gone on with, used and removed."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memapp.inference.scripted import ScriptedModel
from memapp.ui.dialogs import Question
from memapp.ui.screens.chat import ChatScreen
from memapp.ui.screens.models import ModelRows, ModelsScreen
from tests.inference import tiny_gguf
from tests.inference.hub import Hub, list_of_models, serving
from tests.services.test_models import odd_files

from .conftest import Seen, World


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    content = tiny_gguf.write(tmp_path / "made.gguf", tiny_gguf.CHATML).read_bytes()
    with serving(content + bytes(600_000)) as opened:
        list_of_models(tmp_path / "list", opened, monkeypatch)
        yield opened


@asynccontextmanager
async def models_screen(world: World, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Seen]:
    """Open Models on the row of the model that can be downloaded."""
    async with world.opened(size) as seen:
        await seen.press(
            "f8", until=lambda: "not here yet" in seen.text() or "% here" in seen.text()
        )
        await seen.pilot.press("down")
        yield seen


async def answer(seen: Seen, key: str) -> None:
    """Answer the question that comes."""
    await seen.until(Question)
    await seen.press(key, until=ModelsScreen)


async def test_a_model_is_downloaded_after_a_yes_used_and_removed(world: World, site: Hub) -> None:
    async with models_screen(world) as seen:
        assert "GB of memory free · models run on the processor" in seen.words()
        assert "Needs 301 MB of memory" in seen.words()
        await seen.press("enter", until="This connects memapp to 127.0.0.1")
        assert "licence MIT" in seen.words()
        await answer(seen, "escape")
        assert site.asked == []
        await seen.pilot.press("enter")
        await answer(seen, "enter")
        await seen.until(seen.tells("Tiny is here and whole"))
        file = seen.runtime.paths.downloads / "tiny.gguf"
        assert file.read_bytes() == site.content
        rows = seen.app.screen.query_one(ModelRows)
        # the cursor stays with it
        await seen.until(lambda: rows.current and rows.current.path == file)
        await seen.pilot.press("enter")
        await seen.settle(lambda: seen.runtime.settings.model == str(file))
        await seen.press("d", until=seen.tells("Choose another first"))
        await seen.pilot.press("up", "enter", "down")
        await seen.settle(lambda: seen.runtime.settings.model == "bundled")
        await seen.pilot.press("d")
        await answer(seen, "enter")
        await seen.until("not here yet")
        assert not file.exists()


@pytest.mark.slow
async def test_a_download_is_stopped_and_goes_on(world: World, site: Hub) -> None:
    site.hold.set()
    site.cut = [600_000]
    async with models_screen(world, (120, 40)) as seen:
        await seen.pilot.press("enter")
        await answer(seen, "enter")
        await seen.until(lambda: "↓ 36 %" in seen.text() or "↓ 73 %" in seen.text())
        assert "! online: fetching a model from 127.0.0.1" in seen.words()
        await seen.press("f3", until="! online")
        await seen.pilot.press("f8", "enter")
        await answer(seen, "enter")
        await seen.until(seen.tells("was stopped. What has arrived is kept"))
        await seen.until(lambda: "% here" in seen.text() and "online" not in seen.words())
        site.hold.clear()
        await seen.pilot.press("enter")
        await answer(seen, "enter")
        await seen.until(seen.tells("Tiny is here and whole"))
        assert site.ranges[-1].startswith("bytes=")


async def test_what_fails_is_said_and_leaving_ends_a_download(world: World, site: Hub) -> None:
    site.status = 404
    async with models_screen(world) as seen:
        await seen.pilot.press("enter")
        await answer(seen, "enter")
        await seen.until(seen.tells("has no file tiny.gguf any more"))
        site.status, site.cut = 0, [600_000]
        site.hold.set()
        await seen.settle()
        await seen.pilot.press("enter")
        await answer(seen, "enter")
        await seen.until("↓")
        download = seen.app.session.talk.downloading
    assert download is not None and download.cancel.is_set()
    site.hold.clear()


async def test_the_answering_model_is_called_as_in_the_list(world: World) -> None:
    (world.folder / "models").mkdir()
    tiny_gguf.write(world.folder / "models" / "own.gguf", tiny_gguf.CHATML)
    (world.folder / "config.toml").write_text('model = "own"\n', "utf-8")
    async with world.opened() as seen:
        seen.runtime.chat.fill(ScriptedModel(), "the-name-inside-the-file")
        await seen.press("f8", until="● own")
        await seen.until("Answering with own")
        assert "inside-the-file" not in seen.text()


async def test_what_is_no_file_never_ends_the_screen(world: World) -> None:
    odd_files(world.folder / "models")
    async with world.opened() as seen:
        await seen.press("f8", until="unusable")
        rows = seen.app.screen.query_one(ModelRows)
        await seen.until(lambda: len(rows.items) > 5)
        for _ in rows.items:
            await seen.press("down", "enter")
        assert isinstance(seen.app.screen, ModelsScreen)


async def test_a_template_that_cannot_be_rendered_is_told_on_load_and_row(world: World) -> None:
    (world.folder / "models").mkdir()
    file = tiny_gguf.write(world.folder / "models" / "own.gguf", tiny_gguf.BROKEN_TEMPLATE)
    (world.folder / "config.toml").write_text(f'model = "{file}"\n', "utf-8")
    async with world.opened() as seen:
        await seen.until("The chat template in this file cannot be rendered")
        await seen.press("f8", until="● own")
        rows = seen.app.screen.query_one(ModelRows)
        await seen.until(lambda: rows.current and rows.current.name == "own")
        await seen.until("cannot be rendered")
        assert seen.runtime.chat.state == "ready", "it works with another template"


@pytest.fixture
def default_site(site: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    """A site with the default model."""
    list_of_models(tmp_path / "default list", site, monkeypatch, "default = true\n")
    return site


async def test_the_first_screen_offers_the_default_model(world: World, default_site: Hub) -> None:
    async with world.opened((80, 24)) as seen:
        await seen.until(
            "This small model cannot hold a conversation. ctrl+o gets one that can: Tiny, 1 MB"
        )
        await seen.type("half a message", "ctrl+o", until="This connects memapp to 127.0.0.1")
        await seen.press("escape")
        assert default_site.asked == [] and seen.chat.composer.text == "half a message"
        default_site.hold.set()
        default_site.cut = [600_000]
        await seen.press("ctrl+o", "enter", until="↓ Fetching Tiny: ")
        await seen.until(lambda: "% · F8 stops it" in seen.words() and "ctrl+o" not in seen.words())
        await seen.type(" and the rest", "enter")
        await seen.answered()
        first, models_loaded = seen.runtime.chat.ready(), seen.app.session.talk._loads
        default_site.hold.clear()
        world.model = ScriptedModel(name="tiny")
        await seen.until(seen.tells("Tiny is here and whole. It answers from now on."))
        await seen.until(lambda: seen.runtime.chat.ready() is world.model)
        assert first is not world.model and seen.app.session.talk._loads == models_loaded + 1
        await seen.settle(lambda: "Fetching" not in seen.words())
        await seen.press("ctrl+n", until="A new chat.")
        assert "ctrl+o" not in seen.words()


async def test_a_chat_is_told_of_a_better_model(world: World, default_site: Hub) -> None:
    async with world.opened() as seen:
        await seen.send("Hello there")
    async with world.opened() as seen:
        await seen.until("This small model cannot hold a conversation: ctrl+o gets one that can.")
        await seen.press("ctrl+o", until="This connects memapp to 127.0.0.1")
    assert default_site.asked == []


async def test_a_model_that_arrives_loads_after_the_answer(world: World, default_site: Hub) -> None:
    assert world.model is not None
    async with world.opened() as seen:
        world.model.misbehave("hang")
        seen.chat.composer.insert("Tell me of the sea")
        await seen.pilot.press("enter")
        await seen.until(lambda: seen.app.session.talk.busy)
        loads = seen.app.session.talk._loads
        await seen.press("ctrl+o", "enter", until=seen.tells("It answers from now on"))
        assert seen.app.session.talk.busy and seen.app.session.talk._loads == loads
        await seen.press("escape")
        await seen.until(lambda: seen.app.session.talk._loads == loads + 1)


async def test_nothing_is_offered_beside_a_choice(world: World, default_site: Hub) -> None:
    (world.folder / "config.toml").write_text('model = "bundled"\n', "utf-8")
    async with world.opened() as seen:
        assert "ctrl+o" not in seen.words()
        await seen.press("ctrl+o")
        assert isinstance(seen.app.screen, ChatScreen) and default_site.asked == []
