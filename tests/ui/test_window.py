"""The window itself: every size with everything open, toasts, help, crash messages, and what one
key leads the next one to.
"""

import asyncio
import io
import itertools
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from rich.console import Console
from textual import events
from textual.command import CommandPalette
from textual.css.query import NoMatches
from textual.widgets import Input, TextArea
from textual.worker import WorkerFailed

from memapp.crash import write_crash_file
from memapp.domain.filters import MemoryFilter
from memapp.errors import MemappError
from memapp.runtime import Runtime
from memapp.services import curate, upkeep
from memapp.services.consent import requests
from memapp.ui.activity.log_rows import LogRows
from memapp.ui.app import MemappApp
from memapp.ui.chat.threads import Threads
from memapp.ui.dialogs import LineQuestion
from memapp.ui.inbox.requests import RequestRows
from memapp.ui.messages import MemoriesChanged, TurnRefused
from memapp.ui.safe_text import notify
from memapp.ui.screens import memory_list
from memapp.ui.screens.chat import ChatScreen
from memapp.ui.screens.trash import TrashScreen
from memapp.ui.widgets.composer import Composer
from memapp.ui.widgets.help import Help
from memapp.ui.widgets.searchfield import SearchField
from memapp.ui.widgets.statusline import StatusLine
from tests.ui.conftest import Seen, World

SIZES = ((10, 5), (40, 10), (60, 15), (80, 24), (120, 40), (200, 60))


async def check_all_sizes(seen: Seen) -> None:
    """Change from every size to every other one."""
    for combination, other in itertools.combinations(SIZES, 2):
        for size in (combination, other, combination):
            await seen.pilot.resize_terminal(*size)
            assert seen.app.is_running and seen.app.return_code is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "keys",
    ["", "ctrl+b", "ctrl+t", "ctrl+b ctrl+t", "ctrl+t f1", "escape ctrl+t", "ctrl+f", "ctrl+p"],
)
async def test_the_chat_takes_every_change_of_size(seen: Seen, keys: str) -> None:
    await seen.pilot.press(*keys.split())
    await check_all_sizes(seen)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["f3", "f4", "f5", "f6", "f7", "f8", "f9"])
async def test_every_mode_takes_every_change_of_size(seen: Seen, key: str) -> None:
    await seen.press(key)
    await check_all_sizes(seen)


async def test_a_window_that_becomes_narrow_with_both_panes_open_goes_on(seen: Seen) -> None:
    await seen.pilot.press("ctrl+t")
    for small in ((60, 15), (40, 10), (10, 5)):
        await seen.pilot.resize_terminal(*small)
        await seen.settle()
        assert seen.chat.composer.has_focus
        assert seen.chat.composer.region.bottom == 14 or small != (60, 15)
        await seen.pilot.resize_terminal(120, 40)
        await seen.until("Write to")
        assert seen.app.return_code is None


async def test_the_end_of_a_long_text_is_seen_in_every_window(seen: Seen) -> None:
    seen.chat.composer.text = "\n".join(
        f"A line with many words that is number {number}." for number in range(30)
    )
    seen.chat.composer.move_cursor(seen.chat.composer.document.end)
    for keys, size in (([], (80, 24)), (["ctrl+t"], (80, 24)), ([], (50, 15)), ([], (120, 40))):
        await seen.pilot.press(*keys)
        await seen.pilot.resize_terminal(*size)
        await seen.settle()
        assert " 29." in seen.words(), (keys, size)
        assert seen.chat.composer.region.bottom == size[1] - 1, (keys, size)


# Crashes ------------------------------------------------------------------------------------------


def test_a_second_crash_in_the_same_second_leaves_the_first_one_alone(tmp_path: Path) -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    paths = [
        write_crash_file(error, tmp_path, now) for error in (ValueError(), KeyError(), TypeError())
    ]
    assert len(set(paths)) == 3
    actual = [path.read_text("utf-8").splitlines()[2] for path in paths if path]
    assert actual == ["ValueError", "KeyError", "TypeError"]


def test_the_crash_file_is_named_whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "a_very_long_name" / "of_some_folder" / "in_which_logs_are_kept"
    app = MemappApp(lambda: pytest.fail("not opened"), folder)
    monkeypatch.setattr(app, "_close_messages_no_wait", lambda: None)
    monkeypatch.setattr(app, "error_console", Console(file=(said := io.StringIO()), width=40))
    app._exception_event = asyncio.Event()
    app._handle_exception(ValueError("first"))
    app._handle_exception(KeyError("second"))
    app._print_error_renderables()
    (written,) = folder.iterdir()
    assert str(written) in said.getvalue()
    assert "a bug (ValueError)" in said.getvalue()


async def test_a_crash_of_a_worker_leaves_the_place_where_it_happened(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(curate, "count", lambda *_: 1 // 0)
    with pytest.raises(WorkerFailed):
        async with world.opened() as seen:
            talk = seen.chat.session.talk
            await seen.app.action_mode("memories")
            await seen.settle()
    talk.close()  # its thread would look at the file while later tests fork
    (written,) = (world.folder / "log").iterdir()
    assert "ZeroDivisionError" in written.read_text("utf-8")
    assert "test_window.py" in written.read_text("utf-8")


async def test_a_bug_in_learning_is_said_once(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def work(*_: object) -> list[object]:
        tried.append("")
        raise ZeroDivisionError

    monkeypatch.setattr(upkeep, "work", work)
    for number in range(1, 3):
        await seen.send(f"message {number}")
        await seen.settle(lambda number=number: len(tried) >= number)
        said = "Learning from your messages failed; memapp doctor says more."
        assert (seen.chat.query_one(StatusLine).words == said) is (number == 1)
    assert sorted(seen.runtime.paths.log.glob("crash-*"))


async def test_a_dead_embedding_model_is_told_where_learning_stops(seen: Seen) -> None:
    await seen.pilot.resize_terminal(80, 24)
    seen.runtime.embedding.fail("The embedding model stopped too often. Start memapp again.")
    await seen.send("I keep bees in the garden.")
    said = (
        "Nothing is learned now, your messages wait. The embedding model stopped too often. "
        "Start memapp again."
    )
    await seen.until(lambda: seen.chat.query_one(StatusLine).words == said)
    await seen.until("Start memapp again.")
    assert curate.count(seen.runtime) == 0


async def test_nothing_is_written_of_an_app_that_is_gone(world: World) -> None:
    async with world.opened() as seen:
        runtime, talk = seen.runtime, seen.app.session.talk
    talk._announce(MemoriesChanged())
    assert not list(runtime.paths.log.glob("crash-*"))


# Toasts and the status line -----------------------------------------------------------------------


async def test_the_newest_toast_stands_in_place_of_the_one_before_and_makes_way(seen: Seen) -> None:
    notify(seen.chat, "damage", seconds=60)
    for number in range(4):
        notify(seen.chat, f"toast {number}")
    await seen.settle()
    assert seen.toasts() == ["damage", "toast 3"]
    seen.app.clear_notifications()
    notify(seen.chat, "ten lines " * 5 + "sevenup", undo="a step")  # just as long as a line is
    await seen.settle()
    assert "undo (ctrl+z)" in seen.text()
    await seen.press(*["ctrl+j"] * 6)
    assert not seen.app.screen.query_one("Toast").region.overlaps(seen.chat.composer.region)
    seen.chat.composer.clear_text()
    seen.app.clear_notifications()
    notify(seen.app, "Copied.")
    await seen.settle()
    seen.chat.conversation.status.say("An earlier message")
    await seen.settle()
    assert "Copied." in seen.text() and "An earlier message" in seen.text()
    line = next(number for number, line in enumerate(seen.lines()) if "An earlier message" in line)
    assert seen.app.screen.query("Toast").last().region.bottom <= line


async def test_a_toast_is_shown_once_while_something_is_open_above(seen: Seen) -> None:
    notify(seen.chat, "done before", seconds=25.0)
    await seen.settle()
    await seen.press("ctrl+p")
    assert seen.text().count("done before") == 1
    notify(seen.chat, "done now", seconds=25.0)
    await seen.settle()
    assert seen.text().count("done now") == 1
    await seen.press("escape")
    assert seen.text().count("done now") == 1
    seen.app.delay_update()  # as Textual does when something is chosen from the palette
    await seen.app.push_screen(LineQuestion("Remember", "", str))
    await seen.until(lambda: [toast for toast in seen.app.screen.query("Toast") if toast.region])
    await seen.until(lambda: seen.text().count("done now") == 1)


async def test_a_toast_never_hides_what_is_written_into(seen: Seen) -> None:
    curate.add(seen.runtime, "Anna has a cat.")
    narrow, wide = (80, 24), (120, 40)
    ways = ((wide, ""), (narrow, ""), (narrow, "ctrl+f"), (narrow, "escape f3 slash"))
    for size, keys in (*ways, (wide, "escape n")):
        seen.app.clear_notifications()
        await seen.pilot.resize_terminal(*size)
        await seen.press(*keys.split())
        said = "Something of some length was done just now, and ctrl+z undoes it again. "
        notify(seen.chat, said * 3)
        await seen.settle()
        (toast,) = seen.app.screen.query("Toast")
        assert toast.region.height and isinstance(seen.app.focused, Input | TextArea)
        assert not toast.region.overlaps(seen.app.focused.region)
        assert toast.region.bottom < size[1] and toast.region.right >= size[0] - 2


async def test_an_error_takes_as_many_lines_as_it_needs_and_stays_in_its_chat(world: World) -> None:
    async with world.opened((80, 24)) as seen:
        await seen.send("hello")
        error = MemappError(
            "Your message is too long (200,025 characters), nothing was sent.",
            "The limit is 200,000: cut it.",
        )
        seen.chat.conversation.post_message(TurnRefused("", error, None))
        await seen.settle()
        assert "The limit is 200,000: cut it." in seen.words()
        await seen.press("ctrl+n")
        assert "too long" not in seen.words()
        assert seen.chat.query_one(StatusLine).size.height == 1


# Help and the palette -----------------------------------------------------------------------------


async def test_help_begins_with_the_keys_of_what_has_the_focus(world: World) -> None:
    async with world.opened((80, 24)) as seen:
        await seen.send("hello")
        await seen.press("escape", "up", "f1")
        shown = seen.app.screen.query_one("#help-keys-text").render().plain  # type: ignore[attr-defined]
        assert shown.splitlines()[0] == "Conversation"
        assert shown.splitlines()[1].split() == ["↑", "k", "Message"]
        assert "Scroll" not in shown and "Page" not in shown
        assert "Find" in shown
        assert seen.app.screen.query_one(Help).size.width <= 32
        await seen.press("question_mark")
        assert not seen.app.screen.query(Help) and not seen.chat.composer.text
        await seen.pilot.press("f3", "f1")
        await seen.until(
            lambda: "tab turns to its history, relations and provenance." in _beside(seen)
        )
        shown = seen.app.screen.query_one("#help-keys-text").render().plain  # type: ignore[attr-defined]
        actual = [part.splitlines()[0] for part in shown.split("\n\n")]
        assert actual == ["Memories", "memapp", "Also"]
        await seen.press("escape")
        assert seen.app.current_mode == "memories" and not seen.app.screen.query(Help)


def _beside(seen: Seen) -> str:
    """What stands in the help, in one line."""
    return " ".join(" ".join(line.partition("▏")[2] for line in seen.lines()).split())


async def test_the_palette_finds_undo_and_offers_nothing_that_is_not_of_memapp(seen: Seen) -> None:
    for words in ("undo", "last change"):
        await seen.pilot.press("ctrl+p")
        await seen.settle(CommandPalette)
        await seen.type(words)
        await seen.until(
            lambda: (
                "Undo the last change of a memory" in seen.text()
                and "Find anything" not in seen.text()
            )
        )
        await seen.press("escape", until=lambda: seen.app.screen is seen.chat)
    await seen.press("f9")
    offered = [command.title for command in seen.app.get_system_commands(seen.app.screen)]
    assert {"Undo the last change of a memory", "Find anything"} <= set(offered)
    assert not {"Focus Next", "Focus Previous", "Copy selected text"} & set(offered)


# Keys ---------------------------------------------------------------------------------------------


async def test_letters_and_pastes_in_the_conversation_go_to_the_composer(seen: Seen) -> None:
    await seen.send("hello")
    await seen.pilot.press("escape")
    await seen.type("/help")
    assert seen.chat.composer.text == "/help" and seen.chat.composer.has_focus
    assert seen.chat.composer.pasted == ()
    seen.chat.composer.clear_text()
    await seen.pilot.press("escape")
    assert seen.chat.transcript.has_focus
    seen.app.post_message(events.Paste("pasted words"))
    await seen.settle()
    assert (seen.chat.composer.text, seen.chat.composer.pasted) == ("pasted words", ((0, 12),))


async def test_page_up_in_an_empty_composer_scrolls_the_conversation(world: World) -> None:
    async with world.opened((80, 24)) as seen:
        await seen.send("a line\n" * 40)
        at = seen.chat.transcript.scroll_y
        assert at > 0
        await seen.press("pageup")
        assert seen.chat.transcript.scroll_y < at and seen.chat.composer.has_focus
        await seen.press("pagedown")
        assert seen.chat.transcript.scroll_y == at


def burst(seen: Seen, *keys: str) -> None:
    """Send keys all at once, as a terminal does under load."""
    for key in keys:
        seen.app.post_message(
            events.Key(key, "/" if key == "slash" else key if len(key) == 1 else None)
        )


async def test_keys_that_come_at_once_go_where_the_one_before_them_led(seen: Seen) -> None:
    for number in range(5):
        await asyncio.to_thread(
            curate.add, seen.runtime, f"The gardener number {number} comes on Mondays."
        )
    for _ in range(3):
        burst(seen, "f3", "slash", *"gardener", "2")
        await seen.settle(
            lambda: [field.value for field in seen.app.screen.query(SearchField)] == ["gardener2"]
        )
        assert await asyncio.to_thread(curate.count, seen.runtime) == 5
        assert len(seen.app.screen_stack) == 1
        burst(seen, "escape", "n", *"dnp", "escape", "f2", *"dnp")
        await seen.until(
            lambda: seen.app.current_mode == "chat" and seen.chat.composer.text == "dnp"
        )
        assert await asyncio.to_thread(curate.count, seen.runtime) == 5
        seen.chat.composer.clear_text()


async def test_keys_after_one_that_opens_a_panel_wait_for_its_rows(world: World) -> None:
    async with world.opened() as seen:
        for city in ("Oslo", "Rome"):
            await asyncio.to_thread(requests.propose, seen.runtime, "goals_add", f"to see {city}")
            await asyncio.to_thread(curate.add, seen.runtime, f"The gardener comes from {city}.")
        burst(seen, "f4", "j", "f7", "tab", "tab", "j")
        await seen.settle(
            lambda: any(logrow.current_key for logrow in seen.app.screen.query(LogRows))
        )
        lines = seen.app.screen.query_one(LogRows)
        assert lines.current == lines.items[1]
        await seen.pilot.press("f4")
        cases = seen.app.screen.query_one(RequestRows)
        assert cases.current == cases.items[1]


async def test_keys_at_once_act_on_the_rows_that_the_one_before_left(seen: Seen) -> None:
    for text in ("Anna sails.", "Bo has a cat.", "Cleo rows.", "Dora skates.", "Emil sings."):
        await asyncio.to_thread(curate.add, seen.runtime, text)

    def known() -> set[str]:
        return {text.split()[0] for text in seen.known()}

    slow = memory_list._page_of

    def slower(*args: Any, **kwargs: Any) -> Any:
        time.sleep(0.1)
        return slow(*args, **kwargs)

    with patch.object(memory_list, "_page_of", slower):
        burst(seen, "f3", "slash", *"cat", "enter", "d")
        await seen.until(lambda: known() == {"Anna", "Cleo", "Dora", "Emil"})
        burst(seen, "escape", "d", "d", "d")
        await seen.until(lambda: len(known()) == 1)
        burst(seen, "u", "u", "u", "u")
        await seen.until(lambda: known() == {"Anna", "Bo", "Cleo", "Dora", "Emil"})
        burst(seen, "p", "d", "u")
        await seen.settle()
        assert len(known()) == 5
        assert len([memory for memory in curate.list_memories(seen.runtime) if memory.pinned]) == 1


async def test_what_is_typed_before_a_dialog_is_there_goes_into_it(seen: Seen) -> None:
    memory = (await asyncio.to_thread(curate.add, seen.runtime, "Anna sails.")).memory_id
    await asyncio.to_thread(curate.discard, seen.runtime, memory)
    burst(seen, "f5", "X", *"erase", "enter")
    await seen.until(lambda: curate.list_memories(seen.runtime, MemoryFilter(state=None)) == [])
    assert curate.count(seen.runtime) == 0


async def test_what_is_sent_or_saved_twice_at_once_is_kept_once(seen: Seen) -> None:
    seen.chat.composer.insert("/remember User sails.")
    burst(seen, "enter", "enter", *"next")
    await seen.until(lambda: seen.chat.composer.text == "next")
    assert seen.known() == ["User sails."]
    assert seen.toasts() == ["Remembered “User sails.”\nundo (ctrl+z)"]
    burst(seen, "f3", "n", *"rows", "ctrl+s", "ctrl+s")
    await seen.until(lambda: curate.count(seen.runtime) == 2)
    await seen.until(lambda: len(seen.app.screen_stack) == 1)
    assert seen.known() == ["rows", "User sails."]


async def test_news_that_come_while_the_app_closes_break_nothing(world: World) -> None:
    async with world.opened() as seen:
        app = seen.app
        with (
            patch.object(Threads, "show", side_effect=NoMatches("gone")),
            patch.object(app, "_running", False),
        ):
            await seen.chat.threads.list().wait()
    notify(app, "Too late.")
    app.on_notify()
    await app.on_event(events.Key("j", "j"))
    await app.on_event(events.Paste("Too late."))
    assert not list((world.folder / "log").glob("crash-*"))


async def test_a_message_sent_at_the_very_moment_in_which_memory_opens_is_sent(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = threading.Event()
    start, build = world.start, ChatScreen.__init__

    def begin() -> Runtime:
        written.wait(10)
        return start()

    def enter_comes_now(screen: ChatScreen, *given: Any, **more: Any) -> None:
        build(screen, *given, **more)
        opening.query_one(Composer).action_send()

    monkeypatch.setattr(world, "start", begin)
    monkeypatch.setattr(ChatScreen, "__init__", enter_comes_now)
    async with world.app() as seen:
        opening = seen.app.screen
        await seen.press(*"hello", until=lambda: opening.query_one(Composer).text == "hello")
        written.set()
        await seen.ready()
        await seen.until(lambda: seen.chat.transcript.bubbles)
        await seen.answered()
        assert seen.chat.transcript.bubbles[0].message.text == "hello"
        assert seen.chat.composer.text == ""


async def test_a_message_sent_while_memory_opens_keeps_what_was_pasted(world: World) -> None:
    async with world.app() as seen:
        seen.app.post_message(events.Paste("My name is Eve."))
        burst(seen, "enter")
        await seen.ready()
        await seen.until(lambda: seen.chat.transcript.bubbles)
        await seen.answered()
        assert seen.chat.transcript.bubbles[0].message.pasted == ((0, 15),)


async def test_a_screen_whose_end_is_cancelled_does_not_keep_the_app_from_closing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = TrashScreen.on_event

    async def cancelled(self: TrashScreen, event: events.Event) -> None:
        await ended(self, event)
        if isinstance(event, events.Unmount):
            monkeypatch.setattr(TrashScreen, "on_event", ended)
            raise asyncio.CancelledError

    async with world.opened() as seen:
        await seen.press("f5", until=TrashScreen)
        monkeypatch.setattr(TrashScreen, "on_event", cancelled)
    assert not seen.app.is_running
