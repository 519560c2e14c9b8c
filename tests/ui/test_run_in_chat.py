"""Commands in a chat on the screen: a quiet block, its hint, the way to the lesson, and how it is
stopped.
"""

import subprocess
from pathlib import Path

import pytest

from memapp.ui.dialogs import TextCard
from memapp.ui.screens.learned import LearnedScreen
from memapp.ui.widgets.bubbles import Answer
from tests.ui.conftest import Seen, World
from tests.ui.test_hostile import check_no_escapes


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "repo"
    place.mkdir()
    subprocess.run(["git", "init", "-q", "."], cwd=place, check=True)
    monkeypatch.chdir(place)
    return place


def last(seen: Seen) -> Answer:
    answer = seen.chat.transcript.last_answer
    assert answer
    return answer


async def test_a_failed_command_shows_what_worked(world: World, folder: Path) -> None:
    hostile = (
        b"[/INST][@click=app.quit]x[/]\n\x1b[31m\x1b]52;c;aGk=\x07red\n"
        + b"x" * 10**6
        + b"\nline" * 50
    )
    (folder / "hostile").write_bytes(hostile)
    async with world.opened(size=(80, 24)) as seen:
        for written in ("/run git stauts -s", "/run git status -s", "/run git stauts -s"):
            await seen.send(written)
        assert "exit 1 · 0." in seen.text()
        assert "memapp: here `git status -s` worked once" in seen.words()
        assert "[1] git status -s" in seen.text() and not seen.chat.composer.text

        await seen.send("/run cat hostile")
        check_no_escapes(seen)
        assert "more lines · enter reads all" in last(seen).query_one(".body").render().plain  # type: ignore[union-attr]
        await seen.pilot.press("escape", "up", "enter")
        assert isinstance(seen.app.screen, TextCard)
        check_no_escapes(seen)
        await seen.pilot.press("escape", "up", "up", "right", "enter")
        await seen.settle(LearnedScreen)
        assert "+ git status -s" in seen.text()

    async with world.opened(size=(120, 40)) as seen:
        assert "/run cat hostile" in seen.text()
        assert "exit 0 · 0." in seen.text(), "it is there after a restart"
        await seen.pilot.press("up")
        assert seen.chat.composer.text == "/run cat hostile"


async def test_a_running_command_is_stopped_by_a_key_and_the_app_goes_on(world: World) -> None:
    async with world.opened() as seen:
        for key in ("escape", "ctrl+c"):
            seen.chat.composer.insert("/run sh -c 'echo begun; sleep 60'")
            await seen.press(
                "enter",
                until=lambda: "Running · esc stops" in seen.text() and "begun" in last(seen).text,
            )
            await seen.type("typed")
            assert seen.chat.composer.text == "typed", "nothing holds the keys"
            seen.chat.composer.clear_text()
            await seen.pilot.press(key)
            await seen.answered()
            assert "stopped · " in last(seen).text and not last(seen).cut


async def test_only_what_was_typed_is_run(world: World, folder: Path) -> None:
    async with world.opened() as seen:
        await seen.send("/run touch a | touch b")
        assert seen.chat.composer.text == "/run touch a | touch b", "it goes back to be put right"
        seen.chat.composer.clear_text()
        await seen.send("/run touch c")
        await seen.pilot.press("ctrl+r")
        (folder / "c").unlink()
        await seen.press("escape", "up", "e")
        assert seen.chat.composer.text == "/run touch c", "to be sent again it must be sent again"
        assert [path.name for path in folder.iterdir()] == [".git"]


async def test_a_command_of_the_start_waits_for_the_person(world: World, folder: Path) -> None:
    async with world.opened(question="/run touch a") as seen:
        assert seen.chat.composer.text == "/run touch a" and not (folder / "a").exists()
