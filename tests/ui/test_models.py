"""Models: a better one is downloaded after a question, stopped, gone on with, used and removed."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memapp.ui.dialogs import Question
from memapp.ui.screens.models import ModelRows, ModelsScreen
from tests.inference import tiny_gguf
from tests.inference.hub import Hub, list_of_models, serving

from .conftest import Seen, World


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    content = tiny_gguf.write(tmp_path / "made.gguf", tiny_gguf.CHATML).read_bytes() + bytes(600_000)
    with serving(content) as opened:
        list_of_models(tmp_path / "list", opened, monkeypatch)
        yield opened


@asynccontextmanager
async def models_screen(world: World, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Seen]:
    """Open Models on the row of the model that can be downloaded."""
    async with world.opened(size) as seen:
        await seen.press("f8", until=lambda: "not here yet" in seen.text() or "% here" in seen.text())
        await seen.pilot.press("down")
        yield seen


async def answer(seen: Seen, key: str) -> None:
    """Answer the question that comes."""
    await seen.until(lambda: isinstance(seen.app.screen, Question))
    await seen.press(key, until=lambda: isinstance(seen.app.screen, ModelsScreen))


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
        await seen.until(lambda: any("Tiny is here and whole" in one for one in seen.toasts()))
        file = seen.app.runtime.paths.downloads / "tiny.gguf"
        assert file.read_bytes() == site.content
        rows = seen.app.screen.query_one(ModelRows)
        await seen.until(lambda: rows.current and rows.current.path == file)  # the cursor stays with it
        await seen.pilot.press("enter")
        await seen.settle(lambda: seen.app.runtime.settings.model == str(file))
        await seen.press("d", until=lambda: any("Choose another first" in one for one in seen.toasts()))
        await seen.pilot.press("up", "enter", "down")
        await seen.settle(lambda: seen.app.runtime.settings.model == "")
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
        await seen.until(lambda: any("was stopped. What has arrived is kept" in one for one in seen.toasts()))
        await seen.until(lambda: "% here" in seen.text() and "online" not in seen.words())
        site.hold.clear()
        await seen.pilot.press("enter")
        await answer(seen, "enter")
        await seen.until(lambda: any("Tiny is here and whole" in one for one in seen.toasts()))
        assert site.ranges[-1].startswith("bytes=")


async def test_what_fails_is_said_and_leaving_ends_a_download(world: World, site: Hub) -> None:
    site.status = 404
    async with models_screen(world) as seen:
        await seen.pilot.press("enter")
        await answer(seen, "enter")
        await seen.until(lambda: any("has no file tiny.gguf any more" in one for one in seen.toasts()))
        site.status, site.cut = 0, [600_000]
        site.hold.set()
        await seen.settle()
        await seen.pilot.press("enter")
        await answer(seen, "enter")
        await seen.until("↓")
        download = seen.app.session.talk.downloading
    assert download is not None and download.cancel.is_set()
    site.hold.clear()
