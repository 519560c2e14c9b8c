"""A whole app on a real file, with the scripted model and a clock that a test moves."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot

from memapp import paths, settings
from memapp.categories import load_categories
from memapp.errors import ModelError
from memapp.inference.scripted import ScriptedEmbedder, ScriptedModel
from memapp.prompts.personas import load_personas
from memapp.runtime import Runtime
from memapp.store.database import Database, open_database
from memapp.ui.app import MemappApp
from memapp.ui.screens.chat import ChatScreen


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="Write the screens as they are now into tests/ui/goldens.")


class Clock:
    """A clock that goes on by a second with each look at it."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


class World:
    """Everything a test of the screen needs: one folder, one model, and apps on them, one after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.model: ScriptedModel | None = ScriptedModel()
        self.clock = Clock()
        self.database: Database | None = None
        self.start_error: Exception | None = None
        self.hold_model: Callable[[], None] = lambda: None
        """Called while the model loads."""

    def start(self) -> Runtime:
        if self.start_error:
            raise self.start_error
        assert self.database is not None
        places = paths.locate(home=self.folder, database=self.folder / "memapp.db")
        return Runtime(
            settings.load(places.config, environment={}),
            places,
            self.database,
            load_personas([paths.bundled("assets", "personas"), places.personas]),
            load_categories(paths.bundled("assets", "categories.toml"), places.categories),
            self.clock,
            self._open_model,
            lambda _: ScriptedEmbedder(),
        )

    def _open_model(self, _: Runtime, report: Callable[[str], None]) -> ScriptedModel:
        report("Loading the model…")
        self.hold_model()
        if self.model is None:
            raise ModelError("There is no model here.", "Choose one under Models (F8).")
        return self.model

    @asynccontextmanager
    async def app(self, size: tuple[int, int] = (120, 40), **kwargs: Any) -> AsyncIterator["Seen"]:
        """Run the app, and close everything behind it."""
        self.database = open_database(self.folder / "memapp.db")
        if self.model is not None and self.model._closed.is_set():
            self.model = ScriptedModel()
        app = MemappApp(self.start, self.folder / "log", **kwargs)
        app.animation_level = "none"
        async with app.run_test(size=size, notifications=True, tooltips=True) as pilot:
            seen = Seen(app, pilot)
            yield seen
            if app.is_open:
                app.chat.composer.save_now()
        if app.is_open:
            assert app.session.talk.close(3)
        self.database.close()  # here too: a file lock may belong to the thread that took it


class Seen:
    """A running app and what can be seen of it."""

    def __init__(self, app: MemappApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def chat(self) -> ChatScreen:
        return self.app.chat

    async def ready(self) -> None:
        """Wait until the app is open and the model has loaded or failed, and nothing moves."""
        await self.until(lambda: self.app.is_open and self.app.chat.is_mounted and self.app.current_mode == "chat")
        await self.until(lambda: self.app.runtime.chat.state in ("ready", "failed"))
        await self.until(lambda: self.app.runtime.embedding.state in ("ready", "failed"))
        await self.settle()

    async def settle(self) -> None:
        """Wait until workers are done and the screen is drawn."""
        for _ in range(3):
            await self.pilot.pause()
            await self.until(lambda: not (self.app.is_open and self.chat.is_mounted and self.chat.transcript._above))
            await self.until(lambda: not [one for one in self.app.workers if one.group in BRIEF and not one.is_finished])
        await self.pilot.pause()

    async def until(self, condition: Callable[[], object], seconds: float = 15.0) -> None:
        """Wait for a condition."""
        for _ in range(int(seconds / 0.01)):
            if condition():
                return
            await asyncio.sleep(0.01)
        raise AssertionError("waited in vain; the screen:\n" + self.text())

    async def type(self, text: str) -> None:
        """Put text into what has the focus, key by key."""
        names = {" ": "space", "\n": "ctrl+j"}
        await self.pilot.press(*(names.get(letter, letter) for letter in text))

    async def send(self, text: str) -> None:
        """Type a message, send it, and wait for the whole answer."""
        self.chat.composer.focus()
        self.chat.composer.insert(text)
        await self.pilot.press("enter")
        await self.answered()

    async def click(self, words: str) -> None:
        """Click on words on the screen."""
        y, line = next((y, line) for y, line in enumerate(self.lines()) if words in line)
        await self.pilot.click(offset=(line.index(words) + 1, y))

    async def answered(self) -> None:
        """Wait until no turn runs, and the last one has said all that it has to say."""
        await self.pilot.pause()
        await self.until(lambda: not self.chat.state.busy)
        if turn := self.app.session.talk._turn:
            await self.until(lambda: not turn.is_alive())
        await self.settle()

    def lines(self) -> list[str]:
        """Return the screen as lines of text."""
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).rstrip() for strip in strips]

    def text(self) -> str:
        return "\n".join(self.lines())

    def words(self) -> str:
        """Return the words on the screen, without frames and line breaks."""
        return " ".join(word for word in self.text().split() if not set(word) <= set("│╭╮╰╯─▌"))

    def toasts(self) -> list[str]:
        return [str(one.message) for one in self.app._notifications]


BRIEF = {
    *("open", "threads", "explain", "earlier", "draft", "variant", "models"),
    *("memories", "memories-go", "memory-detail", "relations", "trash", "undo"),
    *("cases", "known", "decide", "badges", "waiting", "activity", "activity-undo", "file"),
}
"""Groups of workers that end by themselves; the others may wait for the person."""


@pytest.fixture(scope="session", autouse=True)
def style_parsed_once() -> Iterator[None]:
    """Parse the style of each text and theme once, and not again for each app: nothing changes what was parsed."""
    parse, parsed = Stylesheet._parse_rules, {}

    def look_up(self: Stylesheet, *text: Any, **more: Any) -> Any:
        key = text, frozenset(more.items()), frozenset(self._variables.items())
        if key not in parsed:
            parsed[key] = parse(self, *text, **more)
        return parsed[key]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Stylesheet, "_parse_rules", look_up)
        yield


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
async def seen(world: World) -> AsyncIterator[Seen]:
    async with world.app() as seen:
        await seen.ready()
        yield seen
