"""A window beside other processes on the same file: soon updated, and yielding with a notice."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from memapp import bootstrap
from memapp.domain.turn_events import Accepted
from memapp.inference.scripted import ScriptedModel
from memapp.runtime import Runtime
from memapp.services import chats, curate, forget
from memapp.services.turn import take_turn
from memapp.store.lock import Lock
from memapp.ui.messages import FileChanged
from memapp.ui.screens.memories import MemoriesScreen
from tests.ui.conftest import Seen, World


@pytest.fixture
def other(world: World, seen: Seen) -> Iterator[Runtime]:
    """What another process has in its hands: an own connection to the same file."""
    runtime = bootstrap.start(home=world.folder)
    runtime.chat.fill(ScriptedModel())
    yield runtime
    runtime.close()


async def test_a_memory_of_another_process_is_shown_and_a_chat_it_deletes_is_left(
    seen: Seen, other: Runtime
) -> None:
    await seen.send("Hello there.")
    assert seen.chat.state.thread
    await seen.press("f3", until=MemoriesScreen)
    curate.add(other, "User keeps bees.")
    await seen.until("User keeps bees.")
    assert curate.count(seen.runtime) == 1
    chats.delete_thread(other, seen.chat.state.thread.id)
    await seen.until(lambda: seen.chat.state.thread is None)


async def test_another_processes_words_in_the_open_chat_appear(seen: Seen, other: Runtime) -> None:
    await seen.send("I keep bees.")
    assert seen.chat.state.thread
    turn = take_turn(other, seen.chat.state.thread.id, "I keep hens.")
    assert isinstance(next(turn), Accepted)
    await seen.until(
        lambda: "I keep hens." in seen.text() and "another memapp is writing this" in seen.text()
    )
    await seen.send("And geese.")
    assert "Another memapp is answering in this chat" in seen.text()
    assert seen.chat.composer.text == "And geese."
    list(turn)
    await seen.until(lambda: "another memapp is writing this" not in seen.text())
    await seen.pilot.press("enter")
    await seen.answered()
    assert [message.text for message in chats.page(other, seen.chat.state.thread.id).messages][
        ::2
    ] == ["I keep bees.", "I keep hens.", "And geese."]


async def test_a_reply_whose_process_died_is_interrupted(seen: Seen, other: Runtime) -> None:
    await seen.send("I keep bees.")
    assert seen.chat.state.thread
    turn = take_turn(other, seen.chat.state.thread.id, "I keep hens.")
    next(turn)
    await seen.until("another memapp is writing this")
    with other.write() as session:
        session.run("UPDATE leases SET until = 0")  # nobody renews it
    await seen.until(
        lambda: "interrupted" in seen.text() and "another memapp is writing this" not in seen.text()
    )


async def test_what_another_process_erases_leaves_the_screen(seen: Seen, other: Runtime) -> None:
    await seen.send("I keep Zqarla bees.")
    seen.chat.composer.insert("half a message")
    await seen.until("Zqarla")
    assert forget.forget_everywhere(other, "Zqarla").left == ()
    await seen.settle(lambda: "Zqarla" not in seen.text() + "".join(seen.chat.composer.prompts))
    assert seen.chat.composer.text == "half a message"


async def test_an_erasure_that_comes_while_another_is_shown_leaves_what_is_being_written(
    seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    await seen.send("I keep bees.")
    seen.chat.composer.insert("half a message")
    shown, typed_prompts = threading.Event(), chats.typed_prompts

    def held(runtime: Runtime) -> list[str]:
        shown.wait(30)
        return typed_prompts(runtime)

    monkeypatch.setattr(chats, "typed_prompts", held)
    seen.chat.post_message(FileChanged(erased=True))
    await seen.until(lambda: not seen.chat.composer.text)
    seen.chat.post_message(FileChanged(erased=True))
    await seen.until(lambda: seen.chat._one_erasure._waiters)
    shown.set()
    await seen.settle()
    assert seen.chat.composer.text == "half a message"


async def test_a_second_window_keeps_no_drafts_and_says_so(world: World) -> None:
    async with world.opened() as first:
        assert "Two windows" not in first.text()
        first.chat.composer.insert("to the first")
        await first.until(lambda: chats.get_draft(first.runtime, ""))
        beside = World(world.folder)
        async with beside.app() as second:
            await second.ready()
            assert "Two windows are open: the other one keeps the drafts." in second.text()
            assert second.chat.composer.text == ""
            second.chat.composer.insert("to the second")
            second.chat.composer.save_now()
        assert chats.get_draft(first.runtime, "") == "to the first"


async def test_a_window_in_the_way_of_one_that_waits_says_so(seen: Seen, world: World) -> None:
    with ThreadPoolExecutor(1) as other:
        lock = Lock(world.folder / "memapp.db")
        waiting = other.submit(lock.take, 2)
        await seen.until(seen.tells("Close this window to let it"))
        assert not waiting.result(), "it waited in vain"
        lock.release()


async def test_two_windows_at_rest_do_not_wake_each_other(
    seen: Seen, other: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memapp.ui.worker_threads.WATCH_SECONDS", 0.1)
    curate.add(other, "User keeps bees.")
    await seen.until(lambda: curate.count(seen.runtime) == 1)
    looks: list[object] = []
    hear = forget.hear_others
    monkeypatch.setattr(forget, "hear_others", lambda runtime: (looks.append(1), hear(runtime))[1])
    for _ in range(2):
        other.database.changed_elsewhere()
        looks.clear()
        await seen.until(lambda: len(looks) > 2)
    assert not other.database.changed_elsewhere(), "looking at what changed changes nothing"
