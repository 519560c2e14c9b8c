"""A whole app on a real file, with the scripted model and a clock that a test moves."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from textual._compositor import Compositor
from textual._context import active_app, visible_screen_stack
from textual.command import CommandPalette
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot
from textual.screen import ModalScreen, Screen

from memapp import paths, settings
from memapp.categories import load_categories
from memapp.errors import ModelError
from memapp.inference.scripted import ScriptedModel
from memapp.language.normal_form import WORDING
from memapp.prompts.personas import load_personas
from memapp.runtime import Runtime
from memapp.services import curate
from memapp.store.database import Database
from memapp.store.opening import open_database
from memapp.ui.app import MemappApp
from memapp.ui.keys import caught_up
from memapp.ui.screens.chat import ChatScreen
from tests.builders import Reader, until


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens",
        action="store_true",
        help="Write the screens as they are now into tests/ui/goldens.",
    )


Awaited = str | type[Screen[Any]] | Callable[[], object]
"""What a test waits for: words on the screen, a kind of screen, or a condition."""


class Clock:
    """A clock that advances by a second at each reading."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


class World:
    """Everything a test of the screen needs: one folder, one model, and apps on them, one after the
    other.
    """

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
            lambda _: Reader(),
            lambda _: Reader(),
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
        self.database = open_database(self.folder / "memapp.db", WORDING)
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
            # the shared embedding model is not ended by it
            until(lambda: app.session.talk.close(3))
        self.database.close()  # here too: a file lock may belong to the thread that took it

    @asynccontextmanager
    async def opened(
        self, size: tuple[int, int] = (120, 40), **kwargs: Any
    ) -> AsyncIterator["Seen"]:
        """Run the app as `app` does, and wait until it is ready."""
        async with self.app(size, **kwargs) as seen:
            await seen.ready()
            yield seen


class Seen:
    """A running app and its screen."""

    def __init__(self, app: MemappApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot
        self._lines: list[str] = []
        self._painted: tuple[Screen[Any], int] | None = None
        """The screen of these lines, and how often one was painted until then."""

    @property
    def chat(self) -> ChatScreen:
        return self.app.chat

    @property
    def runtime(self) -> Runtime:
        return self.app.runtime

    async def ready(self) -> None:
        """Wait until the app is open and the model has loaded or failed, and nothing moves."""
        await self.until(
            lambda: (
                self.app.is_open and self.app.chat.is_mounted and self.app.current_mode == "chat"
            )
        )
        await self.until(lambda: self.app.runtime.chat.state in ("ready", "failed"))
        await self.until(lambda: self.app.runtime.embedding.state in ("ready", "failed"))
        await self._rest()

    async def settle(self, condition: Awaited = lambda: True) -> None:
        """Wait for a condition, and until workers are done, and draw the screen."""
        await self.until(condition)
        await self._rest()
        self.lines()

    async def _rest(self) -> None:
        """Wait until workers are done and nothing moves."""
        await at_rest()
        while self._works():
            await self.until(lambda: not self._works())
            await at_rest()

    def _works(self) -> bool:
        """Say whether something is under way that ends by itself."""
        above = self.app.is_open and self.chat.is_mounted and self.chat.transcript._above
        ending = BRIEF if isinstance(self.app.screen, ModalScreen) else BRIEF | ASKING
        return bool(above) or any(
            worker.group in ending and not worker.is_finished for worker in self.app.workers
        )

    async def until(self, condition: Awaited, seconds: float = 30.0) -> None:
        """Wait for words on the screen, for a kind of screen, or for a condition."""
        for _ in range(int(seconds / 0.01)):
            if self._holds(condition):
                return
            await asyncio.sleep(0.01)
        raise AssertionError("waited in vain; the screen:\n" + self.text())

    def _holds(self, condition: Awaited) -> object:
        if isinstance(condition, str):
            return condition in self.words()
        if isinstance(condition, type):
            return isinstance(self.app.screen, condition)
        return condition()

    async def press(self, *keys: str, until: Awaited | None = None) -> None:
        """Press keys, and wait for a sentence, or else until all work is done."""
        await self.pilot.press(*keys)
        if until is None:
            await self.settle()
        else:
            await self.until(until)

    async def type(self, text: str, *keys: str, until: Awaited = lambda: True) -> None:
        """Type text key by key, press further keys, and wait until a sentence is shown."""
        names = {" ": "space", "\n": "ctrl+j"}
        await self.pilot.press(*(names.get(letter, letter) for letter in text), *keys)
        await self.until(until)

    async def send(self, text: str, until: Awaited = lambda: True) -> None:
        """Type and send a message, and wait for the whole answer, and for a sentence."""
        self.chat.composer.focus()
        self.chat.composer.insert(text)
        await self.pilot.press("enter")
        await self.answered()
        await self.until(until)

    async def click(self, words: str) -> None:
        """Click on words on the screen."""
        y, line = next((y, line) for y, line in enumerate(self.lines()) if words in line)
        await self.pilot.click(offset=(line.index(words) + 1, y))

    async def answered(self) -> None:
        """Wait until no turn runs, and the last turn has sent its messages."""
        await self.pilot.pause()
        await self.until(lambda: not self.chat.state.busy)
        if turn := self.app.session.talk._turn:
            await self.until(lambda: not turn.is_alive())
        await caught_up(self.chat.conversation)  # with all that the turn announced
        await self.settle()
        with suppress(TimeoutError):  # a model that hangs does so here too
            async with asyncio.timeout(1.0):
                while any(thread.is_alive() for thread in self.app.session.talk._idle_work):
                    await asyncio.sleep(0.005)
        await self.settle()

    def lines(self) -> list[str]:
        """Return the screen as lines of text."""
        screen = self.app.screen
        dirty = (
            screen._dirty_widgets
            or screen._layout_required
            or screen._repaint_required
            or screen._scroll_required
        )
        if dirty or self._painted != (screen, paints):
            visible_screen_stack.set(list(self.app._background_screens))
            strips = screen._compositor.render_strips()
            self._lines = ["".join(segment.text for segment in strip).rstrip() for strip in strips]
            self._painted = None if dirty else (screen, paints)
        return list(self._lines)

    def text(self) -> str:
        return "\n".join(self.lines())

    def words(self) -> str:
        """Return the words on the screen, without frames and line breaks."""
        return " ".join(word for word in self.text().split() if not set(word) <= set("│╭╮╰╯─▌"))

    def toasts(self) -> list[str]:
        return [str(notification.message) for notification in self.app._notifications]

    def tells(self, words: str) -> Callable[[], bool]:
        """The condition that a toast has these words."""
        return lambda: any(words in toast for toast in self.toasts())

    def known(self) -> list[str]:
        """Return the texts of the live memories, the newest first."""
        return [memory.text for memory in curate.list_memories(self.runtime)]

    def in_mode(self, mode: str) -> Callable[[], bool]:
        return lambda: self.app.current_mode == mode


REST_SECONDS = 0.3
"""So long what does not come to rest is waited for: a model that is held, an answer that streams.
"""
SOON_SECONDS = 0.02
"""A timer that runs out so soon is waited for."""
paints = 0
"""How often a screen was, or would have been, painted."""
_BRIEF = (
    "open threads explain outcomes earlier draft variant waiting badges file hits memories-rest "
    "memories memories-undo memory-detail memory-again relations requests known decide save "
    "undo learned learned-undo lesson lessons tick activity models use"
)
BRIEF = {*_BRIEF.split(), CommandPalette._GATHER_COMMANDS_GROUP}
"""Groups of workers that end by themselves."""
_ASKING = (
    "send deed card write remove settings memory-action memory-erase lesson-action lesson-runs"
)
ASKING = set(_ASKING.split())
"""Groups of workers that end by themselves too, but for what they ask the person."""


@pytest.fixture(scope="session", autouse=True)
def style_parsed_once() -> Iterator[None]:
    """Parse the style of each text and theme once, and not again for each app: nothing changes what
    was parsed.
    """
    parse, parsed = Stylesheet._parse_rules, {}

    def look_up(self: Stylesheet, *text: Any, **more: Any) -> Any:
        key = text, frozenset(more.items()), frozenset(self._variables.items())
        if key not in parsed:
            parsed[key] = parse(self, *text, **more)
        return parsed[key]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Stylesheet, "_parse_rules", look_up)
        # the same by which it is one, only quicker
        patched.setattr(RuleSet, "__hash__", object.__hash__)
        yield


async def at_rest(*_: object) -> None:
    """Wait until the event loop has nothing left to do, no thread works for it, and no timer is
    about to run out.
    """
    loop: Any = asyncio.get_running_loop()
    end = loop.time() + REST_SECONDS
    while True:
        await asyncio.sleep(0)
        if loop._ready:
            continue
        held = False
        if (app := active_app.get(None)) and app._running and app.screen_stack:
            app.screen._on_timer_update()
            held = app._batch_count > 0  # a screen that was opened lays itself out a moment later
        pool, now = loop._default_executor, loop.time()
        working = pool is not None and pool._idle_semaphore._value < len(pool._threads)
        if loop._ready:  # looked at last: a thread leaves its result here before it is idle
            continue
        soon = [
            item._when
            for item in loop._scheduled
            if not item._cancelled and item._when < now + SOON_SECONDS
        ]
        if not (working or held or soon) or now > end:
            return
        await asyncio.sleep(0.002 if working or not soon else max(0.0, min(soon) - now))


@pytest.fixture(scope="session", autouse=True)
def waiting_for_the_event_loop() -> Iterator[None]:
    """Let Textual's pilot wait until the app is at rest; it waits until the process has been idle
    for 20 ms, after each key.
    """
    with pytest.MonkeyPatch.context() as patched:
        for place in (
            "textual.app.wait_for_idle",
            "textual.pilot.wait_for_idle",
            "textual.pilot.Pilot._wait_for_screen",
        ):
            patched.setattr(place, at_rest)
        yield


@pytest.fixture(autouse=True)
def painted_when_looked_at(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paint what has settled or is looked at; without a terminal Textual paints each change, and
    throws that away.

    The slow tests do paint each change, among them those of hostile texts and of the looks.
    """
    paint = Compositor.render_update

    def note(self: Compositor, *args: Any, **more: Any) -> Any:
        global paints
        paints += 1
        if slow:
            return paint(self, *args, **more)
        self._dirty_regions.clear()
        return None

    slow = request.node.get_closest_marker("slow") is not None
    monkeypatch.setattr(Compositor, "render_update", note)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
async def seen(world: World) -> AsyncIterator[Seen]:
    async with world.opened() as seen:
        yield seen


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Return True if the pictures of the screens are to be written."""
    return bool(request.config.getoption("--update-goldens", default=False))
